package compile

import (
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// calendar is a source whose rows say which periods a day belongs to.
type calendar struct {
	c       *compiler
	source  *model.Source
	periods map[int]*calendarPeriod // those that the request goes by
	// days has a row for each day, once it is planned.
	days *plan.Shared
}

// calendarPeriod is a period of a calendar: what times are cut to in the place of a grain.
type calendarPeriod struct {
	of   *calendar
	name string
	at   int
	typ  sdk.Type
	// value is its column among the days.
	value plan.Column
	// listed has a row for each period, once it is planned: its value, its number in
	// the order of time, its first and its last day.
	listed *plan.Shared
}

// isPeriod reports whether a grain is a period of a calendar.
func isPeriod(g dialect.Grain) bool { return g != "" && !slices.Contains(dialect.Grains(), g) }

// calendarPeriod finds the period that a name means; nil = it is a grain of the language.
func (c *compiler) calendarPeriod(where string, g dialect.Grain) (*calendarPeriod, error) {
	s, err := c.findCalendarPeriod(where, g)
	if s != nil {
		c.note(s.of.source.Name + ": a time whose day the calendar does not have, or has in several, is of no " + s.name + ", and its group is NULL")
	}
	return s, err
}

// findCalendarPeriod is calendarPeriod for what has no groups of the period.
func (c *compiler) findCalendarPeriod(where string, g dialect.Grain) (*calendarPeriod, error) {
	if !isPeriod(g) {
		return nil, nil
	}
	found := c.m.FindPeriod(string(g))
	if len(found) == 0 {
		return nil, request.NoGrain(where, string(g), c.m.PeriodNames()...)
	}
	if len(found) > 1 {
		names := make([]string, len(found))
		for i, p := range found {
			names[i] = c.m.PeriodName(p)
		}
		return nil, refusal.New(refusal.CodeAmbiguousMember, "%s: %s is a period of several calendars", where, refusal.Quote(string(g))).About(string(g)).
			Choices(names).Advise("write the calendar before it: %s", names[0])
	}
	top, id := c.top, found[0].Calendar
	if top.calendars == nil {
		top.calendars = map[model.SourceID]*calendar{}
	}
	of := top.calendars[id]
	if of == nil {
		of = &calendar{c: top, source: top.m.Source(id), periods: map[int]*calendarPeriod{}}
		top.calendars[id] = of
	}
	if why := of.source.Calendar.Broken; why != "" {
		return nil, refusal.New(refusal.CodeBroken, "the calendar %s cannot be used: %s", of.source.Name, why).About(of.source.Name)
	}
	p := of.periods[found[0].At]
	if p == nil {
		one := of.source.Calendar.Periods[found[0].At]
		p = &calendarPeriod{of: of, at: found[0].At, name: one.Name, typ: of.fieldType(one.Field)}
		of.periods[p.at] = p
	}
	return p, nil
}

func (k *calendar) fieldType(f model.Field) sdk.Type {
	if f.Dimension != 0 {
		return k.c.typeOf(f.Dimension)
	}
	return k.source.ColumnType(f.Column)
}

// cutPeriods takes periods of calendars off names that are no dimensions as a whole:
// orders.created_at.fiscal_month.
func (c *compiler) cutPeriods() {
	c.r.Dimensions = slices.Clone(c.r.Dimensions)
	for i := range c.r.Dimensions {
		d := &c.r.Dimensions[i]
		if d.Measure != "" || d.Grain != "" {
			continue
		}
		name, err := expression.ParseName(d.Field)
		if err != nil {
			continue // which is refused where it is read
		}
		parts, period, ok := c.cutPeriod(name.Parts, len(d.Via))
		if !ok {
			continue
		}
		name, err = fieldName("dimensions", d.Field, d.Via)
		if err == nil {
			_, err = c.dimensionOf(model.Metrics, name)
		}
		if err != nil {
			d.Field, d.Grain = (&expression.Name{Parts: parts}).String(), dialect.Grain(period)
		}
	}
}

// cutPeriod takes a period off the parts of a name that a way of some steps leads to.
func (c *compiler) cutPeriod(parts []string, way int) ([]string, string, bool) {
	last := len(parts) - 1
	before, period, suffixed := parts[:last], parts[last], false
	if at := strings.LastIndex(parts[last], "__"); at > 0 {
		before, period, suffixed = append(slices.Clone(before), parts[last][:at]), parts[last][at+2:], true
	}
	enough := suffixed || last+way >= 2 || last == 1 && c.isMetricTime(&expression.Name{Parts: before})
	return before, period, enough && len(c.m.FindPeriod(period)) > 0
}

// rows are those of the calendar that have a day: the day, then its periods.
func (k *calendar) rows() (*plan.Project, error) {
	c, def := k.c, k.source.Calendar
	if t := k.fieldType(def.Date); t == sdk.TypeTimestampTZ || t != sdk.TypeUnspecified && !isTime(t) {
		return nil, refusal.New(refusal.CodeBroken, "the calendar %s cannot be used: its date is no day, but %s", k.source.Name, typeWords(t)).About(k.source.Name).
			Advise("name a dimension that is a date under calendar.date")
	}
	rows, err := c.newRows(k.source.ID)
	if err != nil {
		return nil, err
	}
	day, err := rows.field(0, def.Date)
	if err != nil {
		return nil, err
	}
	there := &expression.IsNull{X: day, Negated: true}
	if day.Type() != sdk.TypeDate {
		day = expression.As(trunc(dialect.Day, day), sdk.TypeDate)
	}
	p := &plan.Project{}
	p.Compute(c.numbers, "day", sdk.TypeDate, day)
	for at := range def.Periods {
		s := k.periods[at]
		if s == nil {
			continue
		}
		x, err := rows.field(0, def.Periods[at].Field)
		if err != nil {
			return nil, err
		}
		s.typ = x.Type()
		s.value = p.Compute(c.numbers, s.name, s.typ, c.nullable(x))
	}
	p.In = &plan.Filter{In: rows.relation(), Cond: there}
	return p, nil
}

// CalendarRows are the rows of a calendar that have a day.
// Shape: the day, then all periods of the calendar.
// Errors: *Error for a calendar that cannot be used.
func CalendarRows(m *model.Model, d *dialect.Dialect, numbers *plan.Numbers, source model.SourceID) (plan.Relation, error) {
	k := &calendar{c: newCompiler(m, d, numbers), source: m.Source(source), periods: map[int]*calendarPeriod{}}
	for at, p := range k.source.Calendar.Periods {
		k.periods[at] = &calendarPeriod{of: k, at: at, name: p.Name}
	}
	p, err := k.rows()
	if err != nil {
		return nil, refusal.From(err)
	}
	return p, nil
}

// plan makes the relation of the days: each once, for a calendar with a day twice, which
// no key keeps a table from, must not multiply what it is joined to. A day in several
// periods is in none.
func (k *calendar) plan() error {
	if k.days != nil {
		return nil
	}
	p, err := k.rows()
	if err != nil {
		return err
	}
	once := &plan.Aggregate{In: p, By: []int{p.Values[0].Column.ID}}
	for at := range k.source.Calendar.Periods {
		if s := k.periods[at]; s != nil {
			all := aggregate(expression.Max, s.value)
			one := expression.When{Condition: equal(aggregate(expression.Min, s.value), all), Result: all}
			s.value = once.Compute(k.c.numbers, s.name, s.typ, &expression.Case{Whens: []expression.When{one}})
		}
	}
	k.days = &plan.Shared{In: once, Name: k.source.Name + "_days"}
	return nil
}

// calendarDay is the day of a calendar that a day of each row is.
type calendarDay struct{ calendar, day string }

// calendarPeriodOf is the period of a calendar that each row's day is in, NULL where there is none.
func (br *branch) calendarPeriodOf(s *calendarPeriod, day expression.Node) (expression.Node, error) {
	if err := s.of.plan(); err != nil {
		return nil, err
	}
	days := br.rows.join(calendarDay{s.of.source.Identity, expression.String(day)}, func() plan.Join {
		days := s.of.use()
		return plan.Join{R: days, Kind: plan.Left, On: equal(day, days.Values[0].Ref()), ToOne: true}
	})
	return s.among(days.(*plan.Project)).Ref(), nil
}

// use is the days of the calendar under new columns.
func (k *calendar) use() *plan.Project { return plan.Renamed(k.c.numbers, k.days, k.days.Columns()) }

// among is the column of the period in a use of the days.
func (s *calendarPeriod) among(days *plan.Project) plan.Column {
	at := slices.IndexFunc(days.In.Columns(), func(c plan.Column) bool { return c.ID == s.value.ID })
	return days.Values[at].Column
}

// plan makes the relation of the periods.
func (s *calendarPeriod) plan() error {
	if err := s.of.plan(); err != nil || s.listed != nil {
		return err
	}
	c := s.of.c
	days := s.of.use()
	value := s.among(days)
	each := &plan.Aggregate{In: &plan.Filter{In: days, Cond: known(value)}, By: []int{value.ID}}
	day := days.Values[0].Column
	first := each.Compute(c.numbers, "first", sdk.TypeDate, aggregate(expression.Min, day))
	last := each.Compute(c.numbers, "last", sdk.TypeDate, aggregate(expression.Max, day))
	rank := c.column("number", sdk.TypeInt64)
	numbered := &plan.Window{In: each, Values: []plan.WindowValue{{Column: rank, Function: plan.RowNumber, By: []plan.Order{{X: first.Ref()}}}}}
	p := &plan.Project{In: numbered}
	p.Compute(c.numbers, s.name, s.typ, c.nullable(value.Ref()))
	p.Compute(c.numbers, "number", sdk.TypeInt64, c.nullable(&expression.Cast{X: rank.Ref(), To: sdk.TypeInt64}))
	p.Compute(c.numbers, "first", sdk.TypeDate, c.nullable(first.Ref()))
	p.Compute(c.numbers, "last", sdk.TypeDate, c.nullable(last.Ref()))
	s.listed = &plan.Shared{In: p, Name: "every_" + s.name}
	return nil
}

// periodRows is a use of the periods, under new columns.
type periodRows struct {
	rel                         *plan.Project
	period, number, first, last plan.Column
}

func (s *calendarPeriod) use() (*periodRows, error) {
	if err := s.plan(); err != nil {
		return nil, err
	}
	rel := plan.Renamed(s.of.c.numbers, s.listed, s.listed.Columns())
	own := rel.Columns()
	return &periodRows{rel, own[0], own[1], own[2], own[3]}, nil
}

// within are the periods from the first to the last day that are not zero. In the place
// of a zero one stands the first or the last of the periods that a relation has in a
// column; without the relation, there is no end.
func (s *calendarPeriod) within(ends [2]time.Time, rows plan.Relation, of plan.Column) (plan.Relation, error) {
	u, err := s.use()
	if err != nil {
		return nil, err
	}
	var terms []expression.Node
	rel := plan.Relation(u.rel)
	if rows != nil && (ends[0].IsZero() || ends[1].IsZero()) {
		there, err := s.use()
		if err != nil {
			return nil, err
		}
		c := s.of.c
		span := &plan.Aggregate{In: &plan.Join{L: rows, R: there.rel, Kind: plan.Inner, On: equal(of.Ref(), there.period.Ref()), ToOne: true}}
		least := span.Compute(c.numbers, "least", sdk.TypeInt64, aggregate(expression.Min, there.number))
		most := span.Compute(c.numbers, "most", sdk.TypeInt64, aggregate(expression.Max, there.number))
		rel = &plan.Join{L: rel, R: span, Kind: plan.Cross}
		if ends[0].IsZero() {
			terms = append(terms, binary(expression.GreaterEqual, u.number.Ref(), least.Ref()))
		}
		if ends[1].IsZero() {
			terms = append(terms, binary(expression.LessEqual, u.number.Ref(), most.Ref()))
		}
	}
	for i, end := range ends {
		if end.IsZero() {
			continue
		}
		l, err := periodLiteral(&dimension{typ: sdk.TypeDate}, end)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			terms = append(terms, binary(expression.GreaterEqual, u.last.Ref(), l))
		} else {
			terms = append(terms, binary(expression.LessEqual, u.first.Ref(), l))
		}
	}
	if cond := expression.Conjoin(terms...); cond != nil {
		rel = &plan.Filter{In: rel, Cond: cond}
	}
	return plan.Renamed(s.of.c.numbers, rel, []plan.Column{u.period}), nil
}
