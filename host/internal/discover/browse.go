package discover

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk/sqlkit"
)

const (
	// pageTables is how many tables of a schema are listed at once.
	pageTables = 60
	// A listed table shows the names of its first heldColumns columns, or at most maxHolds
	// characters of its description or comment.
	heldColumns = 5
	maxHolds    = 120
)

// Listed is a table in a list of tables. In JSON it is one string, see String.
type Listed struct {
	Display string
	Kind    string
	Rows    *int64 // nil = not known
	Columns int
	// Holds is its description or comment, else the names of its first columns.
	Holds string
	// Copies counts the other tables that have the same columns and a name that differs
	// only in its digits.
	Copies int
}

// MarshalText implements encoding.TextMarshaler. It returns the line of String.
func (t Listed) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// String returns "shop.orders; 6000 rows; 9 columns: id, customer_id, …".
func (t Listed) String() string {
	facts := []string{t.Display}
	if t.Kind != "table" {
		facts[0] += " (" + t.Kind + ")"
	}
	if t.Copies > 0 {
		facts = append(facts, fmt.Sprintf("and %d like it", t.Copies))
	}
	if t.Rows != nil {
		facts = append(facts, text.Count(*t.Rows, "row"))
	}
	return strings.Join(append(facts, text.Count(t.Columns, "column")), "; ") + ": " + t.Holds
}

// browse adds the tables of a schema, or the tables whose names match a pattern, to the
// answer, in the order of their names. Of a family of copies it lists only the one with the
// highest digits. A pattern without a dot is compared with schema names; it is compared with
// table names only where tables have no schema.
// Errors: those of reading the snapshot and of ctx.
func (l *entityReader) browse(ctx context.Context, pattern string) error {
	found, schemas := l.tablesOf(pattern)
	if len(found) == 0 {
		l.noSchema(pattern)
		return nil
	}
	if len(schemas) > 1 {
		for _, name := range slices.Sorted(maps.Keys(schemas)) {
			l.answer.Schemas = append(l.answer.Schemas, name+": "+text.Count(schemas[name], "table"))
		}
	}
	heads, copies, err := Fold(l.snapshot, found)
	if err != nil {
		return err
	}
	l.answer.TotalTables = len(found)
	first := min(l.offset, len(heads))
	shown := heads[first:min(first+pageTables, len(heads))]
	for _, at := range shown {
		if err := ctx.Err(); err != nil {
			return err
		}
		one, err := l.listed(at)
		if err != nil {
			return err
		}
		one.Copies = copies[at]
		l.answer.Tables = append(l.answer.Tables, one)
	}
	switch last := first + len(shown); {
	case len(shown) == 0:
		l.answer.Notes = append(l.answer.Notes, fmt.Sprintf("%s: offset %d is behind the last.", text.Count(len(heads), "entry"), l.offset))
	case last < len(heads):
		l.answer.Notes = append(l.answer.Notes, fmt.Sprintf("Entries %d to %d of %d: offset %d goes on; or narrow the pattern.", first+1, last, len(heads), last))
	}
	return nil
}

// tablesOf returns the positions of the tables that match a pattern, and their number per
// schema.
func (l *entityReader) tablesOf(pattern string) (found []int, schemas map[string]int) {
	schemas = map[string]int{}
	for i, e := range l.snapshot.Entries() {
		schema := strings.TrimSuffix(catalog.Display(e.TableRef), nameOf(e))
		schema = strings.TrimSuffix(schema, ".")
		means := matches(pattern, catalog.Display(e.TableRef)) && strings.Contains(pattern, ".") ||
			matches(pattern, schema) || matches(pattern, e.Schema) ||
			strings.Contains(pattern, ".") && matches(pattern, e.Schema+"."+e.Name) ||
			e.Schema == "" && e.Catalog == "" && matches(pattern, e.Name)
		if means {
			found = append(found, i)
			schemas[schema]++
		}
	}
	return found, schemas
}

