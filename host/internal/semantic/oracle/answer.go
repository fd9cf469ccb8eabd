package oracle

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
)

// Rows are the answer to a request.
type Rows struct {
	// All rows before limit and offset, in an order that was asked for: first the
	// dimensions, then the measures, each as in the request.
	All []Row
	// From and To are the rows that are shown.
	From, To int
}

// Row is a row of an answer.
type Row struct {
	Values []any
	// Key is what the row is sorted by; rows with equal keys may change places.
	Key []any
}

// question is a request while it is answered.
type question struct {
	world *world
	request.Request
	scope  scope
	having []expression.Node
	// columns are the measures of the request and those that are only filtered or
	// sorted by, by how they are written.
	columns  []*column
	measures map[string]*column
}

// Answer computes what a request means. Errors: *Refusal.
func Answer(m *model.Model, data Data, r request.Request) (*Rows, error) {
	q := &question{world: newWorld(m, data), Request: r, measures: map[string]*column{}}
	q.world.conform = map[string][]string{}
	for name, members := range r.Conform {
		q.world.conform[strings.ToLower(name)] = members
	}
	if len(r.Measures) == 0 && len(r.Dimensions) == 0 {
		return nil, refuse(refusal.CodeInvalidRequest, "nothing is asked for")
	}
	var err error
	if q.scope.zone, err = location(q.TimeZone); err != nil {
		return nil, refuse(refusal.CodeInvalidRequest, "there is no zone %s", q.TimeZone)
	}
	steps := []func() error{q.dimensions, q.filters, q.segments, q.dateRanges, q.time, q.shown, q.hidden, q.together}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	whole, err := q.domain()
	if err != nil {
		return nil, err
	}
	rows, err := q.rows(whole)
	if err != nil {
		return nil, err
	}
	for i := range rows.All {
		rows.All[i].Values = q.called(rows.All[i].Values)
	}
	return rows, nil
}

func parts(reference string) ([]string, error) {
	n, err := expression.ParseName(reference)
	if err != nil {
		return nil, refuse(refusal.CodeInvalidRequest, "%v", err)
	}
	return n.Parts, nil
}

func (q *question) dimensions() error {
	for _, d := range q.Dimensions {
		if d.Measure != "" || d.Expr != "" {
			dim, err := q.computed(d)
			if err != nil {
				return err
			}
			q.scope.dims = append(q.scope.dims, dim)
			continue
		}
		names, err := parts(d.Field)
		if err != nil {
			return err
		}
		if d.Grain == "" && len(d.Via) == 0 {
			names, d.Grain = q.world.cutPeriod(names)
		}
		if err := q.world.checkGrain(d.Grain); err != nil {
			return err
		}
		if len(names) == 1 && q.world.conform[strings.ToLower(names[0])] != nil && len(q.Measures) == 0 {
			return refuse(refusal.CodeInvalidRequest, "%s is of several sources, and there is no measure", d.Field)
		}
		find := func(home model.SourceID) (place, error) { return q.world.find(home, names, d.Via) }
		axis := q.world.onAxis(names) && len(d.Via) == 0
		switch {
		case axis && len(q.Measures) == 0:
			return refuse(refusal.CodeInvalidRequest, "metric_time is the time of a measure, and there is none")
		case axis && d.Grain == "":
			return refuse(refusal.CodeGranularity, "metric_time is grouped by in periods")
		}
		q.scope.dims = append(q.scope.dims, dimension{label: d.Field, find: find, grain: d.Grain, axis: axis})
	}
	q.scope.fanout = q.Fanout
	return nil
}

// isMeasure reports whether a name in a condition is that of a measure.
func (q *question) isMeasure(n *expression.Name) bool {
	if q.ownName(n) {
		return true
	}
	if len(n.Parts) == 1 && q.world.conform[strings.ToLower(n.Parts[0])] != nil {
		return false
	}
	members, err := q.world.model.Lookup(model.Metrics, n.Parts...)
	return err == nil && slices.ContainsFunc(members, func(m model.Member) bool { return m.Measure != 0 })
}

// ownName reports whether a measure of the request has a name as its own.
func (q *question) ownName(n *expression.Name) bool {
	return len(n.Parts) == 1 && slices.ContainsFunc(q.Measures, func(m request.Measure) bool {
		return m.Expr != "" && strings.EqualFold(m.Name, n.Parts[0])
	})
}

