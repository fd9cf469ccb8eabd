package oracle_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	mysqldriver "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/host/internal/semantic/oracle"
	"github.com/loam-data/loam/plugins/clickhouse"
	"github.com/loam-data/loam/plugins/mysql"
	"github.com/loam-data/loam/plugins/postgres"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// postgresql is a database of a real server, asked through the connector.
func postgresql(t testing.TB) *engine {
	t.Helper()
	db := testserver.Postgres(t).Database(t, "")
	conn, err := pgx.Connect(t.Context(), db.DSN(testserver.PostgresOwner))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	session := openSession(t, postgres.Connector(), testserver.PostgresPassword, map[string]any{
		"host": db.Host, "port": db.Port, "database": db.Name, "user": testserver.PostgresReader,
	})
	return &engine{
		name: "postgres", dialect: dialectOf(t, postgres.Dialects(), session), cases: 400, keys: true, enforces: true,
		types: map[sdk.Type]string{
			sdk.TypeInt64: "bigint", sdk.TypeFloat64: "double precision", sdk.TypeDecimal: "numeric(12,2)", sdk.TypeBool: "boolean",
			sdk.TypeText: "text", sdk.TypeDate: "date", sdk.TypeTimestamp: "timestamp", sdk.TypeTimestampTZ: "timestamptz",
		},
		exec: func(ctx context.Context, statements ...string) error {
			return conn.PgConn().Exec(ctx, "SET timezone = 'UTC';"+strings.Join(statements, ";")).Close()
		},
		copy: func(ctx context.Context, table, path string) error {
			file, err := os.Open(path)
			if err != nil {
				return err
			}
			_, err = conn.PgConn().CopyFrom(ctx, file, "COPY "+table+" FROM STDIN (FORMAT csv)")
			return errors.Join(err, file.Close())
		},
		ask: func(ctx context.Context, query string) ([][]any, error) { return askSession(ctx, session, query) },
	}
}

