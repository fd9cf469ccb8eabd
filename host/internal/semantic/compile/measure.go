package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
)

// base is an aggregate over the rows of one home. Measures are expressions over bases.
type base struct {
	// name is its column in every stage: "m1".
	name string
	key  string
	home model.SourceID
	agg  expression.AggregateFunction // "" = x is an aggregate in the engine's own SQL
	// parameter is percentile's fraction or string_agg's separator, else nil.
	parameter *expression.Literal
	measure   *model.Measure // nil = ad hoc
	x         *formula       // nil = rows are counted
	filters   []formula      // of this measure alone
	time      *ownTime       // nil = the request is not about it
	label     string
	under     context
	// typ is known once the base is planned.
	typ sdk.Type
	// nested is set when it aggregates the values of a measure per entity.
	nested *nested
	// in is the aggregated value of each row. at is the time of a measure that is not
	// additive over time; rank and count emulate medians and percentiles.
	in, at, rank, count plan.Column
	// part is the key of the base that a total is the total of.
	part string
	// of is the base of finer groups that a total adds up, within the dimensions of the
	// total's groups.
	of     *base
	within []int
	// made is its value in the last stage.
	made plan.Column
	// again aggregates values that are aggregated by day already; nil = they are not.
	again expression.Node
}

// column is a measure of the result.
type column struct {
	Column
	value expression.Node // over bases
}

// selectMeasure adds a measure of the request to the columns.
func (c *compiler) selectMeasure(i int) error {
	ref := c.r.Measures[i]
	where := fmt.Sprintf("measures[%d]", i)
	var under context
	for k, f := range ref.Filters {
		conditions, err := c.ownConditions(ref, f, fmt.Sprintf("%s.filters[%d]", where, k))
		if err != nil {
			return err
		}
		for _, one := range conditions {
			if c.namesMeasures(one.tree) {
				return refusal.New(refusal.CodeNotSupported, "%s: a measure's own filter must be about rows", where).Advise("put a condition on measures into the filters of the request")
			}
		}
		under.filters = append(under.filters, conditions...)
	}
	if ref.Expr == "" {
		name, err := request.ParseName(where, ref.Name)
		if err != nil {
			return err
		}
		return c.selectDefined(ref, name, "", under)
	}
	tree, err := expression.ParseValue(ref.Expr)
	if err != nil {
		return refusal.InExpression(where, ref.Expr, err)
	}
	if tree, err = c.withEntities(tree, where); err != nil {
		return err
	}
	if name, ok := tree.(*expression.Name); ok && c.inline(name) < 0 && name.Means == nil {
		return c.selectDefined(ref, name, ref.Name, under)
	}
	value, err := c.overMeasures(tree, where, ref.Expr, under)
	if err != nil {
		return err
	}
	if len(expression.Names(value)) == 0 {
		return refusal.Invalid(where, "%s measures nothing", refusal.Quote(ref.Expr)).Advise("write an aggregate: {\"expr\": \"sum(orders.amount)\", \"name\": \"total\"}")
	}
	c.columns = append(c.columns, &column{Column{Name: ref.Name, Provenance: AdHoc}, value})
	return nil
}

// selectDefined adds a measure of the model to the columns, called as the request says or
// by its own name.
func (c *compiler) selectDefined(ref request.Measure, name *expression.Name, called string, under context) error {
	m, err := c.measureOf(name)
	if err != nil {
		return err
	}
	value, err := c.measured(m, under)
	if err != nil {
		return err
	}
	out := Column{Name: called, Member: c.measureName(m), Unit: m.Unit, Format: m.Format, Provenance: Defined}
	if len(ref.Filters) > 0 {
		out.Provenance = Composed
	}
	c.columns = append(c.columns, &column{out, value})
	return nil
}

// measured returns a measure as an expression over bases.
func (c *compiler) measured(m *model.Measure, under context) (expression.Node, error) {
	if m.Broken != "" {
		return nil, refusal.New(refusal.CodeBroken, "%s cannot be used: %s", c.measureName(m), m.Broken).About(c.measureName(m)).Advise("mend its definition")
	}
	c.made = append(c.made, m.ID)
	value, err := c.ofKind(m, under)
	if err != nil || m.Default == nil || m.Kind == model.Simple {
		return value, err
	}
	return withDefault(value, *m.Default), nil
}

func (c *compiler) ofKind(m *model.Measure, under context) (expression.Node, error) {
	switch m.Kind {
	case model.Simple:
		return c.base(c.defined(m, under))
	case model.Ratio:
		a, err := c.measured(c.m.Measure(m.Numerator), under)
		if err != nil {
			return nil, err
		}
		b, err := c.measured(c.m.Measure(m.Denominator), under)
		return binary(expression.Divide, a, b), err
	case model.Derived:
		return expression.Substitute(m.Expr.Tree, func(n *expression.Name) (expression.Node, error) {
			ref, _ := m.Expr.Ref(n)
			part := under
			part.of = m
			return c.measured(c.m.Measure(ref.Measure), part)
		})
	}
	return c.composed(m, under)
}

