package compile

import (
	"slices"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/host/internal/semantic/timerange"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Values that add up are, over windows, window functions over rows of which every group has
// one in every period: those that are shown, and those before that the first window reaches
// back to. To join every period to the rows that count for it would make as many pairs as
// there are periods, times the length of a window.

// overFunctions are the window functions that combine aggregates of the rows of a frame.
var overFunctions = map[expression.AggregateFunction]plan.WindowFunction{
	expression.Sum: plan.SumOver, expression.Min: plan.MinOver, expression.Max: plan.MaxOver,
}

// runs reports whether the values of a branch are window functions over its periods: its rows
// are summed by those, and it has one window and no shift.
func (br *branch) runs() bool {
	c, p := br.rows.c, br.partial
	frames := c.has(dialect.LastRows(sdk.TypeInt64.String()))
	if !frames || p == nil || p.value != nil || p.grain != br.period.Grain || len(br.steps) != 1 || br.steps[0].window == nil ||
		br.inCalendar() || c != c.top || c.summary != nil || slices.ContainsFunc(c.dims, func(d *dimension) bool { return d.per != nil }) {
		return false
	}
	slides := br.slides()
	if slides && (br.length() == 0 || br.reachesFar()) {
		return false
	}
	for _, b := range br.bases {
		for _, a := range aggregates(b.again) {
			if overFunctions[a.Function] == "" || slides && !c.has(dialect.LastRows(a.X.Type().String())) {
				return false
			}
		}
	}
	return true
}

// slides reports whether the window of a branch has a length.
func (br *branch) slides() bool {
	w := br.steps[0].window
	return w.ToDate == "" && w.Window.N > 0
}

// length returns how many periods the window of a branch always has, 0 = that varies.
func (br *branch) length() int {
	w, g := br.steps[0].window.Window, br.period.Grain
	switch {
	case w.Grain == g:
		return w.N
	case w.Grain == dialect.Week && g == dialect.Day:
		return w.N * 7
	case monthsOf[g] > 0:
		return w.N * monthsOf[w.Grain] / monthsOf[g]
	}
	return 0
}

// reachesFar reports whether it is not known where the first window begins, or a window may
// reach back over more periods than are shown. Every group would have a row in each of them,
// where it may have had none to join.
func (br *branch) reachesFar() bool {
	first, last := br.rows.c.ends(br.period, br.sameTime)
	if first.IsZero() || br.span.From == nil {
		return !first.IsZero()
	}
	return len(br.groups()) > 0 && timerange.AddUnits(first, br.period.Grain, br.length()-1).After(last)
}

// groups are the columns of the dimensions of a branch beside its periods.
func (br *branch) groups() (all []plan.Column) {
	for i, column := range br.columns {
		if column.ID != 0 && i != br.periodAt {
			all = append(all, column)
		}
	}
	return all
}

func aggregates(x expression.Node) (all []*expression.Aggregate) {
	expression.Walk(x, func(n expression.Node) bool {
		if a, ok := n.(*expression.Aggregate); ok {
			all = append(all, a)
		}
		return true
	})
	return all
}

// running is the stage of a branch that runs.
func (br *branch) running() (*stage, error) {
	c, w := br.rows.c, br.steps[0].window
	first, last := c.ends(br.period, br.sameTime)
	begin := first
	if br.slides() && !first.IsZero() {
		begin = startIn(br.span.From.Clock(), br.period.Grain)
	}
	listed, err := br.periodsFrom(begin, last)
	if err != nil {
		return nil, err
	}
	filled, err := br.filled(listed, first)
	if err != nil {
		return nil, err
	}
	period := filled.dims[br.periodAt]
	over := &plan.Window{In: filled.rel}
	frame := plan.WindowValue{By: []plan.Order{{X: period.Ref(), AnyNulls: true}}, Frame: plan.FrameSoFar}
	for i, d := range filled.dims {
		if i != br.periodAt && d.ID != 0 {
			frame.Partition = append(frame.Partition, d.Ref())
		}
	}
	switch {
	case w.ToDate != "":
		frame.Partition = append(frame.Partition, trunc(w.ToDate, period.Ref()))
	case br.slides():
		frame.Frame, frame.Last = plan.WholeFrame, br.length()
	}
	shown := only(over, filled.dims)
	if begin.Before(first) {
		from, err := periodLiteral(br.period, first)
		if err != nil {
			return nil, err
		}
		shown.In = &plan.Filter{In: over, Cond: binary(expression.GreaterEqual, period.Ref(), from)}
	}
	out := &stage{rel: shown, dims: filled.dims, values: map[*base]plan.Column{}}
	for _, b := range br.bases {
		x, err := expression.Transform(b.again, func(n expression.Node) (expression.Node, error) {
			a, ok := n.(*expression.Aggregate)
			if !ok {
				return n, nil
			}
			v := frame
			v.Column, v.Function, v.X = c.column(b.called(), a.X.Type()), overFunctions[a.Function], filled.part(a).Ref()
			over.Values = append(over.Values, v)
			return v.Ref(), nil
		})
		if err == nil {
			x, err = expression.Check(x, ownType)
		}
		if err != nil {
			return nil, err
		}
		out.values[b] = shown.Compute(c.numbers, b.called(), b.typ, x)
	}
	return out, nil
}

// filled is a relation with a row for every group in every period.
type filled struct {
	rel  plan.Relation
	dims []plan.Column
	// part returns the column of an aggregate of the rows of a group in a period.
	part func(*expression.Aggregate) plan.Column
}

// filled gives every group a row in each of the listed periods. Rows before the first period
// that is shown count in it, unless a window leaves them; zero = all periods are shown.
func (br *branch) filled(listed plan.Relation, first time.Time) (*filled, error) {
	c, clock, groups, period := br.rows.c, br.partial.time, br.groups(), listed.Columns()[0]
	at, kept := clock.Ref(), []plan.Column(nil)
	alone := !slices.ContainsFunc(br.partial.dims, func(d expression.Node) bool { return d != nil })
	if !first.IsZero() && !br.slides() {
		from, err := periodLiteral(br.period, first)
		if err != nil {
			return nil, err
		}
		early := expression.When{Condition: binary(expression.Less, clock.Ref(), from), Result: from}
		at, alone = expression.As(&expression.Case{Whens: []expression.When{early}, Else: clock.Ref()}, clock.Type), false
	}
	for _, v := range br.inputs {
		kept = append(kept, v.Column)
	}
	rows := &plan.Project{In: br.read}
	day := rows.Compute(c.numbers, br.period.out, br.period.typ, at)
	if alone { // each period has one row at most, and an outer join leaves the others blank
		parts := map[int]plan.Column{}
		for _, k := range kept {
			parts[k.ID] = rows.Compute(c.numbers, k.Name, k.Type, c.nullable(k.Ref()))
		}
		dims := slices.Clone(br.columns)
		dims[br.periodAt] = period
		return &filled{
			rel: &plan.Join{L: listed, R: rows, Kind: plan.Left, On: equal(day.Ref(), period.Ref())}, dims: dims,
			part: func(a *expression.Aggregate) plan.Column { return parts[expression.Columns(a.X)[0].ID] },
		}, nil
	}
	var inside []expression.Node
	switch {
	case br.uncut:
		inside = br.partial.within(br)
	case br.partial.span == (timerange.Interval{}):
		inside = append(inside, known(clock))
	}
	if cond := expression.Conjoin(inside...); cond != nil {
		rows.In = &plan.Filter{In: br.read, Cond: cond}
	}
	kept = slices.Concat(groups, kept)
	rows.Values = append(rows.Values, plan.Renamed(c.numbers, br.read, kept).Values...)
	all, dims := br.withBlanks(&plan.Shared{In: rows, Name: c.m.Source(br.home).Name + "_by_period"}, listed, len(groups), kept)
	out := &plan.Aggregate{In: all}
	for _, d := range dims {
		if d.ID != 0 {
			out.By = append(out.By, d.ID)
		}
	}
	return &filled{rel: out, dims: dims, part: func(a *expression.Aggregate) plan.Column {
		return out.Compute(c.numbers, "value", a.X.Type(), a)
	}}, nil
}
