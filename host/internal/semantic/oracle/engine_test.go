package oracle_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/oracle"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// sqlite returns the dialect as recorded beside sdk/dialect.
func sqlite(t testing.TB) *dialect.Dialect {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "sdk", "dialect", "testdata", "sqlite.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []dialect.Dialect
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	return &all[0]
}

// engine is a database in memory.
type engine struct {
	*sql.DB
	loaded string // the script that made its tables
}

// load makes the tables of a case, unless they are there.
func (e *engine) load(ctx context.Context, c *oracle.Case) error {
	text := script(c.Tables, c.Data)
	if text == e.loaded {
		return nil
	}
	e.loaded = text
	_, err := e.ExecContext(ctx, text)
	return err
}

func open(t testing.TB) *engine {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return &engine{DB: db}
}

var storage = map[sdk.Type]string{
	sdk.TypeInt64: "INTEGER", sdk.TypeFloat64: "REAL", sdk.TypeBool: "INTEGER", sdk.TypeText: "TEXT", sdk.TypeDate: "TEXT", sdk.TypeTimestamp: "TEXT",
}

// script is the tables of a case as SQL.
func script(tables []*model.Table, data oracle.Data) string {
	var b strings.Builder
	for _, t := range tables {
		fmt.Fprintf(&b, "DROP TABLE IF EXISTS %q;\nCREATE TABLE %q (", t.Ref.Name, t.Ref.Name)
		for i, c := range t.Columns {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%q %s", c.Name, storage[c.Type])
		}
		b.WriteString(");\n")
		for _, row := range data[t.Ref.Name].Rows {
			fmt.Fprintf(&b, "INSERT INTO %q VALUES (", t.Ref.Name)
			for i, v := range row {
				if i > 0 {
					b.WriteString(", ")
				}
				switch v := v.(type) {
				case nil:
					b.WriteString("NULL")
				case string:
					b.WriteString("'" + strings.ReplaceAll(v, "'", "''") + "'")
				default:
					fmt.Fprint(&b, v)
				}
			}
			b.WriteString(");\n")
		}
	}
	return b.String()
}

// rows runs a query. Whole numbers are float64, as the oracle has them.
func (e *engine) rows(ctx context.Context, query string) (all [][]any, err error) {
	result, err := e.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() {
		if failed := result.Close(); err == nil {
			err = failed
		}
	}()
	names, err := result.Columns()
	if err != nil {
		return nil, err
	}
	for result.Next() {
		values, into := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := result.Scan(into...); err != nil {
			return nil, err
		}
		for i, v := range values {
			if n, ok := v.(int64); ok {
				values[i] = float64(n)
			}
		}
		all = append(all, values)
	}
	return all, result.Err()
}

// same compares values; the engine has 1 for TRUE, and sums in its own order.
func same(want, got any) bool {
	want, got = asNumber(want), asNumber(got)
	x, isNumber := want.(float64)
	y, too := got.(float64)
	if isNumber && too {
		return x == y || math.Abs(x-y) <= 1e-9*max(math.Abs(x), math.Abs(y))
	}
	return want == got
}

func asNumber(v any) any {
	switch v {
	case true:
		return 1.0
	case false:
		return 0.0
	}
	return v
}

// difference says how rows differ from an answer, "" = not at all. Rows whose
// keys are equal may change places, also across the ends of what is shown.
func difference(want *oracle.Rows, got [][]any) string {
	if len(got) != want.To-want.From {
		return fmt.Sprintf("%d rows, not %d", len(got), want.To-want.From)
	}
	used := make([]bool, len(want.All))
	for i, row := range got {
		key := want.All[want.From+i].Key
		at := slices.IndexFunc(indexes(len(want.All)), func(j int) bool {
			return !used[j] && slices.EqualFunc(want.All[j].Values, row, same) && slices.EqualFunc(want.All[j].Key, key, same)
		})
		if at < 0 {
			return fmt.Sprintf("row %d is not expected there: %s", i+1, oracle.FormatRow(row))
		}
		used[at] = true
	}
	return ""
}

func indexes(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// shown writes the rows of an answer.
func shown(r *oracle.Rows) string {
	var lines []string
	for _, row := range r.All[r.From:r.To] {
		lines = append(lines, oracle.FormatRow(row.Values))
	}
	return strings.Join(lines, "\n")
}
