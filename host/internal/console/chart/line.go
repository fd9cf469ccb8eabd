package chart

import (
	"fmt"
	"math/big"
	"slices"
	"time"
)

// line makes a line per measure, or for one measure a line per value of a category.
func line(columns []Column, rows [][]Cell, at int, names, numbers []int) *Chart {
	if len(names) > 1 {
		return none("%d columns are categories, and a line over time is divided by at most one.", len(names))
	}
	moments := make([]time.Time, len(rows))
	for i, row := range rows {
		if row[at].Null {
			return none("A row has no %s.", columns[at].Name)
		}
		var ok bool
		if moments[i], ok = moment(row[at].Text); !ok {
			return none("%q is no time that can be drawn.", visible(row[at].Text, labelChars))
		}
	}
	c := &Chart{Kind: Line, axis: columns[at].Name}
	placeOf := c.placed(rows, at, moments)
	drawn := numbers[:1]
	if len(names) == 0 {
		drawn = together(columns, rows, numbers)
	}
	c.unit = columns[drawn[0]].Unit
	if refused := c.fill(columns, rows, placeOf, drawn, names); refused != nil {
		return refused
	}
	c.leaveOut(columns, func(i int) bool { return i == at || slices.Contains(drawn, i) || slices.Contains(names, i) })
	c.Reason = fmt.Sprintf("A line of %s over %s.", titles(columns, drawn), c.axis)
	if len(names) > 0 {
		c.Reason = fmt.Sprintf("A line of %s over %s for each %s.", columns[drawn[0]].Name, c.axis, columns[names[0]].Name)
	}
	return c.checked()
}

// fill sets the values of the lines: one for each drawn column, or one for each value of the column that names them.
// Shape: nil, or none with the reason.
func (c *Chart) fill(columns []Column, rows [][]Cell, placeOf, drawn, names []int) *Chart {
	which := map[string]int{}
	if len(names) == 0 {
		for _, column := range drawn {
			c.series = append(c.series, series{columns[column].Name, make([]point, len(c.places))})
		}
	}
	for i, row := range rows {
		for k, column := range drawn {
			if len(names) > 0 {
				name := labelOf(row, names)
				known := false
				if k, known = which[name]; !known {
					if k = len(c.series); k == maxSeries {
						return none("%s has more than %d values, and a chart has at most %d lines. Filter, or leave it out.", columns[names[0]].Name, maxSeries, maxSeries)
					}
					which[name] = k
					c.series = append(c.series, series{name, make([]point, len(c.places))})
				}
			}
			p := &c.series[k].points[placeOf[i]]
			if p.given {
				return none("Several rows have the time %s.", c.places[placeOf[i]].label)
			}
			*p = pointOf(row[column])
		}
	}
	return nil
}

// placed sets the places in the order of time and returns the place of each row.
func (c *Chart) placed(rows [][]Cell, at int, moments []time.Time) []int {
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return moments[a].Compare(moments[b]) })
	placeOf := make([]int, len(rows))
	for _, i := range order {
		if n := len(c.places); n == 0 || !c.places[n-1].at.Equal(moments[i]) {
			c.places = append(c.places, place{label: visible(rows[i][at].Text, labelChars), at: moments[i]})
		}
		placeOf[i] = len(c.places) - 1
	}
	c.markGaps()
	return placeOf
}

// together returns the number columns that fit on one scale: those with the unit of the first, whose largest value is
// neither a hundred times as large nor a hundredth.
func together(columns []Column, rows [][]Cell, numbers []int) []int {
	first := largest(rows, numbers[0])
	out := numbers[:1:1]
	for _, i := range numbers[1:] {
		if len(out) == maxMeasures || (len(out)+1)*len(rows) > MaxPoints || columns[i].Unit != columns[numbers[0]].Unit {
			continue
		}
		if own := largest(rows, i); near(first, own) {
			out = append(out, i)
		}
	}
	return out
}

// largest returns the largest absolute value of a column; nil = it has none.
func largest(rows [][]Cell, column int) (most *big.Rat) {
	for _, row := range rows {
		if p := pointOf(row[column]); p.number != nil {
			if size := new(big.Rat).Abs(p.number); most == nil || size.Cmp(most) > 0 {
				most = size
			}
		}
	}
	return most
}

