package bigquery_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	rest "google.golang.org/api/bigquery/v2"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"

	"github.com/loam-data/loam/e2e/program"
	fixture "github.com/loam-data/loam/e2e/testserver/bigquery"
	"github.com/loam-data/loam/plugins/bigquery"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/conform"
	"github.com/loam-data/loam/sdk/conform/corpus"
)

// shopSQL is what a scan shows beside the corpus' tables.
const shopSQL = `CREATE SCHEMA shop;
CREATE TABLE shop.customers (tenant INT64 NOT NULL, id INT64 NOT NULL, email STRING(100) NOT NULL OPTIONS (description = 'lower case'),
  address STRUCT<street STRING, city STRING OPTIONS (description = 'of delivery')>, tags ARRAY<STRING>,
  PRIMARY KEY (tenant, id) NOT ENFORCED) CLUSTER BY tenant OPTIONS (description = 'Who "buys"');
CREATE TABLE shop.orders (id INT64 NOT NULL, tenant INT64, customer INT64, amount NUMERIC(12, 2), at TIMESTAMP,
  PRIMARY KEY (id) NOT ENFORCED, FOREIGN KEY (tenant, customer) REFERENCES shop.customers (tenant, id) NOT ENFORCED)
  PARTITION BY DATE(at) CLUSTER BY customer, tenant;
CREATE VIEW shop.recent AS SELECT id, amount FROM shop.orders;
CREATE SCHEMA closed;
CREATE TABLE closed.secrets (id INT64);`

func ref(project, dataset, name string) sdk.TableRef {
	return sdk.TableRef{Catalog: project, Schema: dataset, Name: name}
}

func column(name string, t sdk.Type, native string) sdk.Column {
	return sdk.Column{Name: name, Type: t, NativeType: native, Nullable: true}
}

func required(c sdk.Column) sdk.Column {
	c.Nullable = false
	return c
}

// shopTables are the tables of shopSQL and of the corpus.
func shopTables(p string) []sdk.Table {
	integer := func(name string) sdk.Column { return column(name, sdk.TypeInt64, "INT64") }
	text := func(name string, length int) sdk.Column {
		return column(name, sdk.TypeText, fmt.Sprintf("STRING(%d)", length))
	}
	email := required(text("email", 100))
	email.Comment = "lower case"
	address := column("address", sdk.TypeNestedJSON, "STRUCT<street STRING, city STRING>")
	address.Fields = []sdk.Column{column("street", sdk.TypeText, "STRING"), column("city", sdk.TypeText, "STRING")}
	address.Fields[1].Comment = "of delivery"
	tags := required(column("tags", sdk.TypeNestedJSON, "ARRAY<STRING>"))
	tags.Repeated, tags.Fields = true, []sdk.Column{column("", sdk.TypeText, "STRING")}
	amount := column("amount", sdk.TypeDecimal, "NUMERIC(12, 2)")
	amount.Precision, amount.Scale = 12, 2
	plain := column("amount", sdk.TypeDecimal, "NUMERIC")
	table := func(dataset, name string, columns ...sdk.Column) sdk.Table {
		return sdk.Table{TableRef: ref(p, dataset, name), Kind: sdk.TableBase, Columns: columns}
	}
	customers := table("shop", "customers", required(integer("tenant")), required(integer("id")), email, address, tags)
	customers.Comment = `Who "buys"`
	customers.Keys = []sdk.Key{
		{Kind: sdk.KeyPrimary, Columns: []string{"tenant", "id"}}, {Kind: sdk.KeyCluster, Columns: []string{"tenant"}},
	}
	orders := table("shop", "orders", required(integer("id")), integer("tenant"), integer("customer"), amount, column("at", sdk.TypeTimestampTZ, "TIMESTAMP"))
	orders.Keys = []sdk.Key{
		{Kind: sdk.KeyPrimary, Columns: []string{"id"}},
		{Kind: sdk.KeyForeign, Columns: []string{"tenant", "customer"}, Ref: customers.TableRef, RefColumns: []string{"tenant", "id"}},
		{Kind: sdk.KeyPartition, Columns: []string{"at"}},
		{Kind: sdk.KeyCluster, Columns: []string{"customer", "tenant"}},
	}
	recent := table("shop", "recent", integer("id"), plain)
	recent.Kind = sdk.TableView
	accounts := table(lab, "accounts", required(integer("id")), required(text("name", 40)), required(integer("balance")), text("update", 40),
		integer("delete"), text("into", 40), integer("set"), integer("call"))
	ledger := table(lab, "ledger", required(integer("id")), required(integer("account_id")), required(integer("amount")), text("note", 80))
	return []sdk.Table{customers, orders, recent, accounts, ledger, table(lab, "drop", integer("id"), text("for", 40))}
}

