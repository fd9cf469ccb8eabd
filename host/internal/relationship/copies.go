package relationship

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

// LeastCopies is the number of tables from which on equal columns, and names that differ
// only in their digits, mean copies of one table: one for each day or part.
const LeastCopies = 3

// family finds the copies among the tables. The last by its name, which is the
// newest where digits are a date, stands for all.
func (w *warehouse) family() {
	families := map[string][]*table{}
	var names []string
	for _, t := range w.tables {
		pattern, digits := text.Family(t.ref.Name)
		if t.digits = digits; digits == "" {
			continue
		}
		name := strings.Join(append([]string{t.ref.Catalog, t.ref.Schema, pattern}, t.shape()...), "\x00")
		if families[name] == nil {
			names = append(names, name)
		}
		families[name] = append(families[name], t)
	}
	for _, name := range names {
		all := families[name]
		if len(all) < LeastCopies {
			continue
		}
		slices.SortStableFunc(all, func(a, b *table) int { return text.CompareInFamily(b.ref.Name, a.ref.Name) })
		first, copies := all[0], all[1:]
		first.copies = copies
		for _, t := range copies {
			t.first = first
		}
	}
}

// shape is the names and types of a table's columns.
func (t *table) shape() (all []string) {
	for i := range t.columns {
		all = append(all, t.columns[i].name+" "+t.columns[i].native)
	}
	return all
}

// copies gives the copies of a table what was found and decided of it. A link between two
// tables of the same digits is one between their copies of the same digits, and of
// the copies that have none there is nothing to say.
func (f *finding) copies() {
	for _, r := range f.result.Relationships {
		if r.Origin == Declared || r.Status == Rejected {
			continue
		}
		from, to := f.warehouse.at[r.From], f.warehouse.at[r.To]
		for _, t := range from.copies {
			one := r
			one.From, one.Origin, one.Evidence.Like = t.ref, Inferred, &from.ref
			if from == to {
				one.To = t.ref
			} else if to.copies != nil && from.digits == to.digits {
				i := slices.IndexFunc(to.copies, func(o *table) bool { return o.digits == t.digits })
				if i < 0 {
					continue
				}
				one.To = to.copies[i].ref
			}
			if f.open(one.From, one.Columns[0]) && !f.request.Decisions.rejected(one.Link) {
				f.add(one)
			}
		}
	}
}
