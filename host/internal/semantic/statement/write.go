// Package statement writes a relational plan as one SQL statement, from the dialect's
// data alone. It is the only package that writes SELECT.
//
// A relation is merged into the SELECT of its input as long as SQL evaluates it in the
// plan's order (joins, WHERE, GROUP BY, HAVING, columns, ORDER BY); else the input
// becomes a subquery, and a shared one a CTE.
package statement

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/plan"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Write returns the statement of a plan. Its columns are those of root in their order,
// under their names, cut where the engine's identifiers are shorter. The same plan
// gives the same text.
// ended is asked before each relation is written, for an error once nobody waits for the
// statement any more; nil = somebody always waits.
// Errors: those of ended; KindUnsupported for what the dialect cannot write, KindInvalid for a text
// that no statement may have, KindLimit beyond expression.MaxSQLBytes.
func Write(d *dialect.Dialect, root plan.Relation, ended func() error) (string, error) {
	if err := d.Understood(); err != nil {
		return "", sdk.Errorf(sdk.KindUnsupported, sdk.SourceHost, "the connector describes its dialect in words of a later version: %w", err).
			WithHint("update Loam, or use a connector of its version")
	}
	if ended == nil {
		ended = func() error { return nil }
	}
	w := &writer{d: d, ended: ended, shared: map[*plan.Shared]*cte{}, result: map[string]bool{}}
	w.root = w.fitting(root.Columns())
	all := relations(root)
	w.used, w.taken = demanded(all), w.tables(all)
	for _, c := range w.root {
		w.result[strings.ToLower(c.Name)] = true
	}
	b, err := w.build(root, w.scope())
	if err != nil {
		return "", err
	}
	if !b.sorted && b.captures(w.root) {
		if b, err = b.wrap(w.scope()); err != nil {
			return "", err
		}
	}
	items, err := b.items(w.root, nil)
	if err != nil {
		return "", err
	}
	text, err := b.selected(items, "\n")
	if len(w.ctes) > 0 {
		text = "WITH " + strings.Join(w.ctes, ",\n") + "\n" + text
	}
	return text, err
}

// Writes reports whether a dialect can write an expression over columns.
func Writes(d *dialect.Dialect, x expression.Node) bool {
	p := expression.Printer{Dialect: d, Column: func(*expression.Column) (string, error) { return "x", nil }}
	_, err := p.Value(x)
	return err == nil
}

// Empty writes a statement that has the columns of a query and no rows.
func Empty(d *dialect.Dialect, query string) string {
	w := &writer{d: d}
	return "SELECT *\nFROM " + w.table(plan.Table{Query: query}, w.quote("none")) + "\nWHERE 1 = 0"
}

// writer writes one statement.
type writer struct {
	d     *dialect.Dialect
	ended func() error
	// root are the columns of the result.
	root []plan.Column
	// used are the columns that anything reads.
	used map[int]bool
	// ctes are written, in an order in which each knows those that it reads.
	ctes   []string
	length int // of ctes
	shared map[*plan.Shared]*cte
	// optional: the tables that are written are in an EXISTS, which some engines
	// carry out as an outer join.
	optional bool
	// taken are names that no CTE may have, result those of the result's columns,
	// both in lower case.
	taken, result map[string]bool
}

// cte is a shared relation that is written.
type cte struct {
	name  string
	names map[int]string
}

// quote writes an identifier.
func (w *writer) quote(name string) string { return w.d.QuoteIdentifier(name) }

// tables are the names that tables of the plan could be called by, in lower case: a
// CTE of that name would be read in their place.
func (w *writer) tables(all []plan.Relation) map[string]bool {
	taken := map[string]bool{}
	for _, r := range all {
		s, ok := r.(*plan.Scan)
		if !ok {
			continue
		}
		if len(s.Table.Path) > 0 {
			taken[strings.ToLower(s.Table.Path[len(s.Table.Path)-1])] = true
		}
		tokens, err := w.d.Tokens(s.Table.Query, nil)
		if err != nil {
			continue // the guard refuses the statement
		}
		for _, t := range tokens {
			if t.Kind == dialect.TokenWord || t.Kind == dialect.TokenQuoted {
				taken[strings.ToLower(w.d.Unquote(s.Table.Query, t))] = true
			}
		}
	}
	return taken
}

// relations are those of a plan, each once, inputs last.
func relations(root plan.Relation) (all []plan.Relation) {
	seen := map[plan.Relation]bool{}
	var walk func(plan.Relation)
	walk = func(r plan.Relation) {
		if seen[r] {
			return
		}
		seen[r] = true
		all = append(all, r)
		for _, in := range r.Inputs() {
			walk(in)
		}
	}
	walk(root)
	return all
}

// demanded are the columns that a plan reads: those of its result, the first of all,
// and all that they are made of.
func demanded(all []plan.Relation) map[int]bool {
	used := map[int]bool{}
	for _, c := range all[0].Columns() {
		used[c.ID] = true
	}
	for before := -1; before < len(used); {
		before = len(used)
		for _, r := range all {
			demand(r, used)
		}
	}
	return used
}

// demand adds what a relation reads to give the columns that are used.
func demand(r plan.Relation, used map[int]bool) {
	need := func(n expression.Node) {
		if n == nil {
			return
		}
		expression.Walk(n, func(n expression.Node) bool {
			if c, ok := n.(*expression.Column); ok {
				used[c.ID] = true
			}
			return true
		})
	}
	switch r := r.(type) {
	case *plan.Filter:
		need(r.Cond)
	case *plan.Join:
		need(r.On)
	case *plan.Project:
		for _, v := range r.Values {
			if used[v.ID] || r.Distinct {
				used[v.ID] = true
				need(v.X)
			}
		}
	case *plan.Aggregate:
		for _, id := range r.By {
			used[id] = true
		}
		if len(r.By) == 0 && len(r.Values) > 0 && !slices.ContainsFunc(r.Values, func(v plan.Value) bool { return used[v.ID] }) {
			used[r.Values[0].ID] = true // there is one row because something is aggregated
		}
		for _, v := range r.Values {
			if used[v.ID] {
				need(v.X)
			}
		}
	case *plan.Window:
		for _, v := range r.Values {
			if used[v.ID] {
				need(v.X)
				for _, x := range v.Partition {
					need(x)
				}
				for _, o := range v.By {
					need(o.X)
				}
			}
		}
	case *plan.Union:
		for _, c := range r.Out {
			for _, id := range c.From {
				if used[c.ID] {
					used[id] = true
				}
			}
		}
	case *plan.Spine:
		need(r.From)
		need(r.To)
	case *plan.Sort:
		for _, o := range r.By {
			need(o.X)
		}
	}
}

// unsupported is what a dialect cannot write.
func (w *writer) unsupported(what, hint string) error {
	return &sdk.Error{Kind: sdk.KindUnsupported, Source: sdk.SourceHost, Msg: what + " cannot be written in the " + w.d.Name + " dialect", Hint: hint}
}

// fits refuses a statement that is longer than one may be, as soon as a part of it is.
func (w *writer) fits(part int) error {
	if w.length+part <= expression.MaxSQLBytes {
		return nil
	}
	return &sdk.Error{Kind: sdk.KindLimit, Source: sdk.SourceCaller, Msg: fmt.Sprintf("the statement has more than %d bytes", expression.MaxSQLBytes), Hint: "ask for fewer measures, dimensions or values"}
}

// broken is a plan that no relation makes sense of.
func broken(what string) error {
	return &sdk.Error{Kind: sdk.KindInternal, Source: sdk.SourceHost, Msg: "a plan is not sound: " + what, Hint: "report this request"}
}
