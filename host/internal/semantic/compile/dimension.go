package compile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// dimension is what the measures are broken down by.
type dimension struct {
	request.Dimension
	name *expression.Name
	id   model.DimensionID
	// tree is set instead of id when the dimension is computed: of entity, when a measure
	// is the dimension. cut is the period that the value is cut to as moment is, a time.
	tree   expression.Node
	entity *entity
	cut    dialect.Grain
	moment *dimension
	// per is set instead when it is what a nested measure of owner is per.
	per      *model.Ref
	owner    model.SourceID
	calendar *calendarPeriod // it is cut to, nil = to Grain
	axis     bool            // it is metric_time; id is 0 where that is several
	typ      sdk.Type        // of the groups, after the grain
	out      string          // the name of the result column
}

func (d *dimension) text() string {
	if d.Expr != "" {
		return refusal.Short(d.Expr)
	}
	return nameText(d.name)
}

// selectDimension finds a dimension as it is seen from the first home.
func (c *compiler) selectDimension(i int) error {
	ref := c.r.Dimensions[i]
	where := fmt.Sprintf("dimensions[%d]", i)
	switch {
	case ref.Measure != "":
		return c.selectEntity(where, i)
	case ref.Expr != "":
		return c.selectValue(where, i)
	}
	name, err := fieldName(where, ref.Field, ref.Via)
	if err != nil {
		return err
	}
	d := &dimension{Dimension: ref, name: name}
	if d.calendar, err = c.calendarPeriod(where+".granularity", ref.Grain); err != nil {
		return err
	}
	if d.calendar != nil {
		d.Grain = dialect.Grain(d.calendar.name)
	}
	if c.isMetricTime(name) {
		return c.selectAxis(where, d)
	}
	found, err := c.dimensionOf(c.homes[0], name)
	if err != nil {
		var whole bool
		if found, whole = c.wholeName(where, d); !whole {
			return err
		}
	}
	d.id = found.Dimension
	if d.Grain != "" && c.isConformed(d) {
		return granularity(d.text(), d.Grain, "it is of several sources").Advise("group by metric_time, which is each measure's own time")
	}
	if d.typ, err = c.grainType(d); err != nil {
		return err
	}
	c.dims = append(c.dims, d)
	return nil
}

// grainType is the type of a dimension's groups.
func (c *compiler) grainType(d *dimension) (sdk.Type, error) {
	t := c.typeOf(d.id)
	if d.Grain == "" {
		return t, nil
	}
	all := dialect.Grains()
	days := d.calendar != nil || slices.Index(all, d.Grain) >= slices.Index(all, dialect.Day)
	def := c.m.Dimension(d.id)
	switch {
	case t != sdk.TypeUnspecified && !isTime(t), def.Type != model.Time && def.Type != model.AnyType:
		return 0, granularity(d.text(), d.Grain, "it is no time")
	case t == sdk.TypeDate && !days:
		return 0, granularity(d.text(), d.Grain, "its values are days", all[slices.Index(all, dialect.Day):]...)
	case d.calendar != nil:
		return d.calendar.typ, nil
	case days:
		return sdk.TypeDate, nil
	}
	return sdk.TypeTimestamp, nil
}

// grained cuts a time to the start of its period, in the zone of the request.
func (c *compiler) grained(d *dimension, value expression.Node) (expression.Node, error) {
	if d.Grain == "" {
		return value, nil
	}
	local, err := c.local(d, value)
	if err != nil {
		return nil, err
	}
	return expression.As(trunc(d.Grain, local), d.typ), nil
}

// columnNames gives every column of the result a name of its own.
func (c *compiler) columnNames() error {
	taken := map[string]bool{}
	for _, mark := range c.extra() {
		taken[mark] = true
	}
	unique := func(where, given string, options ...string) (string, error) {
		if given != "" {
			if taken[strings.ToLower(given)] {
				return "", refusal.Invalid(where, "two columns are called %s", refusal.Quote(given)).Advise("give one of them another name")
			}
			taken[strings.ToLower(given)] = true
			return given, nil
		}
		for i := 2; ; i++ {
			name := options[0]
			if len(options) > 1 {
				options = options[1:]
			} else if taken[strings.ToLower(name)] {
				name = fmt.Sprintf("%s_%d", options[0], i)
			}
			if !taken[strings.ToLower(name)] {
				taken[strings.ToLower(name)] = true
				return name, nil
			}
		}
	}
	for _, given := range []bool{true, false} { // names that were asked for go first
		for i, d := range c.dims {
			if (d.Name != "") != given {
				continue
			}
			leaf, suffix := d.leaf(c), ""
			if grain := cmp.Or(d.Grain, d.cut); grain != "" {
				suffix = "_" + string(grain)
			}
			var err error
			if d.out, err = unique(fmt.Sprintf("dimensions[%d]", i), d.Name, leaf+suffix, underscored(d.name)+suffix); err != nil {
				return err
			}
		}
		for i, m := range c.columns {
			if (m.Name != "") != given {
				continue
			}
			options := []string{"measure"}
			if m.Member != "" {
				_, leaf, found := strings.Cut(m.Member, ".")
				if !found {
					leaf = m.Member
				}
				options = []string{leaf, strings.ReplaceAll(m.Member, ".", "_")}
			}
			var err error
			if m.Name, err = unique(fmt.Sprintf("measures[%d]", i), m.Name, options...); err != nil {
				return err
			}
		}
	}
	return nil
}