// withDefault puts a number in the place of NULL.
func withDefault(value expression.Node, v float64) expression.Node {
	n := expression.Int(int64(v))
	if float64(int64(v)) != v {
		n, _ = expression.Float(v) // the model has finite numbers only
	}
	return &expression.Call{Function: "coalesce", Args: []expression.Node{value, n}}
}

// defined is the base of a simple measure.
func (c *compiler) defined(m *model.Measure, under context) *base {
	b := &base{home: m.Home, agg: m.Agg, parameter: m.Parameter, measure: m, label: c.measureName(m), under: under}
	if m.Name == "" { // only what it is a part of has a name
		b.label = c.measureName(under.of)
	}
	if m.Expr != nil {
		b.x = &formula{tree: m.Expr.Tree, expr: m.Expr, source: m.Home, written: m.Expr.Value}
	}
	for _, f := range m.Filter {
		b.filters = append(b.filters, formula{tree: f.Tree, expr: f, source: m.Home, written: f.Value})
	}
	for _, id := range m.Segments {
		f := c.m.Segment(id).Expr
		b.filters = append(b.filters, formula{tree: f.Tree, expr: f, source: id.Source(), written: f.Value})
	}
	b.filters = append(b.filters, under.filters...)
	b.key = fmt.Sprintf("%d", m.ID)
	return b
}

// base adds a base unless there is the same, and returns the name that stands
// for it.
func (c *compiler) base(b *base) (expression.Node, error) {
	part := b.under
	part.total, part.within = false, nil
	b.part, b.key = b.key+part.key(), b.key+b.under.key()
	for _, old := range c.bases {
		if old.key == b.key {
			return &expression.Name{Parts: []string{old.name}}, nil
		}
	}
	if len(c.bases) == maxBases {
		return nil, refusal.New(refusal.CodeInvalidRequest, "the request is made of more than %d aggregates", maxBases).Advise("ask for fewer measures at once")
	}
	b.name = fmt.Sprintf("m%d", len(c.bases)+1)
	c.bases = append(c.bases, b)
	return &expression.Name{Parts: []string{b.name}}, nil
}

// maxBases bounds the width of a statement.
const maxBases = 500

// overMeasures puts bases in the place of the aggregates and measures of an
// expression of the request.
func (c *compiler) overMeasures(tree expression.Node, where, text string, under context) (expression.Node, error) {
	inside := map[*expression.Name]bool{}
	expression.Walk(tree, func(n expression.Node) bool {
		a, ok := n.(*expression.Aggregate)
		if ok && a.X != nil {
			for _, name := range expression.Names(a.X) {
				inside[name] = true
			}
		}
		return !ok
	})
	return expression.Transform(tree, func(n expression.Node) (expression.Node, error) {
		switch n := n.(type) {
		case *expression.Name:
			if inside[n] {
				return n, nil
			}
			value, err := c.called(n, under)
			if err != nil {
				return nil, refusal.From(err).At(text, n.Pos())
			}
			return value, nil
		case *expression.Aggregate:
			b, err := c.adHoc(n, where, text)
			if err != nil {
				return nil, err
			}
			b.under, b.filters = under, under.filters
			return c.base(b)
		}
		return n, nil
	})
}

// called is what a name in an expression of measures means: an earlier measure of the
// request that has this name as its own, or one of the model.
func (c *compiler) called(n *expression.Name, under context) (expression.Node, error) {
	if entityOf(n) != nil {
		return nil, refusal.New(refusal.CodeInvalidExpression, "%s is a value of each row", nameText(n)).Advise("aggregate it together with a field of the rows: sum(orders.amount / per(orders.revenue, customers.id))")
	}
	at := c.inline(n)
	if at < 0 {
		m, err := c.measureOf(n)
		if err != nil {
			return nil, err
		}
		value, err := c.measured(m, under)
		if err != nil {
			return nil, err
		}
		return value, c.spell(value)
	}
	if len(under.filters) > 0 {
		return nil, refusal.New(refusal.CodeNotSupported, "%s is measured already, and the filters of a measure that is made of it would not apply to it", nameText(n)).About(nameText(n)).
			Advise("give the filters to %s", nameText(n))
	}
	if err := c.spell(c.columns[at].value); err != nil {
		return nil, err
	}
	return c.columns[at].value, c.checkInline(n)
}

