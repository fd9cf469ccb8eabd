package compile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// entity is the value of a measure for each entity: how many orders a customer has.
// It is a request of its own, joined to the rows by what the entity is.
type entity struct {
	sub *compiler
	// measure is set when it is one of the model.
	measure *model.Measure
	keys    []*dimension // as the request of its own has them
	written string       // as a request says it
	// made is its relation, once it is planned, with what dims are and the bases of sub.
	made *plan.Shared
	dims []plan.Column
	typ  sdk.Type // of the value
}

// selectEntity takes a measure per entity as a dimension.
func (c *compiler) selectEntity(where string, i int) error {
	ref := c.r.Dimensions[i]
	e, err := c.newEntity(where, request.Measure{Name: ref.Measure}, ref.Per, ref.Filter)
	if err != nil {
		return err
	}
	name, err := request.ParseName(where, ref.Measure)
	if err != nil {
		return err
	}
	d := &dimension{Dimension: ref, name: name, entity: e, tree: e.stands(), typ: e.typ}
	if d.Grain != "" {
		d.cut, d.Grain = d.Grain, "" // it is no time of the rows that are measured
		if d.moment, err = c.timeOfEntity(e, d.cut); err == nil {
			d.typ, err = c.grainType(d.moment)
		}
	}
	c.dims = append(c.dims, d)
	return err
}

// timeOfEntity is the time dimension whose first or last value a measure is.
func (c *compiler) timeOfEntity(e *entity, grain dialect.Grain) (*dimension, error) {
	if !slices.Contains(dialect.Grains(), grain) {
		return nil, granularity(c.measureName(e.measure), grain, "a period of a calendar is one of a field", dialect.Grains()...)
	}
	if m := e.measure; m.Kind == model.Simple && m.Expr != nil && (m.Agg == expression.Min || m.Agg == expression.Max) {
		if name, ok := m.Expr.Tree.(*expression.Name); ok {
			ref, _ := m.Expr.Ref(name)
			if ref.Dimension != 0 {
				return &dimension{Dimension: request.Dimension{Grain: grain}, name: &expression.Name{Parts: []string{m.Name}}, id: ref.Dimension}, nil
			}
		}
	}
	return nil, granularity(c.measureName(e.measure), grain, "it is not the first or the last value of a time").Advise("leave the granularity out, or use a measure with agg min or max of a time dimension")
}

// newEntity makes the request for a measure per entity, over the rows that a
// condition allows, "" = all. Equal ones are one.
func (c *compiler) newEntity(where string, measure request.Measure, per []string, rows string) (*entity, error) {
	written := cmp.Or(measure.Name, measure.Expr)
	e := &entity{written: "per(" + written + ", " + strings.Join(per, ", ") + ")"}
	if rows != "" {
		e.written = "per(" + written + " where " + rows + ", " + strings.Join(per, ", ") + ")"
	}
	if at := slices.IndexFunc(c.entities, func(o *entity) bool { return o.written == e.written }); at >= 0 {
		return c.entities[at], nil
	}
	if len(per) == 0 {
		return nil, refusal.Invalid(where, "it does not say per what %s is", written).About(written).Advise(`write {"measure": "orders.order_count", "per": ["customers.id"]}`)
	}
	r := request.Request{Measures: []request.Measure{measure}, Fanout: c.r.Fanout, TimeZone: c.r.TimeZone, Conform: c.r.Conform}
	if rows != "" {
		r.Filters = []request.Filter{{SQL: rows}}
	}
	for _, text := range per {
		n, err := request.ParseName(where, text)
		if err != nil {
			return nil, err
		}
		key := request.Dimension{Field: text}
		if field, grain, ok := request.CutGrain(n); ok {
			key.Field, key.Grain = field, grain
		}
		r.Dimensions = append(r.Dimensions, key)
	}
	e.sub = newCompiler(c.m, c.d, c.numbers)
	e.sub.r, e.sub.o, e.sub.types = r, c.o, c.types
	err := e.sub.prepare()
	if slices.ContainsFunc(e.sub.bases, func(b *base) bool { return b.nested != nil || len(b.under.steps) > 0 || b.under.total }) {
		return nil, refusal.New(refusal.CodeNotSupported, "%s: %s is made of other times, of other groups or of entities, and cannot be taken per entity", where, written).About(written).
			Advise("use a measure with agg, or a ratio or an expression of such measures")
	}
	if err != nil {
		return nil, err
	}
	if member := e.sub.columns[0].Member; member != "" {
		name, err := request.ParseName(where, cmp.Or(measure.Name, measure.Expr))
		if err != nil {
			return nil, err
		}
		if e.measure, err = c.measureOf(name); err != nil {
			return nil, err
		}
	}
	if len(e.sub.having) > 0 {
		return nil, refusal.Invalid(where, "its filter must be about rows").Advise("filter by a column of the source")
	}
	e.keys = e.sub.dims
	if err := e.plan(); err != nil {
		return nil, err
	}
	c.entities = append(c.entities, e)
	return e, nil
}

// plan makes the relation of an entity, and finds the type of its value.
func (e *entity) plan() error {
	made, err := e.sub.combined()
	if err != nil {
		return err
	}
	if a, ok := made.rel.(*plan.Aggregate); ok {
		plan.DropKeyJoins(a) // what is joined to it has the keys of entities that there are
	}
	name := "value"
	if e.measure != nil {
		name = e.measure.Name
	}
	e.made, e.dims = &plan.Shared{In: made.rel, Name: e.sub.stageName(name)}, made.dims
	value, err := e.value()
	if err == nil {
		e.typ = value.Type()
	}
	return err
}

