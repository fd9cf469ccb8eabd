package oracle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk"
)

// enforce draws the joins whose foreign keys the engine knows, in some worlds. They are to keys that
// the model knows. Most are enforced: each row has a partner then.
func (g *Generator) enforce() {
	own := &Generator{rng: g.keys, Features: g.Features}
	if !own.feature(40, "enforced keys") {
		return
	}
	for _, d := range g.sources {
		for _, l := range d.links {
			l.declared = d.of == nil && l.day == "" && !l.to.keyless && own.chance(85)
			l.enforced = l.declared && own.chance(80)
		}
	}
}

// complete gives every row of an enforced join a partner; it gives up the key where there are too
// few.
func (g *Generator) complete(l *link, from, to *Table) {
	if !l.enforced {
		return
	}
	columns, keys := placesOf(from, l.columns), placesOf(to, l.to.key)
	free := make([]int, len(to.Rows)) // the rows that may be referred to
	for i := range free {
		free[i] = i
	}
	taken := func(row []any) int {
		return slices.IndexFunc(free, func(i int) bool { return slices.Equal(at(row, columns), at(to.Rows[i], keys)) })
	}
	var lost [][]any
	for _, row := range from.Rows {
		found := taken(row)
		if found < 0 {
			lost = append(lost, row)
		} else if l.unique {
			free = slices.Delete(free, found, found+1)
		}
	}
	if len(lost) > 0 && len(free) == 0 || l.unique && len(lost) > len(free) {
		l.enforced = false
		return
	}
	for _, row := range lost {
		found := g.keys.IntN(len(free))
		for i, column := range columns {
			row[column] = to.Rows[free[found]][keys[i]]
		}
		if l.unique {
			free = slices.Delete(free, found, found+1)
		}
	}
}

func placesOf(t *Table, columns []string) []int {
	places := make([]int, len(columns))
	for i, c := range columns {
		places[i] = slices.Index(t.Columns, c)
	}
	return places
}

func at(row []any, places []int) []any {
	values := make([]any, len(places))
	for i, p := range places {
		values[i] = row[p]
	}
	return values
}

// declare adds the foreign keys of a source to its table.
func (d *draft) declare(t *model.Table) {
	for _, l := range d.links {
		if !l.declared {
			continue
		}
		t.ForeignKeys = append(t.ForeignKeys, model.ForeignKey{Columns: l.columns, To: sdk.TableRef{Name: l.to.name}, ToColumns: l.to.key, Enforced: l.enforced})
		for i := range t.Columns {
			t.Columns[i].NotNull = t.Columns[i].NotNull || l.enforced && slices.Contains(l.columns, t.Columns[i].Name)
		}
	}
}

// Broken says which enforced key the rows of a case break, "" = none.
func (c *Case) Broken() string {
	for _, t := range c.Tables {
		for _, k := range t.ForeignKeys {
			if !k.Enforced {
				continue
			}
			from, to := c.Data[t.Ref.Name], c.Data[k.To.Name]
			if to == nil || !slices.ContainsFunc(c.Tables, func(o *model.Table) bool { return o.Ref == k.To }) {
				continue // it is no join
			}
			columns, keys := placesOf(from, k.Columns), placesOf(to, k.ToColumns)
			for _, row := range from.Rows {
				if value := at(row, columns); !slices.ContainsFunc(to.Rows, func(o []any) bool { return slices.Equal(value, at(o, keys)) }) {
					return fmt.Sprintf("%s(%s) has %s, which %s has not", t.Ref.Name, strings.Join(k.Columns, ", "), FormatRow(value), k.To.Name)
				}
			}
		}
	}
	return ""
}

// formatReference writes what a column refers to: ">customers.id", "?customers.id" where nobody
// enforces it.
func formatReference(t *model.Table, column string) string {
	for _, k := range t.ForeignKeys {
		if i := slices.Index(k.Columns, column); i >= 0 {
			return map[bool]string{true: ">", false: "?"}[k.Enforced] + k.To.Name + "." + k.ToColumns[i]
		}
	}
	return ""
}

// cutReference cuts what formatReference wrote off the type of a column, with its sign, "" = none.
func cutReference(typ string) (before, to, sign string) {
	if at := strings.IndexAny(typ, ">?"); at >= 0 {
		return typ[:at], typ[at+1:], typ[at : at+1]
	}
	return typ, "", ""
}

// parseReference adds what a column refers to; the columns of one key follow each other.
func parseReference(t *model.Table, column, to string, enforced bool) {
	name, key, _ := strings.Cut(to, ".")
	last := len(t.ForeignKeys) - 1
	if last < 0 || t.ForeignKeys[last].To.Name != name || slices.Contains(t.ForeignKeys[last].ToColumns, key) {
		t.ForeignKeys = append(t.ForeignKeys, model.ForeignKey{To: sdk.TableRef{Name: name}, Enforced: enforced})
		last++
	}
	k := &t.ForeignKeys[last]
	k.Columns, k.ToColumns = append(k.Columns, column), append(k.ToColumns, key)
}
