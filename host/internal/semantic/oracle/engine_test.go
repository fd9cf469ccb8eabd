package oracle_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/oracle"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// engine is a database of one engine, which answers statements.
type engine struct {
	name    string
	dialect *dialect.Dialect
	// cases are how many random ones a run asks of it unless a flag says.
	cases int
	// types are those that columns are made with, by what the model knows them as;
	// key makes one of a column that is never NULL, as the engine spells it.
	types map[sdk.Type]string
	key   func(native string) string
	// table follows the columns of a new table.
	table string
	// keys: it has keys and indexes. enforces: its connector reports that it always enforces
	// foreign keys.
	keys, enforces bool
	// declares: tables are made with the keys that the model knows, and with NOT NULL.
	declares bool
	// inside: it runs in this process. used is the processor time that a server has used
	// so far, where it tells.
	inside bool
	used   func(ctx context.Context) (time.Duration, error)
	// exec runs statements as someone who may write, ask one as the connector does.
	exec func(ctx context.Context, statements ...string) error
	// copy fills a table from a CSV file; nil = by INSERT alone.
	copy func(ctx context.Context, table, path string) error
	ask  func(ctx context.Context, query string) ([][]any, error)

	// lacks are words of the refusals that are known of the engine.
	lacks []string

	loaded string   // the statements that made its tables
	tables []string // their names
}

// engines are all that tests can start. Each call opens a database of its own.
var engines = map[string]func(testing.TB) *engine{
	"sqlite": sqlite, "postgres": postgresql, "mariadb": mariadb, "clickhouse-26.7": clickhouseToday,
}

// names are the engines that a run is about.
func names() []string {
	if *only != "" {
		return strings.Split(*only, ",")
	}
	return slices.Sorted(maps.Keys(engines))
}

// sqliteAlone skips every other engine when tests are short.
func sqliteAlone(t *testing.T, name, what string) {
	t.Helper()
	if testing.Short() && name != "sqlite" {
		t.Skip("-short: " + what + " on engines other than SQLite")
	}
}

// load makes the tables of a case, unless they are there.
func (e *engine) load(ctx context.Context, c *oracle.Case) error {
	script, names := e.script(c.Tables, c.Data)
	text := strings.Join(script, ";")
	if text == e.loaded {
		return nil
	}
	var drops []string
	for _, name := range e.tables {
		drops = append(drops, "DROP TABLE "+e.dialect.QuoteIdentifier(name))
	}
	e.loaded, e.tables = "", nil
	if err := e.exec(ctx, append(drops, script...)...); err != nil {
		return err
	}
	e.loaded, e.tables = text, names
	return nil
}

// loadFiles makes the tables of a large case by files where the engine reads them.
func (e *engine) loadFiles(ctx context.Context, c *oracle.Case, dir string) error {
	if e.copy == nil {
		return e.load(ctx, c)
	}
	empty := oracle.Data{}
	for _, t := range c.Tables {
		empty[t.Ref.Name] = &oracle.Table{}
	}
	script, names := e.script(c.Tables, empty)
	if err := e.exec(ctx, script...); err != nil {
		return err
	}
	for _, name := range names {
		var text bytes.Buffer
		w := csv.NewWriter(&text)
		for _, row := range c.Data[name].Rows {
			fields := make([]string, len(row))
			for i, v := range row {
				fields[i] = fmt.Sprint(v)
				if f, ok := v.(float64); ok {
					fields[i] = strconv.FormatFloat(f, 'f', -1, 64)
				}
			}
			if err := w.Write(fields); err != nil {
				return err
			}
		}
		w.Flush()
		path := filepath.Join(dir, name+".csv")
		if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
			return err
		}
		if err := e.copy(ctx, e.dialect.QuoteIdentifier(name), path); err != nil {
			return err
		}
	}
	return nil
}

