// Package chart draws a result as SVG: a line over time, or bars over a category. The SVG has classes and no styles,
// and the same result gives the same text.
package chart

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
)

// Column is a column of a result.
type Column struct {
	Name string
	Type sdk.Type
	// Unit of its numbers, "" = not known.
	Unit string
}

// Cell is a value as the engine writes it.
type Cell struct {
	Text string
	Null bool
}

// Kind is a kind of chart.
type Kind string

// The kinds.
const (
	Line Kind = "line" // over time
	Bar  Kind = "bar"  // over a category
	None Kind = "none"
)

// The limits of a chart.
const (
	MaxPoints   = 500
	maxSeries   = 6 // lines of one measure, by the values of a category
	maxMeasures = 4 // lines of several measures
	maxNames    = 3 // columns that together name a bar
)

// Chart is a result that is read for drawing.
// Concurrency: never changed.
type Chart struct {
	Kind Kind
	// Reason is a sentence: what is drawn, or why nothing is.
	Reason string
	// Left are sentences about columns and values that are not drawn.
	Left []string

	axis   string // the name of what is along the axis
	unit   string // of all series
	places []place
	series []series
}

// place is a position along the axis.
type place struct {
	label string
	at    time.Time // of a line
	gap   bool      // periods are missing between this place and the one before
}

// series are values by place.
type series struct {
	name   string
	points []point
}

// point is a value; number nil = there is none that can be drawn. given: the result has a row for it.
type point struct {
	number *big.Rat
	text   string
	given  bool
}

// For chooses a chart for a result: a line for numbers over a time, bars for numbers over a category.
// Shape: Kind None with the reason when the result fits no chart.
func For(columns []Column, rows [][]Cell) *Chart {
	times, numbers, names := sorts(columns, rows)
	switch {
	case len(rows) == 0:
		return none("There are no rows.")
	case len(rows) > MaxPoints:
		return none("The result has %d rows, and a chart shows at most %d. Group by a longer period, or keep the largest.", len(rows), MaxPoints)
	case len(numbers) == 0:
		return none("No column is a number.")
	case len(times) > 0:
		return line(columns, rows, times[0], names, numbers)
	case len(names) > 0:
		return bars(columns, rows, names, numbers[0])
	}
	return none("No column is a time or a category.")
}

func none(format string, args ...any) *Chart {
	return &Chart{Kind: None, Reason: fmt.Sprintf(format, args...)}
}

// sorts divides the columns into times, numbers and names. Where all are numbers, the first names the rows if its values
// are whole and differ.
func sorts(columns []Column, rows [][]Cell) (times, numbers, names []int) {
	for i, c := range columns {
		switch c.Type {
		case sdk.TypeDate, sdk.TypeTimestamp, sdk.TypeTimestampTZ:
			times = append(times, i)
		case sdk.TypeInt64, sdk.TypeDecimal, sdk.TypeFloat64:
			numbers = append(numbers, i)
		case sdk.TypeText, sdk.TypeBool, sdk.TypeUnspecified, sdk.TypeUUID:
			switch {
			case c.Type != sdk.TypeBool && every(rows, i, func(s string) bool { _, ok := moment(s); return ok }):
				times = append(times, i)
			case c.Type == sdk.TypeUnspecified && every(rows, i, func(s string) bool { return number(s) != nil }):
				numbers = append(numbers, i)
			default:
				names = append(names, i)
			}
		}
	}
	if len(times) == 0 && len(names) == 0 && len(numbers) > 1 && whole(rows, numbers[0]) {
		names, numbers = numbers[:1], numbers[1:]
	}
	return times, numbers, names
}

// every reports whether all values of a column are something; false for a column without values.
func every(rows [][]Cell, column int, is func(string) bool) bool {
	some := false
	for _, row := range rows {
		if c := row[column]; !c.Null {
			if !is(c.Text) {
				return false
			}
			some = true
		}
	}
	return some
}

// whole reports whether the values of a column are integers that differ.
func whole(rows [][]Cell, column int) bool {
	seen := map[string]bool{}
	for _, row := range rows {
		c := row[column]
		if n := number(c.Text); c.Null || n == nil || !n.IsInt() || seen[c.Text] {
			return false
		}
		seen[c.Text] = true
	}
	return true
}

// bars makes one bar per row.
func bars(columns []Column, rows [][]Cell, names []int, value int) *Chart {
	if len(names) > maxNames {
		return none("%d columns are categories, and a bar is named by at most %d.", len(names), maxNames)
	}
	c := &Chart{Kind: Bar, axis: titles(columns, names), unit: columns[value].Unit}
	c.series = []series{{name: columns[value].Name}}
	seen := map[string]bool{}
	for _, row := range rows {
		label := labelOf(row, names)
		if seen[label] {
			return none("Several rows are called %q.", visible(label, labelChars))
		}
		seen[label] = true
		c.places = append(c.places, place{label: label})
		c.series[0].points = append(c.series[0].points, pointOf(row[value]))
	}
	c.leaveOut(columns, func(i int) bool { return i == value || slices.Contains(names, i) })
	c.Reason = fmt.Sprintf("Bars of %s by %s.", columns[value].Name, c.axis)
	return c.checked()
}

func titles(columns []Column, of []int) string {
	all := make([]string, len(of))
	for i, at := range of {
		all[i] = columns[at].Name
	}
	return strings.Join(all, ", ")
}

// labelOf joins the values that name a row.
func labelOf(row []Cell, names []int) string {
	all := make([]string, len(names))
	for i, at := range names {
		all[i] = row[at].Text
		switch {
		case row[at].Null:
			all[i] = "NULL"
		case all[i] == "":
			all[i] = "(empty)"
		}
	}
	return strings.Join(all, ", ")
}

func pointOf(c Cell) point {
	if c.Null {
		return point{given: true}
	}
	return point{number(c.Text), c.Text, true}
}

// leaveOut notes the columns that are not drawn.
func (c *Chart) leaveOut(columns []Column, drawn func(int) bool) {
	var all []string
	for i := range columns {
		if !drawn(i) {
			all = append(all, columns[i].Name)
		}
	}
	if len(all) > 0 {
		c.Left = append(c.Left, "Not drawn: "+strings.Join(all, ", ")+".")
	}
}

// checked returns the chart, or none when it has no number; it notes the values that are no numbers.
func (c *Chart) checked() *Chart {
	drawn, strange := 0, 0
	for _, s := range c.series {
		for _, p := range s.points {
			if p.number != nil {
				drawn++
			} else if p.text != "" {
				strange++
			}
		}
	}
	switch {
	case drawn == 0:
		return none("No row has a number.")
	case strange == 1:
		c.Left = append(c.Left, "1 value is no number that can be drawn.")
	case strange > 1:
		c.Left = append(c.Left, fmt.Sprintf("%d values are no numbers that can be drawn.", strange))
	}
	return c
}
