package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
)

// ownTime is the time of some measures, as the home of their rows sees it.
type ownTime struct {
	home model.SourceID
	ref  model.Ref
	name *expression.Name // finds it from the home
}

// isMetricTime reports whether a name of the request is metric_time.
func (c *compiler) isMetricTime(n *expression.Name) bool {
	return len(n.Parts) == 1 && strings.EqualFold(n.Parts[0], request.MetricTime) && !c.m.Knows(request.MetricTime)
}

func (c *compiler) isMetricTimeField(field string, way []string) bool {
	if len(way) > 0 || !mentionsMetricTime(field) {
		return false
	}
	n, err := expression.ParseName(field)
	return err == nil && c.isMetricTime(n)
}

// mentionsMetricTime reports whether a text may name metric_time: few do, and only those
// are read for it.
func mentionsMetricTime(text string) bool {
	return strings.Contains(strings.ToLower(text), request.MetricTime)
}

// namesMetricTime reports whether a filter is about metric_time.
func (c *compiler) namesMetricTime(f *request.Filter) bool {
	any := func(all []request.Filter) bool {
		return slices.ContainsFunc(all, func(f request.Filter) bool { return c.namesMetricTime(&f) })
	}
	if f.SQL != "" {
		if !mentionsMetricTime(f.SQL) {
			return false
		}
		tree, err := expression.Parse(f.SQL) // what cannot be read is refused elsewhere
		return err == nil && slices.ContainsFunc(expression.Names(tree), c.isMetricTime)
	}
	return f.Field != "" && c.isMetricTimeField(f.Field, f.Via) || any(f.And) || any(f.Or) || f.Not != nil && c.namesMetricTime(f.Not)
}

// aboutTime tells where metric_time can stand.
func (c *compiler) aboutTime(e *refusal.Error, n *expression.Name) *refusal.Error {
	if e.Code != refusal.CodeUnknownMember || !c.isMetricTime(n) {
		return e
	}
	return e.Advise("write metric_time among dimensions with a granularity, in date_ranges, or in filters outside of any, none and all; elsewhere name a time dimension")
}

// inTime puts the time that is being looked at in the place of metric_time.
func (c *compiler) inTime(tree expression.Node) expression.Node {
	if c.time == nil {
		return tree
	}
	tree, err := expression.Substitute(tree, func(n *expression.Name) (expression.Node, error) {
		if c.isMetricTime(n) {
			return c.time.name, nil
		}
		return n, nil
	})
	if err != nil {
		panic(err) // the substitution has none
	}
	return tree
}

// timeOf returns the time of a base's rows; where says what needs it.
func (c *compiler) timeOf(where string, code refusal.Code, b *base) (*ownTime, error) {
	ref := c.m.DefaultTimeOf(b.home)
	if b.measure != nil {
		ref = c.m.TimeOf(b.measure)
	}
	if ref.Dimension != 0 {
		return c.ownTime(b.home, ref), nil
	}
	return nil, c.noTime(where, code, b.home, b.label).Of(b.label)
}

// noTime refuses metric_time for what has none, and names what to add.
func (c *compiler) noTime(where string, code refusal.Code, home model.SourceID, label string) *refusal.Error {
	s := c.m.Source(home)
	e := refusal.New(code, "%s: %s has no time: it names none, and %s has no default time dimension", where, label, s.Name)
	var times []string
	for i := range s.Dimensions {
		if d := &s.Dimensions[i]; d.Type == model.Time && d.Visibility == model.Public {
			times = append(times, d.Name)
		}
	}
	if len(times) == 0 {
		return e.Advise("add time_dimension to the measure: a time that each row of %s has or leads to; or leave the time out", s.Name)
	}
	return e.Advise("name the time dimension, or add default_time_dimension: %s to %s, or time_dimension to the measure", times[0], s.Name)
}

// ownTime returns the one of a home and a reference, so that equal times are one.
func (c *compiler) ownTime(home model.SourceID, ref model.Ref) *ownTime {
	name := c.nameOf(ref)
	same := func(t *ownTime) bool { return t.home == home && slices.Equal(t.name.Parts, name.Parts) }
	if at := slices.IndexFunc(c.known, same); at >= 0 {
		return c.known[at]
	}
	t := &ownTime{home, ref, name}
	c.known = append(c.known, t)
	return t
}

// nameOf writes a dimension that a definition refers to as a request would.
func (c *compiler) nameOf(ref model.Ref) *expression.Name {
	s := c.m.Source(ref.Source)
	parts := []string{s.Name}
	if n, err := expression.ParseName(s.Identity); err == nil {
		parts = n.Parts
	}
	parts = append(slices.Clip(parts), c.m.Dimension(ref.Dimension).Name)
	way := ref.Via
	if last := len(way) - 1; last >= 0 && (strings.EqualFold(way[last], s.Name) || way[last] == s.Identity) {
		way = way[:last] // the name itself says so
	}
	if len(way) > 0 {
		parts = slices.Concat(way, []string{via}, parts)
	}
	return &expression.Name{Parts: parts}
}

// findTimes gives every base its time, where the request asks for it.
func (c *compiler) findTimes() error {
	where, code := c.asksTime()
	if where == "" {
		return nil
	}
	add := func(t *ownTime) {
		if !slices.Contains(c.times, t) {
			c.times = append(c.times, t)
		}
	}
	measured := map[model.SourceID]bool{}
	for _, b := range c.measuredBases() {
		t, err := c.timeOf(where, code, b)
		if err != nil {
			return err
		}
		b.time, measured[b.home] = t, true
		add(t)
	}
	for _, home := range c.homes {
		if measured[home] {
			continue
		}
		ref := c.m.DefaultTimeOf(home)
		if ref.Dimension == 0 {
			return c.noTime(where, code, home, c.m.Source(home).Name)
		}
		add(c.ownTime(home, ref))
	}
	c.tellTimes()
	return nil
}

