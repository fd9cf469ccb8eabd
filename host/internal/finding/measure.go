package finding

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/statement"
)

// measures reports aggregates of a statement that are measures of the semantic layer under the
// same filters. The statement may join what each row of the measure's source leads to.
func (r *reading) measures(ctx context.Context) {
	if len(r.statement.Blocks) != 1 {
		return
	}
	b := r.statement.Blocks[0]
	if !b.Whole() || len(b.Aggregates) == 0 || len(b.Relations) > maxJoined || len(b.On) > 0 {
		return
	}
	a := &asked{reading: r, block: b, tables: map[*statement.Table]*joined{}}
	for _, rel := range b.Relations {
		if rel.Table == nil || a.tables[rel.Table] != nil {
			return
		}
		a.tables[rel.Table] = &joined{table: r.schema.tables[rel.Table.ID], optional: rel.Optional}
	}
	state := r.model(ctx)
	if state == nil {
		return
	}
	a.model = state.Model
	if !a.filters() || !a.aggregates() {
		return
	}
	for _, rel := range b.Relations {
		for _, s := range sourcesOf(a.model, a.tables[rel.Table].table) {
			if s.Broken == "" && s.Visibility == model.Public && a.leads(s, rel.Table) {
				a.source(ctx, s)
			}
		}
	}
}

// asked is a statement about the rows of one table, and of those that each of them leads to.
type asked struct {
	*reading
	model  *model.Model
	block  *statement.Block
	tables map[*statement.Table]*joined
	where  []clause // all of which a row fulfils
	// items are the byte offsets of the items by the texts of the calculations with aggregates
	// in them.
	items map[string][]int
	// used are the equalities by which the source that is compared leads to the other tables.
	used map[[2]end]bool
}

// clause is a condition of the statement.
type clause struct {
	canon string
	expr  *statement.Expr
}

// filters reads the conditions of the statement; false = one of them cannot be compared.
func (a *asked) filters() bool {
	for _, e := range a.block.Where {
		tree, names, ok := a.parse(e)
		if !ok {
			return false
		}
		text, ok := a.canon(names).of(tree)
		if !ok {
			return false
		}
		a.where = append(a.where, clause{text, e})
	}
	slices.SortFunc(a.where, func(a, b clause) int { return a.expr.Start - b.expr.Start })
	return true
}

// parse reads the text of an expression in the language of the semantic layer, and returns the
// columns of its names.
func (a *asked) parse(e *statement.Expr) (tree expression.Node, names map[*expression.Name]*statement.Column, ok bool) {
	if e == nil || e.Start < 0 || e.End > len(a.statement.Text) || e.Start >= e.End {
		return nil, nil, false
	}
	tree, err := expression.Parse(a.statement.Text[e.Start:e.End])
	if err != nil {
		return nil, nil, false
	}
	refs, written := refsOf(e), expression.Names(tree)
	if len(refs) != len(written) {
		return nil, nil, false
	}
	names = make(map[*expression.Name]*statement.Column, len(written))
	for i, n := range written {
		c := refs[i].Column
		if c == nil || c.Nested || c.Through || a.tables[c.Table] == nil || !strings.EqualFold(n.Parts[len(n.Parts)-1], refs[i].Name[len(refs[i].Name)-1].Text) {
			return nil, nil, false
		}
		names[n] = c
	}
	return tree, names, true
}

// refsOf returns the names of an expression in the order of the text.
func refsOf(e *statement.Expr) (all []*statement.Expr) {
	if e == nil {
		return nil
	}
	if e.Kind == statement.Ref {
		return []*statement.Expr{e}
	}
	for _, arg := range e.Args {
		all = append(all, refsOf(arg)...)
	}
	all = append(all, refsOf(e.Filter)...)
	slices.SortFunc(all, func(a, b *statement.Expr) int { return a.Start - b.Start })
	return all
}

// canon returns a writer of expressions of the statement.
func (a *asked) canon(names map[*expression.Name]*statement.Column) *canon {
	return &canon{required: a.required, mean: func(n *expression.Name) (string, bool) {
		c := names[n]
		if c == nil {
			return "", false
		}
		return meaning(c.Table.ID, c.Index), true
	}}
}

// meaning is what stands for a column of the table at a position.
func meaning(table, column int) string { return fmt.Sprintf("$%d.%d", table, column) }

func (a *asked) required(text string) bool {
	for of, j := range a.tables {
		for at := range j.Columns {
			if text == meaning(of.ID, at) {
				return !j.optional && !j.Columns[at].Nullable
			}
		}
	}
	return false
}

// match is a measure that an item of the statement is.
type match struct {
	measure *model.Measure
	filters []string
}

// source compares the aggregates of the statement with the measures of a source. Of several
// that an item is, the one counts that has most of the statement's conditions.
func (a *asked) source(ctx context.Context, s *model.Source) {
	best := map[int]match{}
	for i := range s.Measures {
		m := &s.Measures[i]
		if m.Visibility != model.Public || m.Name == "" || m.Name == model.RowCount {
			continue
		}
		text, filters, ok := a.measure(s, m, 0)
		if !ok || !a.has(filters) {
			continue
		}
		for _, at := range a.items[text] {
			if before, found := best[at]; !found || len(filters) > len(before.filters) {
				best[at] = match{m, filters}
			}
		}
	}
	for _, at := range slices.Sorted(maps.Keys(best)) {
		m := best[at]
		if request, ok := a.request(s, m.measure, m.filters); ok && a.service.Try(ctx, a.warehouse.ID, request) == nil {
			a.report(s, m.measure, request, at)
		}
	}
}

// has reports whether the statement has conditions.
func (a *asked) has(conditions []string) bool {
	for _, f := range conditions {
		if !slices.ContainsFunc(a.where, func(c clause) bool { return c.canon == f }) {
			return false
		}
	}
	return true
}

func (a *asked) report(s *model.Source, m *model.Measure, request json.RawMessage, at int) {
	evidence := "The semantic layer defines it over the same rows of " + catalog.Display(s.Table) + "."
	if m.Description != "" {
		evidence = "The semantic layer describes it: " + shortened(m.Description)
	}
	a.add(Finding{
		Code:       MetricExists,
		Message:    fmt.Sprintf("The aggregate is the measure %s.%s.", s.Name, m.Name),
		Evidence:   evidence,
		Suggestion: "Ask sl_query with " + string(request),
	}, at)
}

// shortened returns a description that was written by a person, at most some words of it.
func shortened(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if short := []rune(text); len(short) > 200 {
		return string(short[:200]) + "…"
	}
	return text
}

// maxItems bounds the items of a statement that are compared with measures.
const maxItems = 200

// aggregates reads the items; false = none has a calculation with aggregates.
func (a *asked) aggregates() bool {
	a.items = map[string][]int{}
	for _, item := range a.block.Items[:min(maxItems, len(a.block.Items))] {
		tree, names, ok := a.parse(item.Expr)
		if !ok {
			continue
		}
		c, at := a.canon(names), item.Expr.Start
		expression.Walk(tree, func(n expression.Node) bool {
			if !hasAggregate(n) {
				return false
			}
			if text, ok := c.of(n); ok && !slices.Contains(a.items[text], at) {
				a.items[text] = append(a.items[text], at)
			}
			return true
		})
	}
	return len(a.items) > 0
}

func hasAggregate(n expression.Node) (found bool) {
	expression.Walk(n, func(n expression.Node) bool {
		if _, is := n.(*expression.Aggregate); is {
			found = true
		}
		return !found
	})
	return found
}
