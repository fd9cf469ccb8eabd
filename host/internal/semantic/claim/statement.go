package claim

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/host/internal/semantic/statement"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Statement returns one read-only statement that checks the claim. It reads each source once per
// direction. With examples the result contains some violating keys.
// Shape: the result has one row, and for OneToOne a second one for the way back; see Finding.Read.
// Errors: *refusal.Error.
func (c Claim) Statement(m *model.Model, d *dialect.Dialect, examples bool) (string, error) {
	p := &planner{m: m, d: d, numbers: &plan.Numbers{}, examples: examples, direction: 1}
	switch {
	case c.Kind == OnePeriod:
		return p.write(p.calendar(c))
	case c.Join == 0:
		return p.write(p.key(c))
	}
	out, err := p.join(c)
	if err != nil || c.Kind != OneToOne {
		return p.write(out, err)
	}
	back := c
	back.Home, back.To, back.Reversed = c.To, c.Home, !c.Reversed
	back.Fields, back.ToFields = c.ToFields, c.Fields
	p.direction = 2
	other, err := p.join(back)
	if err != nil {
		return "", err
	}
	return p.write(p.both(out, other), nil)
}

// planner plans one statement.
type planner struct {
	m        *model.Model
	d        *dialect.Dialect
	numbers  *plan.Numbers
	examples bool
	// direction is the value of the first column: 1, or backward.
	direction int64
}

func (p *planner) write(r plan.Relation, err error) (string, error) {
	if err != nil {
		return "", err
	}
	return statement.Write(p.d, r, nil)
}

// both returns the union of two summaries.
func (p *planner) both(a, b plan.Relation) plan.Relation {
	u := &plan.Union{In: []plan.Relation{a, b}}
	other := b.Columns()
	for i, c := range a.Columns() {
		u.Stack(p.numbers, c.Name, c.Type, c, other[i])
	}
	return u
}

// groups is the rows of a source, grouped by some fields.
type groups struct {
	rel  plan.Relation
	keys []plan.Column
	// size is the number of rows of a group, matches the number of rows that each of them joins.
	size, matches plan.Column
}

// by returns the distinct IDs of the keys.
func (g *groups) by() (all []int) {
	for _, k := range g.keys {
		if !slices.Contains(all, k.ID) {
			all = append(all, k.ID)
		}
	}
	return all
}

// grouped groups the rows of a source by fields.
func (p *planner) grouped(source model.SourceID, fields []model.Field) (*groups, error) {
	rows, err := compile.NewSourceRows(p.m, p.d, p.numbers, source)
	if err != nil {
		return nil, err
	}
	g := &groups{}
	for _, f := range fields {
		key, err := rows.Value(f)
		if err != nil {
			return nil, err
		}
		g.keys = append(g.keys, key)
	}
	one := rows.Add("hit", expression.Int(1))
	a := &plan.Aggregate{In: rows.Relation(), By: g.by()}
	g.size = p.numbers.Column("size", sdk.TypeInt64)
	a.Values = []plan.Value{{Column: g.size, X: &expression.Aggregate{Function: expression.Count, X: one.Ref()}}}
	g.rel = a
	return g, nil
}

// key plans the check of a key: the rows grouped by it.
func (p *planner) key(c Claim) (plan.Relation, error) {
	g, err := p.grouped(c.Home, c.Fields)
	if err != nil {
		return nil, err
	}
	return p.summary(g, tally{
		nulls:      []expression.When{{Condition: present(g.keys), Result: expression.Int(0)}},
		nullsElse:  g.size.Ref(),
		violations: expression.Int(1),
		violated:   expression.Conjoin(present(g.keys), compare(expression.Greater, g.size.Ref(), 1)),
		most:       g.size.Ref(),
	})
}

// calendar plans the check of a calendar: its rows grouped by their day.
func (p *planner) calendar(c Claim) (plan.Relation, error) {
	rows, err := compile.CalendarRows(p.m, p.d, p.numbers, c.Home)
	if err != nil {
		return nil, err
	}
	day, periods := rows.Columns()[0], rows.Columns()[1:]
	g := &groups{keys: []plan.Column{day}}
	a := &plan.Aggregate{In: rows, By: g.by()}
	g.rel = a
	value := func(name string, f expression.AggregateFunction, of plan.Column, t sdk.Type) plan.Column {
		v := plan.Value{Column: p.numbers.Column(name, t), X: &expression.Aggregate{Function: f, X: of.Ref()}}
		a.Values = append(a.Values, v)
		return v.Column
	}
	g.size = value("size", expression.Count, day, sdk.TypeInt64)
	differ := &expression.Logic{Op: expression.Or}
	for _, period := range periods {
		first, last := value("first_"+period.Name, expression.Min, period, period.Type), value("last_"+period.Name, expression.Max, period, period.Type)
		differ.Terms = append(differ.Terms, &expression.Binary{Op: expression.NotEqual, Left: first.Ref(), Right: last.Ref()})
	}
	violated := expression.Node(differ)
	if len(differ.Terms) == 1 {
		violated = differ.Terms[0]
	}
	return p.summary(g, tally{
		nulls:     []expression.When{{Condition: present(g.keys), Result: expression.Int(0)}},
		nullsElse: g.size.Ref(), violated: violated, violations: expression.Int(1), most: g.size.Ref(),
	})
}

// join plans the check of a join: for each tuple of the fields of Home in the condition, it counts
// the matching rows of To. So the condition may be any expression.
func (p *planner) join(c Claim) (plan.Relation, error) {
	g, err := p.grouped(c.Home, c.Fields)
	if err != nil {
		return nil, err
	}
	to, err := compile.NewSourceRows(p.m, p.d, p.numbers, c.To)
	if err != nil {
		return nil, err
	}
	on, err := p.condition(c, g.keys, to)
	if err != nil {
		return nil, err
	}
	hit := to.Add("hit", expression.Int(1))
	joined := &plan.Join{L: &plan.Shared{In: g.rel, Name: "tuples"}, R: to.Relation(), Kind: plan.Left, On: on}
	g.matches = p.numbers.Column("matches", sdk.TypeInt64)
	// Without a match hit is NULL; in an engine without NULLs in outer joins, the type's default.
	counted := sum(&expression.Case{Whens: []expression.When{{Condition: compare(expression.Equal, hit.Ref(), 1), Result: expression.Int(1)}}, Else: expression.Int(0)})
	g.rel = &plan.Aggregate{In: joined, By: append(g.by(), g.size.ID), Values: []plan.Value{{Column: g.matches, X: counted}}}
	alone := compare(expression.Equal, g.matches.Ref(), 0)
	return p.summary(g, tally{
		nulls:      []expression.When{{Condition: present(g.keys), Result: expression.Int(0)}, {Condition: alone, Result: g.size.Ref()}},
		nullsElse:  expression.Int(0),
		orphaned:   expression.Conjoin(present(g.keys), alone),
		violations: g.size.Ref(),
		violated:   compare(expression.Greater, g.matches.Ref(), 1),
		most:       g.matches.Ref(),
	})
}

// condition returns the join's condition, between groups of Home and rows of To.
func (p *planner) condition(c Claim, home []plan.Column, to *compile.SourceRows) (expression.Node, error) {
	j := p.m.Join(c.Join)
	return expression.Substitute(j.On.Tree, func(n *expression.Name) (expression.Node, error) {
		ref, _ := j.On.Ref(n)
		if (side(ref) == 0) != c.Reversed {
			for i, f := range c.Fields {
				if f == ref.Field {
					return home[i].Ref(), nil
				}
			}
		}
		v, err := to.Value(ref.Field)
		return v.Ref(), err
	})
}
