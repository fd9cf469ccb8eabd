package oracle

import (
	"slices"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

func unknownTypes(*expression.Name) (sdk.Type, error) { return sdk.TypeUnspecified, nil }

// period finds the dimension of a scope that counts in periods.
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
	if at < 0 {
		return 0, refuse(compile.CodeGranularity, "%s has no time dimension to go by", m.Name)
	}
	return at, nil
}

// split parts the ranges of the period's own dimension from the others.
func (w *world) split(s scope, at int, of model.MeasureID) (own, others []limits, err error) {
	for _, r := range s.ranges {
		if r.axis != s.dims[at].axis && len(w.times(of)) > 1 {
			return nil, nil, refuse(Unspecified, "a range of a field beside metric_time")
		}
	}
	m := w.simpleOf(of)
	err = w.timed(m, func() error {
		own, others, err = w.splitAt(s, at, m.Home)
		return err
	})
	return own, others, err
}

func (w *world) splitAt(s scope, at int, home model.SourceID) (own, others []limits, err error) {
	p, err := s.dims[at].find(home)
	if err != nil {
		return nil, nil, from(err, compile.CodeDimension)
	}
	for _, r := range s.ranges {
		q, err := r.find(home)
		if err != nil {
			return nil, nil, from(err, compile.CodeFilter)
		}
		if p.equal(q) {
			own = append(own, r)
		} else {
			others = append(others, r)
		}
	}
	return own, others, nil
}

// multiple reports whether a step of periods leads from starts of periods of a
// grain to others.
func multiple(step model.Period, g dialect.Grain) bool {
	if step.Grain == g {
		return true
	}
	months := map[dialect.Grain]int{dialect.Month: 1, dialect.Quarter: 3, dialect.Year: 12}
	if step.Grain == dialect.Week && g == dialect.Day {
		return true
	}
	return months[g] > 0 && months[step.Grain] > 0 && step.N*months[step.Grain]%months[g] == 0
}

// shifted is the base as it was so long before: what a row counts for is the
// period that comes so long after its own.
func (w *world) shifted(m *model.Measure, s scope) (*column, error) {
	at, err := s.period(m)
	if err != nil {
		return nil, err
	}
	grain := s.dims[at].grain
	if !multiple(m.Offset, grain) {
		return nil, refuse(Unspecified, "an offset of %d %s by %s", m.Offset.N, m.Offset.Grain, grain)
	}
	own, others, err := w.split(s, at, m.Base)
	if err != nil {
		return nil, err
	}
	earlier := s
	earlier.ranges = others
	if only := s.only; only != nil {
		earlier.only = func(tuple []any) bool {
			tuple = slices.Clone(tuple)
			if p, ok := tuple[at].(string); ok {
				tuple[at] = moved(m.Offset, p, 1)
			}
			return only(tuple)
		}
	}
	for _, r := range own {
		earlier.ranges = append(earlier.ranges, limits{find: r.find, from: moved(m.Offset, r.from, -1), before: moved(m.Offset, r.before, -1), axis: r.axis})
	}
	base, err := w.measure(m.Base, earlier)
	if err != nil {
		return nil, err
	}
	move := func(tuple []any, sign int) []any {
		tuple = slices.Clone(tuple)
		if p, ok := tuple[at].(string); ok {
			tuple[at] = moved(m.Offset, p, sign)
		}
		return tuple
	}
	c := &column{domain: map[string][]any{}, at: func(tuple []any) any { return base.at(move(tuple, -1)) }}
	for _, tuple := range base.domain {
		later := move(tuple, 1)
		c.domain[keyOf(later...)] = later
	}
	return c, nil
}

func moved(p model.Period, at string, sign int) string {
	if at == "" {
		return ""
	}
	return addPeriods(p.Grain, at, sign*p.N)
}

// cumulative is the base over the window that ends with each period. It is there
// for every group in every period that is shown.
func (w *world) cumulative(m *model.Measure, s scope) (*column, error) {
	at, err := s.period(m)
	if err != nil {
		return nil, err
	}
	own, others, err := w.split(s, at, m.Base)
	if err != nil {
		return nil, err
	}
	if s.dims[at].dropped || s.only != nil {
		return nil, refuse(Unspecified, "%s over groups of several periods", m.Name)
	}
	shown, err := w.shown(m, s, at, own)
	if err != nil {
		return nil, err
	}
	time := s.dims[at]
	windows := map[string]*column{}
	window := func(period string) (*column, error) {
		if c := windows[period]; c != nil {
			return c, nil
		}
		inside := s
		inside.dims = slices.Delete(slices.Clone(s.dims), at, at+1)
		first, end := "9999", ""
		if period != "" {
			first, end = windowOf(m, period, time.grain)
		}
		for _, r := range own {
			if r.before != "" {
				end = min(end, r.before)
			}
		}
		inside.ranges = append(slices.Clone(others), limits{find: time.find, from: first, before: end, axis: time.axis})
		c, err := w.measure(m.Base, inside)
		windows[period] = c
		return c, err
	}
	if _, err := window(""); err != nil {
		return nil, err // whether a period is shown or not
	}
	c := &column{domain: map[string][]any{}}
	observed := map[string][]any{}
	for _, period := range shown {
		part, err := window(period)
		if err != nil {
			return nil, err
		}
		for key, group := range part.domain {
			observed[key] = group
		}
	}
	for _, period := range shown {
		for _, group := range observed {
			tuple := slices.Insert(slices.Clone(group), at, any(period))
			c.domain[keyOf(tuple...)] = tuple
		}
	}
	c.at = func(tuple []any) any {
		period, _ := tuple[at].(string) // no period has a window without rows
		part, err := window(period)
		if err != nil {
			panic(err) // the windows before it had none
		}
		return part.at(slices.Delete(slices.Clone(tuple), at, at+1))
	}
	return c, nil
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
	return addPeriods(m.Window.Grain, end, -m.Window.N), end
}

// shown are the periods of the range that was asked for, else those from the
// first to the last one that has rows.
func (w *world) shown(m *model.Measure, s scope, at int, own []limits) ([]string, error) {
	base, err := w.measure(m.Base, s)
	if err != nil {
		return nil, err
	}
	first, last := "", ""
	for _, tuple := range base.domain {
		if p, ok := tuple[at].(string); ok {
			if first == "" || p < first {
				first = p
			}
			last = max(last, p)
		}
	}
	g := s.dims[at].grain
	for _, r := range own {
		if r.from != "" {
			first = periodOf(g, instant(r.from))
		}
		if r.before != "" {
			last = periodOf(g, instant(r.before).Add(-1))
		}
	}
	return periods(g, first, last), nil
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