func near(a, b *big.Rat) bool {
	if a == nil || b == nil {
		return false
	}
	const factor = 100
	times := big.NewRat(factor, 1)
	return a.Cmp(new(big.Rat).Mul(b, times)) <= 0 && b.Cmp(new(big.Rat).Mul(a, times)) <= 0
}

// markGaps marks the places before which periods are missing: the steps that are longer than the usual one, where
// at least half of the steps are the usual one.
func (c *Chart) markGaps() {
	step := stepper(c.places)
	if step == nil || len(c.places) < 3 {
		return
	}
	steps := make([]int, len(c.places)-1)
	counts := map[int]int{}
	for i := range steps {
		steps[i] = step(c.places[i].at, c.places[i+1].at)
		counts[steps[i]]++
	}
	least := slices.Min(steps)
	if 2*counts[least] < len(steps) {
		return
	}
	for i, s := range steps {
		c.places[i+1].gap = s > least
	}
}

// stepper returns how steps between places are counted: in months where all are the first of one, else in days where
// all begin one; nil = they are not regular.
func stepper(places []place) func(a, b time.Time) int {
	days, months := true, true
	for _, p := range places {
		midnight := p.at.Equal(p.at.Truncate(24 * time.Hour))
		days = days && midnight
		months = months && midnight && p.at.Day() == 1
	}
	switch {
	case months:
		return func(a, b time.Time) int { return monthsOf(b) - monthsOf(a) }
	case days:
		return func(a, b time.Time) int { return int(b.Unix()-a.Unix()) / (24 * 60 * 60) }
	}
	return nil
}

func monthsOf(t time.Time) int { return t.Year()*12 + int(t.Month()) - 1 }

// layouts are how results have times, and how people write them as text.
func layouts() []string {
	return []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", time.DateOnly, "2006-01-02 15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01"}
}

// moment reads a time; one without an offset is in UTC.
func moment(text string) (time.Time, bool) {
	const longest = 64
	for _, layout := range layouts() {
		if t, err := time.Parse(layout, text[:min(len(text), longest)]); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// tick is a labelled position of an axis, from 0 to 1.
type tick struct {
	at    float64
	label string
}

// mostTicks is how many ticks an axis of time has at most.
const mostTicks = 7

// timeTicks returns round times between the first and the last place; without one, those two.
func timeTicks(places []place) (all []tick) {
	first, last := places[0].at, places[len(places)-1].at
	span := float64(last.Unix() - first.Unix())
	if span == 0 {
		return []tick{{0.5, places[0].label}}
	}
	position := func(t time.Time) float64 { return float64(t.Unix()-first.Unix()) / span }
	for t, layout, next := roundTime(places, first, span); !t.After(last); t = next(t) {
		if !t.Before(first) {
			all = append(all, tick{position(t), t.Format(layout)})
		}
	}
	if len(all) < 2 {
		all = []tick{{0, places[0].label}, {1, places[len(places)-1].label}}
	}
	return all
}

// roundTime returns the round time at or before first, how ticks are written, and the step to the next one.
func roundTime(places []place, first time.Time, span float64) (from time.Time, layout string, next func(time.Time) time.Time) {
	const day, month = 24 * 60 * 60, 2629746
	least := 1.0
	switch step := stepper(places); {
	case step != nil && step(first, first.AddDate(0, 1, 0)) == 1:
		least = month
	case step != nil:
		least = day
	}
	for _, seconds := range []int{1, 5, 15, 30, 60, 5 * 60, 15 * 60, 30 * 60, 3600, 3 * 3600, 6 * 3600, 12 * 3600, day, 2 * day, 7 * day, 14 * day} {
		if float64(seconds) >= least && least < month && span/float64(seconds) <= mostTicks {
			length := time.Duration(seconds) * time.Second
			layout = time.DateOnly
			if seconds < 60 {
				layout = time.TimeOnly
			} else if seconds < day {
				layout = "01-02 15:04"
			}
			return first.Truncate(length), layout, func(t time.Time) time.Time { return t.Add(length) }
		}
	}
	months := 24000
	for _, n := range []int{1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12000} {
		if span/float64(n*month) <= mostTicks {
			months = n
			break
		}
	}
	layout = "2006-01"
	if months >= 12 {
		layout = "2006"
	}
	begin := monthsOf(first) / months * months
	from = time.Date(begin/12, time.Month(begin%12+1), 1, 0, 0, 0, 0, time.UTC)
	return from, layout, func(t time.Time) time.Time { return t.AddDate(0, months, 0) }
}