// filters parts the conditions on rows from those on measures.
func (q *question) filters() error {
	terms, err := q.conditions(q.Filters)
	if err != nil {
		return err
	}
	for _, term := range terms {
		measures, fields := 0, 0
		for _, n := range expression.Names(term) {
			switch _, err := q.world.model.Lookup(model.Metrics, n.Parts...); {
			case q.ownName(n) && err == nil:
				return refuse(refusal.CodeAmbiguousMember, "%s is of the request and of the model", n)
			case q.isMeasure(n):
				measures++
			default:
				fields++
			}
		}
		switch {
		case expression.ClassOf(term) == expression.Aggregated || expression.ClassOf(term) == expression.Mixed:
			return refuse(Unspecified, "an aggregate in a filter")
		case measures > 0 && fields > 0:
			return refuse(refusal.CodeMixedOr, "%s", expression.String(term))
		case measures > 0 && len(q.Dimensions) == 0:
			return refuse(refusal.CodeFilter, "%s has no groups but the grand total", expression.String(term))
		case measures > 0:
			q.having = append(q.having, term)
		default:
			q.scope.rows = append(q.scope.rows, term)
		}
	}
	return nil
}

func (q *question) segments() error {
	for _, s := range q.Segments {
		names, err := parts(s)
		if err != nil {
			return err
		}
		members, err := q.world.model.Lookup(model.Metrics, names...)
		if err != nil {
			return lookupRefusal(err)
		}
		at := slices.IndexFunc(members, func(m model.Member) bool { return m.Segment != 0 })
		if at < 0 {
			return refuse(refusal.CodeInvalidRequest, "%s is no segment", s)
		}
		q.scope.segments = append(q.scope.segments, members[at].Segment)
	}
	return nil
}

// Now is when requests of random cases are asked: on a Wednesday.
var Now = time.Date(2024, 5, 15, 12, 0, 0, 0, time.UTC)

// relative are the first and the last day of ranges as they are on the day of Now.
var relative = map[string][2]string{
	"today": {"2024-05-15", "2024-05-15"}, "last 90 days": {"2024-02-15", "2024-05-14"}, "this month": {"2024-05-01", "2024-05-31"},
	"last month": {"2024-04-01", "2024-04-30"}, "last 20 weeks": {"2023-12-25", "2024-05-12"}, "last quarter": {"2024-01-01", "2024-03-31"},
	"last 2 quarters": {"2023-10-01", "2024-03-31"}, "this year": {"2024-01-01", "2024-12-31"}, "year to date": {"2024-01-01", "2024-05-15"},
	"next 12 months": {"2024-06-01", "2025-05-31"}, "since 2024-02-29": {"2024-02-29", ""}, "until 2024-01-31": {"", "2024-01-31"},
}

// dateRanges reads ranges of days, whose last day is inside.
func (q *question) dateRanges() error {
	for _, r := range q.DateRanges {
		days, ok, err := q.relative(r.Relative)
		if err != nil {
			return err
		}
		if ok {
			r.From, r.To, r.Relative = days[0], days[1], ""
		}
		if r.Relative != "" || len(r.From) > len(dayLayout) || len(r.To) > len(dayLayout) {
			return refuse(Unspecified, "a range that is not one of days")
		}
		l := limits{from: r.From}
		if r.To != "" {
			l.before = addPeriods("day", r.To, 1)
		}
		var names []string
		if r.Field != "" {
			var err error
			if names, err = parts(r.Field); err != nil {
				return err
			}
		}
		l.find = func(home model.SourceID) (place, error) {
			if names != nil {
				return q.world.find(home, names, r.Via)
			}
			return q.world.ownTime(home)
		}
		l.axis = names == nil || q.world.onAxis(names)
		q.scope.ranges = append(q.scope.ranges, l)
	}
	return nil
}

// time finds what measures of other times go by.
func (q *question) time() error {
	if at := slices.IndexFunc(q.scope.dims, func(d dimension) bool { return d.grain != "" }); at >= 0 {
		q.scope.time = &q.scope.dims[at]
		return nil
	}
	if len(q.scope.ranges) == 1 {
		q.scope.time = &dimension{label: q.DateRanges[0].Field, find: q.scope.ranges[0].find, axis: q.scope.ranges[0].axis}
	}
	return nil
}

