package mcpserver

import (
	"slices"
	"strings"
	"testing"
)

// Whatever is switched on, the instructions name each toolset that is on with its tools,
// and the others as off; no toolset is missing, and all of it is short.
func TestInstructions(t *testing.T) {
	t.Parallel()
	docs, err := Docs(Selection{}, Selection{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := Toolsets()
	if err != nil {
		t.Fatal(err)
	}
	for chosen := range 1 << len(all) {
		var on, off []string
		for i, toolset := range all {
			if chosen&(1<<i) != 0 {
				on = append(on, toolset)
			} else {
				off = append(off, toolset)
			}
		}
		text := instructions(on, all)
		if len(text) > 1_500 {
			t.Errorf("%v: %d characters", on, len(text))
		}
		names := 0
		for _, d := range docs {
			if d.Name == "query" { // a word of sentences
				continue
			}
			named := slices.Contains(strings.FieldsFunc(text, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }), d.Name)
			if named && !slices.Contains(on, d.Toolset) {
				t.Errorf("%v: %s of %s is named", on, d.Name, d.Toolset)
			}
			if named {
				names++
			}
		}
		if len(on) > 0 && names == 0 {
			t.Errorf("%v: no tool is named", on)
		}
		_, last, told := strings.Cut(text, "Toolsets that are switched off, until the server is started with --toolsets: ")
		if told != (len(off) > 0) || strings.TrimSuffix(last, ".") != strings.Join(off, ", ") {
			t.Errorf("%v: %s", on, text)
		}
	}
}

// Every toolset has its line.
func TestEveryToolsetIsDescribed(t *testing.T) {
	t.Parallel()
	all, err := Toolsets()
	if err != nil {
		t.Fatal(err)
	}
	for _, toolset := range all {
		if about[toolset] == "" {
			t.Errorf("%s has no line", toolset)
		}
	}
}
