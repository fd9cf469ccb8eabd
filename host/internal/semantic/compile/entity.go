package compile

import (
	"fmt"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk/dialect"
)

// entity is a dimension whose value is that of a measure for each entity: how many
// orders a customer has. It is a request of its own, joined to the rows by what
// the entity is.
type entity struct {
	sub     *compiler
	measure *model.Measure
	per     []*expression.Name
	name    string // of its stage: "e1"
}

// selectEntity takes a measure per entity as a dimension.
func (c *compiler) selectEntity(where string, i int) error {
	ref := c.r.Dimensions[i]
	name, err := parseName(where, ref.Measure)
	if err != nil {
		return err
	}
	m, err := c.measureOf(name)
	if err != nil {
		return err
	}
	switch {
	case m.Kind != model.Simple:
		return refuse(CodeNotSupported, "%s: %s is no simple measure, and cannot be a dimension", where, ref.Measure).about(ref.Measure).fix("use a measure with agg")
	case len(ref.Per) == 0 || ref.Grain != "":
		return invalidRequest(where, "a measure as a dimension says per what it is, and has no granularity").fix(`write {"measure": "orders.order_count", "per": ["customers.id"]}`)
	}
	r := Request{Measures: []MeasureRef{{Name: ref.Measure}}, Fanout: c.r.Fanout, TimeZone: c.r.TimeZone}
	d := &dimension{DimensionRef: ref, column: fmt.Sprintf("d%d", i+1), name: name, entity: &entity{measure: m, name: fmt.Sprintf("e%d", i+1)}}
	for _, text := range ref.Per {
		per, err := parseName(where, text)
		if err != nil {
			return err
		}
		d.entity.per = append(d.entity.per, per)
		r.Dimensions = append(r.Dimensions, DimensionRef{Field: text})
	}
	if ref.Filter != "" {
		r.Filters = []Filter{{SQL: ref.Filter}}
	}
	d.entity.sub = &compiler{m: c.m, d: c.d, r: r, o: c.o, types: c.types, print: c.print}
	if err := d.entity.sub.prepare(); err != nil {
		return err
	}
	if len(d.entity.sub.having) > 0 {
		return invalidRequest(where, "its filter must be about rows").fix("filter by a column of the source")
	}
	d.typ = d.entity.sub.columns[0].Type
	c.dims = append(c.dims, d)
	return nil
}

// joinEntity is the value of a measure for the entity of each row.
func (l *leg) joinEntity(d *dimension, measure string) (expression.Node, error) {
	c, e := l.rows.c, d.entity
	var on []string
	for i, name := range e.per {
		ref, err := c.dimensionOf(l.home, name)
		if err != nil {
			return nil, err
		}
		path, err := c.m.Path(l.home, ref)
		if err != nil {
			return nil, c.pathError(err, l.home, measure, nameText(name), groupBy)
		}
		if !path.ToOne() {
			return nil, refuse(CodeDimension, "%s cannot be grouped by a measure per %s, of which a row of %s has several", measure, nameText(name), c.m.Source(l.home).Name).
				about(d.text()).of(measure).fix("use a measure of %s", c.m.Source(ref.Source).Name)
		}
		at, err := l.rows.follow(0, path.Steps, place{})
		if err != nil {
			return nil, err
		}
		value, err := l.rows.dimension(at, ref.Dimension)
		if err != nil {
			return nil, err
		}
		x, err := c.print.Operand(value)
		if err != nil {
			return nil, err
		}
		same, ok := c.d.Expand(dialect.NullSafeEqual, map[string]string{"a": e.name + "." + e.sub.dims[i].column, "b": x})
		if !ok {
			return nil, unsupported(c.d.Name, "comparing entities", "leave "+d.text()+" out")
		}
		on = append(on, same)
	}
	l.rows.entities = append(l.rows.entities, entityJoin{e, strings.Join(on, " AND ")})
	value := cell(e.name+"."+e.sub.bases[0].name, e.sub.bases[0].typ)
	switch {
	case e.measure.Default != nil:
		value = withDefault(value, *e.measure.Default)
	case counts(e.measure.Agg):
		value = withDefault(value, 0)
	}
	return expression.Check(value, ownType)
}

// entityJoin is how an entity's stage is joined to rows. The stage has one row
// for each entity, so that it multiplies none.
type entityJoin struct {
	*entity
	on string
}

// stages writes the entity's request as CTEs, the last of which is called name.
func (e *entity) stages(suffix string) ([]string, error) {
	with, last, err := e.sub.stages("_" + e.name + suffix)
	if err != nil {
		return nil, err
	}
	var columns []string
	for _, d := range e.sub.dims {
		columns = append(columns, d.column)
	}
	return append(with, e.name+suffix+" AS (SELECT "+strings.Join(append(columns, e.sub.bases[0].name), ", ")+" FROM "+last+")"), nil
}

// words says what the dimension is.
func (d *dimension) words(c *compiler) string {
	if d.entity != nil {
		return c.measureName(d.entity.measure) + " per " + strings.Join(d.Per, ", ")
	}
	text := c.dimensionName(d.id)
	if d.Grain != "" {
		text += " by " + string(d.Grain)
	}
	return text
}

// result is the column that the dimension becomes.
func (d *dimension) result(c *compiler) Column {
	if e := d.entity; e != nil {
		return Column{Name: d.out, Member: c.measureName(e.measure), Type: d.typ, Unit: e.measure.Unit, Format: e.measure.Format, Provenance: Composed}
	}
	def := c.m.Dimension(d.id)
	out := Column{Name: d.out, Member: c.dimensionName(d.id), Type: d.typ, Unit: def.Unit, Format: def.Format, Provenance: Defined}
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
	return c.m.Dimension(d.id).Name
}
