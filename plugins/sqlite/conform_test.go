package sqlite_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	driver "modernc.org/sqlite"

	"github.com/loam-data/loam/e2e/program"
	"github.com/loam-data/loam/plugins/sqlite"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
	"github.com/loam-data/loam/sdk/conform/corpus"
)

// kindsSchema holds what the cases read, beside the tables of the attacks.
var kindsSchema = []string{
	`CREATE TABLE kinds (id INTEGER PRIMARY KEY, yes BOOLEAN, day DATE, stamp DATETIME, zoned TIMESTAMP WITH TIME ZONE,
		amount DECIMAL(12,2), ratio REAL, small SMALLINT, label VARCHAR(20), raw BLOB, doc JSON, any)`,
	`INSERT INTO kinds VALUES
		(1, 1, '2024-02-29', '2024-02-29 12:30:00', '2024-02-29 12:30:00+02:00', 10, 0.5, 7, 'a', x'00ff', '{"a": 1}', 1),
		(2, 0, '1969-12-31', '2024-02-29T12:30:00.5', '2024-02-29T12:30:00Z', 10.55, 3, -7, '', x'', '[]', 'text'),
		(3, NULL, '0001-01-01', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
		(4, NULL, '9999-12-31', NULL, NULL, -0.01, NULL, NULL, NULL, NULL, NULL, x'0aff')`,
	`CREATE TABLE mixed (n INTEGER PRIMARY KEY, v)`,
	`INSERT INTO mixed (v) VALUES (1), (0.5), (9007199254740993), ('text'), (x'00ff'), (NULL), (9e999), (1e-7), (1e21)`,
	`CREATE TABLE unfit (n INTEGER PRIMARY KEY, day DATE, yes BOOLEAN, small INTEGER)`,
	`INSERT INTO unfit (day, yes, small) VALUES ('2024-01-01', 1, 1), ('2024-1-1', 2, 'many'), ('2024-02-30', 0, NULL)`,
	`CREATE TABLE strictly (i INT, r REAL, t TEXT, b BLOB, a ANY) STRICT`,
	`INSERT INTO strictly VALUES (1, 1, '1', x'01', 'one')`,
	`CREATE TABLE parents (a TEXT, b INTEGER, c TEXT NOT NULL UNIQUE, PRIMARY KEY (b, a)) WITHOUT ROWID`,
	`INSERT INTO parents VALUES ('x', 1, 'one'), ('y', 2, 'two')`,
	`CREATE TABLE children (id INTEGER PRIMARY KEY, pb INTEGER, pa TEXT, kind INTEGER REFERENCES KINDS, twice INTEGER GENERATED ALWAYS AS (id * 2) STORED,
		FOREIGN KEY (pb, pa) REFERENCES parents)`,
	`INSERT INTO children (id, pb, pa, kind) VALUES (1, 1, 'x', 4), (2, 7, 'orphan', NULL)`,
}

func table(name string, kind sdk.TableKind, columns []sdk.Column, keys ...sdk.Key) sdk.Table {
	return sdk.Table{TableRef: sdk.TableRef{Schema: "main", Name: name}, Kind: kind, Columns: columns, Keys: keys}
}

func col(name string, t sdk.Type, native string) sdk.Column {
	return sdk.Column{Name: name, Type: t, NativeType: native, Nullable: true}
}

func notNull(c sdk.Column) sdk.Column {
	c.Nullable = false
	return c
}

func generated(c sdk.Column) sdk.Column {
	c.Generated = true
	return c
}

func key(kind sdk.KeyKind, columns ...string) sdk.Key {
	return sdk.Key{Kind: kind, Columns: columns, Enforced: true}
}

func foreign(columns []string, name string, refs ...string) sdk.Key {
	return sdk.Key{Kind: sdk.KeyForeign, Columns: columns, Ref: sdk.TableRef{Schema: "main", Name: name}, RefColumns: refs}
}

