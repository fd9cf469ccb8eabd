package oracle_test

import (
	"context"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/oracle"
	"github.com/loam-data/loam/host/internal/semantic/request"
)

// shrink takes away from a failing case what it fails without: parts of the
// request, lines and files of the model, rows, tables.
func shrink(ctx context.Context, db *engine, c *oracle.Case, v verdict) (*oracle.Case, verdict) {
	for smaller := true; smaller; {
		smaller = false
		for _, next := range reductions(c) {
			m := next.Model(db.dialect)
			if next.Broken() != "" || len(problemsOf(m)) > 0 || len(next.Source()) >= len(c.Source()) {
				continue
			}
			if w := judge(ctx, db, m, next); w.fault == v.fault {
				c, v, smaller = next, w, true
				break
			}
		}
	}
	return c, v
}

// reductions are the cases that are smaller by one thing, what shows most first.
func reductions(c *oracle.Case) (all []*oracle.Case) {
	add := func(change func(*oracle.Case)) {
		next := *c
		next.Files = slices.Clone(c.Files)
		next.Data = oracle.Data{}
		for name, t := range c.Data {
			next.Data[name] = &oracle.Table{Columns: t.Columns, Rows: t.Rows}
		}
		change(&next)
		all = append(all, &next)
	}
	shorter(c, add)
	for i := range c.Tables {
		name := c.Tables[i].Ref.Name
		add(func(n *oracle.Case) {
			n.Tables = slices.Delete(slices.Clone(c.Tables), i, i+1)
			n.Files = slices.DeleteFunc(n.Files, func(f oracle.File) bool { return f.Path == name+".yaml" || strings.Contains(f.Text, "FROM "+name+" ") })
			for j, f := range n.Files { // and the joins to it
				n.Files[j].Text = without(f.Text, func(line string) bool { return strings.Contains(line, "to: "+name+",") })
			}
		})
	}
	for i, f := range c.Files {
		for at, line := range strings.SplitAfter(f.Text, "\n") {
			if strings.HasPrefix(line, "  - ") {
				add(func(n *oracle.Case) {
					lines := strings.SplitAfter(f.Text, "\n")
					n.Files[i].Text = without(strings.Join(slices.Delete(lines, at, at+1), ""), func(string) bool { return false })
				})
			}
		}
	}
	for name, t := range c.Data {
		for i := range t.Rows {
			add(func(n *oracle.Case) { n.Data[name].Rows = slices.Delete(slices.Clone(t.Rows), i, i+1) })
		}
	}
	return all
}

// without drops lines, and headings that nothing is left below.
func without(text string, drop func(string) bool) string {
	lines := slices.DeleteFunc(strings.SplitAfter(text, "\n"), drop)
	var kept []string
	for i, line := range lines {
		heading := strings.HasSuffix(strings.TrimSpace(line), ":")
		if !heading || i+1 < len(lines) && strings.HasPrefix(lines[i+1], "  ") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// shorter are the cases with less in the request.
func shorter(c *oracle.Case, add func(func(*oracle.Case))) {
	r := c.Request
	cut(r.OrderBy, func(s []request.Order) { add(func(n *oracle.Case) { n.Request.OrderBy = s }) })
	cut(r.Measures, func(s []request.Measure) { add(func(n *oracle.Case) { n.Request.Measures = s }) })
	cut(r.Dimensions, func(s []request.Dimension) { add(func(n *oracle.Case) { n.Request.Dimensions = s }) })
	cut(r.Filters, func(s []request.Filter) { add(func(n *oracle.Case) { n.Request.Filters = s }) })
	cut(r.Segments, func(s []string) { add(func(n *oracle.Case) { n.Request.Segments = s }) })
	cut(r.DateRanges, func(s []request.DateRange) { add(func(n *oracle.Case) { n.Request.DateRanges = s }) })
	if r.Limit > 0 || r.Offset > 0 {
		add(func(n *oracle.Case) { n.Request.Limit, n.Request.Offset = 0, 0 })
	}
	if r.IncludeEmpty {
		add(func(n *oracle.Case) { n.Request.IncludeEmpty = false })
	}
	if r.Totals || r.Rest || r.LimitPer != nil {
		add(func(n *oracle.Case) { n.Request.Totals = false })
		add(func(n *oracle.Case) { n.Request.Rest = false })
		add(func(n *oracle.Case) { n.Request.LimitPer = nil })
	}
	if r.FillGaps {
		add(func(n *oracle.Case) { n.Request.FillGaps = false })
	}
	if r.Fanout != "" {
		add(func(n *oracle.Case) { n.Request.Fanout = "" })
	}
}

// cut calls f with a list without each of its elements.
func cut[T any](list []T, f func([]T)) {
	for i := range list {
		f(slices.Delete(slices.Clone(list), i, i+1))
	}
}
