package oracle

import (
	"maps"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
)

// column is a measure over groups.
type column struct {
	// domain are the groups that are shown, by key; rows are those of them that have
	// rows.
	domain, rows map[string][]any
	// at is the value for any group, whether it has rows or not.
	at func(tuple []any) any
}

// union adds the groups of another column.
func (c *column) union(o *column) {
	maps.Copy(c.domain, o.domain)
	if c.rows != nil {
		maps.Copy(c.rows, o.rows)
	}
}

// measure computes a measure of the model.
func (w *world) measure(id model.MeasureID, s scope) (*column, error) {
	m := w.model.Measure(id)
	var c *column
	var err error
	switch m.Kind {
	case model.Simple:
		c, err = w.simple(m, s)
	case model.Ratio:
		c, err = w.ratio(m, s)
	case model.Derived:
		c, err = w.derived(m, s)
	case model.TimeShift:
		c, err = w.shifted(m, s)
	case model.Cumulative:
		c, err = w.cumulative(m, s)
	case model.Share:
		c, err = w.share(m, s)
	case model.Nested:
		c, err = w.nested(m, s)
	}
	if err != nil || m.Default == nil {
		return c, err
	}
	value := c.at
	c.at = func(tuple []any) any {
		if v := value(tuple); v != nil {
			return v
		}
		return *m.Default
	}
	return c, nil
}

// simple aggregates the rows of the measure's home: each row once per group.
func (w *world) simple(m *model.Measure, s scope) (*column, error) {
	var l *view
	err := w.timed(m, func() (err error) {
		l, err = w.viewOf(m.Home, s)
		return err
	})
	if err != nil {
		return nil, err
	}
	filters := l.own
	for _, e := range m.Filter {
		f, err := w.bindDefinition(nil, m.Home, e)
		if err != nil {
			return nil, err
		}
		filters = append(filters, f)
	}
	for _, id := range m.Segments {
		f, err := w.bindDefinition(nil, m.Home, w.model.Segment(id).Expr)
		if err != nil {
			return nil, err
		}
		filters = append(filters, f)
	}
	for _, f := range filters {
		l.needs(f)
	}
	var x *scoped
	if m.Expr != nil {
		if x, err = w.bindDefinition(nil, m.Home, m.Expr); err != nil {
			return nil, err
		}
	}
	groups, err := l.group(filters, m.NonAdditive)
	if err != nil {
		return nil, err
	}
	return groups.column(m.Agg, m.Parameter, func(home int) any {
		if x == nil {
			return true // a row counts, whatever is in it
		}
		return w.compute(choice{"": {m.Home, home}}, x)
	}), nil
}

// groups are the groups of a view, and the rows of the home that a measure counts
// in each.
type groups struct {
	domain map[string][]any
	rows   map[string][]int
}

// group puts the rows of the home into groups. A group is there when a row
// belongs to it; a row counts in it when it satisfies the measure's own filters
// beside the same finer rows.
func (l *view) group(filters []*scoped, rule *model.NonAdditive) (*groups, error) {
	g := &groups{map[string][]any{}, map[string][]int{}}
	last, err := l.newest(rule)
	if err != nil {
		return nil, err
	}
	if len(l.dims) == 0 {
		g.domain[keyOf()] = []any{}
	}
	seen := map[string]bool{}
	counted := map[string][]hit{}
	for _, h := range l.hits() {
		key := keyOf(h.tuple...)
		g.domain[key] = h.tuple
		once := key + keyOf(float64(h.home))
		if seen[once] || !l.satisfied(h, filters) {
			continue
		}
		seen[once] = true
		counted[key] = append(counted[key], h)
	}
	for key, hits := range counted {
		for _, h := range last(hits) {
			g.rows[key] = append(g.rows[key], h.home)
		}
	}
	return g, nil
}

// satisfied reports whether a measure's own filters hold, for the same related rows as
// those of the request.
func (l *view) satisfied(h hit, filters []*scoped) bool {
	return l.world.some(func() bool {
		for _, f := range filters {
			if !l.world.holds(h.choice, f) {
				return false
			}
		}
		return l.counts(h.choice)
	})
}

// newest returns what a semi-additive measure keeps of the rows of a group:
// those at the end of time within the group and what the rule is per.
func (l *view) newest(rule *model.NonAdditive) (func([]hit) []hit, error) {
	if rule == nil {
		return func(all []hit) []hit { return all }, nil
	}
	date := place{source: l.home, field: rule.Time}
	var per []place
	for _, ref := range rule.Per {
		p, err := l.world.reach(l.home, ref)
		if err != nil {
			return nil, err
		}
		per = append(per, p)
	}
	part := func(h hit) string {
		s := ""
		for _, p := range per {
			s += keyOf(l.world.at(choice{"": {l.home, h.home}}, p))
		}
		return s
	}
	at := func(h hit) any { return l.world.at(choice{"": {l.home, h.home}}, date) }
	return func(all []hit) (kept []hit) {
		best := map[string]any{}
		for _, h := range all {
			v, b := at(h), best[part(h)]
			if v != nil && (b == nil || (compareValues(v, b) > 0) == (rule.Pick == model.Last)) {
				best[part(h)] = v
			}
		}
		for _, h := range all {
			if v := at(h); v != nil && v == best[part(h)] {
				kept = append(kept, h)
			}
		}
		return kept
	}, nil
}

// column aggregates what the counted rows of each group have.
func (g *groups) column(f expression.AggregateFunction, parameter *expression.Literal, of func(home int) any) *column {
	values := map[string]any{}
	for key, rows := range g.rows {
		var all []any
		for _, home := range rows {
			all = append(all, of(home))
		}
		values[key] = aggregate(f, all, parameter)
	}
	return &column{g.domain, g.domain, func(tuple []any) any {
		if v, ok := values[keyOf(tuple...)]; ok {
			return v
		}
		return overNothing(f)
	}}
}

func (w *world) ratio(m *model.Measure, s scope) (*column, error) {
	return w.combine([]model.MeasureID{m.Numerator, m.Denominator}, s, func(values map[model.MeasureID]any) any {
		return operate(expression.Divide, values[m.Numerator], values[m.Denominator])
	})
}

func (w *world) derived(m *model.Measure, s scope) (*column, error) {
	refs := refsOf(m.Expr)
	tree, err := expression.Check(m.Expr.Tree, unknownTypes)
	if err != nil {
		return nil, refuse(refusal.CodeInvalidExpression, "%v", err)
	}
	return w.combine(m.Uses, s, func(values map[model.MeasureID]any) any {
		return env{name: func(n *expression.Name) any { return values[refs[n.String()].Measure] }}.eval(tree)
	})
}

// combine computes one value from those of other measures for the same group.
func (w *world) combine(ids []model.MeasureID, s scope, of func(map[model.MeasureID]any) any) (*column, error) {
	parts := map[model.MeasureID]*column{}
	whole := &column{domain: map[string][]any{}, rows: map[string][]any{}}
	for _, id := range ids {
		c, err := w.measure(id, s)
		if err != nil {
			return nil, err
		}
		parts[id] = c
		whole.union(c)
	}
	whole.at = func(tuple []any) any {
		values := map[model.MeasureID]any{}
		for id, c := range parts {
			values[id] = c.at(tuple)
		}
		return of(values)
	}
	return whole, nil
}
