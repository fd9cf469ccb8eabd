package query

import (
	"cmp"
	"strings"

	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/semanticquery"
)

// described is what is said of a member, or why it cannot be used.
func described(d semanticquery.Described) string {
	if d.Broken != "" {
		return terminal.Cut("BROKEN: "+d.Broken, terminal.MaxAbout)
	}
	var parts []string
	for _, text := range []string{d.Label, d.Description} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	if len(d.Synonyms) > 0 {
		parts = append(parts, "also: "+strings.Join(d.Synonyms, ", "))
	}
	if d.Internal {
		parts = append(parts, "internal")
	}
	return terminal.Cut(strings.ReplaceAll(strings.Join(parts, "; "), ".; ", "; "), terminal.MaxAbout)
}

func (a *commands) printMeasures(s *semanticquery.SourceAnswer) error {
	rows := make([][]string, len(s.Measures))
	for i, m := range s.Measures {
		rows[i] = []string{m.Name, cmp.Or(m.Unit, m.Format), terminal.Cut(m.Meaning(), maxMeaning), described(m.Described)}
	}
	return a.term.Section([]string{"MEASURE", "UNIT", "IS", "ABOUT"}, rows)
}

// maxMeaning is how much of a definition a table shows.
const maxMeaning = 200

func (a *commands) printDimensions(s *semanticquery.SourceAnswer) error {
	rows := make([][]string, len(s.Dimensions))
	for i, d := range s.Dimensions {
		rows[i] = []string{d.Name, d.Type, terminal.Cut(cmp.Or(d.Expr, strings.Join(d.Values, ", ")), maxMeaning), described(d.Described)}
	}
	return a.term.Section([]string{"DIMENSION", "TYPE", "IS", "ABOUT"}, rows)
}

func (a *commands) printSegments(s *semanticquery.SourceAnswer) error {
	rows := make([][]string, len(s.Segments))
	for i, d := range s.Segments {
		rows[i] = []string{d.Name, terminal.Cut(d.Expr, maxMeaning), described(d.Described)}
	}
	return a.term.Section([]string{"SEGMENT", "IS", "ABOUT"}, rows)
}

func (a *commands) printJoins(s *semanticquery.SourceAnswer) error {
	rows := make([][]string, len(s.Joins))
	for i, j := range s.Joins {
		to := j.To
		if j.Name != j.To {
			to = j.Name + " (" + j.To + ")"
		}
		var marks []string
		for _, m := range []struct {
			holds bool
			word  string
		}{{j.Inferred, "inferred"}, {j.Reversed, "declared there"}, {j.Description != "", j.Description}} {
			if m.holds {
				marks = append(marks, m.word)
			}
		}
		rows[i] = []string{to, j.Relationship, terminal.Cut(j.On, maxMeaning), described(semanticquery.Described{Description: strings.Join(marks, "; "), Broken: j.Broken})}
	}
	return a.term.Section([]string{"JOIN", "LEADS", "ON", "ABOUT"}, rows)
}
