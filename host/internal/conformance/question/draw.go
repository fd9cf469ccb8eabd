package question

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// draft is a request while it is drawn.
type draft struct {
	w   *world
	rng *rand.Rand

	Measures   []string         `json:"measures,omitempty"`
	Dimensions []map[string]any `json:"dimensions,omitempty"`
	Filters    []map[string]any `json:"filters,omitempty"`
	Order      []map[string]any `json:"order_by,omitempty"`
	Limit      int              `json:"limit,omitempty"`
	Offset     int              `json:"offset,omitempty"`
	Totals     bool             `json:"totals,omitempty"`
}

func (d *draft) chance(percent int) bool { return d.rng.IntN(100) < percent }

func pick[T any](d *draft, all []T) T { return all[d.rng.IntN(len(all))] }

// draw returns request number n as JSON.
// Shape: the first asks for one number; every third has no dimension.
func (w *world) draw(n int) []byte {
	d := &draft{w: w, rng: rand.New(rand.NewPCG(1, uint64(n)))}
	t := pick(d, w.tables)
	measures, byTime := t.measures()
	var names []string
	for _, m := range measures {
		if !slices.Contains(byTime, m.Name) {
			names = append(names, m.Name)
		}
	}
	switch {
	case n%3 == 0:
	case len(byTime) > 0 && d.chance(20):
		d.measure(t, pick(d, byTime))
		d.period(t, t.columns(moment)[0])
	default:
		d.group(t)
	}
	if len(d.Dimensions) == 0 || d.chance(85) {
		for range 1 + d.rng.IntN(3) {
			d.measure(t, pick(d, names))
		}
	}
	if d.chance(50) {
		d.filter(t)
	}
	if len(d.Dimensions) > 0 && len(d.Measures) > 0 && d.chance(15) {
		d.Filters = append(d.Filters, map[string]any{"sql": fmt.Sprintf("%s.n >= %d", t.source(), 1+d.rng.IntN(2))})
	}
	d.more()
	text, err := json.Marshal(d)
	if err != nil {
		panic(err) // texts and numbers only
	}
	return text
}

func (d *draft) measure(t *table, name string) {
	if name = t.source() + "." + name; !slices.Contains(d.Measures, name) {
		d.Measures = append(d.Measures, name)
	}
}

// period groups by a period of a time.
func (d *draft) period(t *table, column int) {
	d.Dimensions = append(d.Dimensions, map[string]any{
		"field": t.source() + "." + dimension(column), "granularity": pick(d, []string{"day", "week", "month", "quarter", "year"}),
	})
}

// group groups by a column or two, of the table or of the one that it refers to.
func (d *draft) group(t *table) {
	for range 1 + d.rng.IntN(2) {
		of := t
		if t.to != nil && d.chance(40) {
			of = t.to
		}
		at := d.rng.IntN(len(of.Columns))
		name := of.source() + "." + dimension(at)
		switch {
		case slices.ContainsFunc(d.Dimensions, func(have map[string]any) bool { return have["field"] == name }):
		case kindOf(of.Columns[at].Type) == moment:
			d.period(of, at)
		default:
			d.Dimensions = append(d.Dimensions, map[string]any{"field": name})
		}
	}
}

// filter compares a column with a value that is there.
func (d *draft) filter(t *table) {
	at := d.rng.IntN(len(t.Columns))
	value := pick(d, t.rows.Rows)[at]
	f := map[string]any{"field": t.source() + "." + dimension(at)}
	d.Filters = append(d.Filters, f)
	ops := []string{"equals", "not_equals", "in", "not_in"}
	switch kindOf(t.Columns[at].Type) {
	case number:
		ops = append(ops, "gt", "gte", "lt", "lte")
	case moment:
		ops = []string{"before", "after"}
	}
	switch op := pick(d, ops); {
	case value == nil || d.chance(10):
		f["op"] = pick(d, []string{"is_null", "is_not_null"})
	case strings.HasSuffix(op, "in"):
		f["op"], f["values"] = op, []any{value, pick(d, t.rows.Rows)[at]}
	case kindOf(t.Columns[at].Type) == moment:
		f["op"], f["values"] = op, []any{value.(string)[:len("2024-01-01")]}
	default:
		f["op"], f["values"] = op, []any{value}
	}
}

// more draws an order, a limit and totals. Text is not ordered by: its order is that of
// a collation.
func (d *draft) more() {
	if len(d.Measures) > 0 && d.chance(40) {
		d.Order = append(d.Order, map[string]any{"field": d.Measures[0], "desc": d.chance(50)})
	}
	if len(d.Dimensions) > 0 && d.chance(25) {
		d.Limit, d.Offset = 1+d.rng.IntN(4), d.rng.IntN(2)
	} else if len(d.Dimensions) > 0 && len(d.Measures) > 0 && d.chance(15) {
		d.Totals = true
	}
}
