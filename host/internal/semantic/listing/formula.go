package listing

import (
	"fmt"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/model"
)

// formula describes how a measure is computed: as an expression, with words for what expressions
// cannot say.
func formula(m *model.MeasureDef) string {
	var s strings.Builder
	o := m.Options.Get()
	switch m.Kind {
	case model.Ratio:
		fmt.Fprintf(&s, "%s / %s", o.Numerator.Value, o.Denominator.Value)
	case model.Cumulative:
		s.WriteString(o.Measure.Value)
		switch {
		case o.Window.N > 0:
			fmt.Fprintf(&s, " over the last %s", period(o.Window))
		case o.ToDate != "":
			fmt.Fprintf(&s, ", %s to date", o.ToDate)
		default:
			s.WriteString(", running total")
		}
	case model.TimeShift:
		fmt.Fprintf(&s, "%s, %s earlier", o.Measure.Value, period(o.Offset))
	case model.Share:
		fmt.Fprintf(&s, "%s as a share of its total", o.Measure.Value)
		if len(o.Within) > 0 {
			fmt.Fprintf(&s, " within %s", names(o.Within, ", "))
		}
	case model.Nested:
		fmt.Fprintf(&s, "%s(%s) per %s", m.Agg, o.Measure.Value, names(o.Per, ", "))
	default:
		simple(&s, m)
	}
	conditions(&s, o)
	return s.String()
}

func simple(s *strings.Builder, m *model.MeasureDef) {
	expr := strings.TrimSpace(m.Expr.Value)
	switch {
	case m.Agg == "":
		s.WriteString(expr)
		return
	case expr == "":
		expr = "*"
	}
	fmt.Fprintf(s, "%s(%s", m.Agg, expr)
	if o := m.Options.Get(); o.Percentile != "" {
		fmt.Fprintf(s, ", %s", o.Percentile)
	}
	s.WriteByte(')')
}

// conditions appends the conditions on the rows of a measure.
func conditions(s *strings.Builder, o *model.MeasureOptions) {
	var all []string
	if f := strings.TrimSpace(o.Filter.Value); f != "" {
		all = append(all, f)
	}
	for _, segment := range o.Segments {
		all = append(all, segment.Value)
	}
	if all != nil {
		fmt.Fprintf(s, " where %s", strings.Join(all, " and "))
	}
	if o.Time.Value != "" {
		fmt.Fprintf(s, " by %s", o.Time.Value)
	}
	if n := o.NonAdditive; n != nil {
		fmt.Fprintf(s, " at the %s %s", n.Pick, n.Dimension.Value)
		if len(n.Per) > 0 {
			fmt.Fprintf(s, " per %s", names(n.Per, ", "))
		}
	}
}

func period(p model.Period) string {
	if p.N == 1 {
		return "1 " + string(p.Grain)
	}
	return fmt.Sprintf("%d %ss", p.N, p.Grain)
}

func names(all []model.Text, separator string) string {
	var texts []string
	for _, t := range all {
		texts = append(texts, t.Value)
	}
	return strings.Join(texts, separator)
}
