//go:build cgo

package duckdb_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/e2e/program"
	"github.com/loam-data/loam/plugins/duckdb"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
	"github.com/loam-data/loam/sdk/conform/corpus"
)

// kindsSchema is what a scan must show, beside the tables of the attacks.
var kindsSchema = []string{
	`CREATE TABLE kinds (id INTEGER PRIMARY KEY, yes BOOLEAN, small UTINYINT, huge HUGEINT, amount DECIMAL(12,2), ratio FLOAT, label VARCHAR DEFAULT 'none',
		raw BLOB, bits BIT, day DATE, clock TIME, zoned TIMETZ, stamp TIMESTAMP, nanos TIMESTAMP_NS, instant TIMESTAMPTZ, span INTERVAL, uid UUID,
		doc JSON, tags VARCHAR[], grid INTEGER[2], pair STRUCT(a INTEGER, b VARCHAR), sums MAP(VARCHAR, INTEGER), either UNION(n INTEGER, s VARCHAR),
		feels mood, free VARIANT, place GEOMETRY)`,
	"COMMENT ON TABLE kinds IS 'One column of each kind.'",
	"COMMENT ON COLUMN kinds.amount IS 'In euros.'",
	"CREATE SCHEMA crm",
	`CREATE TABLE crm.parents (a VARCHAR, b INTEGER, c VARCHAR NOT NULL UNIQUE, PRIMARY KEY (b, a))`,
	`CREATE TABLE crm.children (id INTEGER PRIMARY KEY, pb INTEGER, pa VARCHAR, twice INTEGER GENERATED ALWAYS AS (id * 2), FOREIGN KEY (pb, pa) REFERENCES crm.parents (b, a))`,
	"INSERT INTO crm.parents VALUES ('x', 1, 'one')",
	"INSERT INTO crm.children VALUES (1, 1, 'x')",
}

const database = "it's a shop"

func table(schema, name string, kind sdk.TableKind, columns []sdk.Column, keys ...sdk.Key) sdk.Table {
	return sdk.Table{TableRef: sdk.TableRef{Catalog: database, Schema: schema, Name: name}, Kind: kind, Columns: columns, Keys: keys}
}

func col(name string, t sdk.Type, native string) sdk.Column {
	c := sdk.Column{Name: name, Type: t, NativeType: native, Nullable: true}
	if _, err := fmt.Sscanf(native, "DECIMAL(%d,%d)", &c.Precision, &c.Scale); err != nil {
		c.Precision, c.Scale = 0, 0
	}
	return c
}

func finer(c sdk.Column) sdk.Column {
	c.TimeDigits = 9
	return c
}

func notNull(c sdk.Column) sdk.Column {
	c.Nullable = false
	return c
}

func key(kind sdk.KeyKind, columns ...string) sdk.Key {
	return sdk.Key{Kind: kind, Columns: columns, Enforced: true}
}