// cases are statements with their whole answers.
func cases() []conform.Case {
	one := func(name, expression, typ, native string, want any) conform.Case {
		return conform.Case{
			Name: name, SQL: "SELECT " + expression + " AS v UNION ALL SELECT NULL ORDER BY v DESC",
			Columns: []conform.Column{{Name: "v", Type: typ, Native: native}}, Rows: [][]any{{want}, {nil}},
		}
	}
	wide := make([]string, 500)
	wideColumns, wideRow := make([]conform.Column, 500), make([]any, 500)
	for i := range wide {
		wide[i] = fmt.Sprintf("%d AS c%d", i, i)
		wideColumns[i], wideRow[i] = conform.Column{Name: fmt.Sprintf("c%d", i), Type: "int64"}, i
	}
	fails := func(name, sql string, kind sdk.Kind, code string) conform.Case {
		return conform.Case{Name: name, SQL: sql, Error: &conform.Failure{Kind: kind, Code: code}}
	}
	return []conform.Case{
		one("bool", "TRUE", "bool", "BOOL", true),
		one("integer", "9007199254740993", "int64", "INT64", "9007199254740993"),
		one("float", "0.1", "float64", "FLOAT64", 0.1),
		one("nan", "CAST('nan' AS FLOAT64)", "float64", "FLOAT64", "NaN"),
		one("infinity", "CAST('inf' AS FLOAT64)", "float64", "FLOAT64", "Infinity"),
		one("negative infinity", "CAST('-inf' AS FLOAT64)", "float64", "FLOAT64", "-Infinity"),
		one("numeric", "NUMERIC '12345678901234567890123456789.123456789'", "decimal", "NUMERIC", "12345678901234567890123456789.123456789"),
		one("bignumeric", "BIGNUMERIC '-1234567890123456789.1234567890123456789'", "decimal", "BIGNUMERIC", "-1234567890123456789.1234567890123456789"),
		one("text", "'naïve 😀 東京'", "text", "STRING", "naïve 😀 東京"),
		one("empty text", "''", "text", "STRING", ""),
		one("large text", "REPEAT('x', 1048576)", "text", "STRING", map[string]any{"$repeat": "x", "$times": 1048576}),
		one("bytes", `b'\x00\xff'`, "bytes", "BYTES", map[string]any{"$hex": "00ff"}),
		one("date", "DATE '1969-07-20'", "date", "DATE", "1969-07-20"),
		one("first date", "DATE '0001-01-01'", "date", "DATE", "0001-01-01"),
		one("last date", "DATE '9999-12-31'", "date", "DATE", "9999-12-31"),
		one("time", "TIME '12:34:56.000001'", "time", "TIME", "12:34:56.000001"),
		one("datetime", "DATETIME '2024-02-29 12:30:00.123456'", "timestamp", "DATETIME", "2024-02-29T12:30:00.123456"),
		one("timestamp", "TIMESTAMP '1969-12-31 23:59:59.999999+00'", "timestamp_tz", "TIMESTAMP", "1969-12-31T23:59:59.999999Z"),
		{Name: "json", SQL: `SELECT JSON '{"a": [1, null], "b": "x"}' AS v`, Columns: []conform.Column{{Name: "v", Type: "json", Native: "JSON"}}, Rows: [][]any{{map[string]any{"a": []any{1, nil}, "b": "x"}}}},
		{Name: "array", SQL: "SELECT [1, 9007199254740993] AS v", Columns: []conform.Column{{Name: "v", Type: "nested_json", Native: "ARRAY<INT64>"}}, Rows: [][]any{{[]any{1, "9007199254740993"}}}},
		{
			Name: "struct", SQL: "SELECT STRUCT(1 AS a, STRUCT(NUMERIC '1.5' AS d, [DATE '2024-02-29'] AS l) AS b) AS v",
			Columns: []conform.Column{{Name: "v", Type: "nested_json"}},
			Rows:    [][]any{{map[string]any{"a": 1, "b": map[string]any{"d": "1.5", "l": []any{"2024-02-29"}}}}},
		},
		{Name: "interval", SQL: "SELECT INTERVAL 3 DAY AS v", Columns: []conform.Column{{Name: "v", Type: "interval", Native: "INTERVAL"}}, Rows: [][]any{{"0-0 3 0:0:0"}}},
		{Name: "no rows", SQL: "SELECT id, name FROM accounts WHERE FALSE", Columns: []conform.Column{{Name: "id", Type: "int64"}, {Name: "name", Type: "text"}}, Rows: [][]any{}},
		{Name: "wide", SQL: "SELECT " + strings.Join(wide, ", "), Columns: wideColumns, Rows: [][]any{wideRow}},
		{
			Name:   "parameters",
			SQL:    "SELECT @p1 + 1 AS n, @p2 AS t, @p3 AS b, @p4 AS yes, @p5 AS f, @p6 AS missing, COUNT(*) AS hits FROM accounts WHERE name = @p7",
			Params: []sdk.Value{int64(9007199254740992), "it's @p1", []byte{0, 255}, true, 0.1, nil, "Ada"},
			Columns: []conform.Column{
				{Name: "n", Type: "int64"}, {Name: "t", Type: "text"}, {Name: "b", Type: "bytes"}, {Name: "yes", Type: "bool"},
				{Name: "f", Type: "float64"}, {Name: "missing", Type: "text"}, {Name: "hits", Type: "int64"},
			},
			Rows: [][]any{{"9007199254740993", "it's @p1", map[string]any{"$hex": "00ff"}, true, 0.1, nil, 1}},
		},
		fails("syntax", "SELECT FROM WHERE", sdk.KindSyntax, "invalidQuery"),
		fails("table", "SELECT 1 FROM no_such_table", sdk.KindNotFound, "notFound"),
		fails("column", "SELECT no_such_column FROM accounts", sdk.KindNotFound, "invalidQuery"),
		fails("denied", "SELECT id FROM closed.secrets", sdk.KindDenied, "accessDenied"),
		fails("value", "SELECT CAST('x' AS INT64) AS n", sdk.KindInvalid, "invalidQuery"),
	}
}

