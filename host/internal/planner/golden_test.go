package planner

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

// TestGolden plans each text of testdata/cases; a folder has several texts, each against the
// state that those before left. What its name ends in -approved is approved whole; what ends in
// .append is what a person appends to a file, which its first line names.
func TestGolden(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir("testdata/cases")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() || strings.HasSuffix(e.Name(), ".md") {
			t.Run(strings.TrimSuffix(e.Name(), ".md"), func(t *testing.T) {
				t.Parallel()
				golden(t, filepath.Join("testdata/cases", e.Name()), e.IsDir())
			})
		} else if _, err := os.Stat(filepath.Join("testdata/cases", strings.TrimSuffix(e.Name(), ".json")+".md")); err != nil {
			t.Errorf("%s is the golden file of no case", e.Name())
		}
	}
}

func golden(t *testing.T, path string, several bool) {
	files := []string{path}
	if several {
		var err error
		if files, err = filepath.Glob(filepath.Join(path, "*.*")); err != nil {
			t.Fatal(err)
		}
		files = slices.DeleteFunc(files, func(f string) bool { return strings.HasSuffix(f, ".json") })
		slices.Sort(files)
	}
	p := shop(t)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if name, more, _ := strings.Cut(string(text), "\n"); strings.HasSuffix(file, ".append") {
			before, err := p.read(name)
			if err != nil {
				t.Fatal(err)
			}
			p.write(name, append(before, more...))
			continue
		}
		plan := p.plan(string(text))
		got := shown(plan)
		expected := strings.TrimSuffix(file, ".md") + ".json"
		if *update {
			if err := os.WriteFile(expected, got, 0o644); err != nil {
				t.Fatal(err)
			}
		} else if want, err := os.ReadFile(expected); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s (-want +got):\n%s%v", file, cmp.Diff(string(want), string(got)), err)
		}
		p.apply(plan, p.input(string(text)), strings.HasSuffix(file, "-approved.md"))
	}
}
