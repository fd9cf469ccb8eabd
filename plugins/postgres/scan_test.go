package postgres_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
)

// scanned collects a scan.
type scanned struct {
	Tables   []sdk.Table
	Warnings []sdk.Warning
}

func (s *scanned) Table(t *sdk.Table) error {
	s.Tables = append(s.Tables, *t)
	return nil
}

func (s *scanned) Warning(w sdk.Warning) error {
	s.Warnings = append(s.Warnings, w)
	return nil
}

func (s *scanned) Progress(sdk.Progress) {}

func (s *scanned) table(t testing.TB, name string) sdk.Table {
	t.Helper()
	i := slices.IndexFunc(s.Tables, func(table sdk.Table) bool { return table.TableRef.String() == name })
	if i < 0 {
		t.Fatalf("table %s is missing", name)
	}
	return s.Tables[i]
}

func (s *scanned) names() []string {
	var names []string
	for i := range s.Tables {
		names = append(names, s.Tables[i].TableRef.String())
	}
	slices.Sort(names)
	return names
}

func scanAll(t testing.TB, s sdk.Session, req sdk.ScanRequest) (*scanned, sdk.ScanSummary) {
	t.Helper()
	found := &scanned{}
	summary, err := s.Scan(t.Context(), req, found)
	if err != nil {
		t.Fatal(err)
	}
	return found, summary
}

const warehouse = `
CREATE TYPE status AS ENUM ('open', 'closed');
CREATE DOMAIN cents AS bigint CHECK (VALUE >= 0);
CREATE TYPE money_amount AS (value numeric(12,2), currency text);
CREATE TABLE customers (
  tenant int, id bigint GENERATED ALWAYS AS IDENTITY, email text NOT NULL, "Full Name" varchar(80) DEFAULT 'nobody',
  PRIMARY KEY (tenant, id), CONSTRAINT one_email UNIQUE (tenant, email));
COMMENT ON TABLE customers IS 'who buys';
COMMENT ON COLUMN customers.email IS 'lower case';
CREATE UNIQUE INDEX by_name ON customers ("Full Name") INCLUDE (email);
CREATE UNIQUE INDEX not_a_key ON customers (lower(email));
CREATE TABLE orders (
  id bigint PRIMARY KEY, tenant int NOT NULL, customer bigint, state status, total cents, price money_amount,
  amount numeric(38,10), doubled numeric GENERATED ALWAYS AS (amount * 2) STORED, tags text[], valid daterange,
  FOREIGN KEY (tenant, customer) REFERENCES customers (tenant, id));
INSERT INTO customers (tenant, email, "Full Name") SELECT 1, 'c' || i, 'n' || i FROM generate_series(1, 100) i;
CREATE TABLE events (at timestamptz NOT NULL, kind text, customer bigint) PARTITION BY RANGE (at);
CREATE TABLE events_2024 PARTITION OF events FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
CREATE TABLE events_2025 PARTITION OF events FOR VALUES FROM ('2025-01-01') TO ('2026-01-01');
INSERT INTO events SELECT '2024-06-01'::timestamptz + i * interval '1 day', 'x', i FROM generate_series(0, 299) i;
CREATE TABLE logs (line text) PARTITION BY LIST (lower(line));
CREATE VIEW open_orders AS SELECT id, total FROM orders WHERE state = 'open';
CREATE MATERIALIZED VIEW daily AS SELECT at::date AS day, count(*) AS n FROM events GROUP BY 1;
CREATE SCHEMA hidden; CREATE TABLE hidden.secrets (id int);
CREATE TABLE private (id int);
CREATE SCHEMA "Odd Schema"; CREATE TABLE "Odd Schema"."Odd.Table" ();
ANALYZE;
`

func scanFixture(t testing.TB, server *testserver.PostgresServer) *testserver.PostgresDatabase {
	t.Helper()
	db := server.Database(t, warehouse)
	db.Exec(t, testserver.PostgresAdmin, "REVOKE ALL ON SCHEMA hidden FROM loam_reader; REVOKE ALL ON private FROM loam_reader")
	return db
}

