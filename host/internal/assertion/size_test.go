package assertion

import (
	"fmt"
	"strings"
	"testing"
)

// Large texts are read whole, and what is beyond a limit is counted.
func TestLargeTexts(t *testing.T) {
	t.Parallel()
	var view, terms, sections strings.Builder
	view.WriteString("view: orders {\n")
	for i := range 900 {
		fmt.Fprintf(&view, "  measure: m%d {\n    type: sum\n    sql: ${TABLE}.amount_%d ;;\n  }\n", i, i)
	}
	view.WriteString("}\n")
	terms.WriteString("# Glossary\n\n")
	for i := range 600 {
		fmt.Fprintf(&terms, "T%d means the thing with the number %d.\n\n", i, i)
	}
	for i := range 210 {
		fmt.Fprintf(&sections, "# Terms %d\n\nT%d means the thing with the number %d.\n\n", i, i, i)
	}
	for _, c := range []struct {
		name, text string
		statements int
		dialect    string
		notes      int
	}{
		{"60 KiB of LookML", view.String(), 0, "lookml", 0},
		{"60 KiB of LookML in a fence", "```lookml\n" + view.String() + "```\n", 0, "lookml", 0},
		{"300 KiB of prose", strings.Repeat("The server reads the file and answers the next request with it.\n\n", 4700), 0, "", 0},
		{"300 KiB in one line", strings.Repeat("a b c ", 50_000), 0, "", 0},
		{"600 statements", terms.String(), maxStatements, "", 1},
		{"210 sections", sections.String(), maxSections, "", 2},
	} {
		d := Read(c.text, Options{Asked: true})
		if len(d.Statements) != c.statements || d.Signals.Dialect != c.dialect || len(d.Notes) != c.notes {
			t.Errorf("%s: %d statements, dialect %q, notes %q", c.name, len(d.Statements), d.Signals.Dialect, d.Notes)
		}
	}
}
