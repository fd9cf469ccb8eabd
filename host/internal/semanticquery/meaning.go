package semanticquery

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
)

// Meaning returns the definition of the measure in words.
func (m *Measure) Meaning() string {
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
		b.WriteString(m.aggregate())
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
	if m.TimeDimension != "" {
		b.WriteString(", by the time " + m.TimeDimension)
	}
	if m.Default != nil {
		b.WriteString(", " + strconv.FormatFloat(*m.Default, 'g', -1, 64) + " for none")
	}
	return b.String()
}

// aggregate is a simple measure without its conditions.
func (m *Measure) aggregate() string {
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