// fixtureTables is all that a scan must show of the fixture.
func fixtureTables() []sdk.Table {
	const (
		i, s, n    = sdk.TypeInt64, sdk.TypeText, sdk.TypeNestedJSON
		base, view = sdk.TableBase, sdk.TableView
	)
	id, pk := notNull(col("id", i, "INTEGER")), key(sdk.KeyPrimary, "id")
	label, amount := col("label", s, "VARCHAR"), col("amount", sdk.TypeDecimal, "DECIMAL(12,2)")
	label.Default, amount.Comment = "'none'", "In euros."
	twice := col("twice", i, "INTEGER")
	twice.Default = "CAST((id * 2) AS INTEGER)"
	tags, grid, pair := col("tags", n, "VARCHAR[]"), col("grid", n, "INTEGER[2]"), col("pair", n, "STRUCT(a INTEGER, b VARCHAR)")
	tags.Repeated, tags.Fields = true, []sdk.Column{col("", s, "VARCHAR")}
	grid.Repeated, grid.Fields = true, []sdk.Column{col("", i, "INTEGER")}
	pair.Fields = []sdk.Column{col("a", i, "INTEGER"), col("b", s, "VARCHAR")}
	accounts := table("main", "accounts", base, []sdk.Column{
		id, notNull(col("name", s, "VARCHAR")), notNull(col("balance", i, "INTEGER")), col("update", s, "VARCHAR"),
		col("delete", i, "INTEGER"), col("into", s, "VARCHAR"), col("set", i, "INTEGER"), col("call", i, "INTEGER"),
	}, pk)
	accounts.Comment = "Who holds money: INSERT, UPDATE and DELETE are for the bank."
	kinds := table("main", "kinds", base, []sdk.Column{
		id, col("yes", sdk.TypeBool, "BOOLEAN"), col("small", i, "UTINYINT"), col("huge", sdk.TypeDecimal, "HUGEINT"), amount, col("ratio", sdk.TypeFloat64, "FLOAT"), label,
		col("raw", sdk.TypeBytes, "BLOB"), col("bits", s, "BIT"), col("day", sdk.TypeDate, "DATE"), col("clock", sdk.TypeTime, "TIME"), col("zoned", s, "TIME WITH TIME ZONE"),
		col("stamp", sdk.TypeTimestamp, "TIMESTAMP"), finer(col("nanos", sdk.TypeTimestamp, "TIMESTAMP_NS")), col("instant", sdk.TypeTimestampTZ, "TIMESTAMP WITH TIME ZONE"),
		col("span", sdk.TypeInterval, "INTERVAL"), col("uid", sdk.TypeUUID, "UUID"), col("doc", sdk.TypeJSON, "JSON"), tags,
		grid, pair, col("sums", n, "MAP(VARCHAR, INTEGER)"), col("either", n, "UNION(n INTEGER, s VARCHAR)"),
		col("feels", s, "ENUM('update', 'delete', 'drop')"), col("free", sdk.TypeJSON, "VARIANT"), col("place", sdk.TypeGeoWKT, "GEOMETRY"),
	}, pk)
	kinds.Comment = "One column of each kind."
	children := key(sdk.KeyForeign, "pb", "pa")
	children.Ref, children.RefColumns = sdk.TableRef{Catalog: database, Schema: "crm", Name: "parents"}, []string{"b", "a"}
	return []sdk.Table{
		accounts,
		table("main", "big_accounts", view, []sdk.Column{col("id", i, "INTEGER"), col("name", s, "VARCHAR")}),
		table("crm", "children", base, []sdk.Column{id, col("pb", i, "INTEGER"), col("pa", s, "VARCHAR"), twice}, pk, children),
		table("main", "docs", base, []sdk.Column{
			id, col("doc", sdk.TypeJSON, "JSON"), tags, pair,
			col("sums", n, "MAP(VARCHAR, INTEGER)"), col("feels", s, "ENUM('update', 'delete', 'drop')"),
		}, pk),
		table("main", "drop", base, []sdk.Column{col("id", i, "INTEGER"), col("for", s, "VARCHAR")}),
		kinds,
		table("main", "ledger", base, []sdk.Column{
			id, notNull(col("account_id", i, "INTEGER")), notNull(col("amount", i, "INTEGER")), col("note", s, "VARCHAR"),
		}, pk),
		table("main", "next_id", view, []sdk.Column{col("id", i, "BIGINT")}),
		table("crm", "parents", base, []sdk.Column{notNull(col("a", s, "VARCHAR")), notNull(col("b", i, "INTEGER")), notNull(col("c", s, "VARCHAR"))},
			key(sdk.KeyUnique, "c"), key(sdk.KeyPrimary, "b", "a")),
	}
}

// look fingerprints a database around the connector: the rows, the structure,
// the bytes of the file, and the names in its folder and in the one in which
// attacks would leave something.
type look struct {
	db          *sql.DB
	path, stray string
	queries     []string
}

func (l *look) reread(ctx context.Context) (string, error) {
	rows, err := conform.Fingerprint(ctx, l.db, l.queries)
	if err != nil {
		return "", err
	}
	names, err := listing(filepath.Dir(l.path), l.stray)
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(l.path)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%q %x %s", names, sha256.Sum256(data), rows), nil
}

// listing returns the names of everything in folders, at any depth.
func listing(folders ...string) (names []string, err error) {
	for _, folder := range folders {
		err = errors.Join(err, filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			names = append(names, path)
			return err
		}))
	}
	return names, err
}