// together computes the measures again where some are over windows: these are there
// from the first to the last period that is shown of anything.
func (q *question) together() error {
	var over model.MeasureID // windows
	first, last := "", ""
	if q.scope.time == nil || q.scope.time.grain == "" {
		return nil
	}
	at, err := q.scope.period(&model.Measure{})
	if err != nil {
		return nil // no measure goes by time
	}
	wide := func(id model.MeasureID) error {
		if q.world.within(id, model.Cumulative) != "" {
			over = id
		}
		a, b, err := q.world.extent(id, q.scope, false)
		first, last = widened(first, last, a, b)
		return err
	}
	for i, m := range q.Measures {
		if m.Expr != "" {
			a, b := extentOf(q.columns[i].domain, at)
			first, last = widened(first, last, a, b)
			continue
		}
		id, err := q.measureID(m.Name)
		if err == nil {
			err = wide(id)
		}
		if err != nil {
			return err
		}
	}
	for name := range q.measures {
		if slices.ContainsFunc(q.Measures, func(m request.Measure) bool { return m.Name == name }) {
			continue
		}
		id, err := q.measureID(name)
		if err == nil {
			err = wide(id)
		}
		if err != nil {
			return err
		}
	}
	if over == 0 {
		return nil
	}
	if slices.ContainsFunc(q.scope.ranges, func(r limits) bool { return r.axis != q.scope.time.axis }) && q.severalTimes() {
		return refuse(Unspecified, "a range of a field, beside windows by metric_time")
	}
	if q.IncludeEmpty {
		members, err := q.members(true)
		if err != nil {
			return err
		}
		a, b := extentOf(members, at)
		first, last = widened(first, last, a, b)
	}
	own, _, err := q.world.split(q.scope, over)
	if err != nil {
		return err
	}
	q.scope.shown = append([]string{}, q.world.spanned(q.scope.time.grain, first, last, own)...)
	q.columns, q.measures = nil, map[string]*column{}
	if err := q.shown(); err != nil {
		return err
	}
	return q.hidden()
}

// severalTimes reports whether what is measured may have several times.
func (q *question) severalTimes() bool {
	all := map[string]bool{}
	for _, m := range q.Measures {
		id, err := q.measureID(m.Name)
		if err != nil {
			return true // an expression
		}
		maps.Copy(all, q.world.times(id))
	}
	return len(all) > 1
}

func (q *question) measureID(reference string) (model.MeasureID, error) {
	names, err := parts(reference)
	if err != nil {
		return 0, err
	}
	members, err := q.world.model.Lookup(model.Metrics, names...)
	if err != nil {
		return 0, lookupRefusal(err)
	}
	at := slices.IndexFunc(members, func(m model.Member) bool { return m.Measure != 0 })
	if at < 0 {
		return 0, refuse(refusal.CodeInvalidRequest, "%s is no measure", reference)
	}
	return members[at].Measure, nil
}

// shown computes the measures that are shown.
func (q *question) shown() error {
	for _, m := range q.Measures {
		own, err := q.conditions(m.Filters)
		if err != nil {
			return err
		}
		s := q.scope
		s.own = own
		var c *column
		if m.Expr != "" {
			c, err = q.adhoc(m, s)
		} else {
			c, err = q.named(m.Name, s)
		}
		if err != nil {
			return err
		}
		q.columns = append(q.columns, c)
		if m.Name != "" && (m.Expr != "" || len(m.Filters) == 0) {
			q.measures[m.Name] = c
		}
	}
	return nil
}

func (q *question) named(name string, s scope) (*column, error) {
	id, err := q.measureID(name)
	if err != nil {
		return nil, err
	}
	return q.world.measure(id, s)
}

// hidden computes measures that are filtered or sorted by, but not shown.
func (q *question) hidden() error {
	var names []string
	for _, term := range q.having {
		for _, n := range expression.Names(term) {
			names = append(names, n.String())
		}
	}
	for _, o := range q.OrderBy {
		if q.place(o.Field) < 0 {
			names = append(names, o.Field)
		}
	}
	for _, name := range names {
		if q.measures[name] != nil {
			continue
		}
		c, err := q.named(name, q.scope)
		if err != nil {
			return err
		}
		q.measures[name] = c
	}
	return nil
}

// place is where a key of the order stands in a row, -1 = nowhere.
func (q *question) place(field string) int {
	for i, d := range q.Dimensions {
		if strings.EqualFold(field, d.Field) || strings.EqualFold(field, d.Name) {
			return i
		}
	}
	for i, m := range q.Measures {
		if strings.EqualFold(field, m.Name) {
			return len(q.Dimensions) + i
		}
	}
	return -1
}
