package postgres_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/loam-data/loam/e2e/program"
	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/postgres"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
	"github.com/loam-data/loam/sdk/conform/corpus"
	"github.com/loam-data/loam/sdk/dialect"
)

// caseTypes are what the cases need beyond the corpus' fixture.
const caseTypes = `
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE DOMAIN shoe_size AS integer CHECK (VALUE > 0);
CREATE TYPE stay AS (night date, price numeric);
CREATE TYPE visit AS (id int, note text, stays stay[]);
CREATE TYPE textrange AS RANGE (subtype = text, collation = "C", multirange_type_name = textmultirange);
CREATE FUNCTION nothing() RETURNS void LANGUAGE sql AS '';
CREATE TABLE closed (id int);
CREATE SCHEMA shop;
CREATE TABLE shop.customers (tenant int, id bigint, email text NOT NULL UNIQUE, PRIMARY KEY (tenant, id));
COMMENT ON COLUMN shop.customers.email IS 'lower case';
CREATE TABLE shop.orders (
  id bigint PRIMARY KEY, tenant int, customer bigint, amount numeric(12,2) DEFAULT 0,
  FOREIGN KEY (tenant, customer) REFERENCES shop.customers (tenant, id));
CREATE TABLE shop.events (at timestamptz NOT NULL, kind text) PARTITION BY RANGE (at);
CREATE TABLE shop.events_2024 PARTITION OF shop.events FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
INSERT INTO shop.customers SELECT 1 + i % 3, i, 'c' || i FROM generate_series(1, 500) i;
INSERT INTO shop.orders SELECT i, 1 + i % 3, CASE WHEN i % 5 > 0 THEN (i % 165 + 1) * 3 + i % 3 END, i / 7.0 FROM generate_series(1, 700) i;
INSERT INTO shop.events SELECT '2024-06-01'::timestamptz + i * interval '1 hour', NULLIF('kind ' || i % 4, 'kind 3') FROM generate_series(1, 900) i;
ANALYZE;
`

// corpusDatabase is the fixture of the attacks and of the cases.
func corpusDatabase(t testing.TB, server *testserver.PostgresServer, d *dialect.Dialect) *testserver.PostgresDatabase {
	t.Helper()
	db := server.Database(t, strings.Join(corpus.Setup(d), ";\n")+";\n"+caseTypes)
	db.Exec(t, testserver.PostgresAdmin, `REVOKE ALL ON closed FROM loam_reader;
		CREATE EXTENSION dblink; CREATE EXTENSION hstore; CREATE EXTENSION citext;
		DO $$ BEGIN CREATE EXTENSION adminpack; EXCEPTION WHEN feature_not_supported THEN NULL; END $$; -- gone since PostgreSQL 17
		CREATE SCHEMA monitor; CREATE EXTENSION pg_stat_statements SCHEMA monitor; GRANT USAGE ON SCHEMA monitor TO loam_reader`)
	return db
}

// rereader returns a function that fingerprints everything an attack could have
// changed, through a connection of its own.
func rereader(t testing.TB, db *testserver.PostgresDatabase, d *dialect.Dialect) func(context.Context) (string, error) {
	t.Helper()
	return rereadBy(t, db, corpus.Reread(d))
}

func rereadBy(t testing.TB, db *testserver.PostgresDatabase, queries []string) func(context.Context) (string, error) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), db.DSN(testserver.PostgresAdmin))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return func(ctx context.Context) (string, error) {
		sum := sha256.New()
		batch := &pgx.Batch{}
		for _, sql := range queries {
			batch.Queue(sql)
		}
		results := conn.SendBatch(ctx, batch)
		for _, sql := range queries {
			rows, err := results.Query()
			if err != nil {
				return "", fmt.Errorf("%s: %w", sql, err)
			}
			for rows.Next() {
				fmt.Fprintf(sum, "%q\n", rows.RawValues())
			}
			if rows.Err() != nil {
				return "", fmt.Errorf("%s: %w", sql, rows.Err())
			}
		}
		return hex.EncodeToString(sum.Sum(nil)), results.Close()
	}
}

// running returns a function that looks for a statement in pg_stat_activity.
func running(t testing.TB, db *testserver.PostgresDatabase, tag string) func(context.Context) (bool, error) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), db.DSN(testserver.PostgresAdmin))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return func(ctx context.Context) (bool, error) {
		var n int
		err := conn.QueryRow(ctx, "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'WITH%' AND query LIKE '%/* "+tag+" */'").Scan(&n)
		return n > 0, err
	}
}

// backends returns a function that does something to processes of the server.
func backends(t testing.TB, db *testserver.PostgresDatabase, what, where string) func(context.Context) error {
	t.Helper()
	return func(context.Context) error {
		db.Exec(t, testserver.PostgresAdmin, "SELECT "+what+" FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND "+where)
		return nil
	}
}

// TestConformance runs beside no other test: the suite counts goroutines and files.
func TestConformance(t *testing.T) { testserver.EachPostgres(t, testConformance) }