// TestConformance runs beside no other test: the suite counts goroutines and files.
func TestConformance(t *testing.T) {
	server := start(t)
	server.Exec(t, shopSQL)
	server.Close("closed", "")
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	server.Plant(fixture.Plant{Match: "conformance_slow", Run: true, Hold: hold})
	datasets := map[string]any{"datasets": []string{lab, "shop", "closed"}}
	writer := configOf(t, server, owner, datasets)
	unreachable := configOf(t, server, reader, map[string]any{"endpoint": "http://127.0.0.1:1"})
	operator := client(t, server, "operator", "bigquery.jobs.update")
	conform.Run(t, conform.Target{
		Connector: bigquery.Connector(),
		Binary:    program.Connector(t, "bigquery"),
		Server:    "fixture (REST v2 over DuckDB)",
		Config:    configOf(t, server, reader, datasets),
		Address:   strings.TrimPrefix(server.URL(), "http://"),
		Through: func(address string) sdk.Config {
			return configOf(t, server, reader, map[string]any{"datasets": []string{lab, "shop", "closed"}, "endpoint": "http://" + address})
		},
		Unreachable: &unreachable,
		Writer:      &writer,
		Fixture: conform.Fixture{
			Tables:  shopTables(server.Project),
			Warned:  []string{"closed"},
			Reread:  rereader(t, server),
			Running: func(context.Context) (bool, error) { return len(server.Running()) > 0, nil },
			End: func(ctx context.Context) error {
				for _, id := range server.Running() {
					_, err := operator.Jobs.Cancel(server.Project, id).Location("US").Context(ctx).Do()
					if e, ok := errors.AsType[*googleapi.Error](err); err != nil && (!ok || e.Code != http.StatusNotFound) {
						return err
					} // one that is not there has ended since
				}
				return nil
			},
		},
		Cases: cases(),
		RowsSQL: func(n int) string {
			return fmt.Sprintf("SELECT n FROM UNNEST(GENERATE_ARRAY(1, %d)) AS n ORDER BY n", n)
		},
		TextSQL: func(n int) string { return fmt.Sprintf("SELECT REPEAT('x', %d) AS t", n) },
		SlowSQL: "SELECT 1 AS conformance_slow",
		Attacks: attacks(t, server),
		Skips: map[string]string{
			"server/disconnected":          "requests have no session that an administrator could end",
			"types/covers_infinite_time":   "BigQuery has no such time",
			"types/covers_invalid_utf8":    "a STRING is UTF-8, and the service refuses what is not",
			"types/covers_zero_columns":    "BigQuery has no result without columns",
			"types/covers_empty_name":      "a column without a name is called f0_",
			"types/covers_duplicate_names": "BigQuery refuses a result with two columns of one name",
			"types/type_uuid":              "BigQuery keeps a UUID in a STRING",
		},
		SkipsBy: map[conform.Class]map[string]string{conform.ByFixture: {
			"reach":                     "it has no functions and no connections; TestNothingLeavesByAFunctionOrAView adds them to its answers",
			"dialect/cast":              "a BIGNUMERIC of DuckDB has 19 digits behind the point, and is made of a FLOAT64 inexactly",
			"dialect/order":             "it takes NULLS behind ASC for a name",
			"dialect/limit":             "it takes OFFSET for a name",
			"dialect/stored_time":       "an integer literal has 32 bits there",
			"dialect/function_position": "ROUND of a BIGNUMERIC takes no INT64 there",
			"dialect/function_domain":   "EXP and POWER beyond their domain are infinite in DuckDB, and errors in GoogleSQL",
			"types/type_geo_wkt":        "it has no GEOGRAPHY",
		}},
	})
}

