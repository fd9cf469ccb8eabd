//go:build cgo

package sqlserver_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/loam-data/loam/e2e/program"
	fixture "github.com/loam-data/loam/e2e/testserver/sqlserver"
	"github.com/loam-data/loam/plugins/sqlserver"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
	"github.com/loam-data/loam/sdk/conform/corpus"
	"github.com/loam-data/loam/sdk/dialect"
)

const version = "16.0.4210"

// configFor returns the configuration of an account of the DuckDB fixture.
func configFor(t testing.TB, dsn string, extra map[string]any) sdk.Config {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		t.Fatal(err)
	}
	secret, _ := u.User.Password()
	object := map[string]any{
		"host": u.Hostname(), "port": port, "database": u.Query().Get("database"), "user": u.User.Username(), "sslmode": "disable",
	}
	for key, value := range extra {
		object[key] = value
	}
	raw, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return sdk.Config{JSON: raw, Secrets: map[string]sdk.Secret{"password": sdk.NewSecret(secret)}}
}

// shop is what the cases need beyond the corpus' fixture.
var shop = []string{
	"CREATE SCHEMA sales",
	"CREATE SCHEMA closed",
	"CREATE TABLE closed.secret (id int NULL)",
	"CREATE TABLE sales.customers (tenant int NOT NULL, id int NOT NULL, email nvarchar(100) NOT NULL, CONSTRAINT pk_customers PRIMARY KEY (tenant, id), CONSTRAINT email UNIQUE (email))",
	"CREATE TABLE sales.orders (id int NOT NULL PRIMARY KEY, tenant int NULL, customer int NULL, amount decimal(12,2) NULL, at datetime2(7) NULL, CONSTRAINT customer FOREIGN KEY (tenant, customer) REFERENCES sales.customers (tenant, id))",
	"EXEC sp_addextendedproperty @name = N'MS_Description', @value = N'Who buys', @level0type = N'SCHEMA', @level0name = N'sales', @level1type = N'TABLE', @level1name = N'customers'",
	"CREATE TABLE sales.types (id int NOT NULL PRIMARY KEY, b bit NULL, t tinyint NULL, s smallint NULL, l bigint NULL, r real NULL, f float NULL, d decimal(38,10) NULL, m money NULL, sm smallmoney NULL, " +
		"dt date NULL, tm time(3) NULL, d2 datetime2(7) NULL, d3 datetime2(3) NULL, z datetimeoffset(7) NULL, c nchar(3) NULL, v nvarchar(max) NULL, x varbinary(8) NULL, u uniqueidentifier NULL)",
	"INSERT INTO sales.types VALUES (1, 1, 255, -32768, 9223372036854775807, 0.1, 0.1, 9999999999999999999999999999.9999999999, 922337203685477.5807, -214748.3648, " +
		"'2024-02-29', '12:30:00.123', '2024-02-29 12:30:00.1234567', '2024-02-29 12:30:00.123', CAST('2024-02-29 12:30:00.123456 +02:00' AS datetimeoffset(7)), N'naï', N'日本語 😀', 0x00FF80, '6F9619FF-8B86-D011-B42D-00C04FC964FF')",
	"INSERT INTO sales.types VALUES (2, 0, 0, 32767, -9007199254740993, -7, 1.7976931348623157e308, -0.0000000001, -0.0001, 0, " +
		"'1901-01-01', '00:00:00', '1901-01-01 00:00:00.0000001', '9999-12-31 23:59:59.999', CAST('1969-12-31 23:59:59.999999 +00:00' AS datetimeoffset(7)), N'', N'', 0x, '00000000-0000-0000-0000-000000000000')",
	"INSERT INTO sales.types (id) VALUES (3)",
	"INSERT INTO sales.customers SELECT value % 3, value, CONCAT('c', value) FROM GENERATE_SERIES(1, 300)",
	"INSERT INTO sales.orders SELECT value, value % 3, value % 300 + 1, value / 7.0, NULL FROM GENERATE_SERIES(1, 300) WHERE 1 = 0",
}

func dialectOf() *dialect.Dialect {
	return dialect.Pick(sqlserver.Dialects(), "Microsoft SQL Server", version)
}