// spell counts what is put in the place of a name. A request in which each measure names
// the one before twice doubles it with each.
func (c *compiler) spell(value expression.Node) error {
	expression.Walk(value, func(expression.Node) bool { c.spelled++; return true })
	if c.spelled > maxSpelled {
		return refusal.New(refusal.CodeInvalidRequest, "the measures of the request have more than %d values and operators in them, with those that they are made of", maxSpelled).
			Advise("name fewer measures in expressions of others")
	}
	return nil
}

// maxSpelled bounds what stands in the place of names in expressions.
const maxSpelled = 50_000

// inline is the place of a measure of the request, of those that are selected, that has a
// name as its own; -1 = there is none.
func (c *compiler) inline(n *expression.Name) int {
	if len(n.Parts) != 1 || n.Means != nil {
		return -1
	}
	return slices.IndexFunc(c.r.Measures[:len(c.columns)], func(m request.Measure) bool { return m.Expr != "" && strings.EqualFold(m.Name, n.Parts[0]) })
}

// checkInline refuses the name of a measure of the request that the model has too.
func (c *compiler) checkInline(n *expression.Name) error {
	all, err := c.lookup(takesAny, c.firstMeasured(), n)
	if err != nil {
		return nil
	}
	var names []string
	for _, m := range all {
		if m.Segment == 0 {
			names = append(names, c.refName(m.Ref))
		}
	}
	return refusal.New(refusal.CodeAmbiguousMember, "%s is a measure of the request and of the model", nameText(n)).About(nameText(n)).Choices(names).
		Advise("give the measure of the request another name, or write that of the model in full%s", refusal.Example(names))
}

// adHoc is the base of an aggregate of the request.
func (c *compiler) adHoc(a *expression.Aggregate, where, text string) (*base, error) {
	written := expression.String(a)
	b := &base{agg: a.Function, parameter: a.Parameter, label: written}
	var names []*expression.Name
	if a.X != nil {
		names = expression.Names(a.X)
		b.x = &formula{tree: a.X, written: expression.String(a.X), where: where, text: text}
	}
	if !slices.ContainsFunc(names, func(n *expression.Name) bool { return entityOf(n) == nil }) {
		return nil, refusal.Invalid(where, "%s does not say which rows it is about", refusal.Quote(written)).Advise("name a field, as in count(orders.id), or use a measure such as orders.row_count")
	}
	var sources []model.SourceID
	for _, n := range names {
		if entityOf(n) != nil {
			continue // it is joined to each row
		}
		ref, err := c.dimensionOf(model.Metrics, n)
		if err != nil {
			return nil, refusal.From(err).At(text, n.Pos())
		}
		if !slices.Contains(sources, ref.Source) {
			sources = append(sources, ref.Source)
		}
	}
	homes := slices.DeleteFunc(slices.Clone(sources), func(home model.SourceID) bool { return !c.reachesAll(home, names) })
	switch len(homes) {
	case 0:
		return nil, noCommonGrain(text, c.sourceNames(sources))
	case 1:
	default:
		return nil, severalGrains(text, c.sourceNames(homes))
	}
	b.home = homes[0]
	b.key = fmt.Sprintf("%s of %d", written, b.home)
	return b, nil
}

// reachesAll reports whether each row of a home has one value of each name.
func (c *compiler) reachesAll(home model.SourceID, names []*expression.Name) bool {
	for _, n := range names {
		if entityOf(n) != nil {
			continue
		}
		if _, p, err := c.wayOf(home, n); err != nil || !p.ToOne() {
			return false
		}
	}
	return true
}

// namesMeasures reports whether an expression is about groups: it has aggregates
// or names of measures.
func (c *compiler) namesMeasures(tree expression.Node) (found bool) {
	expression.Walk(tree, func(n expression.Node) bool {
		switch n := n.(type) {
		case *expression.Aggregate:
			found = true
		case *expression.Name:
			found = found || c.isMeasure(n)
		}
		return !found
	})
	return found
}

// isMeasure reports whether a name means a measure: where both a field and a
// measure are called so, the field is meant.
func (c *compiler) isMeasure(n *expression.Name) bool {
	if n.Means != nil {
		return false
	}
	if c.inline(n) >= 0 {
		return true
	}
	home := c.firstMeasured()
	all, err := c.lookup(takesAny, home, n)
	if err != nil && home != model.Metrics {
		all, err = c.lookup(takesAny, model.Metrics, n)
	}
	return err == nil && !slices.ContainsFunc(all, func(m model.Member) bool { return m.Measure == 0 })
}

// firstMeasured is the home of the first measure, or the whole model.
func (c *compiler) firstMeasured() model.SourceID {
	if len(c.bases) == 0 {
		return model.Metrics
	}
	return c.bases[0].home
}