// fixtureTables is all that a scan must show of the fixture.
func fixtureTables() []sdk.Table {
	const (
		i, f, s, b = sdk.TypeInt64, sdk.TypeFloat64, sdk.TypeText, sdk.TypeBytes
		base, view = sdk.TableBase, sdk.TableView
	)
	id := notNull(col("id", i, "INTEGER"))
	pk := key(sdk.KeyPrimary, "id")
	return []sdk.Table{
		table("accounts", base, []sdk.Column{
			id, notNull(col("name", s, "VARCHAR(40)")), notNull(col("balance", i, "INTEGER")), col("update", s, "VARCHAR(40)"),
			col("delete", i, "INTEGER"), col("into", s, "VARCHAR(40)"), col("set", i, "INTEGER"), col("call", i, "INTEGER"),
		}, pk),
		table("big_accounts", view, []sdk.Column{col("id", i, "INTEGER"), col("name", s, "VARCHAR(40)")}),
		table("areas", base, []sdk.Column{
			col("id", i, "INT"), col("minx", sdk.TypeFloat64, "REAL"), col("maxx", sdk.TypeFloat64, "REAL"), col("miny", sdk.TypeFloat64, "REAL"), col("maxy", sdk.TypeFloat64, "REAL"),
		}),
		table("children", base, []sdk.Column{
			id, col("pb", i, "INTEGER"), col("pa", s, "TEXT"), col("kind", i, "INTEGER"), generated(col("twice", i, "INTEGER")),
		}, pk, foreign([]string{"pb", "pa"}, "parents", "b", "a"), foreign([]string{"kind"}, "kinds", "id")),
		table("docs", base, []sdk.Column{id, col("doc", s, "TEXT")}, pk),
		table("drop", base, []sdk.Column{col("id", i, "INTEGER"), col("for", s, "VARCHAR(40)")}),
		table("hid_plain", view, []sdk.Column{col("name", s, "ANY")}),
		table("kinds", base, []sdk.Column{
			id, col("yes", sdk.TypeBool, "BOOLEAN"), col("day", sdk.TypeDate, "DATE"), col("stamp", sdk.TypeTimestamp, "DATETIME"),
			col("zoned", sdk.TypeTimestampTZ, "TIMESTAMP WITH TIME ZONE"), col("amount", f, "DECIMAL(12,2)"), col("ratio", f, "REAL"),
			col("small", i, "SMALLINT"), col("label", s, "VARCHAR(20)"), col("raw", b, "BLOB"), col("doc", s, "JSON"), col("any", s, "ANY"),
		}, pk),
		table("ledger", base, []sdk.Column{
			id, notNull(col("account_id", i, "INTEGER")), notNull(col("amount", i, "INTEGER")), col("note", s, "VARCHAR(80)"),
		}, pk),
		table("mixed", base, []sdk.Column{notNull(col("n", i, "INTEGER")), col("v", s, "ANY")}, key(sdk.KeyPrimary, "n")),
		table("notes", base, []sdk.Column{col("body", s, "ANY")}),
		table("parents", base, []sdk.Column{notNull(col("a", s, "TEXT")), notNull(col("b", i, "INTEGER")), notNull(col("c", s, "TEXT"))},
			key(sdk.KeyPrimary, "b", "a"), key(sdk.KeyUnique, "c")),
		table("strictly", base, []sdk.Column{col("i", i, "INT"), col("r", f, "REAL"), col("t", s, "TEXT"), col("b", b, "BLOB"), col("a", s, "ANY")}),
		table("unfit", base, []sdk.Column{
			notNull(col("n", i, "INTEGER")), col("day", sdk.TypeDate, "DATE"), col("yes", sdk.TypeBool, "BOOLEAN"), col("small", i, "INTEGER"),
		}, key(sdk.KeyPrimary, "n")),
	}
}

// outside looks at a database around the connector.
type outside struct {
	conn        *sql.Conn
	path, stray string
	queries     []string
}

// reread fingerprints the rows, the structure, the folder of the file, and the
// folder in which attacks would leave something.
func (o *outside) reread(ctx context.Context) (string, error) {
	rows, err := conform.Fingerprint(ctx, o.conn, o.queries)
	if err != nil {
		return "", err
	}
	var names []string
	for _, folder := range []string{filepath.Dir(o.path), o.stray} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return "", err
		}
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
	}
	data, err := os.ReadFile(o.path)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%q %x %s", names, sha256.Sum256(data), rows), nil
}

// running finds out whether anybody reads: then the file cannot be locked.
func (o *outside) running(ctx context.Context) (bool, error) {
	_, err := o.conn.ExecContext(ctx, "BEGIN EXCLUSIVE")
	const busy = 5
	if failed, ok := errors.AsType[*driver.Error](err); ok && failed.Code()&0xff == busy {
		return true, nil
	}
	if err == nil {
		_, err = o.conn.ExecContext(ctx, "ROLLBACK")
	}
	return false, err
}

func TestConformance(t *testing.T) { conform.Run(t, conformance(t)) }

// The program that was built when contract 1.0 was the newest satisfies a host of today.
func TestConformanceOfContract10(t *testing.T) {
	target := conformance(t)
	target.Binary, target.Connector, target.Modes = program.Frozen(t, "cmd/loam-connector-sqlite"), nil, []conform.Mode{conform.Binary}
	target.Attacks = slices.DeleteFunc(target.Attacks, func(a conform.Attack) bool { // it accepts fewer PRAGMAs
		return a.Harmless && (strings.Contains(a.SQL, "journal_mode") || strings.Contains(a.SQL, "_check") && !strings.Contains(a.SQL, "foreign_key"))
	})
	conform.Run(t, target)
}