func testConformance(t *testing.T, server *testserver.PostgresServer) {
	connector := postgres.Connector()
	d := &connector.Dialects[len(connector.Dialects)-1]
	db := corpusDatabase(t, server, d)
	reached := hide(t, db, d)
	cases, err := conform.LoadCases(os.DirFS("testdata/cases"))
	if err != nil {
		t.Fatal(err)
	}
	unreachable := configOf(db, testserver.PostgresReader, map[string]any{"port": 1})
	// The most dangerous account there is: what it cannot do, no account can.
	writer := configOf(db, testserver.PostgresAdmin, map[string]any{"schemas": []string{"public", "shop"}})
	conform.Run(t, conform.Target{
		Connector: connector,
		Binary:    program.Connector(t, "postgres"),
		Server:    "real PostgreSQL " + db.Version,
		Config:    configOf(db, testserver.PostgresReader, map[string]any{"schemas": []string{"public", "shop"}}),
		Address:   fmt.Sprintf("%s:%d", db.Host, db.Port),
		Through: func(address string) sdk.Config { // without TLS a cancel request is sent before anything is heard
			host, port, _ := strings.Cut(address, ":")
			return configOf(db, testserver.PostgresReader, map[string]any{"host": host, "port": json.Number(port), "sslmode": "disable"})
		},
		Unreachable: &unreachable,
		Writer:      &writer,
		Fixture: conform.Fixture{
			Tables:     fixtureTables(),
			Warned:     []string{"public.closed"},
			Reread:     rereader(t, db, d),
			Running:    running(t, db, "conformance"),
			End:        backends(t, db, "pg_cancel_backend(pid)", "query LIKE '%/* conformance */'"),
			Disconnect: backends(t, db, "pg_terminate_backend(pid)", "usename = 'loam_reader' AND datname = current_database()"),
		},
		Cases: append(cases, conform.Case{
			Name:   "parameters",
			SQL:    "SELECT $1::int8 + 1 AS n, $2::text AS t, $3::bytea AS b, $4::bool AS yes, $5::float8 AS f, $6::date AS missing, count(*) AS hits FROM accounts WHERE name = $7",
			Params: []sdk.Value{int64(9007199254740992), "it's $1", []byte{0, 255}, true, 0.1, nil, "Ada"},
			Columns: []conform.Column{
				{Name: "n", Type: "int64"},
				{Name: "t", Type: "text"},
				{Name: "b", Type: "bytes"},
				{Name: "yes", Type: "bool"},
				{Name: "f", Type: "float64"},
				{Name: "missing", Type: "date"},
				{Name: "hits", Type: "int64"},
			},
			Rows: [][]any{{"9007199254740993", "it's $1", []byte{0, 255}, true, 0.1, nil, 1}},
		}),
		RowsSQL:    func(n int) string { return fmt.Sprintf("SELECT generate_series(1, %d) AS n", n) },
		TextSQL:    func(n int) string { return fmt.Sprintf("SELECT repeat('x', %d) AS t", n) },
		SlowSQL:    slow("conformance"),
		SessionSQL: sessionSQL,
		Attacks:    attacksOf(t, db, d, filepath.Join(openFolder(t), "stolen")),
		Reach:      reached,
		Skips: map[string]string{
			"reach/covers_view_trigger": "PostgreSQL fires no trigger when a view is read; the harmless statements read one that has triggers",
			"reach/covers_macro":        "PostgreSQL has no macros",
			"types/covers_invalid_utf8": "a database in UTF-8 holds no other text",
			"types/covers_empty_name":   "PostgreSQL has no empty names",
		},
	})
}

// hide makes the objects that hide writes.
func hide(t testing.TB, db *testserver.PostgresDatabase, d *dialect.Dialect) *conform.Reach {
	t.Helper()
	folder := openFolder(t)
	dsn := fmt.Sprintf("host=%s port=%d dbname=%s user=%s password=''%s''", db.Host, db.Port, db.Name, testserver.PostgresOwner, testserver.PostgresPassword)
	hiding := corpus.Reach(d, filepath.Join(folder, "stolen"), dsn)
	for _, sql := range hiding.Setup {
		db.Exec(t, testserver.PostgresAdmin, sql)
	}
	reread := rereadBy(t, db, hiding.Reread)
	return &conform.Reach{
		Statements: hiding.Statements,
		Tables: []sdk.TableRef{
			{Schema: "hide", Name: "hidden_view"}, {Schema: "hide", Name: "hidden_next"}, {Schema: "hide", Name: "hidden_rows"},
			{Schema: "hide", Name: "parent_next"}, {Schema: "hide", Name: "hidden_program"},
		},
		Reread: func(ctx context.Context) (string, error) {
			rows, err := reread(ctx)
			if err != nil {
				return "", err
			}
			files, err := os.ReadDir(folder)
			return fmt.Sprint(rows, files), err
		},
	}
}

