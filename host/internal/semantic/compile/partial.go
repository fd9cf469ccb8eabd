package compile

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/host/internal/semantic/timerange"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// partial reads rows of a home once for several branches, or for one branch that joins
// them to periods. It aggregates them by the dimensions and by the clock, cut to the
// coarsest grain that all periods of the branches consist of; each branch aggregates the
// result again. Where distinct values are counted, it groups by those too.
type partial struct {
	of   []*branch
	rows *rowset
	// dims are as in a branch; nil for the dimension of the clock as well, which is cut
	// from day.
	dims       []expression.Node
	day, value expression.Node
	// span contains the spans of the branches.
	span   timerange.Interval
	grain  dialect.Grain // "" = no branch needs the time
	in     *plan.Project
	groups *plan.Aggregate
	shared *plan.Shared
	// columns are those of dims, of the time and of the value.
	columns      []plan.Column
	time, single plan.Column
}

// readOnce makes the partials.
func (c *compiler) readOnce() error {
	var all []*partial
	for _, br := range c.branches {
		p, err := br.alone()
		if err != nil {
			return err
		}
		if p != nil && !slices.ContainsFunc(all, func(o *partial) bool { return o.takes(p) }) {
			all = append(all, p)
		}
	}
	for _, p := range all {
		if len(p.of) > 1 || p.of[0].spans() && p.value == nil {
			p.plan()
		}
	}
	return nil
}

// alone is the partial of one branch; nil where its rows cannot be aggregated twice.
func (br *branch) alone() (*partial, error) {
	c := br.rows.c
	switch {
	case br.sub != nil || len(br.bases) == 0 || len(br.keys) > 0 || br.all || br.rows.only != nil || !c.stepped(br.home):
		return nil, nil
	case br.clock != nil && br.clock.dim != nil && !timerange.Coarse(br.clock.dim.Grain):
		return nil, nil
	}
	p := &partial{of: []*branch{br}, rows: br.rows.clone(), dims: slices.Clone(br.dims), span: br.span}
	p.rows.beside = slices.DeleteFunc(p.rows.beside, func(b beside) bool {
		_, ofTime := b.of.(calendarDay)
		return ofTime
	})
	switch {
	case !slices.ContainsFunc(br.bases, func(b *base) bool { return b.semiAdditive() || b.rollup() == Holistic }):
	case len(br.bases) == 1 && br.bases[0].agg == expression.CountDistinct && !br.bases[0].semiAdditive():
		p.value = br.inputs[0].X
	default:
		return nil, nil
	}
	if at := br.clockAt(); at >= 0 {
		p.dims[at] = nil
	}
	if br.clock == nil {
		return p, nil
	}
	_, path, err := c.wayOf(br.home, br.clock.name)
	if err != nil || !path.ToOne() {
		return nil, err
	}
	joined := len(p.rows.nodes)
	ref, value, err := p.rows.named(br.clock.name, place{})
	if err != nil || len(p.rows.nodes) > joined {
		return nil, err // nothing else asks for the row that has the time
	}
	p.day, err = c.byDay(br.clock.name, ref.Dimension, value)
	return p, err
}

// clockAt is the place of the dimension that a branch goes by, -1 = there is none.
func (br *branch) clockAt() int {
	d, err := br.rows.c.clockOf("")
	if err != nil {
		return -1
	}
	return slices.Index(br.rows.c.dims, d)
}

// stepped reports whether a measure of a home goes by time.
func (c *compiler) stepped(home model.SourceID) bool {
	return slices.ContainsFunc(c.bases, func(b *base) bool { return b.home == home && len(b.under.steps) > 0 })
}

// takes adds a branch whose rows are the same, as far as time does not part them.
func (p *partial) takes(o *partial) bool {
	a, b := p.of[0], o.of[0]
	if a.home != b.home || a.axis != b.axis || !sameNode(p.day, o.day) || !sameNode(p.value, o.value) || !slices.EqualFunc(a.where, b.where, sameNode) {
		return false
	}
	for i, d := range o.dims {
		if d != nil && p.dims[i] != nil && !sameNode(d, p.dims[i]) {
			return false
		}
	}
	for _, ends := range [][2]*timerange.Bound{{a.span.From, b.span.From}, {a.span.Until, b.span.Until}} {
		if !ends[0].Same(ends[1]) && slices.ContainsFunc(ends[:], func(end *timerange.Bound) bool { return end != nil && end.Day.IsZero() }) {
			return false
		}
	}
	if !p.rows.takes(o.rows) {
		return false
	}
	for i, d := range o.dims {
		if d != nil {
			p.dims[i] = d
		}
	}
	p.of, p.span = append(p.of, b), p.span.Around(o.span)
	return true
}

func sameNode(a, b expression.Node) bool {
	return (a == nil) == (b == nil) && (a == nil || expression.String(a) == expression.String(b))
}

