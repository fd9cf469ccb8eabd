package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A fault is found in a package, in its tests, in tests outside of it, and in a call of a
// wrapper of another package.
func TestFaultsAreFound(t *testing.T) {
	t.Setenv("GOWORK", "off")
	got, found := vetted(t, map[string]string{
		"a.go":       "package a\n\nimport \"fmt\"\n\nfunc Say(format string, args ...any) { fmt.Printf(format, args...) }\n\nfunc wrong() { Say(\"%d\", \"in the package\") }\n",
		"a_test.go":  "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { wrong(); Say(\"%d\", \"in its test\") }\n",
		"x_test.go":  "package a_test\n\nimport (\n\t\"testing\"\n\n\t\"example.com/a\"\n)\n\nfunc TestX(t *testing.T) { a.Say(\"%d\", \"outside\") }\n",
		"b/b.go":     "package b\n\nimport \"example.com/a\"\n\nfunc B() { a.Say(\"%d\", \"in another package\") }\n",
		"c/clean.go": "package c\n\nfunc C() {}\n",
	})
	want := []string{"a.go:7", "a_test.go:5", "b.go:5", "x_test.go:9"}
	if diff := cmp.Diff(want, got); diff != "" || !found {
		t.Errorf("found %v (-want +got):\n%s", found, diff)
	}
}

func TestNothingIsFound(t *testing.T) {
	t.Setenv("GOWORK", "off")
	if got, found := vetted(t, map[string]string{"a.go": "package a\n\nfunc A() {}\n"}); found || got != nil {
		t.Errorf("found %v: %v", found, got)
	}
}

// A package of C that was compiled in a folder which is gone now.
func TestWhatCgoGeneratedElsewhere(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("needs a C compiler:", err)
	}
	t.Setenv("GOWORK", "off")
	t.Setenv("CGO_ENABLED", "1")
	t.Setenv("GOFLAGS", "-trimpath")
	files := map[string]string{"a.go": "package a\n\nimport \"fmt\"\n\n// #define ONE 1\nimport \"C\"\n\nfunc A() { fmt.Printf(\"%s\", int(C.ONE)) }\n"}
	for range 2 {
		dir := written(t, files)
		at, found := vettedIn(t, dir)
		if diff := cmp.Diff([]string{"a.go:8"}, at); diff != "" || !found {
			t.Errorf("found %v (-want +got):\n%s", found, diff)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}

// vetted runs vet on a module of these files and returns the positions of what it found, in order.
func vetted(t *testing.T, files map[string]string) ([]string, bool) {
	t.Helper()
	return vettedIn(t, written(t, files))
}

// written makes a module of these files and returns its folder.
func written(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module example.com/a\n\ngo 1.26\n"
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// vettedIn runs vet in dir and returns the positions of what it found, in order.
func vettedIn(t *testing.T, dir string) ([]string, bool) {
	t.Helper()
	var out strings.Builder
	found, err := run(dir, []string{"./..."}, &out)
	if err != nil {
		t.Fatal(err)
	}
	var at []string
	for _, m := range regexp.MustCompile(`(?m)(\w+\.go:\d+):\d+: `).FindAllStringSubmatch(out.String(), -1) {
		at = append(at, m[1])
	}
	slices.Sort(at) // packages are reported in no order
	return at, found
}
