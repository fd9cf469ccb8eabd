package finding

import (
	"context"
	"fmt"
	"slices"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/statement"
)

// usualFilters reports filters that most recorded statements about a table have, and this one
// does not.
func (r *reading) usualFilters(ctx context.Context) {
	var h *habits
	seen := map[int]bool{}
	for _, b := range r.statement.Blocks {
		for _, rel := range b.Relations {
			if rel.Table == nil || seen[rel.Table.ID] {
				continue
			}
			if seen[rel.Table.ID] = true; h == nil {
				if h = r.habits(ctx); h == nil {
					return
				}
			}
			if one := h.tables[rel.Table.ID]; one != nil && one.statements >= leastShapes {
				r.usual(one, b, rel)
			}
		}
	}
}

// usual reports the filters of a table's habit that a statement lacks.
func (r *reading) usual(h *habit, b *statement.Block, rel *statement.Relation) {
	t := r.schema.tables[rel.Table.ID]
	if r.keyed(t) {
		return
	}
	var missing []filter
	for f, n := range h.filters {
		if n >= leastShapes && float64(n) >= leastShare*float64(h.statements) && !r.names(rel.Table, f.column) {
			missing = append(missing, f)
		}
	}
	slices.SortFunc(missing, func(a, b filter) int { return a.column - b.column })
	for _, f := range missing {
		n := h.filters[f]
		name := t.name(t.Columns[f.column].Name)
		r.add(Finding{
			Code:       AlwaysFiltered,
			Message:    fmt.Sprintf("The statement reads %s without a condition on %s.", catalog.Display(t.TableRef), t.Columns[f.column].Name),
			Evidence:   fmt.Sprintf("%d of %d recorded statements about the table have %s %s.", n, h.statements, name, f.text),
			Suggestion: fmt.Sprintf("Add the condition, unless the other rows are meant: %s %s.", name, f.text),
		}, rel.Start)
	}
}

// names reports whether the statement names a column of a table anywhere.
func (r *reading) names(t *statement.Table, column int) bool {
	for _, b := range r.statement.Blocks {
		for c := range b.Columns {
			if c.Table == t && c.Index == column {
				return true
			}
		}
	}
	return false
}

// keyed reports whether the statement looks rows of a table up by its primary key.
func (r *reading) keyed(t *table) bool {
	key := t.primary()
	for _, b := range r.statement.Blocks {
		for i := range b.Conditions {
			c := &b.Conditions[i]
			if c.Every && !c.Negated && (c.Operator == "=" || c.Operator == "IN") && c.Column.Table == t.columns && slices.Equal(key, []string{t.Columns[c.Column.Index].Name}) {
				return true
			}
		}
	}
	return false
}