func TestScan(t *testing.T) {
	t.Parallel()
	testserver.EachPostgres(t, testScan)
}

func testScan(t *testing.T, server *testserver.PostgresServer) {
	t.Parallel()
	db := scanFixture(t, server)
	found, summary := scanAll(t, openAs(t, db, testserver.PostgresReader), sdk.ScanRequest{})

	want := []string{
		"Odd Schema.Odd.Table", "public.customers", "public.daily", "public.events", "public.logs", "public.open_orders", "public.orders",
	}
	if diff := cmp.Diff(want, found.names()); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
	columns := 0
	for i := range found.Tables {
		columns += len(found.Tables[i].Columns)
	}
	if diff := cmp.Diff(sdk.ScanSummary{Tables: int64(len(want)), Columns: int64(columns), Since: summary.Since, Complete: true}, summary); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	var about []string
	for _, w := range found.Warnings {
		about = append(about, w.Object)
	}
	slices.Sort(about)
	if diff := cmp.Diff([]string{"hidden", "public.private"}, about); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}

	for _, want := range []sdk.Table{
		{
			TableRef: sdk.TableRef{Schema: "public", Name: "customers"}, Kind: sdk.TableBase, Comment: "who buys", RowEstimate: 100,
			Columns: []sdk.Column{
				{Name: "tenant", Type: sdk.TypeInt64, NativeType: "integer"},
				{Name: "id", Type: sdk.TypeInt64, NativeType: "bigint", Properties: map[string]string{"identity": "always"}},
				{Name: "email", Type: sdk.TypeText, NativeType: "text", Comment: "lower case"},
				{Name: "Full Name", Type: sdk.TypeText, NativeType: "character varying(80)", Nullable: true, Default: "'nobody'::character varying"},
			},
			Keys: []sdk.Key{
				{Kind: sdk.KeyPrimary, Name: "customers_pkey", Columns: []string{"tenant", "id"}, Enforced: true},
				{Kind: sdk.KeyUnique, Name: "by_name", Columns: []string{"Full Name"}, Enforced: true},
				{Kind: sdk.KeyUnique, Name: "one_email", Columns: []string{"tenant", "email"}, Enforced: true},
			},
		},
		{
			TableRef: sdk.TableRef{Schema: "public", Name: "orders"}, Kind: sdk.TableBase, RowEstimate: -1,
			Columns: []sdk.Column{
				{Name: "id", Type: sdk.TypeInt64, NativeType: "bigint"},
				{Name: "tenant", Type: sdk.TypeInt64, NativeType: "integer"},
				{Name: "customer", Type: sdk.TypeInt64, NativeType: "bigint", Nullable: true},
				{Name: "state", Type: sdk.TypeText, NativeType: "status", Nullable: true},
				{Name: "total", Type: sdk.TypeInt64, NativeType: "cents", Nullable: true},
				{Name: "price", Type: sdk.TypeNestedJSON, NativeType: "money_amount", Nullable: true},
				{Name: "amount", Type: sdk.TypeDecimal, NativeType: "numeric(38,10)", Nullable: true, Precision: 38, Scale: 10},
				{Name: "doubled", Type: sdk.TypeDecimal, NativeType: "numeric", Nullable: true, Default: "(amount * (2)::numeric)", Generated: true},
				{Name: "tags", Type: sdk.TypeNestedJSON, NativeType: "text[]", Nullable: true},
				{Name: "valid", Type: sdk.TypeNestedJSON, NativeType: "daterange", Nullable: true},
			},
			Keys: []sdk.Key{
				{
					Kind: sdk.KeyForeign, Name: "orders_tenant_customer_fkey", Columns: []string{"tenant", "customer"}, Enforced: true,
					Ref: sdk.TableRef{Schema: "public", Name: "customers"}, RefColumns: []string{"tenant", "id"},
				},
				{Kind: sdk.KeyPrimary, Name: "orders_pkey", Columns: []string{"id"}, Enforced: true},
			},
		},
		{
			TableRef: sdk.TableRef{Schema: "public", Name: "events"}, Kind: sdk.TablePartitioned, RowEstimate: 300,
			Columns: []sdk.Column{
				{Name: "at", Type: sdk.TypeTimestampTZ, NativeType: "timestamp with time zone"},
				{Name: "kind", Type: sdk.TypeText, NativeType: "text", Nullable: true},
				{Name: "customer", Type: sdk.TypeInt64, NativeType: "bigint", Nullable: true},
			},
			Keys:       []sdk.Key{{Kind: sdk.KeyPartition, Columns: []string{"at"}, Enforced: true}},
			Properties: map[string]string{"partition_by": "RANGE (at)"},
		},
		{
			TableRef: sdk.TableRef{Schema: "public", Name: "open_orders"}, Kind: sdk.TableView, RowEstimate: -1,
			Columns: []sdk.Column{
				{Name: "id", Type: sdk.TypeInt64, NativeType: "bigint", Nullable: true},
				{Name: "total", Type: sdk.TypeInt64, NativeType: "cents", Nullable: true},
			},
			Definition: " SELECT id,\n    total\n   FROM orders\n  WHERE state = 'open'::status;",
		},
	} {
		got := found.table(t, want.TableRef.String())
		got.Definition = strings.ReplaceAll(got.Definition, "orders.", "") // left out since PostgreSQL 16
		if got.Fingerprint == "" {
			t.Errorf("%s has no fingerprint", want.TableRef)
		}
		if (got.ByteEstimate > 0) != (want.RowEstimate > 0) {
			t.Errorf("%s: %d rows, %d bytes", want.TableRef, got.RowEstimate, got.ByteEstimate)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(sdk.Table{}, "Fingerprint", "ByteEstimate")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.TableRef, diff)
		}
	}
	if kind := found.table(t, "public.daily").Kind; kind != sdk.TableMaterialized {
		t.Errorf("daily is a %s", kind)
	}
	if by := found.table(t, "public.logs").Properties["partition_by"]; by != "LIST (lower(line))" {
		t.Errorf("logs is partitioned by %q", by)
	}
}

