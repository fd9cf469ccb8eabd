package oracle

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/sdk/dialect"
)

// calendarPeriod is a period of a calendar: while a request is answered it is known by its
// first day.
type calendarPeriod struct {
	first, last string
	value       any
}

// almanac is what a calendar says of one of its periods.
type almanac struct {
	source model.SourceID
	of     map[string]any   // the value of a day
	all    []calendarPeriod // in the order of their first days
}

// almanac reads a period of a calendar, nil = it is a grain of the language.
func (w *world) almanac(g dialect.Grain) *almanac {
	if g == "" || slices.Contains(dialect.Grains(), g) {
		return nil
	}
	ref := w.model.FindPeriod(string(g))[0]
	g = dialect.Grain(w.model.PeriodName(ref)) // it may be written with its calendar
	if a := w.almanacs[g]; a != nil {
		return a
	}
	calendar := w.model.Source(ref.Calendar).Calendar
	a := &almanac{source: ref.Calendar, of: map[string]any{}}
	several := map[string]bool{}
	for i := range w.table(ref.Calendar).Rows {
		r := row{ref.Calendar, i}
		day, ok := w.value(r, calendar.Date).(string)
		v := w.value(r, calendar.Periods[ref.At].Field)
		if !ok || v == nil {
			continue
		}
		day = dayOf(day)
		if known, twice := a.of[day]; twice && compareValues(v, known) != 0 {
			several[day] = true
		}
		a.of[day] = v
	}
	for day := range several { // it is in none
		delete(a.of, day)
	}
	days := make([]string, 0, len(a.of))
	for day := range a.of {
		days = append(days, day)
	}
	sort.Strings(days)
	for _, day := range days {
		at := slices.IndexFunc(a.all, func(s calendarPeriod) bool { return s.value == a.of[day] })
		if at < 0 {
			a.all = append(a.all, calendarPeriod{first: day, value: a.of[day]})
			at = len(a.all) - 1
		}
		a.all[at].last = day
	}
	w.almanacs[g] = a
	return a
}

// at is the place of the period with a first day.
func (a *almanac) at(first string) int {
	return slices.IndexFunc(a.all, func(s calendarPeriod) bool { return s.first == first })
}

// holding is the place of the period that a day is in, -1 = the calendar has not the day.
func (a *almanac) holding(day string) int {
	v, ok := a.of[dayOf(day)]
	if !ok {
		return -1
	}
	return slices.IndexFunc(a.all, func(s calendarPeriod) bool { return s.value == v })
}

// checkGrain refuses a grain that is none, or one of several calendars.
func (w *world) checkGrain(g dialect.Grain) error {
	if g == "" || slices.Contains(dialect.Grains(), g) {
		return nil
	}
	switch found := w.model.FindPeriod(string(g)); len(found) {
	case 0:
		return refuse(refusal.CodeInvalidRequest, "there is no period %s", g)
	case 1:
		return nil
	}
	return refuse(refusal.CodeAmbiguousMember, "several calendars have a %s", g)
}

// cutPeriod takes a period of a calendar off a name that is no dimension by itself.
func (w *world) cutPeriod(names []string) ([]string, dialect.Grain) {
	last := len(names) - 1
	if last < 1 || last < 2 && !w.onAxis(names[:last]) || len(w.model.FindPeriod(names[last])) == 0 {
		return names, ""
	}
	if _, err := w.model.Lookup(model.Metrics, names...); err == nil {
		return names, ""
	}
	return names[:last], dialect.Grain(names[last])
}

// periodIn is the period of a time, nil where a calendar does not have its day.
func (w *world) periodIn(g dialect.Grain, s string) any {
	a := w.almanac(g)
	if a == nil {
		return periodOf(g, instant(s))
	}
	if at := a.holding(s); at >= 0 {
		return a.all[at].first
	}
	return nil
}

// relative are the first and the last day of a range as it is on the day of Now, "" =
// open; false = the range is of another kind. Without such periods no day is in it.
func (q *question) relative(text string) (days [2]string, ok bool, err error) {
	if days, ok = relative[text]; ok {
		return days, true, nil
	}
	words := strings.Fields(text)
	if len(words) < 2 || strings.Contains("since until", words[0]) || words[len(words)-1] == "date" && len(words) != 3 {
		return days, false, nil
	}
	n, grain, first := 1, words[len(words)-1], words[0]
	if len(words) == 3 {
		if n, err = strconv.Atoi(words[1]); err != nil {
			n, grain, first = 0, words[0], "to date"
		}
		grain = strings.TrimSuffix(grain, "s")
	}
	if err := q.world.checkGrain(dialect.Grain(grain)); err != nil {
		return days, false, err
	}
	a := q.world.almanac(dialect.Grain(grain))
	if a == nil {
		return days, false, nil
	}
	today := Now.In(q.scope.zone).Format(dayLayout)
	at := a.holding(today)
	from, to := at, at
	switch first {
	case "last":
		from, to = max(0, at-n), at-1
	case "next":
		from, to = at+1, min(len(a.all)-1, at+n)
	}
	if at < 0 || from > to {
		return [2]string{"9999-12-31", "0001-01-01"}, true, nil
	}
	days = [2]string{a.all[from].first, a.all[to].last}
	if first == "to date" {
		days[1] = today
	}
	return days, true, nil
}

