package oracle

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Request draws a request to the last World. Most of what it asks for is near the
// first measure.
func (g *Generator) Request() request.Request {
	var r request.Request
	facts := g.facts()
	if !g.feature(4, "no measure") {
		for range 1 + g.rng.IntN(3) {
			r.Measures = append(r.Measures, g.measureRef(facts))
		}
	}
	for range g.rng.IntN(3) {
		r.Dimensions = append(r.Dimensions, g.dimensionRef(facts))
	}
	if len(r.Measures) == 0 && len(r.Dimensions) == 0 {
		r.Dimensions = append(r.Dimensions, g.dimensionRef(facts))
	}
	for _, m := range r.Measures {
		if source, name, _ := strings.Cut(m.Name, "."); (strings.HasPrefix(name, "part_of_kind") || name == "part_of_recent") && g.chance(85) {
			r.Dimensions = []request.Dimension{{Field: source + ".label"}, {Field: source + ".kind"}}
		}
	}
	if g.timed(r.Measures) && g.chance(85) {
		g.addTime(&r)
	}
	if aside := (&Generator{rng: g.aside, Features: g.Features}); len(r.Measures) > 0 && aside.feature(15, metricTime) {
		aside.axis(&r)
	}
	r.FillGaps = g.feature(3, "gaps")
	for i, d := range r.Dimensions { // every period between the first and the last is made
		switch byDay := slices.Contains([]dialect.Grain{dialect.Day, dialect.Week}, d.Grain); {
		case g.timed(r.Measures) && (fine(d.Grain) || byDay && !strings.HasSuffix(d.Field, ".day")):
			r.Dimensions[i].Grain = dialect.Month
		case r.FillGaps && fine(d.Grain):
			r.Dimensions[i].Grain = dialect.Day
		}
	}
	g.calendarPeriods(&r)
	for range g.rng.IntN(3) {
		r.Filters = append(r.Filters, g.filter(facts))
	}
	g.more(&r, facts)
	g.groups(&r)
	g.computedFrom(&r, facts)
	g.distinctGaps(&r)
	g.besideInTime(&r)
	g.alike(&r, facts)
	g.ofOwner(&r, facts[0])
	return r
}

// ofOwner groups measures by the key of what their rows belong to, and shows the groups
// that a condition on a measure leaves, if there is one.
func (g *Generator) ofOwner(r *request.Request, d *draft) {
	aside := &Generator{rng: g.owners, Features: g.Features}
	if len(d.links) == 0 || len(r.Measures) == 0 || len(r.DateRanges) > 0 || !aside.feature(8, "groups of a key that a condition leaves") {
		return
	}
	l := pick(aside, d.links...)
	*r = request.Request{
		Measures: []request.Measure{{Name: d.name + "." + pick(aside, "n", "total")}, {Name: d.name + "." + pick(aside, "n", "total", "first_day")}},
		Filters:  []request.Filter{{SQL: fmt.Sprintf("%s.%s %s %d", d.name, pick(aside, "n", "total"), pick(aside, ">", "<=", "<>"), aside.rng.IntN(5))}},
	}
	owner := cmp.Or(l.role, l.to.name) + "."
	fields := []string{owner + "kind", d.name + ".kind", d.name + ".flag"}
	for _, k := range l.to.key {
		r.Dimensions = append(r.Dimensions, request.Dimension{Field: owner + k})
	}
	for _, field := range fields[:aside.rng.IntN(3)] {
		r.Dimensions = append(r.Dimensions, request.Dimension{Field: field})
	}
	if aside.feature(40, "all groups of a key") {
		r.Filters = nil
	}
	if aside.chance(30) {
		r.Filters = append(r.Filters, request.Filter{SQL: pick(aside, d.name+".kind", owner+"kind", d.name+".qty") + " IS NOT NULL"})
	}
}

