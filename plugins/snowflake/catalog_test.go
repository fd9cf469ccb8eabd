package snowflake_test

import (
	"database/sql"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/snowflakedb/gosnowflake"

	fixture "github.com/loam-data/loam/e2e/testserver/snowflake"
	"github.com/loam-data/loam/plugins/snowflake"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
)

// admin returns a way around the connector, for an account that may write.
func admin(t testing.TB, server *fixture.Server) *sql.DB {
	t.Helper()
	db := sql.OpenDB(gosnowflake.NewConnector(gosnowflake.SnowflakeDriver{}, gosnowflake.Config{
		Account: fixture.DefaultAccount, User: fixture.DefaultUser, Password: fixture.DefaultPassword, Host: server.Host, Port: server.Port, Protocol: "http",
		Database: fixture.DefaultDatabase, Schema: fixture.DefaultSchema, Warehouse: fixture.DefaultWarehouse, Role: fixture.Admin, DisableTelemetry: true,
	}))
	t.Cleanup(func() { _ = db.Close() }) // the server may be gone
	return db
}

func run(t testing.TB, db *sql.DB, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// scanned receives a scan.
type scanned struct {
	tables   []sdk.Table
	warnings []sdk.Warning
}

func (s *scanned) Table(t *sdk.Table) error        { s.tables = append(s.tables, *t); return nil }
func (s *scanned) Warning(w sdk.Warning) error     { s.warnings = append(s.warnings, w); return nil }
func (s *scanned) Progress(sdk.Progress)           {}
func (s *scanned) Entry(e sdk.QueryLogEntry) error { return nil }

func TestScan(t *testing.T) {
	t.Parallel()
	server := fixture.Start(t)
	run(t, admin(t, server),
		`CREATE TABLE customers (id NUMBER(38,0) NOT NULL PRIMARY KEY, "Name" VARCHAR NOT NULL UNIQUE, price NUMBER(12,2), seen TIMESTAMP_NTZ(9), doc VARIANT) CLUSTER BY (seen, id)`,
		`CREATE TABLE orders (id NUMBER(10,0) NOT NULL PRIMARY KEY, customer NUMBER(38,0) REFERENCES customers (id), flag BOOLEAN, day DATE)`,
		`COMMENT ON TABLE customers IS 'Who buys'`,
		`INSERT INTO orders VALUES (1, NULL, TRUE, '2024-01-01'), (2, NULL, FALSE, NULL)`,
		`CREATE VIEW paid AS SELECT id, flag FROM orders`,
	)
	s := open(t, configOf(server, fixture.Reader, map[string]any{"databases": []string{fixture.DefaultDatabase, "NOWHERE"}}))
	var got scanned
	sum, err := s.Scan(t.Context(), sdk.ScanRequest{}, &got)
	if err != nil || !sum.Complete {
		t.Fatal(sum, err)
	}
	column := func(name, native string, typ sdk.Type, nullable bool) sdk.Column {
		return sdk.Column{Name: name, NativeType: native, Type: typ, Nullable: nullable}
	}
	price := column("PRICE", "NUMBER(12,2)", sdk.TypeDecimal, true)
	price.Precision, price.Scale = 12, 2
	wide := column("ID", "NUMBER(38,0)", sdk.TypeDecimal, false)
	wide.Precision = 38
	foreign := wide
	foreign.Name, foreign.Nullable = "CUSTOMER", true
	at := column("SEEN", "TIMESTAMP_NTZ(9)", sdk.TypeTimestamp, true)
	at.TimeDigits = 9
	ref := func(name string) sdk.TableRef {
		return sdk.TableRef{Catalog: fixture.DefaultDatabase, Schema: fixture.DefaultSchema, Name: name}
	}
	want := []sdk.Table{
		{
			TableRef: ref("CUSTOMERS"), Kind: sdk.TableBase, Comment: "Who buys",
			Columns: []sdk.Column{wide, column("Name", "VARCHAR(16777216)", sdk.TypeText, false), price, at, column("DOC", "VARIANT", sdk.TypeJSON, true)},
			Keys: []sdk.Key{
				{Kind: sdk.KeyPrimary, Columns: []string{"ID"}}, {Kind: sdk.KeyUnique, Columns: []string{"Name"}},
				{Kind: sdk.KeyCluster, Columns: []string{"SEEN", "ID"}},
			},
			Properties: map[string]string{"clustering_key": "LINEAR(SEEN,ID)"},
		},
		{
			TableRef: ref("ORDERS"), Kind: sdk.TableBase, RowEstimate: 2,
			Columns: []sdk.Column{
				column("ID", "NUMBER(10,0)", sdk.TypeInt64, false), foreign,
				column("FLAG", "BOOLEAN", sdk.TypeBool, true), column("DAY", "DATE", sdk.TypeDate, true),
			},
			Keys: []sdk.Key{
				{Kind: sdk.KeyPrimary, Columns: []string{"ID"}},
				{Kind: sdk.KeyForeign, Columns: []string{"CUSTOMER"}, Ref: ref("CUSTOMERS"), RefColumns: []string{"ID"}},
			},
		},
		{
			TableRef: ref("PAID"), Kind: sdk.TableView, RowEstimate: -1,
			Columns: []sdk.Column{column("ID", "NUMBER(10,0)", sdk.TypeInt64, true), column("FLAG", "BOOLEAN", sdk.TypeBool, true)},
		},
	}
	ignore := cmp.Options{cmpopts.IgnoreFields(sdk.Table{}, "Fingerprint", "Definition", "ByteEstimate"), cmpopts.IgnoreFields(sdk.Key{}, "Name"), cmpopts.EquateEmpty()}
	if diff := cmp.Diff(want, got.tables, ignore); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(got.tables[2].Definition, "SELECT") {
		t.Errorf("the view's definition is %q", got.tables[2].Definition)
	}
	if len(got.warnings) != 1 || got.warnings[0].Object != "NOWHERE" {
		t.Errorf("warnings: %+v", got.warnings)
	}
}

// The number of queries of a scan does not grow with what there is.
func TestScanOfManyTables(t *testing.T) {
	t.Parallel()
	server := fixture.Start(t)
	const columns = 20
	seen := 0
	conform.Crowd{
		Connector: snowflake.Connector(), Config: configOf(server, fixture.Reader, nil), Columns: columns,
		Fill: func(from, to int) { server.Define(t, from, to, columns) },
		Asked: func() int {
			asked := len(ran(server, 0)) - seen
			seen += asked
			return asked
		},
	}.Run(t)
}

// A schema that the role may not use is left out with a warning.
func TestScanWithoutASchema(t *testing.T) {
	t.Parallel()
	server := fixture.Start(t)
	run(t, admin(t, server), "CREATE SCHEMA open", "CREATE TABLE open.a (id INT)", "CREATE TABLE b (id INT)")
	server.Deny(t, fixture.Reader, fixture.DefaultDatabase+"."+fixture.DefaultSchema)
	s := open(t, configOf(server, fixture.Reader, nil))
	for pattern, warnings := range map[string]int{"*.*.*": 0, "ANALYTICS.OPEN.*": 0, "ANALYTICS.PUBLIC.*": 1, "ANALYTICS.NONE.*": 1} {
		var got scanned
		if _, err := s.Scan(t.Context(), sdk.ScanRequest{Include: []string{pattern, "ANALYTICS.OPEN.*"}}, &got); err != nil {
			t.Fatal(err)
		}
		if len(got.tables) != 1 || got.tables[0].Name != "A" || len(got.warnings) != warnings {
			t.Errorf("%s: %+v, %+v", pattern, got.tables, got.warnings)
		}
	}
	_, err := snowflake.Connector().Open(t.Context(), sdk.OpenRequest{ConnectionID: "test", Config: configOf(server, fixture.Reader, map[string]any{"schema": "PUBLIC"})})
	wantKind(t, err, sdk.KindNotFound)
}

func TestPlan(t *testing.T) {
	t.Parallel()
	server := prepared(t)
	s := open(t, configOf(server, fixture.Reader, nil))
	e, err := s.Explain(t.Context(), sdk.ExplainRequest{SQL: "SELECT * FROM accounts"})
	if err != nil || e.Format != "json" || !json.Valid([]byte(e.Text)) || e.EstimatedBytes <= 0 {
		t.Errorf("%+v, %v", e, err)
	}
	v, err := s.Validate(t.Context(), sdk.ValidateRequest{SQL: "SELECT a.id, l.note FROM accounts a JOIN ledger l ON l.account_id = a.id"})
	if err != nil {
		t.Fatal(err)
	}
	if v.StatementType != "SELECT" || v.Estimate != sdk.EstimateUpper || v.EstimatedBytes <= 0 || len(v.Tables) != 2 || v.Tables[0].Schema != fixture.DefaultSchema {
		t.Errorf("%+v", v)
	}
	if len(v.Columns) != 2 || v.Columns[0].Name != "ID" || v.Columns[1].Type != sdk.TypeText {
		t.Errorf("columns: %+v", v.Columns)
	}
	for _, sql := range []string{"SELECT * FROM accounts", "WITH a AS (SELECT 1 AS n) SELECT n FROM a", "SHOW TABLES"} {
		if _, err := s.Validate(t.Context(), sdk.ValidateRequest{SQL: sql}); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
	_, err = s.Explain(t.Context(), sdk.ExplainRequest{SQL: "SHOW TABLES"})
	wantKind(t, err, sdk.KindInvalid)
}

// Errors keep the service's code and say where in the caller's text it is.
func TestPlaceOfErrors(t *testing.T) {
	t.Parallel()
	s := open(t, configOf(prepared(t), fixture.Reader, nil))
	for _, c := range []struct {
		sql  string
		kind sdk.Kind
		code string
		pos  sdk.Position
	}{
		{"SELECT id, foo FROM accounts", sdk.KindNotFound, "000904", sdk.Position{Line: 1, Column: 12}},
		{" ;\n-- who\n SELECT id,\n  foo FROM accounts;", sdk.KindNotFound, "000904", sdk.Position{Line: 4, Column: 3}},
		{"EXPLAIN USING TEXT SELECT id, foo FROM accounts", sdk.KindNotFound, "000904", sdk.Position{Line: 1, Column: 31}},
		{"SELECT id FROM nowhere", sdk.KindNotFound, "002003", sdk.Position{}},
		{"SELECT no_such_function(1)", sdk.KindNotFound, "002140", sdk.Position{}},
		{"SELECT 'x'::NUMBER(5,0)", sdk.KindInvalid, "100038", sdk.Position{}},
	} {
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: c.sql})
		if e := wantKind(t, err, c.kind); e.Code != c.code || e.Pos != c.pos || e.Hint == "" {
			t.Errorf("%s: %s at %v with hint %q", c.sql, e.Code, e.Pos, e.Hint)
		}
	}
}

// log receives a query log.
type log struct {
	scanned
	entries []sdk.QueryLogEntry
}

func (l *log) Entry(e sdk.QueryLogEntry) error { l.entries = append(l.entries, e); return nil }

func TestQueryLog(t *testing.T) {
	t.Parallel()
	server := prepared(t)
	s := open(t, configOf(server, fixture.Reader, nil))
	if _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT name FROM accounts", Tags: map[string]string{"tool": "sql"}}); err != nil {
		t.Fatal(err)
	}
	var got log
	if err := s.QueryLog(t.Context(), sdk.QueryLogRequest{MaxEntries: 50}, &got); err != nil {
		t.Fatal(err)
	}
	for _, e := range got.entries {
		if e.SQL == "SELECT name FROM accounts" && e.QueryID != "" && e.User == fixture.DefaultUser && e.Database == fixture.DefaultDatabase &&
			strings.Contains(e.Application, "tool=sql") && !e.StartedAt.IsZero() && e.Executions == 1 {
			return
		}
	}
	for _, e := range got.entries {
		t.Errorf("the log has %+v", e)
	}
}