// prepared starts the fixture with the corpus' tables and the shop.
func prepared(t testing.TB) *fixture.Server {
	t.Helper()
	s := fixture.Start(t, fixture.WithLogin(fixture.Reader, fixture.Account{
		Password: fixture.ReaderPassword, Roles: []string{"db_datareader", "db_denydatawriter"},
		Grants: []string{"SHOWPLAN", "VIEW SERVER STATE", "VIEW DATABASE STATE", "VIEW DEFINITION"}, Denied: []string{"closed.secret"},
	}))
	s.Exec(t, corpus.Setup(dialectOf())...)
	s.Exec(t, shop...)
	return s
}

// rereader fingerprints everything an attack could have changed, around the connector.
func rereader(t testing.TB, s *fixture.Server) func(context.Context) (string, error) {
	t.Helper()
	db, err := sql.Open("sqlserver", s.URLOf(fixture.Admin, fixture.AdminPassword))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	return func(ctx context.Context) (string, error) {
		return conform.Fingerprint(ctx, db, corpus.Reread(dialectOf()))
	}
}

const slow = "SELECT COUNT_BIG(*) FROM GENERATE_SERIES(1, 1000000) a CROSS JOIN GENERATE_SERIES(1, 1000000) b WHERE a.value + b.value < 0 /* conformance */"

// running are the sessions that run the slow statement, and not its plan.
func running(s *fixture.Server) (sessions []int64) {
	for _, e := range s.Running() {
		if strings.Contains(e.Text, "/* conformance */") && !e.Planned {
			sessions = append(sessions, e.Session)
		}
	}
	return sessions
}

func column(name, typ string, digits ...int) conform.Column {
	c := conform.Column{Name: name, Type: typ}
	if len(digits) > 0 {
		c.Digits = digits[0]
	}
	return c
}

func wide() conform.Case {
	c := conform.Case{Name: "wide", Rows: [][]any{nil}}
	var list []string
	for i := range 500 {
		list = append(list, fmt.Sprintf("%d AS c%d", i, i))
		c.Columns, c.Rows[0] = append(c.Columns, column(fmt.Sprint("c", i), "int64")), append(c.Rows[0], i)
	}
	c.SQL = "SELECT " + strings.Join(list, ", ")
	return c
}

var cases = []conform.Case{
	{
		Name: "types", SQL: "SELECT b, t, s, l, r, f, d, m, sm, dt, tm, d2, d3, z, v, x, u FROM sales.types ORDER BY id",
		Columns: []conform.Column{
			column("b", "bool"), column("t", "int64"), column("s", "int64"), column("l", "int64"), column("r", "float64"), column("f", "float64"),
			column("d", "decimal"), column("m", "decimal"), column("sm", "decimal"), column("dt", "date"), column("tm", "time"),
			column("d2", "timestamp", 7), column("d3", "timestamp"), column("z", "timestamp_tz", 7), column("v", "text"), column("x", "bytes"), column("u", "uuid"),
		},
		Rows: [][]any{
			{true, 255, -32768, "9223372036854775807", 0.1, 0.1, "9999999999999999999999999999.9999999999", "922337203685477.5807", "-214748.3648",
				"2024-02-29", "12:30:00.123", "2024-02-29T12:30:00.1234567", "2024-02-29T12:30:00.123", "2024-02-29T10:30:00.123456Z", "日本語 😀", map[string]any{"$hex": "00ff80"}, "6f9619ff-8b86-d011-b42d-00c04fc964ff"},
			{false, 0, 32767, "-9007199254740993", -7, 1.7976931348623157e308, "-0.0000000001", "-0.0001", "0.0000",
				"1901-01-01", "00:00:00", "1901-01-01T00:00:00.0000001", "9999-12-31T23:59:59.999", "1969-12-31T23:59:59.999999Z", "", map[string]any{"$hex": ""}, "00000000-0000-0000-0000-000000000000"},
			{nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil},
		},
	},
	{Name: "large_cell", SQL: "SELECT REPLICATE(CAST('x' AS nvarchar(max)), 1048576) AS t", Columns: []conform.Column{column("t", "text")}, Rows: [][]any{{map[string]any{"$repeat": "x", "$times": 1048576}}}},
	{Name: "names", SQL: "SELECT 1 AS a, 2 AS a, 3", Columns: []conform.Column{column("a", "int64"), column("a", "int64"), column("", "int64")}, Rows: [][]any{{1, 2, 3}}},
	{Name: "no_rows", SQL: "SELECT id FROM accounts WHERE id < 0", Columns: []conform.Column{column("id", "int64")}},
	{
		Name: "parameters", SQL: "SELECT @p1 + 1 AS n, @p2 AS t, @p4 AS f, COUNT(*) AS hits FROM accounts WHERE name = @p3 AND 1 = @p5",
		Params:  []sdk.Value{int64(9007199254740992), "it's @p1", "Ada", 0.1, true},
		Columns: []conform.Column{column("n", "int64"), column("t", "text"), column("f", "float64"), column("hits", "int64")},
		Rows:    [][]any{{"9007199254740993", "it's @p1", 0.1, 1}},
	},
	{Name: "error_syntax", SQL: "SELECT id\nFROM accounts WHERE ORDER BY id", Error: &conform.Failure{Kind: sdk.KindSyntax, Line: 2, Column: 21}},
	{Name: "error_column", SQL: "SELECT id,\n  balanse FROM accounts", Error: &conform.Failure{Kind: sdk.KindNotFound, Code: "207", Line: 2, Column: 3}},
	{Name: "error_table", SQL: "SELECT id FROM acounts", Error: &conform.Failure{Kind: sdk.KindNotFound, Code: "208", Line: 1, Column: 16}},
	{Name: "error_zero", SQL: "SELECT 1 / (id - id) FROM accounts", Error: &conform.Failure{Kind: sdk.KindInvalid, Code: "8134"}},
	{Name: "error_denied", SQL: "SELECT id FROM closed.secret", Error: &conform.Failure{Kind: sdk.KindDenied, Code: "229"}},
	{Name: "error_parameters", SQL: "SELECT @p2", Params: []sdk.Value{int64(1)}, Error: &conform.Failure{Kind: sdk.KindInvalid}},
	wide(),
}