// nameOf returns the last part of a table's display name.
func nameOf(e catalog.Entry) string {
	e.TableRef.Catalog, e.TableRef.Schema = "", ""
	return catalog.Display(e.TableRef)
}

// Fold removes copies from a list of tables, given by their positions in the snapshot. Copies
// are tables of one schema with the same columns and names that differ only in their digits.
// Shape: heads keeps the order of found, and of each family only the table with the highest
// digits; copies maps that table to the number of tables removed.
// Errors: those of reading the snapshot.
func Fold(snapshot *catalog.Snapshot, found []int) (heads []int, copies map[int]int, err error) {
	l := entityReader{snapshot: snapshot}
	like := map[string][]int{} // by name first, then by columns
	for _, at := range found {
		if e := l.snapshot.Entry(at); strings.ContainsFunc(e.Name, unicode.IsDigit) {
			like[familyOf(e)] = append(like[familyOf(e)], at)
		}
	}
	first, copies := map[int]int{}, map[int]int{}
	for _, family := range like {
		if len(family) < relationship.LeastCopies {
			continue
		}
		shapes := map[catalog.Hash][]int{}
		for _, at := range family {
			shape, err := l.snapshot.Shape(at)
			if err != nil {
				return nil, nil, err
			}
			shapes[shape] = append(shapes[shape], at)
		}
		for _, all := range shapes {
			if len(all) < relationship.LeastCopies {
				continue
			}
			last := slices.MaxFunc(all, func(a, b int) int { return text.CompareInFamily(l.snapshot.Entry(a).Name, l.snapshot.Entry(b).Name) })
			copies[last] = len(all) - 1
			for _, at := range all {
				first[at] = last
			}
		}
	}
	for _, at := range found {
		if last, is := first[at]; !is || last == at {
			heads = append(heads, at)
		}
	}
	return heads, copies, nil
}

// listed returns the line of the table at a position.
// Errors: those of reading the snapshot.
func (l *entityReader) listed(at int) (Listed, error) {
	t, err := l.snapshot.At(at)
	if err != nil {
		return Listed{}, err
	}
	p, err := l.snapshot.Profile(at)
	if err != nil {
		return Listed{}, err
	}
	one := Listed{Display: catalog.Display(t.TableRef), Kind: kindOf(t.Kind), Rows: rowsOf(t.RowEstimate, p), Columns: len(t.Columns), Holds: flat(t.Comment)}
	if s := l.source(t.TableRef); s != nil && s.Description != "" {
		one.Holds = flat(s.Description)
	}
	if one.Holds != "" {
		if head := cut(one.Holds, maxHolds); head != one.Holds {
			one.Holds = head + "…"
		}
		return one, nil
	}
	var names []string
	for _, c := range t.Columns[:min(heldColumns, len(t.Columns))] {
		names = append(names, word(c.Name))
	}
	if len(t.Columns) > heldColumns {
		names = append(names, "…")
	}
	one.Holds = strings.Join(names, ", ")
	return one, nil
}

// noSchema adds the error of a pattern that matches no table, with the nearest schemas.
func (l *entityReader) noSchema(pattern string) {
	all := map[string]bool{}
	for _, e := range l.snapshot.Entries() {
		all[e.Schema] = true
	}
	names := slices.Sorted(maps.Keys(all))
	name, _, _ := strings.Cut(pattern, ".")
	near := sqlkit.Nearest(name, names)
	if len(near) == 0 {
		near = names[:min(maxSchemas, len(names))]
	}
	l.answer.Errors = append(l.answer.Errors, EntityError{
		Input: brief(pattern), Code: codeNotFound, Candidates: near,
		Message: fmt.Sprintf("connection %s has no schema or table like %q in its snapshot; take a schema that exists, a pattern such as %q, or \"*\" for all",
			l.connection, brief(pattern), "*order*.*"),
	})
}

// maxSchemas bounds the schemas that are listed when a pattern matches none.
const maxSchemas = 20
