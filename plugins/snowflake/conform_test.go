package snowflake_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/loam-data/loam/e2e/program"
	fixture "github.com/loam-data/loam/e2e/testserver/snowflake"
	"github.com/loam-data/loam/plugins/snowflake"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
	"github.com/loam-data/loam/sdk/conform/corpus"
)

// shop is what a scan shows beside the corpus' tables.
var shop = []string{
	"CREATE SCHEMA shop",
	`CREATE TABLE shop.customers (tenant NUMBER(10,0) NOT NULL, id NUMBER(38,0) NOT NULL, "eMail" VARCHAR NOT NULL, seen TIMESTAMP_NTZ(9), PRIMARY KEY (tenant, id)) CLUSTER BY (tenant)`,
	"CREATE TABLE shop.orders (id NUMBER(10,0) NOT NULL PRIMARY KEY, tenant NUMBER(10,0), customer NUMBER(38,0), amount NUMBER(12,2), " +
		"FOREIGN KEY (tenant, customer) REFERENCES shop.customers (tenant, id))",
	"COMMENT ON TABLE shop.customers IS 'Who buys'",
	"CREATE VIEW shop.recent AS SELECT id, amount FROM shop.orders",
}

func number(name string, precision, scale int, nullable bool) sdk.Column {
	c := sdk.Column{Name: name, Type: sdk.TypeInt64, NativeType: fmt.Sprintf("NUMBER(%d,%d)", precision, scale), Nullable: nullable}
	if precision > 18 || scale > 0 {
		c.Type, c.Precision, c.Scale = sdk.TypeDecimal, precision, scale
	}
	return c
}

func text(name string, nullable bool) sdk.Column {
	return sdk.Column{Name: name, Type: sdk.TypeText, Nullable: nullable}
}

// shopTables are the tables of shop and of the corpus.
func shopTables() []sdk.Table {
	table := func(schema, name string, columns ...sdk.Column) sdk.Table {
		return sdk.Table{TableRef: sdk.TableRef{Catalog: fixture.DefaultDatabase, Schema: schema, Name: name}, Kind: sdk.TableBase, Columns: columns}
	}
	primary := func(columns ...string) sdk.Key { return sdk.Key{Kind: sdk.KeyPrimary, Columns: columns} }
	integer := func(name string, nullable bool) sdk.Column { return number(name, 38, 0, nullable) }
	seen := sdk.Column{Name: "SEEN", Type: sdk.TypeTimestamp, NativeType: "TIMESTAMP_NTZ(9)", Nullable: true, TimeDigits: 9}
	customers := table("SHOP", "CUSTOMERS", number("TENANT", 10, 0, false), integer("ID", false), text("eMail", false), seen)
	customers.Comment, customers.Keys = "Who buys", []sdk.Key{primary("TENANT", "ID"), {Kind: sdk.KeyCluster, Columns: []string{"TENANT"}}}
	orders := table("SHOP", "ORDERS", number("ID", 10, 0, false), number("TENANT", 10, 0, true), integer("CUSTOMER", true), number("AMOUNT", 12, 2, true))
	orders.Keys = []sdk.Key{primary("ID"), {Kind: sdk.KeyForeign, Columns: []string{"TENANT", "CUSTOMER"}, Ref: customers.TableRef, RefColumns: []string{"TENANT", "ID"}}}
	recent := table("SHOP", "RECENT", number("ID", 10, 0, true), number("AMOUNT", 12, 2, true))
	recent.Kind = sdk.TableView
	accounts := table("PUBLIC", "ACCOUNTS", integer("ID", false), text("NAME", false), integer("BALANCE", false),
		text("update", true), integer("delete", true), text("into", true), integer("set", true), integer("call", true))
	accounts.Keys = []sdk.Key{primary("ID")}
	ledger := table("PUBLIC", "LEDGER", integer("ID", false), integer("ACCOUNT_ID", false), integer("AMOUNT", false), text("NOTE", true))
	ledger.Keys = []sdk.Key{primary("ID")}
	view := table("PUBLIC", "BIG_ACCOUNTS", integer("ID", true), text("NAME", true))
	view.Kind = sdk.TableView
	return []sdk.Table{customers, orders, recent, accounts, ledger, table("PUBLIC", "drop", integer("ID", true), text("for", true)), view}
}