// shownAs is a period as an answer has it: by what the calendar calls it.
func (w *world) shownAs(g dialect.Grain, v any) any {
	if a := w.almanac(g); a != nil && v != nil {
		return a.all[a.at(v.(string))].value
	}
	return v
}

// endOf is the day after a period.
func (w *world) endOf(g dialect.Grain, period string) string {
	if a := w.almanac(g); a != nil {
		return addPeriods(dialect.Day, a.all[a.at(period)].last, 1)
	}
	return addPeriods(g, period, 1)
}

// firstFrom and lastBefore are the periods at the ends of a range.
func (w *world) firstFrom(g dialect.Grain, from string) string {
	if a := w.almanac(g); a != nil {
		for _, s := range a.all {
			if s.last >= dayOf(from) {
				return s.first
			}
		}
		return "9999-12-31"
	}
	return periodOf(g, instant(from))
}

func (w *world) lastBefore(g dialect.Grain, before string) string {
	if a := w.almanac(g); a != nil {
		for _, s := range slices.Backward(a.all) {
			if s.first < before {
				return s.first
			}
		}
		return ""
	}
	return periodOf(g, instant(before).Add(-1))
}

// periodsIn lists periods, both ends included.
func (w *world) periodsIn(g dialect.Grain, first, last string) (all []string) {
	a := w.almanac(g)
	if a == nil {
		return periods(g, first, last)
	}
	for _, s := range a.all {
		if first != "" && first <= s.first && s.first <= last {
			all = append(all, s.first)
		}
	}
	return all
}

// moved is the period of a calendar that comes n periods of another one before: the
// same one of its days, weeks or months by number; "" = there is none.
func (w *world) moved(g dialect.Grain, step model.Period, period string) string {
	if period == "" {
		return ""
	}
	fine, coarse := w.almanac(g), w.almanac(step.Grain)
	at := fine.at(period)
	if fine == coarse {
		if at -= step.N; at < 0 || at >= len(fine.all) {
			return ""
		}
		return fine.all[at].first
	}
	part := coarse.holding(period)
	if part < 0 {
		return ""
	}
	number := func(at int) (n int) { // within its coarse period
		for i := range at {
			if coarse.holding(fine.all[i].first) == coarse.holding(fine.all[at].first) {
				n++
			}
		}
		return n
	}
	for i, s := range fine.all {
		if held := coarse.holding(s.first); held >= 0 && held == part-step.N && number(i) == number(at) {
			return s.first
		}
	}
	return ""
}

// shiftedInCalendar is the base as it was some periods of a calendar before. A range
// that cuts a period cuts the earlier one after as many days.
func (w *world) shiftedInCalendar(m *model.Measure, s scope, at int) (*column, error) {
	grain := s.time.grain
	a, step := w.almanac(grain), w.almanac(m.Offset.Grain)
	if a == nil || step == nil || a.source != step.source {
		return nil, refuse(refusal.CodeGranularity, "an offset of %d %s by %s", m.Offset.N, m.Offset.Grain, grain)
	}
	if at < 0 || s.dims[at].dropped || s.only != nil {
		return nil, refuse(Unspecified, "%s over several periods of a calendar", m.Name)
	}
	own, others, err := w.split(s, m.Base)
	if err != nil {
		return nil, err
	}
	parts := map[string]*column{}
	part := func(period string) (*column, error) {
		if c := parts[period]; c != nil {
			return c, nil
		}
		inside := s
		inside.shown = []string{}
		inside.ranges = append(slices.Clone(others), s.known())
		if before := w.moved(grain, m.Offset, period); before != "" {
			inside.shown = []string{before}
			for _, r := range own {
				inside.ranges = append(inside.ranges, r.cut(a.all[a.at(period)], before))
			}
		}
		c, err := w.measure(m.Base, inside)
		parts[period] = c
		return c, err
	}
	c := &column{domain: map[string][]any{}, rows: map[string][]any{}}
	var shown []string
	for _, period := range a.all {
		if !w.inRanges(period.first, grain, own) || s.shown != nil && !slices.Contains(s.shown, period.first) {
			continue
		}
		base, err := part(period.first)
		if err != nil {
			return nil, err
		}
		before := w.moved(grain, m.Offset, period.first)
		move := func(to, from map[string][]any) {
			for _, tuple := range from {
				if before != "" && tuple[at] == any(before) {
					tuple = slices.Clone(tuple)
					tuple[at] = period.first
					to[keyOf(tuple...)] = tuple
				}
			}
		}
		move(c.domain, base.domain)
		move(c.rows, base.rows)
		shown = append(shown, period.first)
	}
	if w.within(m.Base, model.Cumulative) != "" {
		w.everywhere(c, s, at, shown)
	}
	c.at = func(tuple []any) any {
		tuple = slices.Clone(tuple)
		period, ok := tuple[at].(string)
		before := ""
		if ok && period != never {
			before = w.moved(grain, m.Offset, period)
		} else {
			period = ""
		}
		if tuple[at] = before; before == "" {
			tuple[at] = never
		}
		base, err := part(period)
		if err != nil {
			panic(err) // the others had none
		}
		return base.at(tuple)
	}
	return c, nil
}

