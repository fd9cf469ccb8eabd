package relationship

import (
	"context"
	"slices"

	"github.com/loam-data/loam/sdk"
)

// composites extends accepted links: where the columns of a table's key of
// several refer to other tables, a table whose columns refer to all of the same
// may refer to that key.
func (f *finding) composites(ctx context.Context) error {
	type end struct {
		to     sdk.TableRef
		column string
	}
	refers := map[sdk.TableRef]map[end][]string{} // table → what its columns refer to
	for _, r := range f.result.Relationships {
		if r.Status != Accepted || len(r.Columns) != 1 {
			continue
		}
		if refers[r.From] == nil {
			refers[r.From] = map[end][]string{}
		}
		to := end{r.To, r.ToColumns[0]}
		refers[r.From][to] = append(refers[r.From][to], r.Columns[0])
	}
	users := map[end][]sdk.TableRef{} // in the order of the tables
	for _, t := range f.warehouse.tables {
		for to := range refers[t.ref] {
			users[to] = append(users[to], t.ref)
		}
	}
	for _, parent := range f.warehouse.tables {
		key := f.keyColumns(parent)
		var ends []end
		for _, column := range key {
			for to, columns := range refers[parent.ref] {
				if len(columns) == 1 && columns[0] == column {
					ends = append(ends, to)
				}
			}
		}
		if len(key) < 2 || len(ends) != len(key) {
			continue
		}
		for _, from := range users[ends[0]] {
			link := Link{From: from, To: parent.ref, ToColumns: key}
			for _, to := range ends {
				if columns := refers[from][to]; len(columns) == 1 {
					link.Columns = append(link.Columns, columns[0])
				}
			}
			if from == parent.ref || len(link.Columns) != len(key) || f.taken[child(from, link.Columns...)] || f.request.Decisions.rejected(link) {
				continue
			}
			if err := f.composite(ctx, link, parent); err != nil {
				return err
			}
		}
	}
	return nil
}

// keyColumns returns the columns of a table that are its key together: the
// declared ones, or those that lead the table and refer to something.
func (f *finding) keyColumns(t *table) []string {
	if t.composite != nil || t.key >= 0 {
		return t.composite
	}
	var key []string
	for i := range t.columns {
		name := t.columns[i].name
		if !f.taken[child(t.ref, name)] {
			break
		}
		key = append(key, name)
	}
	return key
}

// composite validates a link to a key of several columns.
func (f *finding) composite(ctx context.Context, link Link, parent *table) error {
	f.result.Candidates++
	// Its columns refer to the same tables: that is as good as a name.
	r := Relationship{Link: link, Origin: Inferred, Status: Review, Score: weightName + weightKey, Evidence: Evidence{Name: 1, Key: 1, Coverage: -1, Containment: -1}}
	declared := slices.Equal(parent.composite, link.ToColumns)
	done, err := f.check(ctx, Candidate{Link: link, Unique: declared}, &r)
	switch {
	case err != nil || !done:
		return err
	case r.Status == Rejected:
		f.result.Refuted = append(f.result.Refuted, r)
	default:
		f.add(r)
	}
	return nil
}