// script is the tables of a case as statements, with the names of the tables.
func (e *engine) script(tables []*model.Table, data oracle.Data) (script, names []string) {
	d := e.dialect
	for _, t := range tables {
		var columns, rows []string
		for _, c := range t.Columns {
			native := e.types[c.Type]
			if e.key != nil && slices.Contains(t.PrimaryKey, c.Name) {
				native = e.key(native)
			}
			if e.declares && c.NotNull {
				native += " NOT NULL"
			}
			columns = append(columns, d.QuoteIdentifier(c.Name)+" "+native)
		}
		if e.declares {
			columns = append(columns, e.constraints(t)...)
		}
		for _, row := range data[t.Ref.Name].Rows {
			values := make([]string, len(row))
			for i, v := range row {
				values[i] = e.literal(v, t.Columns[i].Type)
			}
			rows = append(rows, "("+strings.Join(values, ", ")+")")
		}
		name := d.QuoteIdentifier(t.Ref.Name)
		names = append(names, t.Ref.Name)
		script = append(script, "CREATE TABLE "+name+" ("+strings.Join(columns, ", ")+")"+e.table)
		for part := range slices.Chunk(rows, 500) {
			script = append(script, "INSERT INTO "+name+" VALUES "+strings.Join(part, ", "))
		}
	}
	return script, names
}

// constraints are the keys of a table as parts of CREATE TABLE.
func (e *engine) constraints(t *model.Table) (all []string) {
	list := func(columns []string) string {
		quoted := make([]string, len(columns))
		for i, c := range columns {
			quoted[i] = e.dialect.QuoteIdentifier(c)
		}
		return " (" + strings.Join(quoted, ", ") + ")"
	}
	if t.PrimaryKey != nil {
		all = append(all, "PRIMARY KEY"+list(t.PrimaryKey))
	}
	for _, k := range t.ForeignKeys {
		all = append(all, "FOREIGN KEY"+list(k.Columns)+" REFERENCES "+e.dialect.QuoteIdentifier(k.To.Name)+list(k.ToColumns))
	}
	return all
}

func (e *engine) literal(v any, t sdk.Type) string {
	switch v := v.(type) {
	case nil:
		return "NULL"
	case bool:
		if v {
			return e.dialect.Forms[dialect.True]
		}
		return e.dialect.Forms[dialect.False]
	case string:
		return e.dialect.QuoteString(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	panic(fmt.Sprintf("no column of the type %s has %T", t, v))
}

// sqlite is a database in memory.
func sqlite(t testing.TB) *engine {
	t.Helper()
	db := memory(t, "sqlite", ":memory:")
	return &engine{
		name: "sqlite", dialect: sqliteDialect(t), cases: 2000, keys: true, inside: true,
		lacks: []string{"VIEWs and/or subqueries nested too deep"}, // gaps beside several windows without a range
		types: map[sdk.Type]string{
			sdk.TypeInt64: "INTEGER", sdk.TypeFloat64: "REAL", sdk.TypeDecimal: "REAL", sdk.TypeBool: "INTEGER",
			sdk.TypeText: "TEXT", sdk.TypeDate: "TEXT", sdk.TypeTimestamp: "TEXT", sdk.TypeTimestampTZ: "TEXT",
		},
		exec: func(ctx context.Context, statements ...string) error {
			_, err := db.ExecContext(ctx, strings.Join(statements, ";"))
			return err
		},
		ask: func(ctx context.Context, query string) ([][]any, error) { return answers(ctx, db, query) },
	}
}

// sqliteDialect is as recorded beside sdk/dialect.
func sqliteDialect(t testing.TB) *dialect.Dialect {
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

// memory is a database in this process.
func memory(t testing.TB, driver, name string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, name)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// answers runs a query through a driver.
func answers(ctx context.Context, db *sql.DB, query string) (all [][]any, err error) {
	result, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, result.Close()) }()
	columns, err := result.ColumnTypes()
	if err != nil {
		return nil, err
	}
	for result.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := result.Scan(into...); err != nil {
			return nil, err
		}
		for i, v := range values {
			values[i] = plain(v, columns[i].DatabaseTypeName())
		}
		all = append(all, values)
	}
	return all, result.Err()
}

// plain is a driver's value as the oracle has it.
func plain(v any, native string) any {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case int32:
		return float64(v)
	case *big.Int:
		f, _ := new(big.Float).SetInt(v).Float64()
		return f
	case interface{ Float64() float64 }:
		return v.Float64()
	case time.Time:
		if native == "DATE" {
			return v.Format(time.DateOnly)
		}
		return v.UTC().Format(time.DateTime)
	}
	return v
}
