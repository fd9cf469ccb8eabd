package query

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
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
	return terminal.Cut(strings.Join(parts, "; "), terminal.MaxAbout)
}

func (a *commands) printMeasures(s *semanticquery.SourceAnswer) error {
	rows := make([][]string, len(s.Measures))
	for i, m := range s.Measures {
		rows[i] = []string{m.Name, cmp.Or(m.Unit, m.Format), terminal.Cut(meaning(m), maxMeaning), described(m.Described)}
	}
	return a.term.Section([]string{"MEASURE", "UNIT", "IS", "ABOUT"}, rows)
}

// maxMeaning is how much of a definition a table shows.
const maxMeaning = 200

// meaning says in words what a measure is.
func meaning(m semanticquery.Measure) string {
	var b strings.Builder
	switch model.MeasureKind(m.Kind) {
	case model.Ratio:
		b.WriteString(m.Numerator + " / " + m.Denominator)
	case model.Derived:
		b.WriteString(m.Expr)
	case model.Cumulative:
		switch {
		case m.GrainToDate != "":
			b.WriteString(m.Measure + " since the " + m.GrainToDate + " began")
		case m.Window != "":
			b.WriteString(m.Measure + " over " + m.Window)
		default:
			b.WriteString(m.Measure + " since the beginning")
		}
	case model.TimeShift:
		b.WriteString(m.Measure + ", " + m.Offset + " earlier")
	case model.Share:
		b.WriteString(m.Measure + " as a part of its total")
		if len(m.Within) > 0 {
			b.WriteString(" within " + strings.Join(m.Within, ", "))
		}
	case model.Nested:
		b.WriteString(m.Agg + " over " + strings.Join(m.Per, ", ") + " of " + m.Measure)
	default:
		b.WriteString(aggregate(m))
	}
	if m.NonAdditive != nil {
		fmt.Fprintf(&b, ", at the %s %s", m.NonAdditive.Pick, m.NonAdditive.Dimension)
		if len(m.NonAdditive.Per) > 0 {
			b.WriteString(" per " + strings.Join(m.NonAdditive.Per, ", "))
		}
	}
	if m.Filter != "" {
		b.WriteString(", where " + m.Filter)
	}
	if len(m.Segments) > 0 {
		b.WriteString(", in " + strings.Join(m.Segments, ", "))
	}
	if m.Home != "" {
		b.WriteString(", over rows of " + m.Home)
	}
	if m.Default != nil {
		b.WriteString(", " + strconv.FormatFloat(*m.Default, 'g', -1, 64) + " for none")
	}
	return b.String()
}

// aggregate is a simple measure without its conditions.
func aggregate(m semanticquery.Measure) string {
	switch {
	case m.Agg == "":
		return m.Expr // in the engine's own SQL
	case m.Expr == "" && m.Agg == string(expression.Count):
		return "count of rows"
	case m.Expr == "":
		return m.Agg // broken
	case m.Parameter != "":
		return m.Agg + " " + m.Parameter + " of " + m.Expr
	}
	return m.Agg + " of " + m.Expr
}

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
