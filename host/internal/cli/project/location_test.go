package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/connector"
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