// plan makes the relation, and gives it to the branches.
func (p *partial) plan() {
	c := p.rows.c
	p.grain = p.pitch()
	p.in = &plan.Project{In: p.rows.where(slices.Concat(p.of[0].where, p.limits()))}
	p.groups = &plan.Aggregate{In: p.in, Many: p.value != nil}
	by := func(name string, t sdk.Type, x expression.Node) plan.Column {
		column := p.in.Compute(c.numbers, name, t, x)
		p.groups.By = append(p.groups.By, column.ID)
		return column
	}
	name := c.m.Source(p.of[0].home).Name
	if p.grain != "" {
		day := p.day
		if p.grain != dialect.Day {
			day = expression.As(trunc(p.grain, day), sdk.TypeDate)
		}
		p.time, name = by(string(p.grain), sdk.TypeDate, day), name+"_by_"+string(p.grain)
	}
	p.columns = make([]plan.Column, len(c.dims))
	for i, d := range p.dims {
		if d != nil {
			p.columns[i] = by(c.dims[i].out, c.dims[i].typ, d)
		}
	}
	if p.value != nil {
		p.single = by("value", p.value.Type(), c.nullable(p.value))
	}
	p.shared = &plan.Shared{In: p.groups, Name: name}
	for _, br := range p.of {
		br.partial = p
		p.measure(br)
	}
}

// measure gives a branch the values of the groups that it is made of.
func (p *partial) measure(br *branch) {
	if p.value != nil {
		br.inputs[0].X = p.single.Ref()
		return
	}
	in := map[int]plan.Column{}
	for _, v := range br.inputs {
		in[v.ID] = p.input(v)
	}
	br.inputs = nil
	part := func(f expression.AggregateFunction, b *base) expression.Node {
		t := b.in.Type
		if f == expression.Count {
			t = sdk.TypeInt64
		}
		v := p.aggregate(f, in[b.in.ID], b.called(), t)
		if !slices.ContainsFunc(br.inputs, func(o plan.Value) bool { return o.ID == v.ID }) {
			br.inputs = append(br.inputs, plan.Value{Column: v, X: v.Ref()})
		}
		return v.Ref()
	}
	for _, b := range br.bases {
		if b.agg != expression.Avg {
			b.again = plan.Again(b.agg, part(b.agg, b))
			continue
		}
		sum := &expression.Cast{X: plan.Again(expression.Sum, part(expression.Sum, b)), To: sdk.TypeFloat64}
		b.again = binary(expression.Divide, sum, plan.Again(expression.Sum, part(expression.Count, b)))
	}
}

// input finds or adds a value of the rows.
func (p *partial) input(v plan.Value) plan.Column {
	v.X = p.rows.c.nullable(v.X)
	for _, known := range p.in.Values[len(p.groups.By):] {
		if sameNode(known.X, v.X) {
			return known.Column
		}
	}
	p.in.Values = append(p.in.Values, v)
	return v.Column
}

// aggregate finds or adds an aggregate of an input.
func (p *partial) aggregate(f expression.AggregateFunction, in plan.Column, name string, t sdk.Type) plan.Column {
	x := aggregate(f, in)
	for _, known := range p.groups.Values {
		if sameNode(known.X, x) {
			return known.Column
		}
	}
	return p.groups.Compute(p.rows.c.numbers, name, t, x)
}

// limits are the conditions on the time of the rows: those of the widest span.
func (p *partial) limits() (all []expression.Node) {
	for _, end := range []limit{sinceLimit, untilLimit} {
		at := slices.IndexFunc(p.of, func(br *branch) bool {
			return end == sinceLimit && br.span.From.Same(p.span.From) || end == untilLimit && br.span.Until.Same(p.span.Until)
		})
		if x := p.of[at].limits[end]; x != nil {
			all = append(all, x)
		}
	}
	if at := slices.IndexFunc(p.of, func(br *branch) bool { return br.limits[knownLimit] != nil }); at >= 0 && !p.needsUnknown() {
		all = append(all, p.of[at].limits[knownLimit])
	}
	return all
}

// cut are the ends of a branch that those of the partial are beyond.
func (p *partial) cut(br *branch) (from, until *timerange.Bound) {
	if br.uncut {
		return nil, nil
	}
	return p.beyond(br)
}

// beyond are the ends of a branch that those of the partial are beyond, where they cut it or not.
func (p *partial) beyond(br *branch) (from, until *timerange.Bound) {
	if !br.span.From.Same(p.span.From) {
		from = br.span.From
	}
	if !br.span.Until.Same(p.span.Until) {
		until = br.span.Until
	}
	return from, until
}

// unknown reports whether the partial has rows without a time, and the branch has not.
func (p *partial) unknown(br *branch) bool {
	return br.limits[knownLimit] != nil && p.span == (timerange.Interval{}) && p.needsUnknown()
}

// needsUnknown reports whether rows without a time count for a branch: they are in no
// window.
func (p *partial) needsUnknown() bool {
	return slices.ContainsFunc(p.of, func(br *branch) bool { return br.limits[knownLimit] == nil && !br.spans() })
}

// pitch is the longest period that all branches can be made of, "" = no time is needed.
func (p *partial) pitch() dialect.Grain {
	timed := slices.ContainsFunc(p.of, func(br *branch) bool {
		from, until := p.cut(br)
		return br.period != nil || from != nil || until != nil || p.unknown(br)
	})
	if !timed {
		return ""
	}
	all := dialect.Grains()
	for _, g := range slices.Backward(all[slices.Index(all, dialect.Day):]) {
		if !slices.ContainsFunc(p.of, func(br *branch) bool {
			from, until := p.cut(br)
			return !br.madeOf(g) || !begins(from, g) || !begins(until, g)
		}) {
			return g
		}
	}
	return dialect.Day
}
