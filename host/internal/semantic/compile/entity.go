package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/plan"
)

// entity is a dimension whose value is that of a measure for each entity: how many
// orders a customer has. It is a request of its own, joined to the rows by what
// the entity is.
type entity struct {
	sub     *compiler
	measure *model.Measure
	per     []*expression.Name
	name    string // "e1"
	// made is its relation with the value of the measure, once it is planned.
	made  *plan.Shared
	dims  []plan.Column
	value plan.Column
}

// selectEntity takes a measure per entity as a dimension.
func (c *compiler) selectEntity(where string, i int) error {
	ref := c.r.Dimensions[i]
	if ref.Grain != "" {
		return granularity(ref.Measure, ref.Grain, "it is a measure")
	}
	e, err := c.newEntity(where, ref.Measure, ref.Per, ref.Filter)
	if err != nil {
		return err
	}
	name, err := parseName(where, ref.Measure)
	if err != nil {
		return err
	}
	c.dims = append(c.dims, &dimension{DimensionRef: ref, column: fmt.Sprintf("d%d", i+1), name: name, entity: e, typ: e.value.Type})
	return nil
}

// newEntity makes the request for a measure per entity, over the rows that a
// condition allows, "" = all.
func (c *compiler) newEntity(where, measure string, per []string, rows string) (*entity, error) {
	name, err := parseName(where, measure)
	if err != nil {
		return nil, err
	}
	m, err := c.measureOf(name)
	if err != nil {
		return nil, err
	}
	switch {
	case m.Kind != model.Simple:
		return nil, refuse(CodeNotSupported, "%s: %s is no simple measure, which cannot be taken per entity", where, measure).about(measure).fix("use a measure with agg")
	case len(per) == 0:
		return nil, invalidRequest(where, "it does not say per what %s is", measure).about(measure).fix(`write {"measure": "orders.order_count", "per": ["customers.id"]}`)
	}
	r := Request{Measures: []MeasureRef{{Name: measure}}, Fanout: c.r.Fanout, TimeZone: c.r.TimeZone}
	if rows != "" {
		r.Filters = []Filter{{SQL: rows}}
	}
	e := &entity{measure: m, name: fmt.Sprintf("e%d", len(c.entities)+1)}
	for _, text := range per {
		n, err := parseName(where, text)
		if err != nil {
			return nil, err
		}
		e.per = append(e.per, n)
		r.Dimensions = append(r.Dimensions, DimensionRef{Field: text})
	}
	e.sub = newCompiler(c.m, c.d, c.numbers)
	e.sub.r, e.sub.o, e.sub.types = r, c.o, c.types
	if err := e.sub.prepare(); err != nil {
		return nil, err
	}
	if len(e.sub.having) > 0 {
		return nil, invalidRequest(where, "its filter must be about rows").fix("filter by a column of the source")
	}
	made, err := e.sub.combined()
	if err != nil {
		return nil, err
	}
	if a, ok := made.rel.(*plan.Aggregate); ok {
		plan.DropKeyJoins(a) // what is joined to it has the keys of entities that there are
	}
	e.made = &plan.Shared{In: made.rel, Name: e.sub.stageName(m.Name)}
	e.dims, e.value = made.dims, made.values[e.sub.bases[0]]
	c.entities = append(c.entities, e)
	return e, nil
}

// entityMark is the first part of a name that stands for an entity's value.
const entityMark = "\x00entity"

// mark is the name that stands for the entity's value in a condition.
func (e *entity) mark(measure string, per []string) *expression.Name {
	return &expression.Name{Parts: []string{entityMark, e.name, measure + " per " + strings.Join(per, ", ")}}
}

// entityField is the value of a measure per entity as filters compare it.
func (c *compiler) entityField(f *Filter, where string) (filterField, error) {
	e, err := c.newEntity(where, f.Measure, f.Per, f.Rows)
	if err != nil {
		return filterField{}, err
	}
	return filterField{Name: e.mark(f.Measure, f.Per), Type: e.value.Type}, nil
}

// operand is a measure at a fixed grain that a field is compared with.
func (c *compiler) operand(o *Operand, where string) (expression.Node, error) {
	if !o.Unfiltered {
		return nil, refuse(CodeNotSupported, "%s: %s at a fixed grain is taken over all rows alone", where, o.Measure).about(o.Measure).fix(`add "scope": "unfiltered"`)
	}
	e, err := c.newEntity(where, o.Measure, o.Per, "")
	if err != nil {
		return nil, err
	}
	value := expression.Node(e.mark(o.Measure, o.Per))
	if o.Times == 0 || o.Times == 1 {
		return value, nil
	}
	times, ok := expression.Float(o.Times)
	if !ok {
		return nil, invalidRequest(where, "the factor is no number").fix("write a number")
	}
	return &expression.Binary{Op: expression.Multiply, Left: times, Right: value}, nil
}

