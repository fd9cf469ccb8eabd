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
	// heldColumns and maxHolds are how many columns, and characters of a comment, say what a
	// table holds.
	heldColumns = 5
	maxHolds    = 120
)

// Listed is a table in a list. It is written as one line, see String.
type Listed struct {
	Display string
	Kind    string
	Rows    *int64
	Columns int
	// Holds is its description or comment, else the names of its first columns.
	Holds string
	// Copies are other tables of the same columns whose names differ in their digits.
	Copies int
}

// MarshalText implements encoding.TextMarshaler: a table is a line in JSON too.
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

// browse lists the tables of a schema, or those whose names a pattern matches, in the order
// of their names. Of copies the newest by its digits stands for all. A pattern without a
// dot is one of schemas, where a table has one.
// Errors: those of reading the snapshot and of ctx.
func (l *look) browse(ctx context.Context, pattern string) error {
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

// tablesOf returns the positions of the tables that a pattern means, and how many each
// schema has of them.
func (l *look) tablesOf(pattern string) (found []int, schemas map[string]int) {
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

// nameOf is the last part of a table's name as it is shown.
func nameOf(e catalog.Entry) string {
	e.TableRef.Catalog, e.TableRef.Schema = "", ""
	return catalog.Display(e.TableRef)
}

// Fold leaves the copies out of a list of tables, by their positions: the newest by its
// digits stands for them, and copies says for how many others.
// Errors: those of reading the snapshot.
func Fold(snapshot *catalog.Snapshot, found []int) (heads []int, copies map[int]int, err error) {
	l := look{snapshot: snapshot}
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
		shapes := map[string][]int{}
		for _, at := range family {
			shape, err := l.shape(at)
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

// listed describes a table in a line.
// Errors: those of reading the snapshot.
func (l *look) listed(at int) (Listed, error) {
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

// noSchema says that a pattern means no table, and which schemas there are.
func (l *look) noSchema(pattern string) {
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

// maxSchemas is how many schemas are offered for one that is not there.
const maxSchemas = 20