func underscored(n *expression.Name) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(n.Parts), func(p string) bool { return p == via }), "_")
}

// orderKey is what the rows are sorted by.
type orderKey struct {
	value expression.Node // over bases; nil = a dimension
	dim   *dimension
	desc  bool
	first bool // NULL
}

// selectMeasureOrder takes an order key that is a measure, which may need bases.
func (c *compiler) selectMeasureOrder(i int) error {
	o := c.r.OrderBy[i]
	c.order = append(c.order, orderKey{desc: o.Desc, first: o.Nulls == request.NullsFirst})
	key := &c.order[i]
	if c.orderDimension(o.Field) >= 0 {
		return nil
	}
	for k, ref := range c.r.Measures {
		if ref.Name != "" && strings.EqualFold(o.Field, ref.Name) {
			key.value = c.columns[k].value
			return nil
		}
	}
	name, err := request.ParseName(fmt.Sprintf("order_by[%d]", i), o.Field)
	if err != nil {
		return err
	}
	if !c.isMeasure(name) {
		return nil
	}
	m, err := c.measureOf(name)
	if err != nil {
		return err
	}
	for _, column := range c.columns {
		if column.Member == c.measureName(m) {
			key.value = column.value
			return nil
		}
	}
	key.value, err = c.measured(m, context{})
	return err
}

// orderDimension is the place of the dimension that an order key names as it was
// written, -1 = none.
func (c *compiler) orderDimension(field string) int {
	for _, by := range []func(request.Dimension) string{
		func(d request.Dimension) string { return d.Name },
		func(d request.Dimension) string { return d.Field },
		func(d request.Dimension) string {
			if d.Grain == "" || d.Field == "" {
				return ""
			}
			return d.Field + "." + string(d.Grain)
		},
		func(d request.Dimension) string { return d.Expr },
	} {
		for i, d := range c.r.Dimensions {
			if text := by(d); text != "" && strings.EqualFold(text, field) {
				return i
			}
		}
	}
	return -1
}

// selectOrder takes an order key that is a dimension.
func (c *compiler) selectOrder(i int) error {
	key := &c.order[i]
	if key.value != nil {
		return nil
	}
	var err error
	key.dim, err = c.dimensionCalled(fmt.Sprintf("order_by[%d]", i), c.r.OrderBy[i].Field)
	return err
}

// dimensionCalled finds a dimension of the request by its column or its name.
func (c *compiler) dimensionCalled(where, field string) (*dimension, error) {
	if at := c.orderDimension(field); at >= 0 {
		return c.dims[at], nil
	}
	name, err := request.ParseName(where, field)
	if err != nil {
		return nil, err
	}
	leaf := func(d *dimension) bool { // the name that its column gets
		out := d.leaf(c)
		return strings.EqualFold(field, out) || d.Grain != "" && strings.EqualFold(field, out+"_"+string(d.Grain))
	}
	if at := slices.IndexFunc(c.dims, leaf); at >= 0 {
		return c.dims[at], nil
	}
	ref, err := c.dimensionOf(c.homes[0], name)
	if err != nil {
		return nil, err
	}
	if at := slices.IndexFunc(c.dims, func(d *dimension) bool { return d.tree == nil && d.id == ref.Dimension && sameWay(d.name, name) }); at >= 0 {
		return c.dims[at], nil
	}
	return nil, refusal.Invalid(where, "the rows have no column %s", field).About(field).Advise("add %s to dimensions, or name a column of the result", field)
}

// sameWay reports whether two names of one field take the same way as far as
// they say.
func sameWay(a, b *expression.Name) bool {
	return len(a.Parts) == 1 || len(b.Parts) == 1 || slices.EqualFunc(a.Parts, b.Parts, strings.EqualFold)
}

// wholeName puts the period back that Normalise took off a name, where only the
// whole of it is a dimension: schema.orders.day.
func (c *compiler) wholeName(where string, d *dimension) (model.Ref, bool) {
	if d.Grain == "" {
		return model.Ref{}, false
	}
	name := &expression.Name{Parts: append(slices.Clone(d.name.Parts), string(d.Grain))}
	ref, err := c.dimensionOf(c.homes[0], name)
	if err != nil {
		return model.Ref{}, false
	}
	c.note(fmt.Sprintf("%s: %s is a dimension, and %s alone is none, so that it has no granularity", where, nameText(name), nameText(d.name)))
	d.name, d.Field, d.Grain = name, name.String(), ""
	return ref, true
}