// cases are statements with their whole answers.
func cases() []conform.Case {
	one := func(name, expression, typ, native string, want any) conform.Case {
		digits := 0
		if strings.HasSuffix(native, "(9)") {
			digits = 9
		}
		return conform.Case{
			Name: name, SQL: "SELECT " + expression + " AS v UNION ALL SELECT NULL ORDER BY 1 NULLS LAST",
			Columns: []conform.Column{{Name: "V", Type: typ, Native: native, Digits: digits}}, Rows: [][]any{{want}, {nil}},
		}
	}
	wide := make([]string, 500)
	wideColumns, wideRow := make([]conform.Column, 500), make([]any, 500)
	for i := range wide {
		wide[i] = fmt.Sprintf("%d::NUMBER(5,0) AS c%d", i, i)
		wideColumns[i], wideRow[i] = conform.Column{Name: fmt.Sprintf("C%d", i), Type: "int64"}, i
	}
	fails := func(name, sql string, kind sdk.Kind, code string) conform.Case {
		return conform.Case{Name: name, SQL: sql, Error: &conform.Failure{Kind: kind, Code: code}}
	}
	return []conform.Case{
		one("bool", "TRUE", "bool", "BOOLEAN", true),
		one("integer", "9007199254740993::NUMBER(18,0)", "int64", "NUMBER(18,0)", "9007199254740993"),
		one("wide integer", "12345678901234567890123456789012345678::NUMBER(38,0)", "decimal", "NUMBER(38,0)", "12345678901234567890123456789012345678"),
		one("decimal", "-123456789012345678901234567890.12345678::NUMBER(38,8)", "decimal", "NUMBER(38,8)", "-123456789012345678901234567890.12345678"),
		one("float", "0.1::FLOAT", "float64", "FLOAT", 0.1),
		one("nan", "'NaN'::FLOAT", "float64", "FLOAT", "NaN"),
		one("infinity", "'inf'::FLOAT", "float64", "FLOAT", "Infinity"),
		one("negative infinity", "'-inf'::FLOAT", "float64", "FLOAT", "-Infinity"),
		one("text", "'naïve 😀 東京'", "text", "", "naïve 😀 東京"),
		one("empty text", "''", "text", "", ""),
		one("large text", "REPEAT('x', 1048576)", "text", "", map[string]any{"$repeat": "x", "$times": 1048576}),
		one("bytes", "'00FF'::BINARY", "bytes", "", map[string]any{"$hex": "00ff"}),
		one("date", "'1969-07-20'::DATE", "date", "DATE", "1969-07-20"),
		one("time", "'12:34:56.000000001'::TIME(9)", "time", "TIME(9)", "12:34:56.000000001"),
		one("timestamp", "'2024-02-29 12:30:00.123456789'::TIMESTAMP_NTZ(9)", "timestamp", "TIMESTAMP_NTZ(9)", "2024-02-29T12:30:00.123456789"),
		one("timestamp before 1970", "'1969-12-31 23:59:59.999999999'::TIMESTAMP_NTZ(9)", "timestamp", "TIMESTAMP_NTZ(9)", "1969-12-31T23:59:59.999999999"),
		one("timestamp with an offset", "'2024-02-29 12:30:00.5 +0530'::TIMESTAMP_TZ(9)", "timestamp_tz", "TIMESTAMP_TZ(9)", "2024-02-29T07:00:00.5Z"),
		{
			Name: "variant", SQL: `SELECT PARSE_JSON('{"a": [1, null], "b": 12345678901234567890}') AS v`,
			Columns: []conform.Column{{Name: "V", Type: "json", Native: "VARIANT"}},
			Rows:    [][]any{{map[string]any{"a": []any{1, nil}, "b": json.Number("12345678901234567890")}}},
		},
		{Name: "object", SQL: "SELECT OBJECT_CONSTRUCT('a', 1) AS v", Columns: []conform.Column{{Name: "V", Type: "nested_json", Native: "OBJECT"}}, Rows: [][]any{{map[string]any{"a": 1}}}},
		{Name: "array", SQL: "SELECT ARRAY_CONSTRUCT(1, 'x') AS v", Columns: []conform.Column{{Name: "V", Type: "nested_json", Native: "ARRAY"}}, Rows: [][]any{{[]any{1, "x"}}}},
		{Name: "no rows", SQL: "SELECT id, name FROM accounts WHERE FALSE", Columns: []conform.Column{{Name: "ID", Type: "decimal"}, {Name: "NAME", Type: "text"}}, Rows: [][]any{}},
		{Name: "duplicate names", SQL: "SELECT 1::NUMBER(5,0) AS a, 2::NUMBER(5,0) AS a", Columns: []conform.Column{{Name: "A", Type: "int64"}, {Name: "A", Type: "int64"}}, Rows: [][]any{{1, 2}}},
		{Name: "wide", SQL: "SELECT " + strings.Join(wide, ", "), Columns: wideColumns, Rows: [][]any{wideRow}},
		{
			Name:   "parameters",
			SQL:    "SELECT ?::NUMBER(18,0) + 1 AS n, ? AS t, ? AS b, ? AS yes, ? AS f, ? AS missing, COUNT(*) AS hits FROM accounts WHERE name = ?",
			Params: []sdk.Value{int64(9007199254740992), "it's ?", []byte{0, 255}, true, 0.1, nil, "Ada"},
			Columns: []conform.Column{
				{Name: "N", Type: "int64"}, {Name: "T", Type: "text"}, {Name: "B", Type: "bytes"}, {Name: "YES", Type: "bool"},
				{Name: "F", Type: "float64"}, {Name: "MISSING", Type: "decimal"}, {Name: "HITS", Type: "decimal"},
			},
			Rows: [][]any{{"9007199254740993", "it's ?", map[string]any{"$hex": "00ff"}, true, 0.1, nil, 1}},
		},
		fails("syntax", "SELECT FROM WHERE", sdk.KindSyntax, "001003"),
		fails("table", "SELECT 1 FROM no_such_table", sdk.KindNotFound, "002003"),
		fails("column", "SELECT no_such_column FROM accounts", sdk.KindNotFound, "000904"),
		fails("function", "SELECT no_such_function(1)", sdk.KindNotFound, "002140"),
		fails("value", "SELECT 'x'::NUMBER(5,0) AS n", sdk.KindInvalid, "100038"),
	}
}

