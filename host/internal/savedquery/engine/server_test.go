package engine_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/clickhouse"
	"github.com/loam-data/loam/plugins/mysql"
	"github.com/loam-data/loam/plugins/postgres"
	"github.com/loam-data/loam/plugins/sqlite"
)

func TestSQLite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bound.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	e := &engine{
		types: map[string]string{"id": "INTEGER", "s": "TEXT", "n": "INTEGER", "x": "REAL", "b": "BOOLEAN", "d": "TEXT", "ts": "TEXT", "tz": "DATETIME", "u": "TEXT", "dt": "TEXT"},
		exec: func(t testing.TB, statements ...string) {
			for _, s := range statements {
				if _, err := db.ExecContext(t.Context(), s); err != nil {
					t.Fatalf("%s: %v", s, err)
				}
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		},
	}
	e.floats = true
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	e.session, e.dialect = open(t, sqlite.Connector(), map[string]any{"path": path}, nil)
	e.prove(t)
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "")
	e := &engine{
		types: map[string]string{"id": "int", "s": "text", "n": "bigint", "x": "numeric(10,3)", "b": "boolean", "d": "date", "ts": "timestamp", "tz": "timestamptz", "u": "uuid", "dt": "varchar(20)"},
		exec: func(t testing.TB, statements ...string) {
			db.Exec(t, testserver.PostgresOwner, "SET timezone = 'UTC'; "+strings.Join(statements, "; ")+"; GRANT SELECT ON bound TO PUBLIC")
		},
		lacks: map[string]string{"dt >= {{p}} date": "PostgreSQL compares no text with a date"},
	}
	e.session, e.dialect = open(t, postgres.Connector(), map[string]any{"host": db.Host, "port": db.Port, "database": db.Name, "user": testserver.PostgresReader}, map[string]string{"password": testserver.PostgresPassword})
	e.prove(t)
	p := checks[len(checks)-2]
	if got, err := e.run(t.Context(), "SELECT id FROM bound WHERE dt >= {{p}}", parameter(p.typ), p.value); err == nil {
		t.Errorf("a text and a date: %v", got)
	}
	if got, err := e.run(t.Context(), "SELECT id FROM bound WHERE CAST(dt AS date) >= {{p}} ORDER BY id", parameter(p.typ), p.value); err != nil || len(got) != 2 {
		t.Errorf("a text that is cast: %v, %v", got, err)
	}
}

func TestMariaDB(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, "")
	e := &engine{
		types: map[string]string{"id": "INT", "s": "VARCHAR(200)", "n": "BIGINT", "x": "DECIMAL(10,3)", "b": "BOOLEAN", "d": "DATE", "ts": "DATETIME(6)", "tz": "TIMESTAMP(6) NULL", "u": "UUID", "dt": "VARCHAR(20)"},
		exec: func(t testing.TB, statements ...string) {
			db.Exec(t, testserver.MariaDBOwner, "SET time_zone = '+00:00'; "+strings.Join(statements, "; "))
		},
		suffix: " DEFAULT CHARSET utf8mb4",
	}
	e.session, e.dialect = open(t, mysql.Connector(), map[string]any{"host": db.Host, "port": db.Port, "database": db.Name, "user": testserver.MariaDBReader}, map[string]string{"password": testserver.MariaDBPassword})
	e.prove(t)
}

func TestClickHouse(t *testing.T) {
	t.Parallel()
	db := testserver.ClickHouse(t).Database(t)
	e := &engine{
		types: map[string]string{"id": "Int32", "s": "String", "n": "Int64", "x": "Decimal(10, 3)", "b": "Bool", "d": "Date", "ts": "DateTime64(6, 'UTC')", "tz": "DateTime('UTC')", "u": "UUID", "dt": "String"},
		exec: func(t testing.TB, statements ...string) {
			for _, s := range statements {
				if _, err := db.Ask(t.Context(), testserver.ClickHouseAdmin, db.Name, s); err != nil {
					t.Fatalf("%s: %v", s, err)
				}
			}
		},
		suffix: " ENGINE = MergeTree ORDER BY id",
		lacks:  map[string]string{"dt >= {{p}} date": "ClickHouse compares no text with a date"},
	}
	e.session, e.dialect = open(t, clickhouse.Connector(), map[string]any{"host": db.Host, "port": db.Port, "protocol": "http", "database": db.Name, "user": testserver.ClickHouseReader}, map[string]string{"password": testserver.ClickHousePassword})
	e.prove(t)
}
