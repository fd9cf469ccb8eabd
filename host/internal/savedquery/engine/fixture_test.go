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
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
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

func TestDuckDB(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bound.duckdb")
	e := &engine{
		types: duckTypes, exec: duck(t, path), lacks: map[string]string{"dt >= {{p}} date": "DuckDB compares no text with a date"},
		opened: func() (sdk.Session, *dialect.Dialect) {
			return open(t, duckdb.Connector(), map[string]any{"path": path}, nil)
		},
	}
	e.prove(t)
}

// A folder of CSV files, whose types the engine infers.
func TestCSV(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "box")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "bound.csv")
	e := &engine{
		types: duckTypes, read: "box.bound", floats: true,
		exec: duck(t, filepath.Join(t.TempDir(), "made.duckdb"), "COPY bound TO '"+strings.ReplaceAll(file, "'", "''")+"' (FORMAT csv, HEADER)"),
		opened: func() (sdk.Session, *dialect.Dialect) {
			return open(t, duckdb.Connector(), map[string]any{"folders": []string{folder}}, nil)
		},
	}
	e.prove(t)
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
		literal: func(column, value string) string {
			if column == "tz" {
				return "(" + strings.TrimSuffix(value, "'") + " +0000'::TIMESTAMP_TZ)"
			}
			return value
		},
	}
	const reason = "the fixture's engine compares no such types; Snowflake converts them"
	e.lacks = map[string]string{"ts = {{p}} timestamp": reason, "ts <= {{p}} timestamp": reason, "ts < {{p}} timestamp": reason, "dt >= {{p}} date": reason}
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
				return "CAST(" + strings.TrimSuffix(value, "'") + " +00:00' AS datetimeoffset)"
			}
			return value
		},
		lacks: map[string]string{
			"n > 0 ORDER BY id LIMIT {{p}} integer": "SQL Server has TOP",
			"ts <= {{p}} timestamp":                 "the fixture compares no datetime2 with a datetimeoffset; SQL Server converts it",
			"ts < {{p}} timestamp":                  "the fixture compares no datetime2 with a datetimeoffset; SQL Server converts it",
			"dt >= {{p}} date":                      "the fixture compares no text with a date; SQL Server converts it",
		},
	}
	e.session, e.dialect = open(t, sqlserver.Connector(), map[string]any{"host": s.Host, "port": s.Port, "database": "shop", "user": sqlserverserver.Reader, "sslmode": "disable"}, map[string]string{"password": sqlserverserver.ReaderPassword})
	e.prove(t)
}

func TestBigQuery(t *testing.T) {
	t.Parallel()
	s := bigqueryserver.Start(t)
	e := &engine{
		lacks: map[string]string{"dt >= {{p}} date": "BigQuery compares no text with a date"},
		types: map[string]string{"id": "INT64", "s": "STRING", "n": "INT64", "x": "NUMERIC", "b": "BOOL", "d": "DATE", "ts": "DATETIME", "tz": "TIMESTAMP", "u": "STRING", "dt": "STRING"},
		exec: func(t testing.TB, statements ...string) {
			s.Exec(t, "CREATE SCHEMA lab;\n"+strings.NewReplacer("TABLE bound", "TABLE lab.bound", "INTO bound", "INTO lab.bound", "it''s \"a\"", `it\'s "a"`).Replace(strings.Join(statements, ";\n")))
		},
	}
	e.opened = func() (sdk.Session, *dialect.Dialect) {
		return open(t, bigquery.Connector(), map[string]any{"project": s.Project, "dataset": "lab", "endpoint": s.URL()},
			map[string]string{"credentials": string(s.Account(t, "reader", "bigquery.routines.get").Key)})
	}
	e.prove(t)
}
