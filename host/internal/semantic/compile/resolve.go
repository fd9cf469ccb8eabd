package compile

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/host/internal/semantic/timerange"
	"github.com/loam-data/loam/sdk"
)

// formula is an expression over names, and where they are looked up.
type formula struct {
	tree expression.Node
	// expr is the definition that the tree is of: its names are resolved, as seen
	// from source. nil = it is of the request, and its names are looked up from
	// each home.
	expr   *model.Expr
	source model.SourceID
	// written and where are for messages and the plan.
	written, where string
	// text of the request that the places of the tree are in, "" = they have none.
	text string
	// time: it is about the rows of this one alone, nil = of all.
	time *ownTime
	// shown: it limits which periods are shown, and windows read beyond it; limit: it
	// is an end of what a branch reads of its own time.
	shown *dateRange
	limit limit
}

// via is what separates the way from the field in the parts of a name: no name
// that was written has an empty part.
const via = ""

// resolve finds what the request names.
func (c *compiler) resolve() error {
	if c.r.Limit < 0 || c.r.Offset < 0 {
		return refusal.Invalid("limit", "must not be negative").Advise("leave it out for %d rows", request.DefaultLimit)
	}
	if _, err := timerange.Zone(c.r.TimeZone); err != nil {
		return err
	}
	if f := c.r.Fanout; f != "" && f != request.FanoutDistinct && f != request.FanoutError {
		return refusal.Invalid("fanout", "%s is neither distinct nor error", refusal.Quote(string(f))).Advise("leave it out, for distinct")
	}
	c.cutPeriods()
	if err := c.checkConform(); err != nil {
		return err
	}
	each := func(n int, do func(int) error) error {
		for i := range n {
			if err := c.ended(); err != nil {
				return err
			}
			if err := do(i); err != nil {
				return err
			}
		}
		return nil
	}
	for _, step := range []func() error{
		func() error { return each(len(c.r.Measures), c.selectMeasure) },
		func() error { return each(len(c.r.Filters), c.selectFilter) },
		func() error { return each(len(c.r.OrderBy), c.selectMeasureOrder) },
		c.findHomes,
		c.findTimes,
		func() error { return each(len(c.r.Dimensions), c.selectDimension) },
		func() error { return each(len(c.timed), c.selectTimed) },
		func() error { return each(len(c.r.DateRanges), c.selectRange) },
		func() error { return each(len(c.r.Segments), c.selectSegment) },
		func() error { return each(len(c.r.OrderBy), c.selectOrder) },
		c.checkTotals, c.checkGaps, c.checkSummaries, c.columnNames,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// findHomes lists the sources whose rows are measured, in the order of the
// measures. Where no measure is shown the source is among them that has one value
// of each dimension in a row: its members are asked for.
func (c *compiler) findHomes() error {
	for _, b := range c.measuredBases() {
		if !slices.Contains(c.homes, b.home) {
			c.homes = append(c.homes, b.home)
		}
	}
	if len(c.columns) > 0 {
		return nil
	}
	if len(c.r.Dimensions) == 0 {
		return refusal.Invalid("measures", "there is nothing to measure").Advise("name at least one measure: sl_read_source or loam sl show lists them")
	}
	var sources []model.SourceID
	for i := range c.r.Dimensions {
		if c.r.Dimensions[i].Measure != "" {
			return refusal.Invalid("measures", "nothing is measured by %s", c.r.Dimensions[i].Measure).Advise("add a measure of the entities, such as their count")
		}
		if c.isMetricTimeField(c.r.Dimensions[i].Field, c.r.Dimensions[i].Via) {
			return refusal.Invalid("measures", "metric_time is the time of what is measured, and nothing is").About(request.MetricTime).Advise("add a measure, or name a time dimension")
		}
		if members := c.conformed([]string{c.r.Dimensions[i].Field}); members != nil {
			return refusal.Invalid("measures", "%s is of several sources, and no measure says which", c.r.Dimensions[i].Field).Advise("add a measure, or name one of %s", refusal.Listed(members))
		}
		fields, err := c.fieldsOf(c.r.Dimensions[i])
		if err != nil {
			return err
		}
		for _, n := range fields {
			d, err := c.dimensionOf(model.Metrics, n)
			if err != nil {
				return err
			}
			if !slices.Contains(sources, d.Source) {
				sources = append(sources, d.Source)
			}
		}
	}
	home, ok := c.memberHome(sources)
	if !ok {
		return refusal.Invalid("measures", "the dimensions are of several sources, and no measure says which rows bring them together").Advise("add a measure")
	}
	if !slices.Contains(c.homes, home) {
		c.homes = append(c.homes, home)
	}
	return nil
}

// inEntities reports whether a home is that of a measure that is nested alone.
func (c *compiler) inEntities(home model.SourceID) bool {
	return slices.ContainsFunc(c.bases, func(b *base) bool {
		return b.nested != nil && slices.ContainsFunc(b.nested.sub.measuredBases(), func(o *base) bool { return o.home == home })
	})
}

// memberHome is the first source that has one value of each dimension in a row.
func (c *compiler) memberHome(sources []model.SourceID) (model.SourceID, bool) {
	at := slices.IndexFunc(sources, c.covers)
	if at < 0 {
		return 0, false
	}
	return sources[at], true
}

// covers reports whether each row of a source has one value of each dimension.
func (c *compiler) covers(home model.SourceID) bool {
	for _, d := range c.r.Dimensions {
		fields, err := c.fieldsOf(d)
		if err != nil || !c.reachesAll(home, fields) {
			return false
		}
	}
	return true
}

// fieldName is the name that stands for a field of the request in an expression.
func fieldName(where, field string, way []string) (*expression.Name, error) {
	n, err := request.ParseName(where, field)
	if err != nil || len(way) == 0 {
		return n, err
	}
	plain := make([]string, len(way))
	for i, w := range way {
		plain[i] = w
		if quoted, err := expression.ParseName(w); err == nil && len(quoted.Parts) == 1 {
			plain[i] = quoted.Parts[0]
		}
	}
	return &expression.Name{Parts: slices.Concat(plain, []string{via}, n.Parts)}, nil
}

// What a place of the request takes. A condition takes any: which of its names are
// measures decides whether it is about rows or groups.
func takesAny(model.Member) bool         { return true }
func takesDimension(m model.Member) bool { return m.Dimension != 0 }
func takesMeasure(m model.Member) bool   { return m.Measure != 0 }
func takesSegment(m model.Member) bool   { return m.Segment != 0 }

// lookup finds what a name of the request means from a home, with its way.
func (c *compiler) lookup(takes model.Fits, home model.SourceID, n *expression.Name) ([]model.Member, error) {
	parts, way := n.Parts, []string(nil)
	if at := slices.Index(parts, via); at >= 0 {
		parts, way = parts[at+1:], parts[:at]
	}
	if members := c.conformed(parts); members != nil && way == nil {
		return c.conform(home, parts[0], members)
	}
	all, err := c.m.LookupFor(takes, home, parts...)
	for _, found := range all {
		c.named = append(c.named, found.Source)
	}
	if err != nil {
		c.named = append(c.named, c.m.Named(home, parts...)...)
		return nil, c.aboutTime(c.withMembers(refusal.Lookup(err, nameText(n)), takes, home, parts), n).Named(n)
	}
	if way != nil {
		all = slices.Clone(all)
		for i := range all {
			all[i].Ref = all[i].Through(way...)
		}
	}
	return all, nil
}

// nameText is a name as it was written.
func nameText(n *expression.Name) string {
	if n.Means != nil {
		return n.Parts[len(n.Parts)-1]
	}
	at := slices.Index(n.Parts, via)
	field := (&expression.Name{Parts: n.Parts[at+1:]}).String()
	if at > 0 {
		return field + " via " + strings.Join(n.Parts[:at], ", ")
	}
	return field
}

// dimensionOf finds the dimension that a name means from a home.
func (c *compiler) dimensionOf(home model.SourceID, n *expression.Name) (model.Ref, error) {
	return c.dimensionAmong(takesDimension, home, n)
}

// dimensionAmong finds the dimension that a name means where other members could be
// meant too.
func (c *compiler) dimensionAmong(takes model.Fits, home model.SourceID, n *expression.Name) (model.Ref, error) {
	found, err := c.member("dimension", takes, takesDimension, home, n)
	return found.Ref, err
}

// fieldRef is the dimension that a name of a filter means, as the first home sees it, or
// else the whole model.
func (c *compiler) fieldRef(takes model.Fits, n *expression.Name) (model.Ref, error) {
	if len(c.homes) > 0 {
		if ref, err := c.dimensionAmong(takes, c.homes[0], n); err == nil {
			return ref, nil
		}
	}
	return c.dimensionAmong(takes, model.Metrics, n)
}

// measureOf finds the measure that a name means.
func (c *compiler) measureOf(n *expression.Name) (*model.Measure, error) {
	found, err := c.member("measure", takesMeasure, takesMeasure, model.Metrics, n)
	if err != nil {
		return nil, err
	}
	return c.m.Measure(found.Measure), nil
}

// segmentIn finds the segment that a name means from a home.
func (c *compiler) segmentIn(home model.SourceID, n *expression.Name) (model.Ref, *model.Segment, error) {
	found, err := c.member("segment", takesSegment, takesSegment, home, n)
	if err != nil {
		return model.Ref{}, nil, err
	}
	return found.Ref, c.m.Segment(found.Segment), nil
}

// member finds the member of a kind that a name means where a place takes others too.
func (c *compiler) member(kind string, takes, wanted model.Fits, home model.SourceID, n *expression.Name) (model.Member, error) {
	all, err := c.lookup(takes, home, n)
	if err != nil {
		return model.Member{}, err
	}
	if at := slices.IndexFunc(all, wanted); at >= 0 {
		return all[at], nil
	}
	return model.Member{}, c.notA(kind, n, all)
}

// notA refuses a member of another kind.
func (c *compiler) notA(kind string, n *expression.Name, all []model.Member) error {
	is, advice := "a segment", "put it in segments"
	switch {
	case all[0].Dimension != 0:
		is, advice = "a dimension", "group by it in dimensions, or aggregate it: {\"expr\": \"count_distinct("+nameText(n)+")\"}"
	case all[0].Measure != 0:
		is, advice = "a measure", "put it in measures"
	}
	return refusal.New(refusal.CodeUnknownMember, "%s is %s, not a %s", nameText(n), is, kind).About(nameText(n)).Advise("%s", advice)
}

// selectSegment takes a named filter.
func (c *compiler) selectSegment(i int) error {
	text := c.r.Segments[i]
	n, err := request.ParseName("segments", text)
	if err != nil {
		return err
	}
	for _, home := range slices.Concat(c.homes, []model.SourceID{model.Metrics}) {
		if _, _, err = c.segmentIn(home, n); err == nil {
			break
		}
	}
	if err != nil {
		return err
	}
	c.filters = append(c.filters, formula{tree: standsForSegment(n), written: "segment " + text, where: "segments"})
	return nil
}

// segmentName is a name of a request that stands for the condition of a segment.
type segmentName struct{ *expression.Name }

// standsForSegment is the name that a segment has in conditions.
func standsForSegment(n *expression.Name) *expression.Name {
	return &expression.Name{Parts: []string{"segment " + nameText(n)}, Means: segmentName{n}}
}

// segmentOf is the segment that a name stands for, as the request calls it; nil = it is
// another name.
func segmentOf(n *expression.Name) *expression.Name {
	s, _ := n.Means.(segmentName)
	return s.Name
}

// fieldType is the resolver of a condition of the request, seen from its homes.
func (c *compiler) fieldType(n *expression.Name) (sdk.Type, error) {
	if e := entityOf(n); e != nil {
		return e.typ, nil
	}
	if segmentOf(n) != nil || rangeNamed(n).field != nil {
		return sdk.TypeBool, nil
	}
	ref, err := c.fieldRef(takesAny, n)
	if err != nil {
		return 0, err
	}
	return c.typeOf(ref.Dimension), nil
}
