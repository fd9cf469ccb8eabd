package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// filled returns a folder with files whose content is their name.
func filled(t *testing.T, names ...string) *os.File {
	t.Helper()
	path := t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(path, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dir, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dir.Close(); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func wantFiles(t *testing.T, dir *os.File, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(dir.Name())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(dir.Name(), entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got[entry.Name()] = string(content)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestExchange(t *testing.T) {
	t.Parallel()
	dir := filled(t, "a", "b")
	before := Writes()
	err := Exchange(dir, "a", "b")
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("this file system cannot exchange files")
	}
	if err != nil || Writes() == before {
		t.Fatalf("exchange: %v, %d writes", err, Writes()-before)
	}
	wantFiles(t, dir, map[string]string{"a": "b", "b": "a"})
	for _, names := range [][2]string{{"a", "none"}, {"none", "a"}} {
		if err := Exchange(dir, names[0], names[1]); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("exchange %s and %s: %v", names[0], names[1], err)
		}
	}
	wantFiles(t, dir, map[string]string{"a": "b", "b": "a"})
}

func TestPut(t *testing.T) {
	t.Parallel()
	for name, put := range map[string]func(dir *os.File, from, to string) error{"rename": Put, "link": linkNew} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filled(t, "a", "b")
			if err := put(dir, "a", "b"); !errors.Is(err, fs.ErrExist) {
				t.Errorf("put over a file: %v", err)
			}
			if err := put(dir, "none", "c"); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("put what is not there: %v", err)
			}
			wantFiles(t, dir, map[string]string{"a": "a", "b": "b"})
			if err := put(dir, "a", "c"); err != nil {
				t.Error(err)
			}
			wantFiles(t, dir, map[string]string{"b": "b", "c": "a"})
		})
	}
}