// sessionSQL lists what one statement could leave to the next on a connection.
const sessionSQL = `
SELECT name, setting FROM pg_settings WHERE context IN ('user', 'superuser') AND name NOT LIKE '%.%'
UNION ALL SELECT 'role', current_user::text || ' ' || session_user
UNION ALL SELECT 'prepared', count(*)::text FROM pg_prepared_statements WHERE name <> ''
UNION ALL SELECT 'channels', count(*)::text FROM pg_listening_channels()
UNION ALL SELECT 'locks', count(*)::text FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory'
UNION ALL SELECT 'temporary tables', count(*)::text FROM pg_class WHERE relpersistence = 't'
ORDER BY 1`

// attacksOf returns the corpus for the database's server.
func attacksOf(t testing.TB, db *testserver.PostgresDatabase, d *dialect.Dialect, tmp string) []conform.Attack {
	t.Helper()
	dsn := fmt.Sprintf("host=%s port=%d dbname=%s user=%s password=''%s''", db.Host, db.Port, db.Name, testserver.PostgresOwner, testserver.PostgresPassword)
	return conform.Corpus(d, db.Version, tmp, dsn)
}

func fixtureTables() []sdk.Table {
	integer := func(name string, nullable bool) sdk.Column {
		return sdk.Column{Name: name, Type: sdk.TypeInt64, NativeType: "integer", Nullable: nullable}
	}
	text := func(name, native string, nullable bool) sdk.Column {
		return sdk.Column{Name: name, Type: sdk.TypeText, NativeType: native, Nullable: nullable}
	}
	bigint := func(name string, nullable bool) sdk.Column {
		return sdk.Column{Name: name, Type: sdk.TypeInt64, NativeType: "bigint", Nullable: nullable}
	}
	table := func(schema, name string, kind sdk.TableKind, keys []sdk.Key, columns ...sdk.Column) sdk.Table {
		return sdk.Table{TableRef: sdk.TableRef{Schema: schema, Name: name}, Kind: kind, Keys: keys, Columns: columns}
	}
	primary := func(columns ...string) sdk.Key {
		return sdk.Key{Kind: sdk.KeyPrimary, Columns: columns, Enforced: true}
	}
	accounts := table("public", "accounts", sdk.TableBase, []sdk.Key{primary("id")},
		integer("id", false), text("name", "character varying(40)", false), integer("balance", false),
		text("update", "character varying(40)", true), integer("delete", true), text("into", "character varying(40)", true), integer("set", true), integer("call", true))
	accounts.Comment = "Who holds money: INSERT, UPDATE and DELETE are for the bank."
	customers := table("shop", "customers", sdk.TableBase,
		[]sdk.Key{primary("tenant", "id"), {Kind: sdk.KeyUnique, Columns: []string{"email"}, Enforced: true}},
		integer("tenant", false), bigint("id", false), sdk.Column{Name: "email", Type: sdk.TypeText, NativeType: "text", Comment: "lower case"})
	return []sdk.Table{
		accounts,
		table("public", "ledger", sdk.TableBase, []sdk.Key{primary("id")},
			integer("id", false), integer("account_id", false), integer("amount", false), text("note", "character varying(80)", true)),
		table("public", "drop", sdk.TableBase, nil, integer("id", true), text("for", "character varying(40)", true)),
		table("public", "docs", sdk.TableBase, []sdk.Key{primary("id")},
			integer("id", false), sdk.Column{Name: "doc", Type: sdk.TypeJSON, NativeType: "jsonb", Nullable: true},
			sdk.Column{Name: "tags", Type: sdk.TypeNestedJSON, NativeType: "text[]", Nullable: true},
			sdk.Column{Name: "during", Type: sdk.TypeNestedJSON, NativeType: "tstzrange", Nullable: true}),
		table("public", "big_accounts", sdk.TableView, nil, integer("id", true), text("name", "character varying(40)", true)),
		table("public", "account_totals", sdk.TableMaterialized, nil, text("name", "character varying(40)", true), integer("balance", true)),
		customers,
		table("shop", "orders", sdk.TableBase,
			[]sdk.Key{primary("id"), {
				Kind: sdk.KeyForeign, Columns: []string{"tenant", "customer"}, Enforced: true,
				Ref: sdk.TableRef{Schema: "shop", Name: "customers"}, RefColumns: []string{"tenant", "id"},
			}},
			bigint("id", false), integer("tenant", true), bigint("customer", true),
			sdk.Column{Name: "amount", Type: sdk.TypeDecimal, NativeType: "numeric(12,2)", Nullable: true, Precision: 12, Scale: 2, Default: "0"}),
		table("shop", "events", sdk.TablePartitioned, []sdk.Key{{Kind: sdk.KeyPartition, Columns: []string{"at"}, Enforced: true}},
			sdk.Column{Name: "at", Type: sdk.TypeTimestampTZ, NativeType: "timestamp with time zone"}, text("kind", "text", true)),
	}
}