func tables() []sdk.Table {
	of := func(name, native string, typ sdk.Type, nullable bool) sdk.Column {
		return sdk.Column{Name: name, Type: typ, NativeType: native, Nullable: nullable}
	}
	integer := func(name string, nullable bool) sdk.Column { return of(name, "int", sdk.TypeInt64, nullable) }
	text := func(name, native string, nullable bool) sdk.Column { return of(name, native, sdk.TypeText, nullable) }
	table := func(schema, name string, kind sdk.TableKind, keys []sdk.Key, columns ...sdk.Column) sdk.Table {
		return sdk.Table{TableRef: sdk.TableRef{Catalog: "shop", Schema: schema, Name: name}, Kind: kind, Keys: keys, Columns: columns}
	}
	primary := func(columns ...string) []sdk.Key {
		return []sdk.Key{{Kind: sdk.KeyPrimary, Columns: columns, Enforced: true}}
	}
	decimal := func(name, native string, precision, scale int) sdk.Column {
		c := of(name, native, sdk.TypeDecimal, true)
		c.Precision, c.Scale = precision, scale
		return c
	}
	moment := func(name, native string, typ sdk.Type, digits int) sdk.Column {
		c := of(name, native, typ, true)
		c.TimeDigits = digits
		return c
	}
	customers := table("sales", "customers", sdk.TableBase, append(primary("tenant", "id"), sdk.Key{Kind: sdk.KeyUnique, Name: "email", Columns: []string{"email"}, Enforced: true}),
		integer("tenant", false), integer("id", false), text("email", "nvarchar(100)", false))
	customers.Comment = "Who buys"
	return []sdk.Table{
		table("dbo", "accounts", sdk.TableBase, primary("id"),
			integer("id", false), text("name", "varchar(40)", false), integer("balance", false),
			text("update", "varchar(40)", true), integer("delete", true), text("into", "varchar(40)", true), integer("set", true), integer("call", true)),
		table("dbo", "ledger", sdk.TableBase, primary("id"),
			integer("id", false), integer("account_id", false), integer("amount", false), text("note", "varchar(80)", true)),
		table("dbo", "drop", sdk.TableBase, nil, integer("id", true), text("for", "varchar(40)", true)),
		// The fixture does not know that a column of a view cannot be NULL.
		table("dbo", "big_accounts", sdk.TableView, nil, integer("id", true), text("name", "varchar(40)", true)),
		customers,
		table("sales", "orders", sdk.TableBase, append(primary("id"), sdk.Key{
			Kind: sdk.KeyForeign, Name: "customer", Columns: []string{"tenant", "customer"}, Enforced: true,
			Ref: sdk.TableRef{Catalog: "shop", Schema: "sales", Name: "customers"}, RefColumns: []string{"tenant", "id"},
		}), integer("id", false), integer("tenant", true), integer("customer", true), decimal("amount", "decimal(12,2)", 12, 2), moment("at", "datetime2(7)", sdk.TypeTimestamp, 7)),
		table("sales", "types", sdk.TableBase, primary("id"),
			integer("id", false), of("b", "bit", sdk.TypeBool, true), of("t", "tinyint", sdk.TypeInt64, true), of("s", "smallint", sdk.TypeInt64, true), of("l", "bigint", sdk.TypeInt64, true),
			of("r", "real", sdk.TypeFloat64, true), of("f", "float", sdk.TypeFloat64, true), decimal("d", "decimal(38,10)", 38, 10), decimal("m", "money", 19, 4), decimal("sm", "smallmoney", 10, 4),
			of("dt", "date", sdk.TypeDate, true), of("tm", "time(3)", sdk.TypeTime, true), moment("d2", "datetime2(7)", sdk.TypeTimestamp, 7), of("d3", "datetime2(3)", sdk.TypeTimestamp, true),
			moment("z", "datetimeoffset(7)", sdk.TypeTimestampTZ, 7), text("c", "nchar(3)", true), text("v", "nvarchar(max)", true), of("x", "varbinary(8)", sdk.TypeBytes, true), of("u", "uniqueidentifier", sdk.TypeUUID, true)),
	}
}

