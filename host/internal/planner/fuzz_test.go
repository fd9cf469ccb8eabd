package planner

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzMake: no text makes the planner panic, and no proposal is about a file of another folder.
func FuzzMake(f *testing.F) {
	files, err := filepath.Glob("testdata/cases/*.md")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("../../etc/passwd means x. `..` is the sum of amount in orders.")
	p := shop(f)
	v := p.view()
	f.Fuzz(func(t *testing.T, text string) {
		plan, err := Make(p.input(text), v)
		if err != nil {
			t.Fatal(err)
		}
		p.inside(t, plan)
	})
}