// mariadb is a database of a real server, asked through the connector. Its text is
// compared by code points: what equality means otherwise, a column's collation says.
func mariadb(t testing.TB) *engine {
	t.Helper()
	db := testserver.MariaDB(t).Database(t, "")
	writer := memory(t, "mysql", db.DSN(testserver.MariaDBOwner))
	session := openSession(t, mysql.Connector(), testserver.MariaDBPassword, map[string]any{
		"host": db.Host, "port": db.Port, "database": db.Name, "user": testserver.MariaDBReader,
	})
	return &engine{
		name: "mariadb", dialect: dialectOf(t, mysql.Dialects(), session), cases: 400, keys: true,
		types: map[sdk.Type]string{
			sdk.TypeInt64: "BIGINT", sdk.TypeFloat64: "DOUBLE", sdk.TypeDecimal: "DECIMAL(12,2)", sdk.TypeBool: "BOOLEAN",
			sdk.TypeText: "VARCHAR(200)", sdk.TypeDate: "DATE", sdk.TypeTimestamp: "DATETIME", sdk.TypeTimestampTZ: "TIMESTAMP NULL",
		},
		// Its tables have some zones, which it applies to some years.
		lacks: []string{"the server has no such time zone", "the server knows time zones from 1970 to 2037 only"},
		table: " ENGINE = MEMORY DEFAULT CHARSET utf8mb4 COLLATE utf8mb4_nopad_bin",
		exec: func(ctx context.Context, statements ...string) error {
			_, err := writer.ExecContext(ctx, strings.Join(statements, ";"))
			return err
		},
		copy: func(ctx context.Context, table, path string) error {
			mysqldriver.RegisterLocalFile(path)
			defer mysqldriver.DeregisterLocalFile(path)
			_, err := writer.ExecContext(ctx, "LOAD DATA LOCAL INFILE '"+path+"' INTO TABLE "+table+
				" CHARACTER SET utf8mb4 FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"' ESCAPED BY ''")
			return err
		},
		ask: func(ctx context.Context, query string) ([][]any, error) { return askSession(ctx, session, query) },
	}
}

// clickhouseToday is a database of today's engine, asked through the connector.
func clickhouseToday(t testing.TB) *engine {
	t.Helper()
	db := testserver.ClickHouse(t).Database(t)
	e := onClickHouse(t, db.Name, db.Ask, map[string]any{"host": db.Host, "port": db.Port, "protocol": "http"})
	e.name, e.cases = "clickhouse-26.7", 140
	e.lacks = []string{"can't find correlated column"} // EXISTS in what is selected, beside joins
	e.used = func(ctx context.Context) (time.Duration, error) {
		text, err := db.Ask(ctx, testserver.ClickHouseAdmin, db.Name, "SELECT value FROM system.events WHERE event = 'OSCPUVirtualTimeMicroseconds'")
		if err != nil {
			return 0, err
		}
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		return time.Duration(n) * time.Microsecond, err
	}
	for logical, native := range map[sdk.Type]string{sdk.TypeBool: "Bool", sdk.TypeDate: "Date32", sdk.TypeTimestamp: "DateTime64(6, 'UTC')", sdk.TypeTimestampTZ: "DateTime64(6, 'UTC')"} {
		e.types[logical] = "Nullable(" + native + ")"
	}
	return e
}

// onClickHouse makes columns Nullable but for keys, in which an outer join of that
// engine finds a 0 where there is no row.
func onClickHouse(t testing.TB, name string, ask func(ctx context.Context, user, database, sql string) (string, error), config map[string]any) *engine {
	t.Helper()
	config["database"], config["user"] = name, testserver.ClickHouseReader
	session := openSession(t, clickhouse.Connector(), testserver.ClickHousePassword, config)
	types := map[sdk.Type]string{
		sdk.TypeInt64: "Int64", sdk.TypeFloat64: "Float64", sdk.TypeDecimal: "Decimal(12, 2)", sdk.TypeBool: "UInt8",
		sdk.TypeText: "String", sdk.TypeDate: "Date", sdk.TypeTimestamp: "DateTime", sdk.TypeTimestampTZ: "DateTime",
	}
	for logical, native := range types {
		types[logical] = "Nullable(" + native + ")"
	}
	return &engine{
		dialect: dialectOf(t, clickhouse.Dialects(), session), types: types, table: " ENGINE = Memory",
		key: func(native string) string { return strings.TrimSuffix(strings.TrimPrefix(native, "Nullable("), ")") },
		exec: func(ctx context.Context, statements ...string) error {
			for _, s := range statements {
				if _, err := ask(ctx, testserver.ClickHouseAdmin, name, s); err != nil {
					return err
				}
			}
			return nil
		},
		copy: func(ctx context.Context, table, path string) error {
			rows, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			// The server of the tests takes at most 64 MB of a statement.
			for part := range slices.Chunk(slices.Collect(strings.Lines(string(rows))), 5000) {
				if _, err := ask(ctx, testserver.ClickHouseAdmin, name, "INSERT INTO "+table+" FORMAT CSV\n"+strings.Join(part, "")); err != nil {
					return err
				}
			}
			return nil
		},
		ask: func(ctx context.Context, query string) ([][]any, error) { return askSession(ctx, session, query) },
	}
}

// openSession opens a session that ends with the test.
func openSession(t testing.TB, c *sdk.Connector, password string, config map[string]any) sdk.Session {
	t.Helper()
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	session, err := c.Open(t.Context(), sdk.OpenRequest{
		ConnectionID: "test", Config: sdk.Config{JSON: text, Secrets: map[string]sdk.Secret{"password": sdk.NewSecret(password)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return session
}

func dialectOf(t testing.TB, all []dialect.Dialect, s sdk.Session) *dialect.Dialect {
	t.Helper()
	server := s.Server()
	return dialect.Pick(all, server.Product, server.Version)
}

// askSession runs a statement through a connector.
func askSession(ctx context.Context, s sdk.Session, query string) ([][]any, error) {
	r := &rowsSink{}
	w := sdk.NewRowWriter(r, sdk.Limits{})
	if err := s.Execute(ctx, sdk.ExecuteRequest{SQL: query}, w); err != nil {
		return nil, err
	}
	return r.rows, w.Close()
}

// rowsSink keeps rows as the oracle has them.
type rowsSink struct {
	columns []sdk.Column
	rows    [][]any
}

func (*rowsSink) Started(string) error  { return nil }
func (*rowsSink) Progress(sdk.Progress) {}
func (*rowsSink) Notice(sdk.Warning)    {}

func (r *rowsSink) Columns(c []sdk.Column) error {
	r.columns = c
	return nil
}

func (r *rowsSink) Batch(b *sdk.Batch) error {
	for i := range b.Rows {
		row := make([]any, len(r.columns))
		for at, c := range r.columns {
			var err error
			if row[at], err = oracle.FromCell(b.Columns[at].Value(c.Type, i), c.Type); err != nil {
				return err
			}
		}
		r.rows = append(r.rows, row)
	}
	return nil
}
