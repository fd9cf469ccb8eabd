// Package question asks a connector random requests of a semantic layer over the tables of
// its fixture, and compares the rows with those that the oracle computes from the tables.
package question

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/oracle"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
	"github.com/loam-data/loam/sdk/dialect"
)

// The oracle visits every row several times for each group.
const (
	mostRows   = 100 // of a table
	mostTables = 12
)

// plain are names that a file of the semantic layer writes without quotes.
var plain = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })

// exact is the largest integer up to which every integer is a float64.
const exact = 1 << 53

// table is a table of the fixture with its rows.
type table struct {
	*model.Table
	rows *oracle.Table
	to   *table // that a column refers to; nil = none
	by   string // the column
}

// world are the tables that the oracle can compute with.
type world struct {
	tables []*table
	model  *model.Model
	data   oracle.Data
}

// read reads the tables. A table or a column that the oracle cannot compute with is left
// out.
func read(ctx context.Context, of []sdk.Table, d *dialect.Dialect, ask conform.Ask) (*world, error) {
	w := &world{data: oracle.Data{}}
	names := map[string]int{}
	for _, t := range of {
		names[strings.ToLower(t.Name)]++
	}
	for _, t := range of {
		if len(w.tables) == mostTables || names[strings.ToLower(t.Name)] > 1 || t.Kind != sdk.TableBase || !plain().MatchString(t.Name) {
			continue
		}
		read, err := readTable(ctx, t, d, ask)
		if err != nil {
			return nil, err
		}
		if read != nil {
			w.tables = append(w.tables, read)
			w.data[t.Name] = read.rows
		}
	}
	if len(w.tables) == 0 {
		return nil, fmt.Errorf("no table of the fixture has 1 to %d rows and a column of numbers, text, truth or time", mostRows)
	}
	for _, t := range w.tables {
		w.refer(t)
	}
	return w, w.build(d)
}

// readTable returns nil for a table that is left out.
func readTable(ctx context.Context, t sdk.Table, d *dialect.Dialect, ask conform.Ask) (*table, error) {
	var columns []sdk.Column
	var names []string
	for _, c := range t.Columns {
		if kindOf(c.Type) != "" {
			columns = append(columns, c)
			names = append(names, d.QuoteIdentifier(c.Name))
		}
	}
	if len(columns) == 0 {
		return nil, nil
	}
	_, rows, err := ask(ctx, "SELECT "+strings.Join(names, ", ")+" FROM "+qualified(t.TableRef, d))
	if err != nil || len(rows) == 0 || len(rows) > mostRows {
		return nil, err
	}
	made := &table{Table: &model.Table{Ref: t.TableRef}, rows: &oracle.Table{Rows: make([][]any, len(rows))}}
	for at, c := range columns {
		values, ok := computable(rows, at, c.Type)
		if !ok {
			continue
		}
		made.Columns = append(made.Columns, model.Column{Name: c.Name, Type: c.Type})
		made.rows.Columns = append(made.rows.Columns, c.Name)
		for i, v := range values {
			made.rows.Rows[i] = append(made.rows.Rows[i], v)
		}
	}
	for _, k := range t.Keys {
		if k.Kind == sdk.KeyPrimary && !slices.ContainsFunc(k.Columns, func(c string) bool { return made.column(c) < 0 }) {
			made.PrimaryKey = k.Columns
		}
	}
	if len(made.Columns) == 0 {
		return nil, nil
	}
	return made, nil
}

func qualified(t sdk.TableRef, d *dialect.Dialect) string {
	var parts []string
	for _, part := range []string{t.Catalog, t.Schema, t.Name} {
		if part != "" {
			parts = append(parts, d.QuoteIdentifier(part))
		}
	}
	return strings.Join(parts, ".")
}

func (t *table) column(name string) int {
	return slices.Index(t.rows.Columns, name)
}

// kindOf is the type of a dimension, "" = one that the oracle does not know.
func kindOf(t sdk.Type) string {
	switch t {
	case sdk.TypeInt64, sdk.TypeFloat64, sdk.TypeDecimal:
		return number
	case sdk.TypeText:
		return text
	case sdk.TypeBool:
		return truth
	case sdk.TypeDate, sdk.TypeTimestamp, sdk.TypeTimestampTZ:
		return moment
	}
	return ""
}

const number, text, truth, moment = "number", "string", "boolean", "time"

// computable returns the values of a column as the oracle has them. ok: numbers are
// exact, times are of this era, and texts are equal in every collation or in none.
func computable(rows [][]any, at int, t sdk.Type) (values []any, ok bool) {
	alike := map[string]string{}
	for _, row := range rows {
		v, err := oracle.FromCell(row[at], t)
		if err != nil {
			return nil, false
		}
		switch x := v.(type) {
		case float64:
			ok = !math.IsNaN(x) && math.Abs(x) < exact
		case string:
			key := strings.ToLower(strings.TrimRight(x, " "))
			other, seen := alike[key]
			ok = isASCII(x) && key != "" && (!seen || other == x)
			if alike[key] = x; kindOf(t) == moment {
				ok = len(x) >= len("2024-01-01") && x >= "1971" && x < "2037" && wholeSeconds(row[at], t)
			}
		case nil, bool:
			ok = true
		default:
			ok = false
		}
		if !ok {
			return nil, false
		}
		values = append(values, v)
	}
	return values, true
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

func wholeSeconds(v any, t sdk.Type) bool {
	micros, ok := v.(int64)
	return ok && (t == sdk.TypeDate || micros%1_000_000 == 0)
}

// refer finds the first column whose values are all keys of another table, and joins
// the tables by it.
func (w *world) refer(t *table) {
	for _, c := range t.Columns {
		if c.Type != sdk.TypeInt64 || slices.Contains(t.PrimaryKey, c.Name) {
			continue
		}
		for _, other := range w.tables {
			if other != t && len(other.PrimaryKey) == 1 && t.within(c.Name, other) {
				t.to, t.by = other, c.Name
				return
			}
		}
	}
}

// within reports whether each value of a column is a key of another table.
func (t *table) within(column string, other *table) bool {
	from, to := t.column(column), other.column(other.PrimaryKey[0])
	found := false
	for _, row := range t.rows.Rows {
		if row[from] == nil {
			continue
		}
		if !slices.ContainsFunc(other.rows.Rows, func(r []any) bool { return r[to] == row[from] }) {
			return false
		}
		found = true
	}
	return found
}