// measuredBases are the bases that rows are measured for: of a nested one, those that
// it is made of.
func (c *compiler) measuredBases() (all []*base) {
	for _, b := range c.bases {
		if b.nested != nil {
			all = append(all, b.nested.sub.measuredBases()...)
		} else {
			all = append(all, b)
		}
	}
	return all
}

// asksTime returns the first place of the request that is about metric_time, and the
// code with which it is refused where there is no time; "" = there is none.
func (c *compiler) asksTime() (where string, code refusal.Code) {
	for i, d := range c.r.Dimensions {
		if d.Measure == "" && c.isMetricTimeField(d.Field, d.Via) {
			return fmt.Sprintf("dimensions[%d]", i), refusal.CodeDimension
		}
	}
	if len(c.timed) > 0 {
		return fmt.Sprintf("filters[%d]", c.timed[0]), refusal.CodeFilter
	}
	for i, r := range c.r.DateRanges {
		if r.Field == "" || c.isMetricTimeField(r.Field, r.Via) {
			return fmt.Sprintf("date_ranges[%d]", i), refusal.CodeFilter
		}
	}
	return "", ""
}

// tellTimes notes which times metric_time is, where there are several.
func (c *compiler) tellTimes() {
	if len(c.times) < 2 {
		return
	}
	var all []string
	for _, t := range c.times {
		var of []string
		for _, b := range c.measuredBases() {
			if b.time == t && !slices.Contains(of, b.label) {
				of = append(of, b.label)
			}
		}
		all = append(all, nameText(t.name)+" for "+refusal.Listed(of))
	}
	c.note("metric_time is " + refusal.Listed(all))
}

// selectTimed takes a filter on metric_time: of each time, on its rows alone.
func (c *compiler) selectTimed(i int) error {
	defer func() { c.time = nil }()
	at := c.timed[i]
	where := fmt.Sprintf("filters[%d]", at)
	for _, t := range c.times {
		c.time = t
		all, err := c.conditions(c.r.Filters[at], where)
		if err != nil {
			return err
		}
		for _, f := range all {
			if c.namesMeasures(f.tree) {
				return mixedOr(where, c.r.Filters[at].SQL, sdk.Position{})
			}
			f.time = t
			c.filters = append(c.filters, f)
		}
	}
	return nil
}

// timesOf are the times of what a measure is made of, each once.
func (c *compiler) timesOf(where string, m *model.Measure) (all []*ownTime, err error) {
	if m.Kind == model.Simple {
		t, err := c.timeOf(where, refusal.CodeFilter, &base{home: m.Home, measure: m, label: c.measureName(m)})
		return []*ownTime{t}, err
	}
	for _, id := range m.Uses {
		parts, err := c.timesOf(where, c.m.Measure(id))
		if err != nil {
			return nil, err
		}
		for _, t := range parts {
			if !slices.Contains(all, t) {
				all = append(all, t)
			}
		}
	}
	return all, nil
}

// ownConditions reads a filter of one measure, which may be about its time.
func (c *compiler) ownConditions(ref request.Measure, f request.Filter, where string) ([]formula, error) {
	if !c.namesMetricTime(&f) {
		return c.conditions(f, where)
	}
	text := ref.Name
	if ref.Expr != "" {
		text = ref.Expr
	}
	n, err := expression.ParseName(text)
	if err != nil {
		return nil, refusal.Invalid(where, "metric_time beside an expression").Advise("name the time dimension")
	}
	m, err := c.measureOf(n)
	if err != nil {
		return nil, err
	}
	times, err := c.timesOf(where, m)
	if err != nil {
		return nil, err
	}
	if len(times) != 1 {
		return nil, refusal.New(refusal.CodeFilter, "%s: %s is made of measures with several times", where, c.measureName(m)).About(request.MetricTime).
			Advise("put the condition into the filters of the request, or name a time dimension")
	}
	defer func() { c.time = nil }()
	c.time = times[0]
	return c.conditions(f, where)
}

// selectAxis takes metric_time as a dimension: its type is that of all times.
func (c *compiler) selectAxis(where string, d *dimension) error {
	d.axis = true
	if d.Grain == "" {
		return refusal.New(refusal.CodeGranularity, "%s: metric_time is grouped by in periods, and no granularity is given", where).About(request.MetricTime).
			Advise(`write {"field": "metric_time", "granularity": "month"}`)
	}
	for _, t := range c.times {
		own := d.at(t)
		typ, err := c.grainType(own)
		if err != nil {
			return err
		}
		d.typ = typ
		if len(c.times) == 1 {
			d.id = own.id
		}
	}
	c.dims = append(c.dims, d)
	return nil
}

// at is the dimension as what has a time sees it.
func (d *dimension) at(t *ownTime) *dimension {
	if !d.axis || t == nil {
		return d
	}
	own := *d
	own.id, own.name = t.ref.Dimension, t.name
	return &own
}

// limiting returns what tells whether a range is about the dimension.
func (c *compiler) limiting(d *dimension) func(*dateRange) bool {
	if len(c.times) == 1 {
		d = d.at(c.times[0])
	}
	return func(r *dateRange) bool {
		return d.axis && r.axis || d.id != 0 && r.id == d.id && c.samePlace(r.home, r.field.Name, d.name)
	}
}
