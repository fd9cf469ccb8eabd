package model

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Calendar assigns days to periods: each row of its source is a day.
type Calendar struct {
	// Date is the field with a row's day.
	Date    Field
	Periods []CalendarPeriod
	// Broken says why the calendar cannot be used; "" when it can.
	Broken string
}

// CalendarPeriod is a period that a calendar divides time into: the days of one have
// the same value of Field.
type CalendarPeriod struct {
	Name  string
	Field Field
}

// CalendarDef is a calendar as it was written.
type CalendarDef struct {
	Pos
	Date    Text
	Periods []PeriodDef
}

// PeriodDef is a period of a calendar as it was written.
type PeriodDef struct{ Name, Field Text }

// PeriodRef is a period of a calendar.
type PeriodRef struct {
	Calendar SourceID
	At       int // among the calendar's periods
}

// periodMark stands among the names that a source mentions when its measures go by
// periods of a calendar.
const periodMark = "\x00period"

// FindPeriod returns the periods with a name: "fiscal_quarter", or
// "calendar.fiscal_quarter" where several calendars have one.
func (m *Model) FindPeriod(name string) []PeriodRef {
	of, period := "", fold(name)
	if at := strings.LastIndexByte(period, '.'); at >= 0 {
		of, period = period[:at], period[at+1:]
	}
	var one, plural []PeriodRef
	for _, id := range m.calendars {
		s := m.sources[id]
		if of != "" && of != fold(s.Name) && of != fold(s.Identity) {
			continue
		}
		for i := range s.draft.days.Periods {
			switch fold(s.draft.days.Periods[i].Name.Value) {
			case period:
				one = append(one, PeriodRef{id, i})
			case period + "s": // a number of them was read without it
				plural = append(plural, PeriodRef{id, i})
			}
		}
	}
	if one == nil {
		return plural
	}
	return one
}

// PeriodNames returns the names of all periods of calendars, qualified by the calendar
// where that is needed.
func (m *Model) PeriodNames() (all []string) {
	for _, id := range m.calendars {
		for i := range m.sources[id].draft.days.Periods {
			all = append(all, m.PeriodName(PeriodRef{id, i}))
		}
	}
	return all
}

// PeriodName returns an unambiguous name of a period.
func (m *Model) PeriodName(p PeriodRef) string {
	s := m.sources[p.Calendar]
	name := s.draft.days.Periods[p.At].Name.Value
	if len(m.FindPeriod(name)) == 1 {
		return name
	}
	if full := s.Name + "." + name; len(m.FindPeriod(full)) == 1 {
		return full
	}
	return s.Identity + "." + name
}

// calendarsOf lists the sources that are calendars.
func (m *Model) calendarsOf() (all []SourceID) {
	for _, id := range m.order {
		if m.sources[id].draft.days != nil {
			all = append(all, id)
		}
	}
	return all
}

var periodName = text.Pattern(`^[A-Za-z_][A-Za-z0-9_]*$`)

// checkCalendar reports what a calendar names and the source does not have.
func (r *draft) checkCalendar() {
	def := r.def.Calendar
	if def == nil {
		return
	}
	file := r.fileOf(func(d *SourceDef) bool { return d.Calendar != nil })
	fail := func(path string, t Text, candidates []string, format string, args ...any) {
		if msg := r.problem(file, path, t, candidates, format, args...); r.calendar == "" {
			r.calendar = msg
		}
	}
	has := func(path string, t Text) {
		if r.scanned() && r.dimension(t.Value) < 0 {
			near := r.nearDimensions(t.Value, r.guesses)
			fail(path, t, near, "%s has no column %s%s", r.name, t.Value, didYouMean(near))
		}
	}
	has("calendar.date", def.Date)
	if at := r.dimension(def.Date.Value); at >= 0 && r.dims[at].Type != Time && r.dims[at].Type != AnyType {
		fail("calendar.date", def.Date, r.timeDimensions(), "%s is of type %s, not time", def.Date.Value, r.dims[at].Type)
	}
	for i, p := range def.Periods {
		path := under("calendar.periods", p.Name.Value)
		name := fold(p.Name.Value)
		switch {
		case slices.Contains(dialect.Grains(), dialect.Grain(strings.TrimSuffix(name, "s"))):
			fail(path, p.Name, nil, "%s is a granularity of its own; call the period fiscal_%s, for instance", p.Name.Value, strings.TrimSuffix(name, "s"))
		case !periodName().MatchString(p.Name.Value):
			fail(path, p.Name, nil, "a period is called by letters, digits and underscores")
		case slices.ContainsFunc(def.Periods[:i], func(o PeriodDef) bool { return fold(o.Name.Value) == name }):
			fail(path, p.Name, nil, "there are two periods of this name")
		default:
			has(path, p.Field)
		}
	}
}

// calendar is the calendar of a source with its names resolved, nil = it is none.
func (s *Source) calendar() *Calendar {
	def := s.draft.days
	if def == nil {
		return nil
	}
	c := &Calendar{Broken: s.draft.calendar, Date: s.fields([]Text{def.Date})[0]}
	for _, p := range def.Periods {
		c.Periods = append(c.Periods, CalendarPeriod{p.Name.Value, s.fields([]Text{p.Field})[0]})
	}
	return c
}

// byPeriod reports the grains of a measure that are neither of the language nor of one
// calendar.
func (l *linker) byPeriod(d *measure, m *Measure, path string) {
	for _, one := range []struct {
		key   string
		grain dialect.Grain
	}{{"window", m.Window.Grain}, {"grain_to_date", m.ToDate}, {"offset", m.Offset.Grain}} {
		if one.grain == "" || m.Broken != "" {
			continue
		}
		fail := func(code string, candidates []string, format string, args ...any) {
			m.Broken = l.problem(d.file, path+"."+one.key, d.Name, sdk.Position{}, invalid(code, candidates, format, args...))
		}
		if slices.Contains(dialect.Grains(), one.grain) {
			if one.key == "grain_to_date" && !slices.Contains(dayGrains, string(one.grain)) {
				fail("", nil, "must be one of %s, or a period of a calendar, not %s", strings.Join(dayGrains, ", "), one.grain)
			}
			continue
		}
		switch found := l.model.FindPeriod(string(one.grain)); len(found) {
		case 1:
		case 0:
			names := append(slices.Clone(dayGrains), l.model.PeriodNames()...)
			near := l.model.guesses.near(string(one.grain), names)
			fail(CodeUnknown, near, "there is no period %s%s: it is one of %s", one.grain, didYouMean(near), strings.Join(names, ", "))
		default:
			var names []string
			for _, p := range found {
				names = append(names, l.model.PeriodName(p))
			}
			fail(CodeAmbiguous, names, "%s is a period of several calendars", one.grain)
		}
	}
}

// dayGrains are the grains that are made of whole days.
var dayGrains = []string{"day", "week", "month", "quarter", "year"}

// mentionPeriods notes that measures go by periods of a calendar.
func (r *draft) mentionPeriods() {
	for i := range r.measures {
		m := &r.measures[i]
		for _, g := range []dialect.Grain{m.Window.Grain, m.ToDate, m.Offset.Grain} {
			if g != "" && !slices.Contains(dialect.Grains(), g) {
				r.mentions = appendNew(r.mentions, periodMark)
			}
		}
	}
}
