package project

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

func TestInit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		before  map[string]string
		created []string
		after   map[string]string
	}{
		{"new folder", nil, []string{FileName, ".gitignore"}, map[string]string{FileName: string(template), ".gitignore": "/.loam/\n"}},
		{"project file stays", map[string]string{FileName: "mine"}, []string{".gitignore"}, map[string]string{FileName: "mine", ".gitignore": "/.loam/\n"}},
		{"ignore file grows", map[string]string{".gitignore": "/bin/\n"}, []string{FileName, ".gitignore"}, map[string]string{".gitignore": "/bin/\n/.loam/\n"}},
		{"ignore file without a last newline", map[string]string{".gitignore": "/bin/"}, []string{FileName, ".gitignore"}, map[string]string{".gitignore": "/bin/\n/.loam/\n"}},
		{"empty ignore file", map[string]string{".gitignore": ""}, []string{FileName, ".gitignore"}, map[string]string{".gitignore": "/.loam/\n"}},
		{"ignored already", map[string]string{".gitignore": "a\r\n.loam\r\n"}, []string{FileName}, map[string]string{".gitignore": "a\r\n.loam\r\n"}},
		{"ignored everywhere", map[string]string{".gitignore": "**/.loam/\n"}, []string{FileName}, map[string]string{".gitignore": "**/.loam/\n"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "a", "b")
			for name, text := range tt.before {
				if err := os.MkdirAll(dir, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for _, want := range [][]string{tt.created, nil} { // the second time there is nothing to do
				created, err := Init(t.Context(), dir)
				if diff := cmp.Diff(want, created); err != nil || diff != "" {
					t.Errorf("created: %v (-want +got):\n%s", err, diff)
				}
				for name, text := range tt.after {
					if diff := cmp.Diff(text, contents(t, filepath.Join(dir, name))); diff != "" {
						t.Errorf("%s (-want +got):\n%s", name, diff)
					}
				}
			}
			if left, err := filepath.Glob(filepath.Join(dir, ".*.*")); err != nil || len(left) > 0 {
				t.Errorf("temporary files are left: %v %v", left, err)
			}
		})
	}
}

func TestInitWhereNothingCanBeMade(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Init(t.Context(), filepath.Join(file, "project"))
	if e := sdk.AsError(err, sdk.SourceHost); e == nil || e.Kind != sdk.KindDenied || e.Hint == "" {
		t.Errorf("error %+v", e)
	}
}