// everywhere shows every group of a measure over windows in every period.
func (w *world) everywhere(c *column, s scope, at int, shown []string) {
	groups := map[string][]any{}
	if len(s.dims) == 1 {
		groups[keyOf()] = []any{}
	}
	for _, tuple := range c.domain {
		group := slices.Delete(slices.Clone(tuple), at, at+1)
		groups[keyOf(group...)] = group
	}
	for _, period := range shown {
		for _, group := range groups {
			tuple := slices.Insert(slices.Clone(group), at, any(period))
			c.domain[keyOf(tuple...)] = tuple
		}
	}
}

// populated are the periods of a calendar that rows of a measure count for, whatever its
// windows hold beside them.
func (w *world) populated(id model.MeasureID, s scope) (all []string, err error) {
	m := w.model.Measure(id)
	switch m.Kind {
	case model.Simple:
		at, err := s.period(m)
		if err != nil {
			return nil, err
		}
		c, err := w.measure(id, s)
		if err != nil {
			return nil, err
		}
		for _, tuple := range c.domain {
			if p, ok := tuple[at].(string); ok {
				all = append(all, p)
			}
		}
		return all, nil
	case model.TimeShift:
		_, others, err := w.split(s, m.Base)
		if err != nil {
			return nil, err
		}
		if step := w.almanac(m.Offset.Grain); step == nil || step.source != w.almanac(s.time.grain).source {
			return nil, refuse(refusal.CodeGranularity, "an offset of %d %s by %s", m.Offset.N, m.Offset.Grain, s.time.grain)
		}
		s.ranges = append(slices.Clone(others), s.known())
		base, err := w.populated(m.Base, s)
		for _, p := range w.almanac(s.time.grain).all {
			if before := w.moved(s.time.grain, m.Offset, p.first); before != "" && slices.Contains(base, before) {
				all = append(all, p.first)
			}
		}
		return all, err
	}
	for _, id := range m.Uses {
		part, err := w.populated(id, s)
		if err != nil {
			return nil, err
		}
		all = append(all, part...)
	}
	return all, nil
}

// cut is a range over one period as it is over an earlier one.
func (l limits) cut(period calendarPeriod, before string) limits {
	move := func(day string) string {
		return addPeriods(dialect.Day, before, daysBetween(period.first, day))
	}
	if l.from != "" {
		if l.from <= period.first {
			l.from = ""
		} else {
			l.from = move(l.from)
		}
	}
	if l.before != "" {
		if l.before > period.last {
			l.before = ""
		} else {
			l.before = move(l.before)
		}
	}
	return l
}

// windowIn is the window that ends with a period where one of the two is of a calendar:
// its first day, the day after its last, and the almanac that has to have its days, nil
// = any day counts. A first day after all others: there is no window.
func (w *world) windowIn(m *model.Measure, period string, g dialect.Grain) (first, end string, days *almanac, err error) {
	end = w.endOf(g, period)
	shown := w.almanac(g)
	switch {
	case m.ToDate != "":
		if days = w.almanac(m.ToDate); days == nil {
			return periodOf(m.ToDate, instant(period)), end, nil, nil
		}
		if at := days.holding(period); at >= 0 {
			return days.all[at].first, end, days, nil
		}
		return "9999-12-31", end, days, nil
	case m.Window.N == 0:
		return "", end, nil, nil
	}
	days = w.almanac(m.Window.Grain)
	switch {
	case days == nil:
		return before(m.Window, end), end, nil, nil
	case days != shown:
		return "", "", nil, refuse(refusal.CodeGranularity, "a window of %s by %s", m.Window.Grain, g)
	}
	return shown.all[max(0, shown.at(period)-m.Window.N+1)].first, end, days, nil
}