// against compares a field with a measure at a fixed grain.
func (c *compiler) against(f *Filter, where string) (expression.Node, error) {
	op, ok := comparisons[f.Op]
	switch f.Op {
	case OpEquals:
		op, ok = expression.Equal, true
	case OpNotEquals:
		op, ok = expression.NotEqual, true
	}
	if !ok {
		return nil, invalidRequest(where+".op", "%s does not compare with a measure", quote(string(f.Op))).fix("use equals, not_equals, gt, gte, lt or lte")
	}
	x, err := c.filterField(f, where)
	if err != nil {
		return nil, err
	}
	right, err := c.operand(f.Right, where+".right")
	return &expression.Binary{Op: op, Left: x.Name, Right: right}, err
}

// entityOf finds the entity that a marked name stands for.
func (c *compiler) entityOf(n *expression.Name) *entity {
	for _, e := range c.entities {
		if e.name == n.Parts[1] {
			return e
		}
	}
	panic("an entity without a request: " + n.Parts[1]) // operand makes both
}

// joinEntity is the value of a measure for the entity of each row.
func (s *rowset) joinEntity(e *entity, u use) (expression.Node, error) {
	c, home := s.c, s.nodes[0].source
	measure := "a measure of " + c.m.Source(home).Name
	var on, known []expression.Node
	for i, name := range e.per {
		ref, err := c.dimensionOf(home, name)
		if err != nil {
			return nil, err
		}
		path, err := c.m.Path(home, ref)
		if err != nil {
			return nil, c.pathError(err, home, measure, nameText(name), u)
		}
		if !path.ToOne() {
			code := CodeDimension
			if u == filterBy {
				code = CodeFilter
			}
			return nil, refuse(code, "%s cannot be %s a measure per %s, of which a row of %s has several", measure, u, nameText(name), c.m.Source(home).Name).
				about(nameText(name)).fix("use a measure of %s", c.m.Source(ref.Source).Name)
		}
		at, err := s.follow(0, path.Steps, place{})
		if err != nil {
			return nil, err
		}
		value, err := s.dimension(at, ref.Dimension)
		if err != nil {
			return nil, err
		}
		on = append(on, &expression.Binary{Op: expression.Equal, Left: e.dims[i].Ref(), Right: value})
		known = append(known, value)
	}
	if !slices.ContainsFunc(s.entities, func(j entityJoin) bool { return j.entity == e }) {
		s.entities = append(s.entities, entityJoin{e, expression.Conjoin(on...)})
	}
	value := e.value.Ref()
	switch {
	case e.measure.Default != nil:
		value = ofEntity(known, withDefault(value, *e.measure.Default))
	case counts(e.measure.Agg):
		value = ofEntity(known, withDefault(value, 0))
	}
	return expression.Check(value, ownType)
}

// ofEntity is a value where the row belongs to an entity: nobody is none.
func ofEntity(keys []expression.Node, value expression.Node) expression.Node {
	terms := make([]expression.Node, len(keys))
	for i, k := range keys {
		terms[i] = &expression.IsNull{X: k, Negated: true}
	}
	return &expression.Case{Whens: []expression.When{{Condition: expression.Conjoin(terms...), Result: value}}}
}

// entityJoin is how an entity's stage is joined to rows. The stage has one row
// for each entity, so that it multiplies none.
type entityJoin struct {
	*entity
	on expression.Node
}

// words says what the dimension is.
func (d *dimension) words(c *compiler) string {
	if d.entity != nil {
		return c.measureName(d.entity.measure) + " per " + strings.Join(d.Per, ", ")
	}
	text := d.member(c)
	if d.Grain != "" {
		text += " by " + string(d.Grain)
	}
	return text
}

// member is the dimension in full.
func (d *dimension) member(c *compiler) string {
	if d.axis {
		return metricTime
	}
	return c.dimensionName(d.id)
}

// result is the column that the dimension becomes.
func (d *dimension) result(c *compiler) Column {
	if e := d.entity; e != nil {
		return Column{Name: d.out, Member: c.measureName(e.measure), Type: d.typ, Unit: e.measure.Unit, Format: e.measure.Format, Provenance: Composed}
	}
	out := Column{Name: d.out, Member: d.member(c), Type: d.typ, Provenance: Defined}
	if !d.axis {
		def := c.m.Dimension(d.id)
		out.Unit, out.Format = def.Unit, def.Format
	}
	if d.Grain != "" {
		out.Provenance = Composed
	}
	return out
}

// leaf is the name that its column gets unless it was given one.
func (d *dimension) leaf(c *compiler) string {
	if d.entity != nil {
		return d.entity.measure.Name
	}
	if d.axis {
		return metricTime
	}
	return c.m.Dimension(d.id).Name
}
