package semanticquery

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

const (
	// maxUnseen is how many such notes an answer has, maxShown how many known
	// values each names, and maxValue the longest value that is shown or compared,
	// in bytes.
	maxUnseen = 3
	maxShown  = 5
	maxValue  = 100
)

// unseenValues returns notes on literals that a text column did not have when all of its
// values were counted. It is no error: the profile may be old.
func unseenValues(state *layer.State, r request.Request, q *compile.Query) (notes []string) {
	if state.Snapshot == nil {
		return nil
	}
	l := look{state: state, homes: homes(state.Model, q)}
	l.filters(r.Filters)
	for _, m := range r.Measures {
		l.filters(m.Filters)
	}
	return l.notes
}

// look goes through the filters of a request.
type look struct {
	state *layer.State
	homes []model.SourceID
	notes []string
}

func (l *look) filters(all []request.Filter) {
	for i := range all {
		f := &all[i]
		switch {
		case f.SQL != "":
			if tree, err := expression.ParseCondition(f.SQL); err == nil {
				l.expression(tree)
			}
		case f.Op == request.OpEquals || f.Op == request.OpNotEquals || f.Op == request.OpIn || f.Op == request.OpNotIn:
			if n, err := expression.ParseName(f.Field); err == nil {
				l.compared(n.Parts, texts(f.Values))
			}
		}
		for _, inner := range []*request.Filter{f.Not, f.Any, f.None, f.All} {
			if inner != nil {
				l.filters([]request.Filter{*inner})
			}
		}
		l.filters(f.And)
		l.filters(f.Or)
	}
}

func texts(values []any) (all []string) {
	for _, v := range values {
		if s, ok := v.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

// expression finds equalities of a name with texts.
func (l *look) expression(tree expression.Node) {
	expression.Walk(tree, func(n expression.Node) bool {
		switch n := n.(type) {
		case *expression.Binary:
			if n.Op != expression.Equal && n.Op != expression.NotEqual {
				break
			}
			for _, side := range [][2]expression.Node{{n.Left, n.Right}, {n.Right, n.Left}} {
				l.literals(side[0], side[1])
			}
		case *expression.In:
			l.literals(n.X, n.List...)
		case *expression.Quantified:
			l.expression(n.X)
		}
		return true
	})
}

func (l *look) literals(x expression.Node, values ...expression.Node) {
	name, ok := x.(*expression.Name)
	if !ok {
		return
	}
	var all []string
	for _, v := range values {
		if lit, ok := v.(*expression.Literal); ok && lit.Type() == sdk.TypeText {
			all = append(all, lit.Value)
		}
	}
	l.compared(name.Parts, all)
}

// compared notes the texts that the column of a dimension did not have.
func (l *look) compared(name []string, values []string) {
	if len(values) == 0 || len(l.notes) == maxUnseen {
		return
	}
	d := l.dimension(name)
	if d == nil || d.Type != model.String {
		return
	}
	source := l.state.Model.Source(d.ID.Source())
	known, says := l.known(source, d)
	for _, v := range values {
		if len(known) > 0 && len(l.notes) < maxUnseen && len(v) <= maxValue && !slices.Contains(known, v) {
			l.notes = append(l.notes, fmt.Sprintf("%s.%s %s; known: %s.", source.Name, d.Name, fmt.Sprintf(says, v), knownValues(v, known)))
		}
	}
}

// known returns all values that a dimension has, by its definition or else by its
// column's profile, and the format of what to say of one that it has not; nil
// when not all are known.
func (l *look) known(s *model.Source, d *model.Dimension) (values []string, says string) {
	if len(d.Values) > 0 {
		return d.Values, "has no value %q by its definition"
	}
	if d.Column == "" {
		return nil, ""
	}
	at, profile := l.profile(s, d.Column)
	if profile == nil {
		return nil, ""
	}
	return profile.Values, "had no value %q when it was scanned at " + at.UTC().Format(time.RFC3339)
}

// dimension is what a filter's name means: as seen from the rows that are
// aggregated, else what has the name alone. nil = no dimension.
func (l *look) dimension(name []string) *model.Dimension {
	for _, home := range append(slices.Clone(l.homes), model.Metrics) {
		members, err := l.state.Model.Lookup(home, name...)
		if err != nil {
			continue
		}
		for _, m := range members {
			if m.Dimension != 0 {
				return l.state.Model.Dimension(m.Dimension)
			}
		}
	}
	return nil
}

// profile returns what was counted of a column when all of its values were, and
// may be shown; nil = it was not.
func (l *look) profile(s *model.Source, column string) (time.Time, *sdk.ColumnStats) {
	if !s.Scanned {
		return time.Time{}, nil
	}
	at, ok := l.state.Snapshot.Position(s.Table)
	if !ok {
		return time.Time{}, nil
	}
	p, err := l.state.Snapshot.Profile(at)
	if err != nil || p == nil || slices.ContainsFunc(p.Withheld, func(w catalog.Withheld) bool { return w.Column == column }) {
		return time.Time{}, nil // a damaged profile is told of where it is asked for
	}
	c := p.Column(column)
	if c == nil || !c.Complete || !c.ValuesComplete || len(c.Values) == 0 {
		return time.Time{}, nil
	}
	return p.At, c
}

// knownValues lists what there was, the nearest first, then the most frequent.
func knownValues(word string, values []string) string {
	var shown []string
	for _, v := range slices.Concat(sqlkit.Nearest(word, short(values)), values) {
		if len(v) <= maxValue && !slices.Contains(shown, v) {
			shown = append(shown, v)
		}
		if len(shown) == maxShown {
			break
		}
	}
	words := make([]string, len(shown))
	for i, v := range shown {
		words[i] = fmt.Sprintf("%q", v)
	}
	text := strings.Join(words, ", ")
	if more := len(values) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// short leaves out what is too long to be compared.
func short(values []string) []string {
	return slices.DeleteFunc(slices.Clone(values), func(v string) bool { return len(v) > maxValue })
}
