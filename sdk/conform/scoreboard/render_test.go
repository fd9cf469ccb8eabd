package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestPage(t *testing.T) {
	t.Parallel()
	output := filepath.Join(t.TempDir(), "page.md")
	if err := run(output, []string{"testdata/first.jsonl", "testdata/second.jsonl"}, nil); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/page.md"
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("page (-want +got):\n%s", diff)
	}
	var stdout strings.Builder
	if err := run("", []string{"testdata/first.jsonl", "testdata/second.jsonl"}, &stdout); err != nil || stdout.String() != string(got) {
		t.Errorf("stdout differs from the file: %v", err)
	}
}

func TestWrongInput(t *testing.T) {
	t.Parallel()
	broken := filepath.Join(t.TempDir(), "broken.jsonl")
	if err := os.WriteFile(broken, []byte("{}\nnot JSON\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		files []string
		want  string
	}{
		"no files":     {nil, "LOAM_CONFORM_OUT"},
		"missing file": {[]string{"testdata/none.jsonl"}, "none.jsonl"},
		"broken line":  {[]string{broken}, "broken.jsonl:2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := run("", tt.files, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want something about %s", err, tt.want)
			}
		})
	}
}
