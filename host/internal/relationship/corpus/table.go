// Package corpus makes warehouses that declare no keys, in the shapes of real
// ones, and knows what refers to what in them: it measures how well inference
// finds that. Tests only.
//
// A warehouse is made from a seed, so that it is the same on every machine, and
// it is asked in memory: its profiles are those that connectors make, its
// validations count as the anti-join of a scan does.
package corpus

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Warehouse is tables without declared keys.
type Warehouse struct {
	Name   string
	Tables []*Table
	// References are what refers to what. Open are links that hold as well, and of
	// which only a person knows whether they are meant: to accept one is as right as
	// to ask.
	References, Open []relationship.Link
	// Validations is how many validations were asked for.
	Validations int

	rng *rand.Rand
}

// Table is a table with its rows, column by column.
type Table struct {
	sdk.TableRef
	Columns []*Column

	w    *Warehouse
	rows int
}

// Column is a column with its value in each row; "" = NULL.
type Column struct {
	sdk.Column
	Values []string
}

func newWarehouse(name string, seed uint64) *Warehouse {
	return &Warehouse{Name: name, rng: rand.New(rand.NewPCG(seed, uint64(len(name))))}
}

// table adds a table without columns.
func (w *Warehouse) table(schema, name string, rows int) *Table {
	t := &Table{TableRef: sdk.TableRef{Schema: schema, Name: name}, w: w, rows: rows}
	w.Tables = append(w.Tables, t)
	return t
}

// column adds a column of which value gives each row's value.
func (t *Table) column(name string, typ sdk.Type, value func(row int) string) *Table {
	c := &Column{Column: sdk.Column{Name: name, Type: typ, NativeType: typ.String(), Nullable: true}, Values: make([]string, t.rows)}
	for i := range c.Values {
		c.Values[i] = value(i)
	}
	t.Columns = append(t.Columns, c)
	return t
}

// key adds the numbers from 1 on.
func (t *Table) key(name string) *Table {
	return t.column(name, sdk.TypeInt64, func(row int) string { return strconv.Itoa(row + 1) })
}

// shuffled adds the numbers from 1 on, in another order.
func (t *Table) shuffled(name string) *Table {
	order := t.w.rng.Perm(t.rows)
	return t.column(name, sdk.TypeInt64, func(row int) string { return strconv.Itoa(order[row] + 1) })
}

// from adds the numbers from one on.
func (t *Table) from(name string, first int) *Table {
	return t.column(name, sdk.TypeInt64, func(row int) string { return strconv.Itoa(first + row) })
}

// code adds a unique text, zero-padded as the numbers of documents are.
func (t *Table) code(name, prefix string, digits, from int) *Table {
	return t.column(name, sdk.TypeText, func(row int) string { return fmt.Sprintf("%s%0*d", prefix, digits, from+row) })
}

// number adds numbers from low to high.
func (t *Table) number(name string, low, high int) *Table {
	return t.column(name, sdk.TypeInt64, func(int) string { return strconv.Itoa(low + t.w.rng.IntN(high-low+1)) })
}

// word adds one of some words.
func (t *Table) word(name string, words ...string) *Table {
	return t.column(name, sdk.TypeText, func(int) string { return words[t.w.rng.IntN(len(words))] })
}

// amount adds decimal numbers.
func (t *Table) amount(name string) *Table {
	return t.column(name, sdk.TypeFloat64, func(int) string { return fmt.Sprintf("%.2f", t.w.rng.Float64()*1000) })
}

// day adds days of a year.
func (t *Table) day(name string) *Table {
	return t.column(name, sdk.TypeDate, func(int) string { return fmt.Sprintf("2024-%02d-%02d", 1+t.w.rng.IntN(12), 1+t.w.rng.IntN(28)) })
}

// random adds a text of some of the letters in each row, no two alike; - in the form
// stays as it is.
func (t *Table) random(name, prefix, letters, form string) *Table {
	seen := map[string]bool{}
	return t.column(name, sdk.TypeText, func(int) string {
		for {
			text := []byte(form)
			for i := range text {
				if text[i] != '-' {
					text[i] = letters[t.w.rng.IntN(len(letters))]
				}
			}
			if !seen[string(text)] {
				seen[string(text)] = true
				return prefix + string(text)
			}
		}
	})
}

