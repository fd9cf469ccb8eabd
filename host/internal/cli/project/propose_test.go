package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/sdk"
)

func TestPropose(t *testing.T) {
	t.Parallel()
	type server struct {
		Host string `json:"host" doc:"x" url:"host"`
	}
	type file struct {
		Path string `json:"path" doc:"x" url:"file" extensions:".foo"`
	}
	connectors := []connector.Installed{
		{Name: "a", Description: sdk.Description{ConfigSchema: sdk.ConfigOf[server]("foodb").Schema}},
		{Name: "b", Description: sdk.Description{ConfigSchema: sdk.ConfigOf[file]("foofile").Schema}},
	}
	dir := t.TempDir()
	for name, content := range map[string]string{
		".env":     "# MAIN=foodb://u:hush@h/old\nexport MAIN=\"foodb://u:hush@h/d\"\nDATABASE_URL=foodb://u:hush@h/d\nSITE=https://u:hush@h\nFLAG=1\n",
		"data.foo": "", "in/my shop.foo": "", "in/deeper/x.foo": "", ".git/x.foo": "", "x.txt": "",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files := []proposal{{Found: "data.foo", Command: "loam connection add data.foo"}, {Found: "in/my shop.foo", Command: "loam connection add 'in/my shop.foo'"}}
	main := proposal{Found: "MAIN in .env (set it in your shell first)", Command: "loam connection add env:MAIN"}
	for url, want := range map[string][]proposal{
		"foodb://u:hush@h/d": append([]proposal{{Found: "the variable DATABASE_URL", Command: "loam connection add env:DATABASE_URL"}, main}, files...),
		"other://u:hush@h/d": append([]proposal{{Found: "the variable DATABASE_URL", PassedOver: "no installed connector takes URLs with the scheme other"}, main, {Found: "DATABASE_URL in .env (set it in your shell first)", Command: "loam connection add env:DATABASE_URL"}}, files...),
	} {
		got := propose(dir, "", connectors, func(string) string { return url })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		for _, p := range got {
			if strings.Contains(p.Found+p.Command, "hush") {
				t.Errorf("a secret is shown: %v", p)
			}
		}
	}
	large := t.TempDir()
	if err := os.WriteFile(filepath.Join(large, ".env"), []byte(strings.Repeat("#", maxEnvironment)+"\nMAIN=foodb://h/d\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := propose(large, "", connectors, func(string) string { return "" }); len(got) > 0 {
		t.Errorf("of a file that is too large: %v", got)
	}
	if got := propose(t.TempDir(), "", connectors, func(string) string { return "" }); got == nil || len(got) > 0 {
		t.Errorf("%v", got)
	}
}
