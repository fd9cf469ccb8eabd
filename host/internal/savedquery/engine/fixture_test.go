//go:build cgo

package engine_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/duckdb/duckdb-go/v2"

	bigqueryserver "github.com/loam-data/loam/e2e/testserver/bigquery"
	snowflakeserver "github.com/loam-data/loam/e2e/testserver/snowflake"
	sqlserverserver "github.com/loam-data/loam/e2e/testserver/sqlserver"
	"github.com/loam-data/loam/plugins/bigquery"
	"github.com/loam-data/loam/plugins/duckdb"
	"github.com/loam-data/loam/plugins/snowflake"
	"github.com/loam-data/loam/plugins/sqlserver"
)

var duckTypes = map[string]string{
	"id": "INTEGER", "s": "VARCHAR", "n": "BIGINT", "x": "DECIMAL(10,3)", "b": "BOOLEAN", "d": "DATE", "ts": "TIMESTAMP", "tz": "TIMESTAMPTZ", "u": "UUID", "dt": "VARCHAR",
}

// duck makes a file of DuckDB, and runs after each statements.
func duck(t testing.TB, path string, after ...string) func(testing.TB, ...string) {
	return func(t testing.TB, statements ...string) {
		db, err := sql.Open("duckdb", path)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range append(append([]string{"SET TimeZone = 'UTC'"}, statements...), after...) {
			if _, err := db.ExecContext(t.Context(), s); err != nil {
				t.Fatalf("%s: %v", s, err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// lazily proves an engine whose files must exist before it is opened.
func lazily(t *testing.T, e *engine, config map[string]any) {
	t.Helper()
	made := e.exec
	e.exec = func(t testing.TB, statements ...string) {
		made(t, statements...)
		e.session, e.dialect = open(t, duckdb.Connector(), config, nil)
	}
	e.prove(t)
}

func TestDuckDB(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bound.duckdb")
	lazily(t, &engine{types: duckTypes, exec: duck(t, path)}, map[string]any{"path": path})
}

// A folder of CSV files, whose types the engine infers.
func TestCSV(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "files")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "bound.csv")
	lazily(t, &engine{types: duckTypes, exec: duck(t, filepath.Join(t.TempDir(), "made.duckdb"), "COPY bound TO '"+strings.ReplaceAll(file, "'", "''")+"' (FORMAT csv, HEADER)")}, map[string]any{"path": folder})
}

func TestSnowflake(t *testing.T) {
	t.Parallel()
	s := snowflakeserver.Start(t)
	e := &engine{
		types: map[string]string{"id": "NUMBER(9,0)", "s": "VARCHAR", "n": "NUMBER(19,0)", "x": "NUMBER(10,3)", "b": "BOOLEAN", "d": "DATE", "ts": "TIMESTAMP_NTZ", "tz": "TIMESTAMP_TZ", "u": "VARCHAR", "dt": "VARCHAR"},
		exec: func(t testing.TB, statements ...string) {
			for _, one := range statements {
				s.Exec(t, one)
			}
		},
	}
	e.session, e.dialect = open(t, snowflake.Connector(), map[string]any{
		"account": snowflakeserver.DefaultAccount, "host": s.Host, "port": s.Port, "protocol": "http", "user": snowflakeserver.DefaultUser,
		"database": snowflakeserver.DefaultDatabase, "warehouse": snowflakeserver.DefaultWarehouse, "role": snowflakeserver.Reader,
	}, map[string]string{"password": snowflakeserver.DefaultPassword})
	e.prove(t)
}

func TestSQLServer(t *testing.T) {
	t.Parallel()
	s := sqlserverserver.Start(t)
	e := &engine{
		types: map[string]string{"id": "int", "s": "nvarchar(200)", "n": "bigint", "x": "decimal(10,3)", "b": "bit", "d": "date", "ts": "datetime2", "tz": "datetimeoffset", "u": "uniqueidentifier", "dt": "nvarchar(20)"},
		exec:  func(t testing.TB, statements ...string) { s.Exec(t, statements...) },
		literal: func(column, value string) string {
			switch {
			case column == "s":
				return "N" + value
			case column == "b" && value == "true":
				return "1"
			case column == "b":
				return "0"
			case column == "tz":
				return strings.TrimSuffix(value, "'") + " +00:00'"
			}
			return value
		},
		lacks: map[string]string{"n > 0 ORDER BY id LIMIT {{p}} integer": "SQL Server has TOP"},
	}
	e.session, e.dialect = open(t, sqlserver.Connector(), map[string]any{"host": s.Host, "port": s.Port, "database": "shop", "user": sqlserverserver.Reader, "sslmode": "disable"}, map[string]string{"password": sqlserverserver.ReaderPassword})
	e.prove(t)
}

func TestBigQuery(t *testing.T) {
	t.Parallel()
	s := bigqueryserver.Start(t)
	e := &engine{
		types: map[string]string{"id": "INT64", "s": "STRING", "n": "INT64", "x": "NUMERIC", "b": "BOOL", "d": "DATE", "ts": "DATETIME", "tz": "TIMESTAMP", "u": "STRING", "dt": "STRING"},
		exec: func(t testing.TB, statements ...string) {
			s.Exec(t, "CREATE SCHEMA lab;\n"+strings.NewReplacer("TABLE bound", "TABLE lab.bound", "INTO bound", "INTO lab.bound", "it''s \"a\"", `it\'s "a"`).Replace(strings.Join(statements, ";\n")))
		},
	}
	e.session, e.dialect = open(t, bigquery.Connector(), map[string]any{"project": s.Project, "dataset": "lab", "endpoint": s.URL()},
		map[string]string{"credentials": string(s.Account(t, "reader", "bigquery.routines.get").Key)})
	e.prove(t)
}