func TestConformance(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the suite on DuckDB; it runs on SQLite and PostgreSQL")
	}
	d := &duckdb.Dialects()[0]
	stray := t.TempDir()
	hidden := corpus.Reach(d, filepath.Join(stray, "stolen"), "")
	path := create(t, slices.Concat(corpus.Setup(d), kindsSchema, hidden.Setup)...)
	out := &look{db: outside(t, path, "?access_mode=READ_ONLY"), path: path, stray: stray, queries: append(append(corpus.Reread(d), hidden.Reread...),
		"SELECT * FROM docs", `SELECT * FROM "drop"`, "SELECT * FROM crm.parents", "SELECT * FROM crm.children")}
	cases, err := conform.LoadCases(os.DirFS("testdata/cases"))
	if err != nil {
		t.Fatal(err)
	}
	version := strings.TrimPrefix(column(t, out.db, "SELECT version()")[0], "v")
	config := request(t, map[string]any{"path": path, "threads": 2}).Config
	conform.Run(t, conform.Target{
		Connector: duckdb.Connector(),
		Binary:    program.Connector(t, "duckdb"),
		Server:    "embedded DuckDB " + version,
		Config:    config,
		Fixture:   conform.Fixture{Tables: fixtureTables(), Reread: out.reread, Running: busy},
		Cases:     append(cases, moreCases()...),
		RowsSQL:   func(n int) string { return fmt.Sprintf("SELECT i FROM range(1, %d) t(i)", n+1) },
		TextSQL:   func(n int) string { return fmt.Sprintf("SELECT repeat('x', %d) AS x", n) },
		SlowSQL:   slowSQL,
		SessionSQL: `SELECT (SELECT string_agg(name || '=' || coalesce(value, ''), ';' ORDER BY name) FROM duckdb_settings()),
			(SELECT count(*) FROM duckdb_variables()), (SELECT count(*) FROM duckdb_prepared_statements()),
			(SELECT count(*) FROM duckdb_databases()), current_schema(), random() IS NULL`,
		Attacks: conform.Corpus(d, version, filepath.Join(out.stray, "stolen"), ""),
		Reach:   &conform.Reach{Statements: hidden.Statements, Tables: []sdk.TableRef{{Catalog: database, Schema: "main", Name: "next_id"}}, Reread: out.reread},
		Skips:   skips,
	})
}

// slowSQL only computes, for hours.
const slowSQL = "SELECT sum((a.i * b.i) % 7) FROM range(1000000000000) a(i), range(1000000) b(i)"

// skips are the corners that DuckDB does not have.
var skips = map[string]string{
	"reach/covers_function":      "DuckDB's functions are macros",
	"reach/covers_operator":      "DuckDB has no operators that users make",
	"reach/covers_domain":        "DuckDB's types compute nothing",
	"reach/covers_cast":          "DuckDB has no casts that users make",
	"reach/covers_foreign_table": "another database cannot be attached, and a file keeps none attached",
	"reach/covers_view_trigger":  "DuckDB has no triggers",
	"open/wrong_secret":          "a file has no password",
	"open/unreachable":           "a file is there or not: what can be wrong with one is tested in open_test.go",
	"config/offline":             "there is no server that could be asked",
	"types/covers_invalid_utf8":  "DuckDB stores no text that is not UTF-8",
	"types/covers_zero_columns":  "DuckDB has no SELECT without columns",
	"types/covers_empty_name":    "DuckDB takes no name without characters",
}

// moreCases are those that a file cannot hold.
func moreCases() []conform.Case {
	wide := conform.Case{Name: "wide"}
	var list []string
	var row []any
	for i := range 1000 {
		list = append(list, fmt.Sprintf("%d AS c%d", i, i))
		wide.Columns = append(wide.Columns, conform.Column{Name: fmt.Sprintf("c%d", i), Type: "int64"})
		row = append(row, json.Number(fmt.Sprint(i)))
	}
	wide.SQL, wide.Rows = "SELECT "+strings.Join(list, ", "), [][]any{row}
	return []conform.Case{wide, {
		Name:   "parameters",
		SQL:    "SELECT $1::INTEGER AS none, $2 AS yes, $3 AS number, $4 AS real, $5 AS text, $6 AS bytes, $7 AS empty, $3 + 1 AS more",
		Params: []sdk.Value{nil, true, int64(9007199254740993), 0.5, "naïve'", []byte{0, 255}, []byte{}},
		Columns: []conform.Column{
			{Name: "none", Type: "int64"},
			{Name: "yes", Type: "bool"},
			{Name: "number", Type: "int64"},
			{Name: "real", Type: "float64"},
			{Name: "text", Type: "text"},
			{Name: "bytes", Type: "bytes"},
			{Name: "empty", Type: "bytes"},
			{Name: "more", Type: "int64"},
		},
		Rows: [][]any{{
			nil, true, "9007199254740993", json.Number("0.5"), "naïve'",
			map[string]any{"$hex": "00ff"},
			map[string]any{"$hex": ""},
			"9007199254740994",
		}},
	}}
}
