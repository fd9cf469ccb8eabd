package relationship

import (
	"context"
	"slices"
	"strings"
)

// manyNamesakes is how many keys of the same columns make them say nothing.
const manyNamesakes = 4

// namesakes asks about keys of several columns that have the same names in another
// table: order_id and line_no, of lines and of what was taken off them.
func (f *finding) namesakes(ctx context.Context) error {
	type key struct {
		t       *table
		columns []string
	}
	parents := map[string][]key{} // by the names of their columns
	var names []string
	for _, t := range f.warehouse.tables {
		columns := f.numbered(t)
		if columns == nil || t.first != nil {
			continue
		}
		name := strings.Join(columns, "\x00")
		if parents[name] == nil {
			names = append(names, name)
		}
		parents[name] = append(parents[name], key{t, columns})
	}
	for _, name := range names {
		all := parents[name]
		if len(all) > manyNamesakes {
			continue
		}
		for _, from := range f.warehouse.having[all[0].columns[0]] {
			if from.first != nil || !from.hasAll(all[0].columns) || f.taken[child(from.ref, all[0].columns...)] {
				continue
			}
			for _, to := range all {
				link := Link{From: from.ref, Columns: to.columns, To: to.t.ref, ToColumns: to.columns}
				if from == to.t || f.request.Decisions.rejected(link) || !f.warehouse.under(from, to.t, to.columns) {
					continue
				}
				if err := f.composite(ctx, link, to.t); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// numbered returns the columns that are a table's key together where one refers to
// something or is called a key, and another numbers what is within it; nil for others.
func (f *finding) numbered(t *table) []string {
	if t.composite != nil {
		return t.composite
	}
	if t.key >= 0 || len(t.columns) < 2 {
		return nil
	}
	a, b := &t.columns[0], &t.columns[1]
	within := ordinals(b.last) || measures(b.last) && b.class == integers
	if !a.keyed || !within || f.taken[child(t.ref, b.name)] || !a.counted || !b.counted {
		return nil
	}
	if a.complete && b.complete && a.distinct*b.distinct < a.rows {
		return nil // some come twice
	}
	return []string{a.name, b.name}
}

func (t *table) hasAll(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return t.column(name) < 0 })
}

// under reports whether the values of a table's columns may be among those of the same
// names in another one, which is not the one that refers.
func (w *warehouse) under(from, to *table, names []string) bool {
	same := true
	for _, name := range names {
		c, p := &from.columns[from.column(name)], &to.columns[to.column(name)]
		share := containment(c, p)
		if c.class != p.class || c.empty() || c.distinct > p.distinct || share >= 0 && share < contained {
			return false
		}
		same = same && inside(p, c)
	}
	return !same || w.namer.extends(from, to) > 0 || from.detail && !to.detail
}