func conformance(t *testing.T) conform.Target {
	t.Helper()
	d := &sqlite.Dialects()[0]
	stray := t.TempDir()
	hidden := corpus.Reach(d, filepath.Join(stray, "stolen"), "")
	path := create(t, slices.Concat(corpus.Setup(d), kindsSchema, hidden.Setup)...)
	conn, err := writable(t, path).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	look := &outside{conn: conn, path: path, stray: stray, queries: append(corpus.Reread(d),
		"SELECT * FROM kinds", "SELECT * FROM mixed", "SELECT * FROM parents", "SELECT * FROM children", "SELECT * FROM docs", `SELECT * FROM "drop"`)}
	cases, err := conform.LoadCases(os.DirFS("testdata/cases"))
	if err != nil {
		t.Fatal(err)
	}
	return conform.Target{
		Connector: sqlite.Connector(),
		Binary:    program.Connector(t, "sqlite"),
		Server:    "embedded SQLite " + sqliteVersion(t, conn),
		Config:    request(t, map[string]any{"path": path}).Config,
		Fixture:   conform.Fixture{Tables: fixtureTables(), Reread: look.reread, Running: look.running},
		Cases:     append(cases, moreCases()...),
		RowsSQL: func(n int) string {
			return fmt.Sprintf("WITH RECURSIVE n (i) AS (SELECT 1 WHERE %[1]d > 0 UNION ALL SELECT i + 1 FROM n WHERE i < %[1]d) SELECT i FROM n", n)
		},
		TextSQL:    func(n int) string { return fmt.Sprintf("SELECT printf('%%.*c', %d, 'x')", n) },
		SlowSQL:    "WITH RECURSIVE n (i) AS (SELECT id FROM accounts UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
		SessionSQL: "SELECT query_only, temp_store, user_version FROM pragma_query_only, pragma_temp_store, pragma_user_version",
		Attacks:    conform.Corpus(d, sqliteVersion(t, conn), filepath.Join(look.stray, "stolen"), ""),
		Reach: &conform.Reach{
			Statements: hidden.Statements, Reread: look.reread,
		},
		Skips: skips,
	}
}

// skips are the corners that SQLite does not have.
var skips = map[string]string{
	"reach/covers_view":          "a view that SQLite finds unsafe breaks what lists all columns: reach_test.go has such views",
	"reach/covers_function":      "SQLite has no functions that users make",
	"reach/covers_operator":      "SQLite has no operators that users make",
	"reach/covers_domain":        "SQLite has no domains",
	"reach/covers_cast":          "SQLite has no casts that users make",
	"reach/covers_foreign_table": "no virtual table of this build leads elsewhere",
	"reach/covers_macro":         "SQLite has no macros",
	"open/wrong_secret":          "a file has no password",
	"open/unreachable":           "a file is there or not: opening one that is not is KindNotFound, tested with the other states of a file",
	"config/offline":             "there is no server that could be asked",
	"types/covers_nan":           "SQLite turns NaN into NULL",
	"types/covers_exact_decimal": "SQLite has no decimals, only integers and doubles",
	"types/covers_infinite_time": "SQLite has no infinite dates",
	"types/covers_zero_columns":  "SQLite has no SELECT without columns",
	"types/type_decimal":         "SQLite has no decimals, only integers and doubles",
	"types/type_time":            "times are text and come as stored",
	"types/type_timestamp":       "timestamps are text and come as stored",
	"types/type_timestamp_tz":    "timestamps are text and come as stored",
	"types/type_json":            "JSON is text and comes as stored",
	"types/type_nested_json":     "JSON is text and comes as stored",
	"types/type_uuid":            "UUIDs are text and come as stored",
	"plan/validate_columns":      "the values tell the type, so that before a statement runs it is what is declared, or open; tested in plan_test.go",
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
		SQL:    "SELECT ? AS none, ? AS yes, ? AS number, ? AS real, ? AS text, ? AS bytes, ? AS empty, ?1 IS NULL AS first",
		Params: []sdk.Value{nil, true, int64(9007199254740993), 0.5, "naïve\x00'", []byte{0, 255}, []byte{}},
		Columns: []conform.Column{
			{Name: "none", Type: "text"},
			{Name: "yes", Type: "int64"},
			{Name: "number", Type: "int64"},
			{Name: "real", Type: "float64"},
			{Name: "text", Type: "text"},
			{Name: "bytes", Type: "bytes"},
			{Name: "empty", Type: "bytes"},
			{Name: "first", Type: "int64"},
		},
		Rows: [][]any{{
			nil, json.Number("1"), "9007199254740993", json.Number("0.5"),
			map[string]any{"$hex": hex.EncodeToString([]byte("naïve\x00'"))},
			map[string]any{"$hex": "00ff"},
			map[string]any{"$hex": ""},
			json.Number("1"),
		}},
	}}
}

func sqliteVersion(t *testing.T, conn *sql.Conn) (version string) {
	t.Helper()
	if err := conn.QueryRowContext(t.Context(), "SELECT sqlite_version()").Scan(&version); err != nil {
		t.Fatal(err)
	}
	return version
}