// attacks are the corpus without the harmless statements that GoogleSQL does not have.
func attacks(t *testing.T, server *fixture.Server) []conform.Attack {
	t.Helper()
	d := bigquery.Dialects()[0]
	s := open(t, server, nil)
	return slices.DeleteFunc(conform.Corpus(&d, "", "", ""), func(a conform.Attack) bool {
		if !a.Harmless {
			return false
		}
		_, err := s.Validate(t.Context(), sdk.ValidateRequest{SQL: a.SQL})
		return err != nil && sdk.KindOf(err) != sdk.KindNotReadOnly
	})
}

// rereader returns what an attack could have changed, read by another client: the data,
// and what there is of datasets, tables and routines.
func rereader(t *testing.T, server *fixture.Server) func(context.Context) (string, error) {
	t.Helper()
	api := client(t, server, "auditor")
	queries := append(corpus.Reread(&bigquery.Dialects()[0]), "SELECT table_name, ddl FROM lab.INFORMATION_SCHEMA.TABLES ORDER BY 1",
		"SELECT table_name, column_name, data_type FROM lab.INFORMATION_SCHEMA.COLUMNS ORDER BY 1, 2")
	return func(ctx context.Context) (string, error) {
		legacy, sum := false, sha256.New()
		for _, q := range queries {
			res, err := api.Jobs.Query(server.Project, &rest.QueryRequest{Query: q, UseLegacySql: &legacy, DefaultDataset: &rest.DatasetReference{ProjectId: server.Project, DatasetId: lab}}).Context(ctx).Do()
			if err != nil {
				return "", fmt.Errorf("%s: %w", q, err)
			}
			rows, err := json.Marshal(res.Rows)
			if err != nil || len(rows) < len(`[{}]`) {
				return "", fmt.Errorf("%s: %s, %w", q, rows, err)
			}
			sum.Write(rows)
		}
		datasets, err := api.Datasets.List(server.Project).Context(ctx).Do()
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%x of %d datasets", sum.Sum(nil), len(datasets.Datasets)), nil
	}
}

// client returns a client around the connector.
func client(t *testing.T, server *fixture.Server, account string, permissions ...string) *rest.Service {
	t.Helper()
	signed := &http.Client{Transport: bearer(server.Token(t, account, permissions...))}
	api, err := rest.NewService(t.Context(), option.WithHTTPClient(signed), option.WithEndpoint(server.URL()+"/bigquery/v2/"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(signed.CloseIdleConnections)
	return api
}

type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}