const hex = "0123456789abcdef"

// hashes adds a hash of each row.
func (t *Table) hashes(name string) *Table { return t.random(name, "", hex, strings.Repeat("x", 32)) }

// uuids adds a UUID of each row, as text.
func (t *Table) uuids(name string) *Table {
	return t.random(name, "", hex, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx")
}

// names adds the words given, one in each row.
func (t *Table) names(name string, words ...string) *Table {
	return t.column(name, sdk.TypeText, func(row int) string { return words[row] })
}

// refer adds a column that refers to another table's; orphans and nulls are the
// shares of values that refer to nothing and of those that are not there.
func (t *Table) refer(name string, to *Table, column string, orphans, nulls float64) *Table {
	parent := to.get(column)
	return t.draw(name, to, column, func() string {
		switch at := t.w.rng.Float64(); {
		case at < nulls:
			return ""
		case at < nulls+orphans:
			gone := max(1, int(orphans*float64(len(parent.Values)))) // deleted, with all that referred to them
			if parent.Type == sdk.TypeInt64 {
				return strconv.Itoa(9_000_000 + t.w.rng.IntN(gone))
			}
			return mirrored(parent.Values[t.w.rng.IntN(gone)])
		}
		return parent.Values[t.w.rng.IntN(len(parent.Values))]
	})
}

// mirrored is a text like another one.
func mirrored(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case '0' <= r && r <= '9':
			return '0' + '9' - r
		case 'A' <= r && r <= 'Z':
			return 'A' + 'Z' - r
		}
		return r
	}, text)
}

// skewed adds a column that refers to few rows of another table's often and to
// most of them seldom.
func (t *Table) skewed(name string, to *Table, column string, nulls float64) *Table {
	parent, order := to.get(column), t.w.rng.Perm(to.rows)
	return t.draw(name, to, column, func() string {
		if t.w.rng.Float64() < nulls {
			return ""
		}
		at := t.w.rng.Float64()
		return parent.Values[order[int(at*at*at*float64(to.rows))]]
	})
}

// few adds a column that refers to n rows of another table's only.
func (t *Table) few(name string, to *Table, column string, n int, nulls float64) *Table {
	parent, order := to.get(column), t.w.rng.Perm(to.rows)[:n]
	return t.draw(name, to, column, func() string {
		if t.w.rng.Float64() < nulls {
			return ""
		}
		return parent.Values[order[t.w.rng.IntN(n)]]
	})
}

// orZero adds a column that refers to another table's, with 0 where it refers to
// nothing.
func (t *Table) orZero(name string, to *Table, column string, zeros float64) *Table {
	parent := to.get(column)
	return t.draw(name, to, column, func() string {
		if t.w.rng.Float64() < zeros {
			return "0"
		}
		return parent.Values[t.w.rng.IntN(to.rows)]
	})
}

// draw adds a column that refers to another table's, by the values given.
func (t *Table) draw(name string, to *Table, column string, value func() string) *Table {
	t.column(name, to.get(column).Type, func(int) string { return value() })
	t.w.References = append(t.w.References, t.link(name, to, column))
	return t
}

// either adds a column whose values are of one of two tables each, which another
// column or nothing says.
func (t *Table) either(name string, a, b *Table, column string, nulls float64) *Table {
	one, other := a.get(column), b.get(column)
	t.column(name, one.Type, func(int) string {
		switch at := t.w.rng.Float64(); {
		case at < nulls:
			return ""
		case at < nulls+(1-nulls)*.7:
			return one.Values[t.w.rng.IntN(a.rows)]
		}
		return other.Values[t.w.rng.IntN(b.rows)]
	})
	t.open(name, a, column)
	t.open(name, b, column)
	return t
}

// to adds a column that refers to another table's in every row.
func (t *Table) to(name string, to *Table, column string) *Table {
	return t.refer(name, to, column, 0, 0)
}

// shuffledRefer adds a column that refers to each row of another table once, or to
// some of a larger one.
func (t *Table) shuffledRefer(name string, to *Table, column string) *Table {
	parent, order := to.get(column), t.w.rng.Perm(to.rows)
	t.column(name, parent.Type, func(row int) string { return parent.Values[order[row]] })
	t.w.References = append(t.w.References, t.link(name, to, column))
	return t
}