// alike groups measures of two sources by dimensions of theirs that mean the same.
func (g *Generator) alike(r *request.Request, facts []*draft) {
	aside := &Generator{rng: g.aside, Features: g.Features}
	if len(facts) < 2 || facts[0] == facts[1] || len(r.Measures) == 0 || !aside.feature(25, "dimensions that mean the same") {
		return
	}
	r.Conform = map[string][]string{"alike": {facts[0].name + ".kind", facts[1].name + ".kind"}}
	r.Measures = []request.Measure{{Name: facts[0].name + "." + pick(aside, "n", "total")}, {Name: facts[1].name + "." + pick(aside, "n", "total")}}
	r.Dimensions, r.DateRanges, r.Segments, r.OrderBy, r.LimitPer = []request.Dimension{{Field: "alike"}}, nil, nil, nil, nil
	r.Limit, r.Offset, r.Rest, r.FillGaps, r.Filters = 0, 0, false, false, nil
	switch aside.rng.IntN(4) {
	case 0:
		r.Filters = []request.Filter{{Field: "alike", Op: pick(aside, request.OpNotEquals, request.OpEquals), Values: []any{"A"}}}
	case 1:
		r.Filters = []request.Filter{{SQL: pick(aside, "alike <> 'A'", "alike IS NOT NULL", "alike IN ('A', 'b')")}}
	}
}

// distinctGaps asks for distinct values over windows by members whose gaps are filled.
func (g *Generator) distinctGaps(r *request.Request) {
	aside := &Generator{rng: g.aside, Features: g.Features}
	over := slices.ContainsFunc(r.Measures, func(m request.Measure) bool { return strings.Contains(m.Name, ".distinct_") })
	if !over || len(r.Dimensions) != 1 || r.Dimensions[0].Grain == "" || !aside.feature(50, "gaps of members beside distinct values over windows") {
		return
	}
	source, _, _ := strings.Cut(r.Measures[0].Name, ".")
	r.Dimensions, r.FillGaps = append(r.Dimensions, request.Dimension{Field: source + "." + pick(aside, "kind", "label")}), true
}

// groups draws which groups of a request are shown beside those that have rows.
func (g *Generator) groups(r *request.Request) {
	coarse := func(d request.Dimension) bool { return d.Grain != "" && !fine(d.Grain) }
	if !slices.ContainsFunc(r.Dimensions, func(d request.Dimension) bool { return fine(d.Grain) }) && slices.ContainsFunc(r.Dimensions, coarse) {
		r.FillGaps = g.feature(12, "gaps of a time dimension") || r.FillGaps
	}
	if len(r.Measures) == 0 {
		return
	}
	r.Totals = g.feature(12, "totals")
	ordered := len(r.OrderBy) > 0 && len(r.Dimensions) > 0
	switch {
	case ordered && len(r.Dimensions) > 1 && g.feature(25, "limit per group"):
		d := r.Dimensions[0]
		r.LimitPer = &request.LimitPer{By: []string{cmp.Or(d.Name, d.Field)}, N: 1 + g.rng.IntN(2)}
	case ordered && g.chance(25):
		r.Limit = 1 + g.rng.IntN(3)
	default:
		return
	}
	if r.Rest = g.feature(60, "rest"); r.Rest && g.chance(90) {
		r.Offset, r.FillGaps, r.IncludeEmpty = 0, false, false
	}
}

// facts are the sources that a request is about: two at most.
func (g *Generator) facts() []*draft {
	all := []*draft{pick(g, g.sources...), pick(g, g.sources...)}
	for i := range all {
		if all[i].layer < 2 && g.chance(60) {
			all[i] = g.sources[len(g.sources)-1]
		}
	}
	if g.chance(55) {
		all = all[:1]
	}
	return all
}

func (g *Generator) measureRef(facts []*draft) request.Measure {
	d := pick(g, facts...)
	if g.feature(6, "ad-hoc measure") {
		return request.Measure{Name: "adhoc" + fmt.Sprint(g.rng.IntN(1000)), Expr: pick(g,
			fmt.Sprintf("sum(%s.amount)", d.name), fmt.Sprintf("sum(%s.amount) / count(%s.qty)", d.name, d.name), fmt.Sprintf("count(DISTINCT %s.kind)", d.name))}
	}
	if len(g.metrics) > 0 && g.feature(6, "metric") {
		return request.Measure{Name: pick(g, g.metrics...)}
	}
	m := request.Measure{Name: d.name + "." + pick(g, d.measures...)}
	if g.feature(6, "filter of one measure") {
		m.Filters = []request.Filter{{SQL: g.ownCondition(d.name + ".")}}
	}
	return m
}

