package postgres_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "CREATE TABLE t AS SELECT generate_series(1, 1000) AS id; ANALYZE t")
	s := openAs(t, db, testserver.PostgresReader)
	plan, err := s.Explain(t.Context(), sdk.ExplainRequest{SQL: "SELECT id FROM t"})
	if err != nil {
		t.Fatal(err)
	}
	want := sdk.Explanation{Format: "text", Text: plan.Text, EstimatedRows: 1000, EstimatedBytes: 4000, EstimatedCostUSD: -1}
	if diff := cmp.Diff(want, plan); diff != "" || !strings.HasPrefix(plan.Text, "Seq Scan on t  (cost=") {
		t.Errorf("%s\n-want +got:\n%s", plan.Text, diff)
	}
	plan, err = s.Explain(t.Context(), sdk.ExplainRequest{SQL: "; SELECT id FROM t WHERE id = $1 -- one", Params: []sdk.Value{int64(7)}})
	if err != nil || !strings.Contains(plan.Text, "id = 7") || !strings.Contains(plan.Text, "\n") {
		t.Errorf("%v: %q", err, plan.Text)
	}
	for sql, kind := range map[string]sdk.Kind{
		"SHOW work_mem":        sdk.KindInvalid,
		"EXPLAIN SELECT 1":     sdk.KindInvalid,
		"SELECT * FROM tt":     sdk.KindNotFound,
		"DELETE FROM t":        sdk.KindNotReadOnly,
		"SELECT 1; SELECT 2":   sdk.KindNotReadOnly,
		"SELECT pg_sleep(100)": sdk.KindNotReadOnly,
	} {
		_, err := s.Explain(t.Context(), sdk.ExplainRequest{SQL: sql})
		wantKind(t, err, kind)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "CREATE TYPE mood AS ENUM ('sad'); CREATE TABLE t (id int, m mood, n numeric(10,2))")
	s := openAs(t, db, testserver.PostgresReader)
	v, err := s.Validate(t.Context(), sdk.ValidateRequest{SQL: "SELECT id, m, n, id / 0 AS broken FROM t"})
	if err != nil {
		t.Fatal(err)
	}
	want := []sdk.Column{
		{Name: "id", Type: sdk.TypeInt64, NativeType: "integer", Nullable: true},
		{Name: "m", Type: sdk.TypeText, NativeType: "mood", Nullable: true},
		{Name: "n", Type: sdk.TypeDecimal, NativeType: "numeric(10,2)", Nullable: true, Precision: 10, Scale: 2},
		{Name: "broken", Type: sdk.TypeInt64, NativeType: "integer", Nullable: true},
	}
	if diff := cmp.Diff(want, v.Columns); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestSuggestions(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, `CREATE TABLE customers (id int, "Full Name" text); CREATE TABLE orders (customer_id int);
		CREATE SCHEMA sales; CREATE TABLE sales.invoices (id int); CREATE TABLE closed (id int)`)
	db.Exec(t, testserver.PostgresAdmin, "REVOKE ALL ON closed FROM loam_reader")
	s := openAs(t, db, testserver.PostgresReader)
	for _, c := range []struct {
		sql  string
		want []string
	}{
		{"SELECT * FROM custmers", []string{"customers"}},
		{"SELECT * FROM public.ordres o", []string{"orders"}},
		{"SELECT * FROM invoices", []string{"sales.invoices"}},
		{"SELECT * FROM xyzzy", nil},
		{"SELECT * FROM close", nil}, // nothing that the role may not read
		{"SELECT o.custmer_id FROM orders o", []string{"customer_id"}},
		{`SELECT "full name" FROM customers`, []string{"Full Name"}},
		{"SELECT custmer_id FROM customers c JOIN orders USING (id)", nil},
	} {
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: c.sql})
		e := wantKind(t, err, sdk.KindNotFound)
		if diff := cmp.Diff(c.want, e.Candidates); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.sql, diff)
		}
		if len(c.want) > 0 && !strings.Contains(e.Hint, c.want[0]) {
			t.Errorf("%s: the hint is %q", c.sql, e.Hint)
		}
	}
}

// queries collects a query log.
type queries []sdk.QueryLogEntry

func (q *queries) Entry(e sdk.QueryLogEntry) error {
	*q = append(*q, e)
	return nil
}

func (q *queries) Progress(sdk.Progress) {}

func TestQueryLog(t *testing.T) {
	t.Parallel()
	testserver.EachPostgres(t, testQueryLog)
}

func testQueryLog(t *testing.T, server *testserver.PostgresServer) {
	t.Parallel()
	db := server.Database(t, "CREATE TABLE t (id int)")
	s := openAs(t, db, testserver.PostgresOwner)
	err := s.QueryLog(t.Context(), sdk.QueryLogRequest{}, &queries{})
	if e := wantKind(t, err, sdk.KindUnsupported); !strings.Contains(e.Hint, "CREATE EXTENSION pg_stat_statements") {
		t.Errorf("the hint is %q", e.Hint)
	}
	before := time.Now().Add(-time.Minute)
	db.Exec(t, testserver.PostgresAdmin, `CREATE SCHEMA "Odd"; CREATE EXTENSION pg_stat_statements SCHEMA "Odd"; GRANT USAGE ON SCHEMA "Odd" TO loam_owner;
		CREATE ROLE `+db.Name+` PASSWORD 'do not show'; DROP ROLE `+db.Name)
	for range 3 {
		query(t, s, "SELECT id AS marked FROM t WHERE id = 4711")
	}
	timed := db.Rows(t, testserver.PostgresAdmin, "SELECT count(*) FROM pg_attribute WHERE attrelid = '\"Odd\".pg_stat_statements'::regclass AND attname = 'stats_since'")[0][0] == "1"
	future := time.Now().Add(time.Hour)
	for _, c := range []struct {
		name string
		req  sdk.QueryLogRequest
		want int
	}{
		{"all", sdk.QueryLogRequest{}, 1},
		{"since it ran", sdk.QueryLogRequest{Since: before, Until: future}, 1},
		{"since a time to come", sdk.QueryLogRequest{Since: future}, 0},
		{"until it ran", sdk.QueryLogRequest{Until: before}, map[bool]int{true: 0, false: 1}[timed]},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log queries
			if err := s.QueryLog(t.Context(), c.req, &log); err != nil {
				t.Fatal(err)
			}
			found := 0
			for i, e := range log {
				if strings.Contains(e.SQL, "do not show") {
					t.Errorf("a password is shown: %s", e.SQL)
				}
				if e.StartedAt.IsZero() == timed || i > 0 && e.StartedAt.After(log[i-1].StartedAt) {
					t.Errorf("entry %d is of %s", i, e.StartedAt)
				}
				if !strings.Contains(e.SQL, "marked") {
					continue
				}
				found++
				if e.SQL != "SELECT id AS marked FROM t WHERE id = $1" || e.Executions != 3 || e.User != testserver.PostgresOwner || e.Rows != 0 || e.QueryID == "" {
					t.Errorf("got %+v", e)
				}
				if timed && (e.StartedAt.Before(before) || e.StartedAt.After(future)) {
					t.Errorf("it began at %s", e.StartedAt)
				}
			}
			if found != c.want {
				t.Errorf("the statement is listed %d times, want %d", found, c.want)
			}
		})
	}
	var log queries
	if err := s.QueryLog(t.Context(), sdk.QueryLogRequest{MaxEntries: 2}, &log); err != nil || len(log) != 2 {
		t.Errorf("%d entries, %v", len(log), err)
	}
}
