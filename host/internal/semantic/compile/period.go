package compile

import (
	"slices"
	"strconv"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// findPeriod finds the time dimension that a window or a shift goes by.
func (br *branch) findPeriod(measure string) error {
	if br.under.shift == nil && br.under.window == nil || br.under.total {
		return nil
	}
	for i, d := range br.asked {
		switch {
		case d.Grain == "":
		case br.period != nil:
			return refuse(CodeNotSupported, "%s by two time dimensions, %s and %s", measure, br.period.text(), d.text()).of(measure).fix("leave one of them out")
		default:
			br.period, br.periodAt = d, i
		}
	}
	if br.period == nil {
		return refuse(CodeGranularity, "%s goes by time, and no time dimension with a granularity is among the dimensions", measure).of(measure).
			fix("add a time dimension with a granularity, such as {\"field\": …, \"granularity\": \"month\"}")
	}
	step := br.under.shift
	if w := br.under.window; w != nil {
		if !coarse(br.period.Grain) {
			return granularity(br.period.text(), br.period.Grain, measure+" goes by days", dialect.Day, dialect.Week, dialect.Month, dialect.Quarter, dialect.Year)
		}
		if w.Window.N == 0 {
			return nil
		}
		step = &w.Window
		if step.Grain == dialect.Day || step.Grain == dialect.Week {
			return nil // counted back from the end of any period
		}
	}
	if !multiple(*step, br.period.Grain) {
		return granularity(br.period.text(), br.period.Grain, measure+" goes by "+strconv.Itoa(step.N)+" "+string(step.Grain), stepGrains(*step)...)
	}
	return nil
}

var monthsOf = map[dialect.Grain]int{dialect.Month: 1, dialect.Quarter: 3, dialect.Year: 12}

// multiple reports whether a step leads from starts of periods to others.
func multiple(step model.Period, g dialect.Grain) bool {
	switch {
	case step.Grain == g, step.Grain == dialect.Week && g == dialect.Day:
		return true
	case monthsOf[g] > 0 && monthsOf[step.Grain] > 0:
		return step.N*monthsOf[step.Grain]%monthsOf[g] == 0
	}
	return false
}

func stepGrains(step model.Period) (all []dialect.Grain) {
	for _, g := range dialect.Grains() {
		if multiple(step, g) {
			all = append(all, g)
		}
	}
	return all
}

// periodOf is the value of a dimension in a branch: of the one that a shift goes by,
// the period that comes so much later.
func (br *branch) periodOf(d *dimension, value expression.Node) (expression.Node, error) {
	c := br.rows.c
	if br.period != d {
		return c.grained(d, value)
	}
	if br.under.window != nil {
		day := *d
		day.Grain, day.typ = dialect.Day, sdk.TypeDate
		var err error
		if br.time, err = c.grained(&day, value); err != nil {
			return nil, err
		}
		return expression.As(br.time, d.typ), nil // the spine has the period
	}
	start, err := c.grained(d, value)
	if err != nil {
		return nil, err
	}
	return c.moved(start, br.under.shift.N, br.under.shift.Grain)
}

// moved adds periods to the start of one.
func (c *compiler) moved(start expression.Node, n int, g dialect.Grain) (expression.Node, error) {
	if !c.has(dialect.Add(g)) {
		return nil, unsupported(c.d.Name, "adding to a "+string(g), "use another granularity")
	}
	return expression.NewForm(dialect.Add(g), start, start.Type(), map[string]string{"n": strconv.Itoa(n)}), nil
}

// sameTime reports whether a range is about the dimension that a branch goes by.
func (br *branch) sameTime(r *dateRange) bool {
	return r != nil && br.period != nil && r.id == br.period.id && br.rows.c.samePlace(br.home, r.field.Name, br.period.name)
}

// samePlace reports whether two names of one dimension take the same way from a source.
func (c *compiler) samePlace(home model.SourceID, a, b *expression.Name) bool {
	var paths [2]*model.Path
	for i, name := range []*expression.Name{a, b} {
		ref, err := c.dimensionOf(home, name)
		if err != nil {
			return false
		}
		if paths[i], err = c.m.Path(home, ref); err != nil {
			return false
		}
	}
	return slices.Equal(paths[0].Steps, paths[1].Steps)
}

// shown are the conditions on the rows of a branch: a window reads before the range
// that is shown, a shift reads another one.
func (br *branch) shown(all []formula) ([]formula, error) {
	c := br.rows.c
	var out []formula
	var moved []*dateRange
	for _, f := range all {
		shifted := br.under.shift != nil && f.shown != nil && (br.under.total || br.sameTime(f.shown))
		switch {
		case shifted && !slices.Contains(moved, f.shown):
			moved = append(moved, f.shown)
			earlier, err := f.shown.earlier(*br.under.shift, c.r.TimeZone)
			if err != nil {
				return nil, err
			}
			tree, err := earlier.condition(f.where, f.shown.field)
			if err != nil {
				return nil, err
			}
			for _, term := range expression.Conjuncts(tree) {
				out = append(out, formula{tree: term, written: c.show(term), where: f.where})
			}
		case shifted:
		case br.under.window != nil && br.sameTime(f.shown) && f.tree.(*expression.Binary).Op == expression.GreaterEqual:
		default:
			out = append(out, f)
		}
	}
	return out, nil
}

// earlier is the range before a shift.
func (r *dateRange) earlier(step model.Period, zone string) (interval, error) {
	location, err := zoneOf(zone)
	if err != nil {
		return interval{}, err
	}
	var out interval
	for _, end := range []struct{ from, to **bound }{{&r.from, &out.from}, {&r.until, &out.until}} {
		b := *end.from
		if b == nil {
			continue
		}
		if b.day.IsZero() || !coarse(step.Grain) {
			return interval{}, refuse(CodeNotSupported, "%s: a range with times of day, beside a measure of an earlier time", r.where).fix("leave the range or the measure out")
		}
		day := addUnits(b.day, step.Grain, -step.N)
		if monthsOf[step.Grain] > 0 && day.Day() != b.day.Day() {
			return interval{}, refuse(CodeNotSupported, "%s: %s has no day a %s earlier", r.where, b.day.Format(time.DateOnly), step.Grain).fix("let the range begin and end with a month")
		}
		*end.to = beginning(day, location)
	}
	return out, nil
}

// ends are the first and the last period that are shown, as far as ranges say;
// zero = as the rows have them.
func (c *compiler) ends(d *dimension, about func(*dateRange) bool) (first, last time.Time) {
	for _, r := range c.ranges {
		if !about(r) {
			continue
		}
		if b := r.from; b != nil {
			first = later(first, startIn(b.clock(), d.Grain))
		}
		if b := r.until; b != nil {
			end := b.clock()
			if !b.closed {
				end = end.Add(-time.Microsecond)
			}
			if start := startIn(end, d.Grain); last.IsZero() || start.Before(last) {
				last = start
			}
		}
	}
	return first, last
}

// startIn is the start of the period that a time is in.
func startIn(at time.Time, g dialect.Grain) time.Time {
	switch g {
	case dialect.Second:
		return at.Truncate(time.Second)
	case dialect.Minute:
		return at.Truncate(time.Minute)
	case dialect.Hour:
		return at.Truncate(time.Hour)
	}
	return beginningOf(at.Truncate(24*time.Hour), g)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// clock is what a clock in the query's zone shows at a bound, as if it were UTC.
func (b *bound) clock() time.Time {
	if !b.day.IsZero() {
		return b.day
	}
	return shown(b.at)
}

// periodLiteral is the start of a period.
func periodLiteral(d *dimension, at time.Time) (expression.Node, error) {
	l, ok := expression.Date(at.Format(time.DateOnly))
	if d.typ == sdk.TypeTimestamp {
		l, ok = expression.Timestamp(at.Format(time.DateTime))
	}
	if !ok {
		return nil, invalidRequest("date_ranges", "the range leaves the years 1 to 9999").fix("write an earlier end")
	}
	return l, nil
}

// spine lists the periods from the first to the last one. Where an end is zero, the
// rows say it: day is a day of each, from which the period is cut.
func (c *compiler) spine(d *dimension, first, last time.Time, rows plan.Relation, day plan.Column) (*plan.Spine, error) {
	if !c.has(dialect.Spine(d.Grain)) {
		return nil, unsupported(c.d.Name, "listing periods of a "+string(d.Grain), "leave fill_gaps out, and measures that add up over time")
	}
	s := &plan.Spine{Out: c.column("period", d.typ), Grain: d.Grain}
	ends := &plan.Aggregate{In: rows}
	for _, end := range []struct {
		to   *expression.Node
		pick expression.AggregateFunction
		name string
		at   time.Time
	}{{&s.From, expression.Min, "first", first}, {&s.To, expression.Max, "last", last}} {
		if !end.at.IsZero() {
			l, err := periodLiteral(d, end.at)
			if err != nil {
				return nil, err
			}
			*end.to = l
			continue
		}
		v := plan.Value{Column: c.column(end.name+"_"+day.Name, day.Type), X: &expression.Aggregate{Function: end.pick, X: day.Ref()}}
		ends.Values, s.Ends = append(ends.Values, v), ends
		*end.to = expression.As(trunc(d.Grain, v.Ref()), d.typ)
	}
	return s, nil
}

// trunc cuts a time to the start of its period.
func trunc(g dialect.Grain, x expression.Node) expression.Node {
	return &expression.Call{Function: "date_trunc", Args: []expression.Node{expression.Text(string(g)), x}}
}