// near draws a source around some: itself, what it joins to, what joins to it,
// or any; and the name that it is known by there.
func (g *Generator) near(facts []*draft) (*draft, string) {
	d := pick(g, facts...)
	if o := g.below(d); o != nil && g.feature(20, "something finer than a measure") {
		return o, o.name
	}
	name := d.name
	var way []string
	for len(way) < 3 && len(d.links) > 0 && g.chance(60) {
		l := pick(g, d.links...)
		d, name = l.to, l.to.name
		if l.role != "" {
			name = l.role
		}
		way = append(way, name)
	}
	if len(way) > 1 && g.feature(60, "a path that is written out") {
		return d, strings.Join(way, ".")
	}
	switch {
	case g.chance(12):
		if o := g.below(d); o != nil {
			return o, o.name
		}
	case g.chance(8):
		d = pick(g, g.sources...)
		name = d.name
	}
	return d, name
}

// below draws a source that joins to another, nil when there is none.
func (g *Generator) below(d *draft) *draft {
	var all []*draft
	for _, o := range g.sources {
		if o != d && slices.ContainsFunc(o.links, func(l *link) bool { return l.to == d }) {
			all = append(all, o)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return pick(g, all...)
}

func (g *Generator) dimensionRef(facts []*draft) request.Dimension {
	d, name := g.near(facts)
	if g.feature(5, "measure as a dimension") {
		return g.measureAsDimension(name, d.key[0])
	}
	if len(d.dims) > 0 && g.chance(25) {
		return request.Dimension{Field: name + "." + pick(g, d.dims...)}
	}
	c := pick(g, d.columns...)
	ref := request.Dimension{Field: name + "." + c.Name}
	switch {
	case c.Type == sdk.TypeDate && g.feature(80, "grain of a date"):
		ref.Grain = pick(g, dialect.Day, dialect.Week, dialect.Month, dialect.Month, dialect.Quarter, dialect.Year)
	case (c.Type == sdk.TypeTimestamp || c.Type == sdk.TypeTimestampTZ) && g.feature(90, "grain of a timestamp"):
		ref.Grain = pick(g, dialect.Grains()...)
	case c.Type == sdk.TypeFloat64:
		ref.Field = name + ".kind"
	}
	if way := strings.Split(name, "."); len(way) > 1 && g.feature(30, "via") {
		ref.Field = d.name + strings.TrimPrefix(ref.Field, name)
		if ref.Via = way; way[len(way)-1] == d.name {
			ref.Via = way[:len(way)-1]
		}
	}
	return ref
}

// byTime are what the names of measures have in them that go by time.
var byTime = []string{".before", "_before", ".running", "_running", ".recent", "_recent", "_year", ".year_", ".growth", "running_per", "before_per", ".season_"}

// timed reports whether a measure goes by time.
func (g *Generator) timed(measures []request.Measure) bool {
	return slices.ContainsFunc(measures, func(m request.Measure) bool {
		return slices.ContainsFunc(byTime, func(s string) bool { return strings.Contains(m.Name, s) })
	})
}

// addTime makes a time dimension of the first measure the only one.
func (g *Generator) addTime(r *request.Request) {
	r.Dimensions = slices.DeleteFunc(r.Dimensions, func(d request.Dimension) bool { return d.Grain != "" })
	source, _, _ := strings.Cut(r.Measures[0].Name, ".")
	if r.Measures[0].Expr == "" {
		r.Dimensions = append(r.Dimensions, request.Dimension{Field: source + ".day", Grain: pick(g, dialect.Month, dialect.Month, dialect.Quarter, dialect.Day, dialect.Week, dialect.Year)})
	}
	g.Features["measure that goes by time"]++
	if g.feature(10, "measure that goes by the time of a range") {
		r.Dimensions = r.Dimensions[:max(0, len(r.Dimensions)-1)]
	}
	if g.chance(50) {
		at := g.rng.IntN(len(days) - 3)
		r.DateRanges = []request.DateRange{{Field: source + ".day", From: days[at][:8] + "01", To: days[at+3]}}
	}
}

// axis moves a request to metric_time: its time dimension, its range, and a filter.
func (g *Generator) axis(r *request.Request) {
	at := slices.IndexFunc(r.Dimensions, func(d request.Dimension) bool { return d.Grain != "" })
	if at < 0 {
		at = len(r.Dimensions)
		r.Dimensions = append(r.Dimensions, request.Dimension{Grain: pick(g, dialect.Day, dialect.Week, dialect.Month, dialect.Month, dialect.Quarter, dialect.Hour)})
	}
	r.Dimensions[at].Field, r.Dimensions[at].Via = metricTime, nil
	days := func() string { return pick(g, days...) }
	for i := range r.DateRanges {
		if g.chance(80) {
			r.DateRanges[i].Field, r.DateRanges[i].Via = pick(g, "", metricTime), nil
		}
	}
	if g.feature(30, "filter on metric_time") {
		r.Filters = append(r.Filters, pick(g,
			request.Filter{SQL: "metric_time >= '" + days() + "'"},
			request.Filter{SQL: "metric_time IS NOT NULL AND METRIC_TIME < '" + days() + "'"},
			request.Filter{Field: metricTime, Op: pick(g, request.OpIsNull, request.OpIsNotNull)},
			request.Filter{Not: &request.Filter{Field: metricTime, Op: request.OpIsNull}},
		))
	}
}

func (g *Generator) filter(facts []*draft) request.Filter {
	d, name := g.near(facts)
	prefix := name + "."
	if g.feature(4, "filter against a measure") {
		right := &request.Operand{Measure: facts[0].name + "." + pick(g, "n", "total"), Per: []string{prefix + "kind"}, Unfiltered: true, Times: pick(g, 0, 0.5)}
		return request.Filter{Field: facts[0].name + "." + pick(g, "amount", "qty"), Op: pick(g, request.OpGreater, request.OpAtMost), Right: right}
	}
	if g.feature(8, "filter on a measure per entity") {
		return g.perEntity(prefix, d.key[0])
	}
	if g.feature(8, "related rows") {
		return g.quantified(facts)
	}
	switch g.rng.IntN(12) {
	case 0:
		g.Features["having"]++
		return request.Filter{SQL: fmt.Sprintf("%s.%s %s %d", facts[0].name, pick(g, "n", "total"), pick(g, ">", "<=", "<>"), g.rng.IntN(5))}
	case 1:
		g.Features["OR of two sources"]++
		_, other := g.near(facts)
		return request.Filter{SQL: g.ownCondition(prefix) + " OR " + g.ownCondition(other+".")}
	case 2:
		g.Features["AND in one filter"]++
		return request.Filter{SQL: g.ownCondition(prefix) + " AND " + g.ownCondition(prefix)}
	case 3, 4, 5:
		g.Features["structured filter"]++
		return g.structured(prefix)
	case 6:
		if g.feature(15, "OR of a row and a measure") {
			return request.Filter{SQL: g.ownCondition(prefix) + " OR " + facts[0].name + ".n > 1"}
		}
	}
	return request.Filter{SQL: g.ownCondition(prefix)}
}

// quantified draws a condition on rows that are finer than those of a measure.
func (g *Generator) quantified(facts []*draft) request.Filter {
	prefix := facts[0].name + "."
	if o := g.below(facts[0]); o != nil && g.chance(85) {
		prefix = o.name + "."
		if len(o.links) > 0 && g.chance(20) {
			prefix = pick(g, o.links...).to.name + "."
		}
	}
	by := pick(g, "any", "none", "all")
	text := g.ownCondition(prefix)
	switch g.rng.IntN(5) {
	case 0:
		text += " AND " + g.ownCondition(prefix)
	case 1:
		text = "NOT (" + text + ")"
	}
	if g.feature(20, "related rows beside a value of an entity") {
		text += fmt.Sprintf(" AND %[1]samount %[2]s per(%[3]s(%[1]samount), %[4]s.%[5]s)", prefix, pick(g, ">", "=", "<="), pick(g, "min", "max", "avg"), facts[0].name, pick(g, facts[0].key...))
	}
	switch g.rng.IntN(6) {
	case 0:
		f := g.structured(prefix)
		return pick(g, request.Filter{Any: &f}, request.Filter{None: &f}, request.Filter{All: &f})
	case 1:
		return request.Filter{Not: &request.Filter{SQL: by + "(" + text + ")"}}
	case 2:
		return request.Filter{SQL: by + "(" + text + ") OR " + g.ownCondition(facts[0].name+".")}
	}
	return request.Filter{SQL: by + "(" + text + ")"}
}

// perEntity draws a condition on a measure per entity, alone or beside another.
func (g *Generator) perEntity(prefix, key string) request.Filter {
	of := pick(g, g.sources...)
	f := request.Filter{
		Measure: of.name + "." + pick(g, "n", "n", "total"), Per: []string{prefix + pick(g, key, key, "kind")},
		Op:     pick(g, request.OpGreater, request.OpLess, request.OpEquals, request.OpNotEquals),
		Values: []any{float64(g.rng.IntN(3))},
	}
	switch g.rng.IntN(6) {
	case 0:
		f.Op, f.Values = pick(g, request.OpIn, request.OpNotIn), []any{1.0, pick[any](g, 2.0, nil)}
	case 1:
		f.Op, f.Values = pick(g, request.OpIsNull, request.OpIsNotNull), nil
	}
	if g.chance(30) {
		f.Rows = g.ownCondition(of.name + ".")
	}
	other := request.Filter{SQL: g.ownCondition(prefix)}
	switch {
	case g.feature(15, "not of a measure per entity"):
		return request.Filter{Not: &f}
	case g.feature(15, "OR of a measure per entity"):
		return request.Filter{Or: []request.Filter{f, other}}
	}
	return f
}

func (g *Generator) structured(prefix string) request.Filter {
	f := pick(g, append(structuredFilters,
		request.Filter{Field: "day", Op: pick(g, request.OpBefore, request.OpAfter), Values: []any{pick(g, days...)}},
		request.Filter{Field: "day", Op: pick(g, request.OpBefore, request.OpAfter, request.OpGreater, request.OpAtLeast, request.OpLess, request.OpAtMost, request.OpEquals, request.OpNotEquals), Values: []any{pick(g, days...)}},
		request.Filter{Field: "day", Op: request.OpInDateRange, Values: []any{pick(g, relatives...)}},
	)...)
	if g.feature(40, "filter of a moment") {
		at := func() any { return strings.Replace(pick(g, moments...), " ", "T", 1) + "Z" }
		f = pick(g,
			request.Filter{Op: pick(g, request.OpEquals, request.OpNotEquals, request.OpGreater, request.OpAtLeast, request.OpLess, request.OpAtMost, request.OpBefore, request.OpAfter), Values: []any{at()}},
			request.Filter{Op: pick(g, request.OpIn, request.OpNotIn), Values: []any{at(), at(), pick(g, at(), nil)}},
		)
		f.Field = pick(g, "moment", "instant")
	}
	f.Field = prefix + f.Field
	f.Field, f.Via = g.via(f.Field)
	if g.feature(8, "structured and, not") {
		return request.Filter{And: []request.Filter{{Not: &f}, {Field: prefix + "kind", Op: request.OpIsNotNull}}}
	}
	if g.feature(20, "structured or") {
		return request.Filter{Or: []request.Filter{f, {Field: prefix + "kind", Op: request.OpEquals, Values: []any{"B"}}}}
	}
	return f
}

// structuredFilters are on columns that every source has.
var structuredFilters = []request.Filter{
	{Field: "kind", Op: request.OpEquals, Values: []any{"A"}},
	{Field: "kind", Op: request.OpEquals, Values: []any{nil}},
	{Field: "kind", Op: request.OpNotEquals, Values: []any{"A"}},
	{Field: "kind", Op: request.OpNotEquals, Values: []any{nil}},
	{Field: "kind", Op: request.OpIn, Values: []any{"A", "it's", `\`}},
	{Field: "kind", Op: request.OpIn, Values: []any{"É", nil}},
	{Field: "kind", Op: request.OpNotIn, Values: []any{"A", "B"}},
	{Field: "kind", Op: request.OpNotIn, Values: []any{"A", nil, "B"}},
	{Field: "kind", Op: request.OpContains, Values: []any{"a"}},
	{Field: "kind", Op: request.OpContains, Values: []any{"_", "%", `\`}},
	{Field: "kind", Op: request.OpNotContains, Values: []any{"a"}},
	{Field: "kind", Op: request.OpNotContains, Values: []any{"B", "'"}},
	{Field: "kind", Op: request.OpStartsWith, Values: []any{"A"}},
	{Field: "kind", Op: request.OpEndsWith, Values: []any{"%"}},
	{Field: "kind", Op: request.OpEndsWith, Values: []any{"B", "É"}},
	{Field: "qty", Op: request.OpGreater, Values: []any{1.0}},
	{Field: "qty", Op: request.OpAtMost, Values: []any{2.0}},
	{Field: "qty", Op: request.OpLess, Values: []any{2.0}},
	{Field: "qty", Op: request.OpIn, Values: []any{1.0, nil}},
	{Field: "amount", Op: request.OpBetween, Values: []any{0.0, 4.5}},
	{Field: "amount", Op: request.OpAtLeast, Values: []any{2.25}},
	{Field: "amount", Op: request.OpEquals, Values: []any{9_999_999_999.75}},
	{Field: "day", Op: request.OpIsNull},
	{Field: "day", Op: request.OpIsNotNull},
	{Field: "day", Op: request.OpBetween, Values: []any{"2024-01-07", "2024-03-31"}},
	{Field: "day", Op: request.OpInDateRange, Values: []any{"2024-01-01", "2024-02-29"}},
	{Field: "flag", Op: request.OpEquals, Values: []any{true}},
	{Field: "flag", Op: request.OpNotEquals, Values: []any{true}},
}

// relatives are the ranges that depend on the day.
var relatives = slices.Sorted(maps.Keys(relative))

// via parts a path that is written out into a field and the way to it, at times.
func (g *Generator) via(field string) (string, []string) {
	way := strings.Split(field, ".")
	if len(way) < 3 || !g.feature(40, "a filter with a way") {
		return field, nil
	}
	return strings.Join(way[len(way)-2:], "."), way[:len(way)-2]
}

// more draws the rest of a request.
func (g *Generator) more(r *request.Request, facts []*draft) {
	if d, _ := g.near(facts); len(d.segments) > 0 && g.feature(12, "query segment") {
		r.Segments = []string{d.name + ".chosen"}
	}
	if len(r.DateRanges) == 0 && g.feature(12, "date range") {
		at := g.rng.IntN(len(days) - 3)
		field := facts[0].name + "." + pick(g, "day", "day", "moment", "instant")
		r.DateRanges = []request.DateRange{{Field: field, From: days[at], To: days[at+1+g.rng.IntN(3)]}}
		if d := facts[0]; len(d.links) > 0 && g.chance(20) {
			l := pick(g, d.links...)
			r.DateRanges[0].Field, r.DateRanges[0].Via = l.to.name+".day", []string{cmp.Or(l.role, l.to.name)}
		}
		switch g.rng.IntN(4) {
		case 0:
			r.DateRanges[0].From, r.DateRanges[0].To, r.DateRanges[0].Relative = "", "", pick(g, relatives...)
		case 1:
			r.DateRanges[0].To = ""
		}
	}
	if g.feature(45, "order") {
		for _, d := range r.Dimensions {
			if d.Field == "" {
				d.Field = d.Name
			}
			if len(d.Via) > 0 {
				continue
			}
			r.OrderBy = append(r.OrderBy, request.Order{Field: d.Field, Desc: g.chance(40), Nulls: pick(g, "", "", request.NullsFirst, request.NullsLast)})
		}
		if len(r.Measures) > 0 && r.Measures[0].Expr == "" && g.chance(60) {
			first := request.Order{Field: r.Measures[0].Name, Desc: g.chance(60), Nulls: pick(g, "", request.NullsFirst)}
			r.OrderBy = append([]request.Order{first}, r.OrderBy...)
		} else if g.feature(20, "order by a measure that is not shown") {
			r.OrderBy = append(r.OrderBy, request.Order{Field: facts[0].name + ".n", Desc: true})
		}
	}
	if g.feature(15, "limit") {
		r.Limit, r.Offset = 1+g.rng.IntN(4), g.rng.IntN(3)
	}
	if g.feature(15, "time zone") {
		r.TimeZone = pick(g, "+02:00", "-05:30", "Europe/Berlin", "Europe/Berlin", "America/New_York", "Asia/Kolkata")
	}
	zoned := r.TimeZone != "" || facts[0].zone != "" && g.chance(40)
	if zoned && len(r.Dimensions) < 2 && !r.FillGaps && !g.timed(r.Measures) { // of a time that shows it
		r.Dimensions = append(r.Dimensions, request.Dimension{Field: facts[0].name + "." + pick(g, "moment", "moment", "instant"), Grain: pick(g, dialect.Hour, dialect.Day, dialect.Month)})
	}
	r.IncludeEmpty = g.feature(6, "include_empty")
	if g.feature(8, "fanout error") {
		r.Fanout = request.FanoutError
	}
}
