package project

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/wire"
)

func TestIDOfADatabase(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"analytics": "analytics", "Sales-2024": "sales-2024", "data/My Shop.db": "my_shop", "2024_sales": "sales", "日本": "acme_foodb", "": "acme_foodb",
		strings.Repeat("a", 100): strings.Repeat("a", 63),
	} {
		id := place{name: name, found: connector.Installed{Name: "acme/foodb"}}.id()
		if err := id.Validate(); err != nil || string(id) != want {
			t.Errorf("%q is %q (%v), want %q", name, id, err, want)
		}
	}
}

// filesManifest is that of a connector of files and of folders of files.
func filesManifest(t *testing.T, name string) string {
	t.Helper()
	type config struct {
		Path    string   `json:"path" doc:"x" url:"file" extensions:".foo"`
		Folders []string `json:"folders" doc:"x" url:"folder" extensions:".csv"`
	}
	content, err := wire.EncodeManifest(wire.Manifest{
		Description: sdk.Description{ID: name, Version: "1.0.0", DisplayName: name, License: "MIT", ConfigSchema: sdk.ConfigOf[config]().Schema},
		Targets:     map[string]wire.Target{wire.PlatformName(runtime.GOOS, runtime.GOARCH): {Path: "program", SHA256: strings.Repeat("a", 64), Size: 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// loam connection add takes a folder as loam connect does; an installed connector comes first.
func TestAddFolder(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, folder := range []string{"exports", "files", filepath.Join("deep", "data")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	installed := t.TempDir()
	if err := os.WriteFile(filepath.Join(installed, "loam-connector-files.json"), []byte(filesManifest(t, "files")), 0o600); err != nil {
		t.Fatal(err)
	}
	services := &Services{Connectors: connector.NewRegistry([]connector.Place{{Dir: installed}})}
	for args, want := range map[string]struct{ id, folders, says string }{
		"shop exports":              {id: "shop", folders: `["exports"]`},
		"shop exports/":             {id: "shop", folders: `["exports"]`},
		"shop deep/data/":           {id: "shop", folders: `["deep/data"]`},
		"deep/data/":                {folders: `["deep/data"]`},
		"exports":                   {folders: `["exports"]`},
		"shop files":                {id: "shop"},
		"shop files/":               {id: "shop", folders: `["files"]`},
		`shop exports folders=mine`: {id: "shop", folders: "mine"},
		"shop none/":                {says: "there is no file none/"},
		"shop none":                 {says: `connector "none" is not installed`},
		"shop":                      {says: "an id and a connector, a URL, a file or a folder are needed"},
	} {
		add, err := newAddition(&cobra.Command{Use: "add"}, connection.Connection{}, strings.Fields(args))
		var found place
		if err == nil {
			found, err = locate(t.Context(), services, dir, add)
		}
		switch {
		case want.says != "" && (err == nil || !strings.Contains(err.Error(), want.says)):
			t.Errorf("%s: %v", args, err)
		case want.says == "" && (err != nil || found.found.Name != "files" || string(add.ID) != want.id || found.values["folders"] != want.folders):
			t.Errorf("%s: id %q, connector %q, %v, %v", args, add.ID, found.found.Name, found.values, err)
		}
	}
}

func TestFilesInTheProject(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.MkdirAll(filepath.Join(dir, "p", "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	full := filepath.Join(dir, "p", "data", "a.foo")
	if err := os.WriteFile(full, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(dir, "p")
	for path, want := range map[string]string{"p/data/a.foo": "data/a.foo", full: "data/a.foo", "/p/data/a.foo": "data/a.foo", "p/none": "", "p/data": ""} {
		if got, err := inProject(project, path, true); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	if got, err := inProject(filepath.Join(dir, "other"), "p/data/a.foo", false); err != nil || got != full {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := inProject(project, "u:hush@h/x", true); err == nil || strings.Contains(err.Error(), "hush") {
		t.Error(err)
	}
}