// pair adds two columns that refer to two of the same names together.
func (t *Table) pair(names [2]string, to *Table) *Table {
	rows := make([]int, t.rows)
	for i := range rows {
		rows[i] = t.w.rng.IntN(to.rows)
	}
	for _, name := range names {
		parent := to.get(name)
		t.column(name, parent.Type, func(row int) string { return parent.Values[rows[row]] })
	}
	t.w.References = append(t.w.References, relationship.Link{From: t.TableRef, Columns: names[:], To: to.TableRef, ToColumns: names[:]})
	return t
}

// open says that a column may as well refer to another table's.
func (t *Table) open(name string, to *Table, column string) {
	t.w.Open = append(t.w.Open, t.link(name, to, column))
}

func (t *Table) link(name string, to *Table, column string) relationship.Link {
	return relationship.Link{From: t.TableRef, Columns: []string{name}, To: to.TableRef, ToColumns: []string{column}}
}

func (t *Table) get(name string) *Column {
	i := slices.IndexFunc(t.Columns, func(c *Column) bool { return c.Name == name })
	return t.Columns[i]
}

func (w *Warehouse) at(ref sdk.TableRef) *Table {
	i := slices.IndexFunc(w.Tables, func(t *Table) bool { return t.TableRef == ref })
	return w.Tables[i]
}

// Request asks for the relationships of a warehouse, as a first scan does.
func (w *Warehouse) Request() relationship.Request {
	return relationship.Request{Tables: w.profiled(), Validate: w.validate}
}

// profiled yields the tables with profiles as connectors make them.
func (w *Warehouse) profiled() iter.Seq2[relationship.Table, error] {
	return func(yield func(relationship.Table, error) bool) {
		for _, t := range w.Tables {
			one := relationship.Table{Table: &sdk.Table{TableRef: t.TableRef, Kind: sdk.TableBase}}
			for _, c := range t.Columns {
				one.Columns = append(one.Columns, c.Column)
				one.Stats = append(one.Stats, c.stats())
			}
			if !yield(one, nil) {
				return
			}
		}
	}
}

// stats are the column's, of all rows.
func (c *Column) stats() sdk.ColumnStats {
	counts := map[string]int64{}
	for _, v := range c.Values {
		counts[v]++
	}
	nulls := counts[""]
	delete(counts, "")
	values := make([]string, 0, len(counts))
	for v := range counts {
		values = append(values, v)
	}
	number := c.Type == sdk.TypeInt64 || c.Type == sdk.TypeFloat64
	slices.SortFunc(values, func(a, b string) int {
		if number && len(a) != len(b) { // none is negative, and fractions are all as long
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	d := sqlkit.NewDistribution(c.Name, &sdk.ProfileRequest{SketchSize: 256}, int64(len(c.Values)), nulls)
	for _, v := range values {
		if number {
			d.Number([]byte(v), counts[v])
		} else {
			d.Text([]byte(v), counts[v])
		}
	}
	return d.Stats(true, true)
}

// validate counts as the anti-join does that a scan asks a warehouse.
func (w *Warehouse) validate(_ context.Context, c relationship.Candidate) (n relationship.Check, err error) {
	w.Validations++
	parent := map[string]int{}
	for _, v := range w.at(c.To).tuples(c.ToColumns) {
		parent[v]++
	}
	if !c.Unique {
		for _, times := range parent {
			if times > 1 {
				n.Duplicates = 1
			}
		}
	}
	seen := map[string]bool{}
	for _, v := range w.at(c.From).tuples(c.Columns) {
		if seen[v] {
			continue
		}
		seen[v] = true
		n.Checked++
		if parent[v] == 0 {
			n.Missing++
		}
	}
	return n, nil
}

// tuples are the values of several columns, of the rows where none is NULL.
func (t *Table) tuples(columns []string) (all []string) {
	for row := range t.rows {
		tuple := ""
		for _, name := range columns {
			v := t.get(name).Values[row]
			if v == "" {
				tuple = ""
				break
			}
			tuple += v + "\x00"
		}
		if tuple != "" {
			all = append(all, tuple)
		}
	}
	return all
}