func TestScanFingerprintFollowsTheStructure(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int)")
	s := openAs(t, db, testserver.PostgresReader)
	before, _ := scanAll(t, s, sdk.ScanRequest{})
	db.Exec(t, testserver.PostgresOwner, "INSERT INTO a VALUES (1); ANALYZE; ALTER TABLE b ALTER id SET NOT NULL")
	after, _ := scanAll(t, s, sdk.ScanRequest{})
	if before.table(t, "public.a").Fingerprint != after.table(t, "public.a").Fingerprint {
		t.Error("rows changed the fingerprint of a")
	}
	if before.table(t, "public.b").Fingerprint == after.table(t, "public.b").Fingerprint {
		t.Error("NOT NULL did not change the fingerprint of b")
	}
}

func TestScanRequests(t *testing.T) {
	t.Parallel()
	db := scanFixture(t, testserver.Postgres(t))
	s := openAs(t, db, testserver.PostgresOwner)
	for _, c := range []struct {
		name string
		req  sdk.ScanRequest
		want []string
	}{
		{"include", sdk.ScanRequest{Include: []string{"public.o*"}}, []string{"public.open_orders", "public.orders"}},
		{"exclude", sdk.ScanRequest{Include: []string{"public.*"}, Exclude: []string{"*e*", "private"}}, []string{"public.daily", "public.logs"}},
		{"other schema", sdk.ScanRequest{Include: []string{"hidden.*"}}, []string{"hidden.secrets"}},
		{"system", sdk.ScanRequest{Include: []string{"pg_catalog.pg_class"}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, summary := scanAll(t, s, c.req)
			if diff := cmp.Diff(c.want, found.names()); diff != "" || !summary.Complete {
				t.Errorf("complete: %t, tables (-want +got):\n%s", summary.Complete, diff)
			}
		})
	}
	t.Run("too many", func(t *testing.T) {
		summary, err := s.Scan(t.Context(), sdk.ScanRequest{MaxObjects: 2}, &scanned{})
		wantKind(t, err, sdk.KindLimit)
		if summary.Complete {
			t.Error("the scan counts as complete")
		}
	})
	t.Run("the writer fails", func(t *testing.T) {
		gone := errors.New("gone")
		if _, err := s.Scan(t.Context(), sdk.ScanRequest{}, failingScan{gone}); !errors.Is(err, gone) {
			t.Errorf("got %v", err)
		}
		if err := s.Ping(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

type failingScan struct{ err error }

func (f failingScan) Table(*sdk.Table) error    { return f.err }
func (f failingScan) Warning(sdk.Warning) error { return f.err }
func (failingScan) Progress(sdk.Progress)       {}

func TestScanOfConfiguredSchemas(t *testing.T) {
	t.Parallel()
	db := scanFixture(t, testserver.Postgres(t))
	s := openWith(t, sdk.OpenRequest{Config: configOf(db, testserver.PostgresOwner, map[string]any{"schemas": []string{"hidden", "Odd Schema"}})})
	found, _ := scanAll(t, s, sdk.ScanRequest{})
	if diff := cmp.Diff([]string{"Odd Schema.Odd.Table", "hidden.secrets"}, found.names()); diff != "" {
		t.Errorf("tables (-want +got):\n%s", diff)
	}
}

// What PostgreSQL 18 brought to tables: columns that are computed when they are
// read, keys over periods, and constraints that nobody enforces.
func TestScanOfPostgres18(t *testing.T) {
	t.Parallel()
	db := testserver.PostgresAt(t, "18").Database(t, `
		CREATE TABLE rooms (room int4range, stay daterange, PRIMARY KEY (room, stay WITHOUT OVERLAPS));
		CREATE TABLE guests (room int4range, stay daterange, FOREIGN KEY (room, PERIOD stay) REFERENCES rooms (room, PERIOD stay));
		CREATE TABLE prices (id int PRIMARY KEY, net numeric(10,2) NOT NULL, gross numeric(12,2) GENERATED ALWAYS AS (net * 1.2));
		CREATE TABLE sales (id int CONSTRAINT named NOT NULL, price int REFERENCES prices NOT ENFORCED);
		INSERT INTO prices VALUES (1, 10), (2, 20.5)`)
	s := openAs(t, db, testserver.PostgresReader)
	found, _ := scanAll(t, s, sdk.ScanRequest{})
	for _, want := range []sdk.Table{
		{
			TableRef: sdk.TableRef{Schema: "public", Name: "prices"}, Kind: sdk.TableBase,
			Columns: []sdk.Column{
				{Name: "id", Type: sdk.TypeInt64, NativeType: "integer"},
				{Name: "net", Type: sdk.TypeDecimal, NativeType: "numeric(10,2)", Precision: 10, Scale: 2},
				{Name: "gross", Type: sdk.TypeDecimal, NativeType: "numeric(12,2)", Precision: 12, Scale: 2, Nullable: true, Generated: true, Default: "(net * 1.2)"},
			},
			Keys: []sdk.Key{{Kind: sdk.KeyPrimary, Name: "prices_pkey", Columns: []string{"id"}, Enforced: true}},
		},
		{
			TableRef: sdk.TableRef{Schema: "public", Name: "sales"}, Kind: sdk.TableBase,
			Columns: []sdk.Column{
				{Name: "id", Type: sdk.TypeInt64, NativeType: "integer"},
				{Name: "price", Type: sdk.TypeInt64, NativeType: "integer", Nullable: true},
			},
			Keys: []sdk.Key{{
				Kind: sdk.KeyForeign, Name: "sales_price_fkey", Columns: []string{"price"},
				Ref: sdk.TableRef{Schema: "public", Name: "prices"}, RefColumns: []string{"id"},
			}},
		},
		{
			TableRef: sdk.TableRef{Schema: "public", Name: "rooms"}, Kind: sdk.TableBase,
			Columns: []sdk.Column{
				{Name: "room", Type: sdk.TypeNestedJSON, NativeType: "int4range"},
				{Name: "stay", Type: sdk.TypeNestedJSON, NativeType: "daterange"},
			},
			Keys: []sdk.Key{{Kind: sdk.KeyPrimary, Name: "rooms_pkey", Columns: []string{"room", "stay"}, Enforced: true}},
		},
		{
			TableRef: sdk.TableRef{Schema: "public", Name: "guests"}, Kind: sdk.TableBase,
			Columns: []sdk.Column{
				{Name: "room", Type: sdk.TypeNestedJSON, NativeType: "int4range", Nullable: true},
				{Name: "stay", Type: sdk.TypeNestedJSON, NativeType: "daterange", Nullable: true},
			},
			Keys: []sdk.Key{{
				Kind: sdk.KeyForeign, Name: "guests_room_stay_fkey", Columns: []string{"room", "stay"},
				Ref: sdk.TableRef{Schema: "public", Name: "rooms"}, RefColumns: []string{"room", "stay"},
			}},
		},
	} {
		got := found.table(t, want.TableRef.String())
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(sdk.Table{}, "Fingerprint", "ByteEstimate", "RowEstimate")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.TableRef, diff)
		}
	}
	want := [][]any{{"10.00", "12.00", "infinity", int64(7)}, {"20.50", "24.60", "infinity", int64(7)}}
	got := query(t, s, "SELECT p.net, p.gross, interval 'infinity', uuid_extract_version(uuidv7()) FROM prices p, JSON_TABLE('[1]', '$[*]' COLUMNS (n int PATH '$')) j ORDER BY 1").Rows
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// A key is enforced where a query sees no row that breaks it: the rows of tables that inherit are
// not checked, and a policy may hide a row that is referred to.
func TestScanOfKeysThatQueriesMayBreak(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, `
		CREATE TABLE plain (id int PRIMARY KEY);
		CREATE TABLE hidden (id int PRIMARY KEY); ALTER TABLE hidden ENABLE ROW LEVEL SECURITY;
		CREATE TABLE parent (id int PRIMARY KEY); CREATE TABLE child () INHERITS (parent);
		CREATE TABLE split (id int PRIMARY KEY) PARTITION BY RANGE (id); CREATE TABLE split_1 PARTITION OF split DEFAULT;
		CREATE TABLE refers (to_plain int REFERENCES plain, to_hidden int REFERENCES hidden, to_parent int REFERENCES parent, to_split int REFERENCES split);
		CREATE TABLE inherited (to_plain int REFERENCES plain); CREATE TABLE heir () INHERITS (inherited)`)
	found, _ := scanAll(t, openAs(t, db, testserver.PostgresReader), sdk.ScanRequest{})
	got := map[string]bool{}
	for _, table := range found.Tables {
		for _, k := range table.Keys {
			got[table.Name+" "+k.Columns[0]] = k.Enforced
		}
	}
	want := map[string]bool{
		"plain id": true, "hidden id": true, "parent id": false, "split id": true,
		"refers to_plain": true, "refers to_hidden": false, "refers to_parent": false, "refers to_split": true, "inherited to_plain": false,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("enforced (-want +got):\n%s", diff)
	}
}

// What every column of a table says of it, whoever may read it.
func TestScanOfColumnsThatAreDenied(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "CREATE TABLE t (id int GENERATED BY DEFAULT AS IDENTITY, secret text)")
	db.Exec(t, testserver.PostgresAdmin, "REVOKE ALL ON t FROM loam_reader; GRANT SELECT (id) ON t TO loam_reader")
	found, _ := scanAll(t, openAs(t, db, testserver.PostgresReader), sdk.ScanRequest{})
	want := []sdk.Column{
		{Name: "id", Type: sdk.TypeInt64, NativeType: "integer", Properties: map[string]string{"identity": "by default"}},
		{Name: "secret", Type: sdk.TypeText, NativeType: "text", Nullable: true, Properties: map[string]string{"select": "denied"}},
	}
	if diff := cmp.Diff(want, found.table(t, "public.t").Columns); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
