package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
)

func TestFind(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	outer, inner := filepath.Join(root, "outer"), filepath.Join(root, "outer", "inner")
	deep, other := filepath.Join(inner, "a", "b"), filepath.Join(root, "other")
	folderNamedSo := filepath.Join(other, "x", FileName)
	for _, dir := range []string{deep, other, folderNamedSo} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{outer, inner} {
		write(t, dir, "version: 1\n")
	}
	file := filepath.Join(inner, FileName)
	tests := []struct {
		name           string
		flag, env, cwd string
		want           string
		kind           sdk.Kind
		hint           string
	}{
		{"the folder itself", "", "", inner, inner, "", ""},
		{"nearest upwards", "", "", deep, inner, "", ""},
		{"none upwards", "", "", other, other, "", ""},
		{"a folder of the file's name is none", "", "", filepath.Join(other, "x"), filepath.Join(other, "x"), "", ""},
		{"variable", "", outer, deep, outer, "", ""},
		{"variable relative to the current folder", "", "../..", deep, inner, "", ""},
		{"flag before variable", other, outer, deep, other, "", ""},
		{"flag without a file", other, "", deep, other, "", ""},
		{"flag relative to the current folder", "inner/", "", outer, inner, "", ""},
		{"missing folder", filepath.Join(root, "no"), "", deep, "", sdk.KindNotFound, "loam init " + filepath.Join(root, "no")},
		{"missing folder in the variable", "", "no", deep, "", sdk.KindNotFound, "loam init " + filepath.Join(deep, "no")},
		{"a file", file, "", deep, "", sdk.KindInvalid, "name the folder that holds loam.yaml"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			getenv := func(name string) string {
				if name == DirVariable {
					return tt.env
				}
				return ""
			}
			got, err := Find(tt.flag, getenv, tt.cwd)
			if got != tt.want || sdk.KindOf(err) != tt.kind {
				t.Errorf("Find = %q, %v; want %q, %s", got, err, tt.want, tt.kind)
			}
			if e := sdk.AsError(err, sdk.SourceHost); e != nil && !strings.Contains(e.Hint, tt.hint) {
				t.Errorf("hint %q, want %q", e.Hint, tt.hint)
			}
		})
	}
}

func write(t *testing.T, dir, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, FileName), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func contents(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