// skips are what SQL Server has not, skipsBy what the driver or the fixture has not.
var skips = map[string]string{
	"types/covers_nan":               "SQL Server has no such number",
	"types/covers_infinity":          "SQL Server has no such number",
	"types/covers_negative_infinity": "SQL Server has no such number",
	"types/covers_infinite_time":     "SQL Server has no such time",
	"types/covers_zero_columns":      "SQL Server has no result without columns",
	"types/type_json":                "JSON is text before SQL Server 2025",
	"types/type_nested_json":         "SQL Server has no arrays and no maps",
	"types/type_interval":            "SQL Server has no lengths of time",
	"types/type_geo_wkt":             "geometry comes in the server's own bytes unless a statement asks for text",
}

var skipsBy = map[conform.Class]map[string]string{
	conform.ByDriver: {
		"types/covers_invalid_utf8": "it converts all text to UTF-8",
	},
	conform.ByFixture: {
		"reach":                     "it has no functions of users: what a plan shows of them is in TestWhatIsRefused",
		"dialect/type_bytes":        "it has no cast of text to bytes",
		"dialect/like":              "LIKE there takes no collation",
		"dialect/function_text":     "CHARINDEX there takes no collation",
		"dialect/function_position": "ROUND there takes no bigint",
		"dialect/function_domain":   "its engine gives infinities where the server gives an error",
		"dialect/spine":             "its engine does not find the type of a TOP that it must compute",
		"dialect/hash_order":        "it has no HASHBYTES",
	},
}

// TestConformance runs beside no other test: the suite counts goroutines and files.
func TestConformance(t *testing.T) {
	s := prepared(t)
	unreachable := configFor(t, s.URL(), map[string]any{"port": 1})
	writer := configFor(t, s.URLOf(fixture.Admin, fixture.AdminPassword), nil)
	conform.Run(t, conform.Target{
		Connector:   sqlserver.Connector(),
		Binary:      program.Connector(t, "sqlserver"),
		Server:      "fixture: T-SQL on DuckDB behind the real protocol, TDS 7.4",
		Config:      configFor(t, s.URL(), nil),
		Unreachable: &unreachable,
		Writer:      &writer,
		Fixture: conform.Fixture{
			Tables: tables(), Warned: []string{"shop.closed.secret"}, Reread: rereader(t, s),
			Running: func(context.Context) (bool, error) { return len(running(s)) > 0, nil },
			End: func(context.Context) error {
				for _, session := range running(s) {
					s.Kill(session)
				}
				return nil
			},
			Disconnect: func(context.Context) error {
				s.Disconnect(fixture.Reader)
				return nil
			},
		},
		Cases: slices.Clone(cases),
		RowsSQL: func(n int) string {
			return fmt.Sprintf("SELECT value AS n FROM GENERATE_SERIES(1, %d) WHERE value <= %d", max(n, 1), n)
		},
		TextSQL: func(n int) string { return fmt.Sprintf("SELECT REPLICATE(CAST('x' AS nvarchar(max)), %d) AS t", n) },
		SlowSQL: slow,
		Attacks: conform.Corpus(dialectOf(), version, t.TempDir()+"/stolen", ""),
		Skips:   skips,
		SkipsBy: skipsBy,
	})
}