// value is that of the entity that a row is joined with; a count of nothing is 0.
func (e *entity) value() (expression.Node, error) { return e.sub.final(e.sub.columns[0].value, true) }

// stands is the name that stands for the value of the entity of a row.
func (e *entity) stands() *expression.Name {
	return &expression.Name{Parts: []string{e.written}, Means: e}
}

// entityOf is the entity whose value a name stands for, nil = it is another name.
func entityOf(n *expression.Name) *entity {
	e, _ := n.Means.(*entity)
	return e
}

// withEntities puts names that stand for their values in the place of per(measure, key, …).
func (c *compiler) withEntities(tree expression.Node, where string) (expression.Node, error) {
	return expression.Transform(tree, func(n expression.Node) (expression.Node, error) {
		switch n := n.(type) {
		case *expression.Quantified:
			x, err := c.withEntities(n.X, where)
			return &expression.Quantified{Quantifier: n.Quantifier, X: x}, err
		case *expression.PerEntity:
			measure := request.Measure{Expr: expression.String(n.X)}
			if name, ok := n.X.(*expression.Name); ok {
				measure = request.Measure{Name: name.String()}
			}
			var per []string
			for _, key := range n.Keys {
				per = append(per, key.String())
			}
			e, err := c.newEntity(where, measure, per, "")
			if err != nil {
				return nil, err
			}
			return e.stands(), nil
		}
		return n, nil
	})
}

// entityField is the value of a measure per entity as filters compare it.
func (c *compiler) entityField(f *request.Filter, where string) (filterField, error) {
	e, err := c.newEntity(where, request.Measure{Name: f.Measure}, f.Per, f.Rows)
	if err != nil {
		return filterField{}, err
	}
	return filterField{Name: e.stands(), Type: e.typ}, nil
}

// operand is a measure at a fixed grain that a field is compared with.
func (c *compiler) operand(o *request.Operand, where string) (expression.Node, error) {
	if !o.Unfiltered {
		return nil, refusal.New(refusal.CodeNotSupported, "%s: %s at a fixed grain is taken over all rows alone", where, o.Measure).About(o.Measure).Advise(`add "scope": "unfiltered"`)
	}
	e, err := c.newEntity(where, request.Measure{Name: o.Measure}, o.Per, "")
	if err != nil {
		return nil, err
	}
	value := expression.Node(e.stands())
	if o.Times == 0 || o.Times == 1 {
		return value, nil
	}
	times, ok := expression.Float(o.Times)
	if !ok {
		return nil, refusal.Invalid(where, "the factor is no number").Advise("write a number")
	}
	return binary(expression.Multiply, times, value), nil
}

// against compares a field with a measure at a fixed grain.
func (c *compiler) against(f *request.Filter, where string) (expression.Node, error) {
	op, ok := comparisons[f.Op]
	if !ok {
		return nil, refusal.Invalid(where+".op", "%s does not compare with a measure", refusal.Quote(string(f.Op))).Advise("use equals, not_equals, gt, gte, lt or lte")
	}
	x, err := c.filterField(f, where)
	if err != nil {
		return nil, err
	}
	right, err := c.operand(f.Right, where+".right")
	return binary(op, x.Name, right), err
}

// joinEntity is the value of a measure for the entity of each row.
func (s *rowset) joinEntity(e *entity, u use) (expression.Node, error) {
	c, home := s.c, s.nodes[0].source
	measure := "a measure of " + c.m.Source(home).Name
	var on, known []expression.Node
	for i, key := range e.keys {
		name := key.name
		ref, path, err := c.wayFor(home, name, measure, u)
		if err != nil {
			return nil, err
		}
		if !path.ToOne() {
			code := refusal.CodeDimension
			if u == filterBy {
				code = refusal.CodeFilter
			}
			return nil, refusal.New(code, "%s cannot be %s a measure per %s, of which a row of %s has several", measure, u, nameText(name), c.m.Source(home).Name).
				About(nameText(name)).Advise("use a measure of %s", c.m.Source(ref.Source).Name)
		}
		at, err := s.follow(0, path.Steps, place{})
		if err != nil {
			return nil, err
		}
		value, err := s.dimension(at, ref.Dimension)
		if err == nil {
			value, err = c.grained(key, value)
		}
		if err != nil {
			return nil, err
		}
		on = append(on, equal(e.dims[i].Ref(), value))
		known = append(known, value)
	}
	s.join(e, func() plan.Join { // it has one row for each entity
		return plan.Join{R: e.made, Kind: plan.Left, On: expression.Conjoin(on...), ToOne: true}
	})
	value, err := e.value()
	if err == nil && !strict(value) {
		value, err = expression.Check(ofEntity(known, value), ownType)
	}
	return value, err
}

// ofEntity is a value where the row belongs to an entity: nobody is none.
func ofEntity(keys []expression.Node, value expression.Node) expression.Node {
	terms := make([]expression.Node, len(keys))
	for i, k := range keys {
		terms[i] = &expression.IsNull{X: k, Negated: true}
	}
	return &expression.Case{Whens: []expression.When{{Condition: expression.Conjoin(terms...), Result: value}}}
}