// rereader fingerprints what an attack could have changed, through another client.
func rereader(db *sql.DB) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		return conform.Fingerprint(ctx, db, corpus.Reread(&snowflake.Dialects()[0]))
	}
}

// attacks are the corpus without the harmless statements that the fixture has no part for.
func attacks(t *testing.T, server *fixture.Server) []conform.Attack {
	t.Helper()
	s := open(t, configOf(server, fixture.Reader, nil))
	return slices.DeleteFunc(conform.Corpus(&snowflake.Dialects()[0], "", "", ""), func(a conform.Attack) bool {
		if !a.Harmless {
			return false
		}
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: a.SQL})
		return err != nil && sdk.KindOf(err) != sdk.KindNotReadOnly
	})
}

// TestConformance runs beside no other test: the suite counts goroutines and files.
func TestConformance(t *testing.T) {
	server := fixture.Start(t)
	db := admin(t, server)
	run(t, db, slices.Concat(corpus.Setup(&snowflake.Dialects()[0]), shop)...)
	server.Exec(t, "CREATE TABLE NUMBERS AS SELECT (range + 1)::INTEGER AS N FROM range(1000000)")
	unreachable := configOf(server, fixture.Reader, map[string]any{"port": 1})
	writer := configOf(server, fixture.Admin, nil)
	const slowSQL = "SELECT COUNT(*) AS conformance FROM numbers x, numbers y, numbers z WHERE x.n + y.n + z.n < 0"
	conform.Run(t, conform.Target{
		Connector: snowflake.Connector(),
		Binary:    program.Connector(t, "snowflake"),
		Server:    "fixture (REST protocol over DuckDB)",
		Config:    configOf(server, fixture.Reader, nil),
		Address:   net.JoinHostPort(server.Host, strconv.Itoa(server.Port)),
		Through: func(address string) sdk.Config {
			host, port, err := net.SplitHostPort(address)
			if err != nil {
				t.Fatal(err)
			}
			n, err := strconv.Atoi(port)
			if err != nil {
				t.Fatal(err)
			}
			return configOf(server, fixture.Reader, map[string]any{"host": host, "port": n})
		},
		Unreachable: &unreachable,
		Writer:      &writer,
		Fixture: conform.Fixture{
			Tables: append(shopTables(), sdk.Table{
				TableRef: sdk.TableRef{Catalog: fixture.DefaultDatabase, Schema: fixture.DefaultSchema, Name: "NUMBERS"}, Kind: sdk.TableBase,
				Columns: []sdk.Column{number("N", 38, 0, true)},
			}),
			Reread: rereader(db),
			End: func(ctx context.Context) error {
				for _, st := range server.Statements() {
					if st.Status == "RUNNING" && strings.Contains(st.Text, "conformance") {
						if _, err := db.ExecContext(ctx, "SELECT SYSTEM$CANCEL_QUERY('"+st.QueryID+"')"); err != nil {
							return err
						}
					}
				}
				return nil
			},
			Running: func(context.Context) (bool, error) {
				return slices.ContainsFunc(server.Statements(), func(s fixture.Statement) bool {
					return strings.Contains(s.Text, "conformance") && !s.Describe && s.Status == "RUNNING"
				}), nil
			},
		},
		Cases: cases(),
		RowsSQL: func(n int) string {
			return fmt.Sprintf("SELECT n::NUMBER(18,0) AS n FROM numbers WHERE n <= %d ORDER BY n", n)
		},
		TextSQL: func(n int) string { return fmt.Sprintf("SELECT REPEAT('x', %d) AS t", n) },
		SlowSQL: slowSQL,
		Attacks: attacks(t, server),
		Skips: map[string]string{
			"types/covers_infinite_time": "Snowflake has no such time",
			"types/covers_invalid_utf8":  "a VARCHAR is UTF-8, and the service refuses what is not",
			"types/covers_empty_name":    "Snowflake refuses a column without a name",
			"errors/covers_denied":       "the service says of what is denied that it may not exist",
			"dialect/function_number":    "NUMBER(38,0), which every int64 fits, is a decimal",
			"dialect/type_int64":         "NUMBER(38,0), which every int64 fits, is a decimal",
			"dialect/type_bytes":         "a text becomes a BINARY by its hexadecimal digits",
			"dialect/type_json":          "a text becomes a VARIANT that is a text",
			"dialect/union":              "NUMBER(38,0), which every int64 fits, is a decimal",
			"types/covers_zero_columns":  "Snowflake has no result without columns",
			"types/type_uuid":            "Snowflake keeps a UUID in a VARCHAR",
		},
		SkipsBy: map[conform.Class]map[string]string{
			conform.ByDriver: {
				"types/type_geo_wkt": "the type of a GEOGRAPHY in a result is that of its text",
			},
			conform.ByFixture: {
				"reach":                   "it has no procedures and no functions of users",
				"dialect/cast":            "it takes a decimal for a text's bytes",
				"dialect/aggregate":       "COUNT is a NUMBER(38,0) there, and a NUMBER(18,0) in the service",
				"dialect/function_signed": "COUNT is a NUMBER(38,0) there, and a NUMBER(18,0) in the service",
				"dialect/order":           "without NULLS, DESC has NULL last there",
				"dialect/add":             "an interval of 50 seconds overflows there",
				"dialect/zone":            "conversions of times in a large statement take a minute there",
				"dialect/stored_time":     "conversions of times in a large statement take a minute there",
				"server/disconnected":     "it has no way to end a session that another client has",
				"types/type_interval":     "it has no INTERVAL",
			},
		},
	})
}
