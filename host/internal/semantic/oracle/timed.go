package oracle

import (
	"maps"
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

func unknownTypes(*expression.Name) (sdk.Type, error) { return sdk.TypeUnspecified, nil }

// never is the period of a group that nothing is in: what has no period has no
// earlier one either.
const never = "never"

// period finds the dimension of a scope that counts in periods, -1 = none.
func (s scope) period(m *model.Measure) (int, error) {
	at := -1
	for i, d := range s.dims {
		switch {
		case d.grain == "":
		case at >= 0:
			return 0, refuse(Unspecified, "%s by two time dimensions", m.Name)
		default:
			at = i
		}
	}
	return at, nil
}

// split parts the ranges of the time that a measure goes by from the others.
func (w *world) split(s scope, of model.MeasureID) (own, others []limits, err error) {
	for _, r := range s.ranges {
		if r.axis != s.time.axis && len(w.times(of)) > 1 {
			return nil, nil, refuse(Unspecified, "a range of a field beside metric_time")
		}
	}
	m := w.simpleOf(of)
	err = w.timed(m, func() error {
		own, others, err = w.splitAt(s, m.Home)
		return err
	})
	return own, others, err
}

func (w *world) splitAt(s scope, home model.SourceID) (own, others []limits, err error) {
	p, err := s.time.find(home)
	if err != nil {
		return nil, nil, from(err, refusal.CodeDimension)
	}
	for _, r := range s.ranges {
		q, err := r.find(home)
		if err != nil {
			return nil, nil, from(err, refusal.CodeFilter)
		}
		if p.equal(q) {
			own = append(own, r)
		} else {
			others = append(others, r)
		}
	}
	return own, others, nil
}

// months are how many a period of a grain has.
var months = map[dialect.Grain]int{dialect.Month: 1, dialect.Quarter: 3, dialect.Year: 12}

// offset is how far a request by a grain goes back for a measure of an earlier time:
// by week, a quarter is 13 weeks and a year is 52. ok is false where periods of the
// grain have no period that is so much earlier.
func offset(step model.Period, g dialect.Grain) (model.Period, bool) {
	switch {
	case step.Grain == g:
	case g == dialect.Day:
		return step, !fine(step.Grain)
	case g == dialect.Week:
		weeks := map[dialect.Grain]int{dialect.Quarter: 13, dialect.Year: 52}[step.Grain]
		return model.Period{N: step.N * weeks, Grain: dialect.Week}, weeks > 0
	case months[g] > 0:
		return step, months[step.Grain] > 0 && step.N*months[step.Grain]%months[g] == 0
	default:
		return step, false
	}
	return step, true
}

// aligned reports whether each period has one that comes so long after it.
func aligned(step model.Period, g dialect.Grain) bool {
	return g != dialect.Day || months[step.Grain] == 0
}

// before is the period that comes so long before another; a day that a month does not
// have is the last one of that month.
func before(p model.Period, at string) string {
	if n := months[p.Grain] * p.N; n != 0 && len(at) == len(dayLayout) {
		first := addPeriods(dialect.Month, at[:8]+"01", -n)
		last := addPeriods(dialect.Day, addPeriods(dialect.Month, first, 1), -1)
		return min(first[:8]+at[8:], last)
	}
	return addPeriods(p.Grain, at, -p.N)
}

// earlier is a range so long before: its first and its last day move, and what ends
// with a month goes on to the end of one.
func (l limits) earlier(p model.Period) limits {
	if l.from != "" {
		l.from = before(p, l.from)
	}
	if l.before != "" {
		last := addPeriods(dialect.Day, l.before, -1)
		l.before = max(before(p, l.before), addPeriods(dialect.Day, before(p, last), 1))
	}
	return l
}

// known are the limits of all that has a time.
func (s scope) known() limits { return limits{find: s.time.find, axis: s.time.axis} }

// shifted is the base as it was so long before.
func (w *world) shifted(m *model.Measure, s scope) (*column, error) {
	at, err := s.period(m)
	if err != nil {
		return nil, err
	}
	if s.time == nil || at < 0 && s.time.grain == "" && len(s.ranges) == 0 {
		return nil, refuse(refusal.CodeGranularity, "%s has no time to go by", m.Name)
	}
	if w.almanac(s.time.grain) != nil || w.almanac(m.Offset.Grain) != nil {
		return w.shiftedInCalendar(m, s, at)
	}
	step := m.Offset
	if s.time.grain != "" {
		var ok bool
		if step, ok = offset(m.Offset, s.time.grain); !ok {
			return nil, refuse(refusal.CodeGranularity, "an offset of %d %s by %s", m.Offset.N, m.Offset.Grain, s.time.grain)
		}
	}
	own, others, err := w.split(s, m.Base)
	if err != nil {
		return nil, err
	}
	inside := s
	inside.ranges = append(slices.Clone(others), s.known())
	for _, r := range own {
		inside.ranges = append(inside.ranges, r.earlier(step))
	}
	if only := s.only; only != nil && at >= 0 {
		if !aligned(step, s.dims[at].grain) {
			return nil, refuse(Unspecified, "%s over the days of some groups", m.Name)
		}
		inside.only = func(tuple []any) bool {
			tuple = slices.Clone(tuple)
			if p, ok := tuple[at].(string); ok {
				tuple[at] = after(step, p)
			}
			return only(tuple)
		}
	}
	if at < 0 || s.dims[at].dropped {
		return w.measure(m.Base, inside)
	}
	inside.shown = nil
	for _, p := range s.shown {
		inside.shown = append(inside.shown, before(step, p))
	}
	inside.shown = slices.Compact(inside.shown)
	base, err := w.measure(m.Base, inside)
	if err != nil {
		return nil, err
	}
	return w.later(base, step, s, at, own)
}

// later is a column whose periods are those that come so long after the ones of
// another: of days, there may be several or none.
func (w *world) later(base *column, step model.Period, s scope, at int, own []limits) (*column, error) {
	c := &column{domain: map[string][]any{}, rows: map[string][]any{}}
	c.at = func(tuple []any) any {
		tuple = slices.Clone(tuple)
		p, ok := tuple[at].(string)
		switch {
		case !ok:
			tuple[at] = never
		case p != never:
			tuple[at] = before(step, p)
		}
		return base.at(tuple)
	}
	grain := s.dims[at].grain
	move := func(to, groups map[string][]any) {
		for _, tuple := range groups {
			p, ok := tuple[at].(string)
			if !ok {
				continue
			}
			first := p
			if grain == dialect.Day {
				first = addPeriods(step.Grain, p, step.N-1)
			}
			for next := first; before(step, next) <= p; next = addPeriods(grain, next, 1) {
				if before(step, next) != p || !w.inRanges(next, grain, own) || s.shown != nil && !slices.Contains(s.shown, next) {
					continue
				}
				tuple := slices.Clone(tuple)
				tuple[at] = next
				to[keyOf(tuple...)] = tuple
			}
		}
	}
	move(c.domain, base.domain)
	move(c.rows, base.rows)
	return c, nil
}

// inRanges reports whether ranges show a period.
func (w *world) inRanges(period string, g dialect.Grain, own []limits) bool {
	end := w.endOf(g, period)
	return !slices.ContainsFunc(own, func(r limits) bool { return r.from != "" && end <= r.from || r.before != "" && period >= r.before })
}

// cumulative is the base over the window that ends with each period. It is there
// for every group in every period that is shown.
func (w *world) cumulative(m *model.Measure, s scope) (*column, error) {
	if inner := w.within(m.Base, model.Cumulative, model.Share); inner != "" {
		return nil, refuse(Unspecified, "%s is over %s, which is itself over days that were put together", m.Name, inner)
	}
	at, err := s.period(m)
	if err != nil {
		return nil, err
	}
	if s.time == nil && (m.ToDate != "" || m.Window.N > 0) {
		return nil, refuse(refusal.CodeGranularity, "%s has no time to go by", m.Name)
	}
	if s.time == nil {
		return w.measure(m.Base, s)
	}
	own, others, err := w.split(s, m.Base)
	if err != nil {
		return nil, err
	}
	if at < 0 {
		return w.whole(m, s, own, others)
	}
	if fine(s.dims[at].grain) {
		return nil, refuse(refusal.CodeGranularity, "%s goes by days", m.Name)
	}
	if s.dims[at].dropped || s.only != nil {
		return nil, refuse(Unspecified, "%s over groups of several periods", m.Name)
	}
	shown, err := w.periodsOf(m, s, own)
	if err != nil {
		return nil, err
	}
	window := w.windows(m, s, at, own, others)
	if _, err := window(""); err != nil {
		return nil, err
	}
	c := &column{domain: map[string][]any{}, rows: map[string][]any{}}
	observed := map[string][]any{}
	with := func(group []any, period string) []any { return slices.Insert(slices.Clone(group), at, any(period)) }
	for _, period := range shown {
		part, err := window(period)
		if err != nil {
			return nil, err
		}
		maps.Copy(observed, part.domain)
		for _, group := range part.rows {
			tuple := with(group, period)
			c.rows[keyOf(tuple...)] = tuple
		}
	}
	for _, period := range shown {
		for _, group := range observed {
			tuple := with(group, period)
			c.domain[keyOf(tuple...)] = tuple
		}
	}
	c.at = func(tuple []any) any {
		period, _ := tuple[at].(string) // no period has a window without rows
		if period == never {
			period = ""
		}
		part, err := window(period)
		if err != nil {
			panic(err) // the windows before it had none
		}
		return part.at(slices.Delete(slices.Clone(tuple), at, at+1))
	}
	return c, nil
}

// windows returns the base over the window that ends with a period, without the time.
func (w *world) windows(m *model.Measure, s scope, at int, own, others []limits) func(string) (*column, error) {
	windows := map[string]*column{}
	return func(period string) (*column, error) {
		if c := windows[period]; c != nil {
			return c, nil
		}
		inside := s
		inside.dims, inside.window = slices.Delete(slices.Clone(s.dims), at, at+1), s.dims[at].find
		first, end := "9999-12-31", ""
		var days *almanac
		if period != "" {
			var err error
			if first, end, days, err = w.windowIn(m, period, s.dims[at].grain); err != nil {
				return nil, err
			}
		}
		for _, r := range own {
			if r.before != "" {
				end = min(end, r.before)
			}
		}
		inside.ranges = append(slices.Clone(others), limits{find: s.time.find, from: first, before: end, axis: s.time.axis, days: days})
		c, err := w.measure(m.Base, inside)
		windows[period] = c
		return c, err
	}
}

// within is a measure of one of some kinds that another is made of, "" = none.
func (w *world) within(id model.MeasureID, kinds ...model.MeasureKind) string {
	m := w.model.Measure(id)
	if slices.Contains(kinds, m.Kind) {
		return m.Name
	}
	for _, id := range m.Uses {
		if name := w.within(id, kinds...); name != "" {
			return name
		}
	}
	return ""
}

// whole is a measure over a window without a time dimension: the one that ends with
// the range.
func (w *world) whole(m *model.Measure, s scope, own, others []limits) (*column, error) {
	end := ""
	for _, r := range own {
		if r.before != "" && (end == "" || r.before < end) {
			end = r.before
		}
	}
	if w.almanac(m.ToDate) != nil || w.almanac(m.Window.Grain) != nil {
		return nil, refuse(refusal.CodeGranularity, "%s has no period to go by", m.Name)
	}
	window := limits{find: s.time.find, before: end, axis: s.time.axis}
	if m.ToDate != "" || m.Window.N > 0 {
		if end == "" {
			return nil, refuse(Unspecified, "%s ends with a range that has no end", m.Name)
		}
		window.from, _ = windowOf(m, addPeriods(dialect.Day, end, -1), dialect.Day)
	}
	s.ranges = append(slices.Clone(others), window)
	return w.measure(m.Base, s)
}

// windowOf returns the days of the window that ends with a period: from the
// first one to before the second one.
func windowOf(m *model.Measure, period string, g dialect.Grain) (first, end string) {
	end = addPeriods(g, period, 1)
	switch {
	case m.ToDate != "":
		return periodOf(m.ToDate, instant(period)), end
	case m.Window.N == 0:
		return "", end // since the beginning
	}
	return before(m.Window, end), end
}

// periodsOf are the periods that a measure over windows is there in: those that are
// shown of anything, else those of the range and of its own rows.
func (w *world) periodsOf(m *model.Measure, s scope, own []limits) ([]string, error) {
	if s.shown != nil {
		return s.shown, nil
	}
	first, last, err := w.extent(m.ID, s, true)
	return w.spanned(s.time.grain, first, last, own), err
}

// spanned are the periods from the first to the last one, or the ends of ranges.
func (w *world) spanned(g dialect.Grain, first, last string, own []limits) []string {
	for _, r := range own {
		if r.from != "" {
			first = w.firstFrom(g, r.from)
		}
		if r.before != "" {
			last = w.lastBefore(g, r.before)
		}
	}
	return w.periodsIn(g, first, last)
}

// extent are the first and the last period of a measure: over windows, those of its
// rows, moved by what it is shifted by.
func (w *world) extent(id model.MeasureID, s scope, over bool) (first, last string, err error) {
	m := w.model.Measure(id)
	over = over || m.Kind == model.Cumulative
	switch {
	case w.almanac(s.time.grain) != nil && m.Kind == model.TimeShift && (over || w.within(id, model.Cumulative) != ""):
		all, err := w.populated(id, s)
		for _, p := range all {
			first, last = widened(first, last, p, p)
		}
		return first, last, err
	case m.Kind == model.TimeShift && (over || w.within(id, model.Cumulative) != ""):
		step, _ := offset(m.Offset, s.time.grain)
		own, others, err := w.split(s, m.Base)
		if err != nil {
			return "", "", err
		}
		for _, r := range own {
			others = append(others, r.earlier(step))
		}
		s.ranges = others
		if first, last, err = w.extent(m.Base, s, true); err != nil || first == "" {
			return "", "", err
		}
		return after(step, first), after(step, last), nil
	case m.Kind == model.Simple || m.Kind == model.TimeShift:
		c, err := w.measure(id, s)
		if err != nil {
			return "", "", err
		}
		at, err := s.period(m)
		if err != nil {
			return "", "", err
		}
		first, last = extentOf(c.domain, at)
		return first, last, nil
	}
	for _, id := range m.Uses {
		a, b, err := w.extent(id, s, over)
		if err != nil {
			return "", "", err
		}
		first, last = widened(first, last, a, b)
	}
	return first, last, nil
}

// after is the period that comes so long after another.
func after(p model.Period, at string) string {
	return before(model.Period{N: -p.N, Grain: p.Grain}, at)
}

func widened(first, last, a, b string) (string, string) {
	if first == "" || a != "" && a < first {
		first = a
	}
	return first, max(last, b)
}

func extentOf(domain map[string][]any, at int) (first, last string) {
	for _, tuple := range domain {
		if p, ok := tuple[at].(string); ok {
			first, last = widened(first, last, p, p)
		}
	}
	return first, last
}

// periods lists the starts of periods, both ends included.
func periods(g dialect.Grain, first, last string) (all []string) {
	if first == "" {
		return nil
	}
	for p := first; p <= last; p = addPeriods(g, p, 1) {
		all = append(all, p)
	}
	return all
}
