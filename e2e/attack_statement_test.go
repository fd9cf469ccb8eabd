package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/plugins/postgres"
	"github.com/loam-data/loam/sdk/conform/corpus"
)

// verdict is what a tool answers of a statement, or why it does not.
type verdict struct {
	Code     string
	Message  string
	Valid    bool
	ReadOnly bool
	Executed bool
	RowCount *int
	Status   string
	Checks   []struct {
		Check string
		OK    bool
	}
}

// judge calls a tool, which may refuse.
func (s *server) judge(ctx context.Context, t *testing.T, tool string, args object) (answer verdict) {
	t.Helper()
	result, err := s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s %v: %v", tool, args, err)
	}
	text, err := json.Marshal(result.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	unmarshal(t, text, &answer)
	if result.IsError != (answer.Code != "") {
		t.Errorf("%s %v: %s", tool, args, text)
	}
	return answer
}

// keepNotes lets sample compare the notes of the ledger, which a scan takes for personal texts.
func keepNotes(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, "loam.yaml")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const keep = "scan: {keep_values: [ledger.note]}"
	kept := strings.Replace(strings.Replace(string(text), "    config: {", "    "+keep+"\n    config: {", 1), ", config: {", ", "+keep+", config: {", 1)
	if err := os.WriteFile(path, []byte(kept), 0o644); err != nil {
		t.Fatal(err)
	}
}

// tenth is how many cases one stands for as a name and as a value, if it has no sign that may end those.
const tenth = 10

// attackTools sends a case of the corpus through the tools that look at statements: as a statement, as names of a
// sample, as a value of a condition, and as a query to be saved. The caller reads the data again.
func attackTools(t *testing.T, s *server, connection string, at int, c corpus.Case, text string) {
	t.Helper()
	ctx := t.Context()
	statement := object{"connectionId": connection, "sql": text}
	checked, plan := s.judge(ctx, t, "validate", statement), s.judge(ctx, t, "explain_query", statement)
	switch {
	case checked.Code != "" && checked.Code != "unsupported" || plan.Executed:
		t.Errorf("%s: validate answers %+v, explain_query %+v", c.Name, checked, plan)
	case c.Guard && (checked.Valid || checked.ReadOnly):
		t.Errorf("%s is valid: %+v", c.Name, checked)
	case c.Guard && plan.Code != "not_read_only" && plan.Code != "syntax":
		t.Errorf("%s is explained: %+v", c.Name, plan)
	case c.Harmless && !checked.ReadOnly:
		t.Errorf("%s is no read for validate: %+v", c.Name, checked)
	}
	// A name or a value is no statement: what it would do if it were one changes nothing. It may only end where its quotes do.
	if at%tenth == 0 || !c.Harmless && strings.ContainsAny(text, "'\"`\\[]$\x00") {
		attackAsText(t, s, connection, c, text)
	}
	if c.Harmless {
		return
	}
	proposed := s.judge(ctx, t, "recommend_query", object{
		"connectionId": connection, "name": fmt.Sprintf("attack-%d", at), "description": c.Name, "sql": text, "parameters": []any{},
	})
	guard := slices.IndexFunc(proposed.Checks, func(k struct {
		Check string
		OK    bool
	}) bool {
		return k.Check == "guard"
	})
	if c.Guard && (proposed.Status == "queued" || guard >= 0 && proposed.Checks[guard].OK) {
		t.Errorf("%s is proposed: %+v", c.Name, proposed)
	}
}

// attackAsText sends a case as names of a sample and as a value of a condition.
func attackAsText(t *testing.T, s *server, connection string, c corpus.Case, text string) {
	t.Helper()
	ctx := t.Context()
	for what, args := range map[string]object{
		"table":            {"table": text},
		"column":           {"table": "accounts", "columns": []any{text}},
		"condition column": {"table": "accounts", "columns": []any{"id"}, "where": condition(text, "equals", "x")},
	} {
		args["connectionId"] = connection
		if got := s.judge(ctx, t, "sample", args); got.Code != "not_found" && got.Code != "invalid" {
			t.Errorf("%s as a %s: %+v", c.Name, what, got)
		}
	}
	for _, op := range []string{"equals", "contains", "not_in"} {
		args := object{"connectionId": connection, "table": "ledger", "columns": []any{"id"}, "where": condition("note", op, text)}
		got := s.judge(ctx, t, "sample", args)
		if got.Code != "" && !strings.ContainsRune(text, 0) || got.Code == "" && *got.RowCount > 0 != (op == "not_in") {
			t.Errorf("%s as a value of %s: %+v", c.Name, op, got)
		}
	}
}

// TestKnownWrongElsewhere has the faults of other implementations of these tools, on PostgreSQL with an account that
// may write: a statement that is checked or explained is never run, and the text is not changed before it is sent.
func TestKnownWrongElsewhere(t *testing.T) {
	t.Parallel()
	heavy(t, "statements that are checked and explained on PostgreSQL")
	all := postgres.Dialects()
	db := testserver.Postgres(t).Database(t, strings.Join(corpus.Setup(&all[0]), ";\n"))
	dir := warehouse(t, db, testserver.PostgresOwner)
	if r := loam(t, dir, "scan"); r.code != 0 {
		t.Fatalf("scan: exit %d: %s", r.code, r.stderr)
	}
	// uses counts the reads and changes of the ledger, which a session reports when it ends at the latest.
	uses := func() string {
		eventually(t, settle, "the sessions end", func() bool {
			return db.Rows(t, testserver.PostgresAdmin, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")[0][0] == "0"
		})
		return fmt.Sprint(db.Rows(t, testserver.PostgresAdmin, "SELECT seq_scan + coalesce(idx_scan, 0), n_tup_ins + n_tup_upd + n_tup_del FROM pg_stat_user_tables WHERE relname = 'ledger'"))
	}
	before := uses()
	s := toolsServer(t, dir, "research,queries")
	for _, sql := range []string{
		"SELECT 1; DELETE FROM ledger", "ANALYZE DELETE FROM ledger", "EXPLAIN ANALYZE DELETE FROM ledger", "EXPLAIN (ANALYZE) DELETE FROM ledger",
		"SELECT * FROM ledger) x -- ", "WITH gone AS (DELETE FROM ledger RETURNING *) SELECT * FROM gone",
	} {
		statement := object{"connectionId": "warehouse", "sql": sql}
		if got := s.judge(t.Context(), t, "validate", statement); got.Valid {
			t.Errorf("%s is valid: %+v", sql, got)
		}
		if got := s.judge(t.Context(), t, "explain_query", statement); got.Code == "" {
			t.Errorf("%s is explained: %+v", sql, got)
		}
	}
	for _, sql := range []string{"SELECT * FROM ledger -- the end", "SELECT * FROM ledger /* ) */ ; ", "SELECT id, id, ')' AS id FROM ledger", "SELECT count(*) FROM ledger, ledger again"} {
		statement := object{"connectionId": "warehouse", "sql": sql}
		if got := s.judge(t.Context(), t, "validate", statement); !got.Valid {
			t.Errorf("%s is not valid: %+v", sql, got)
		}
		if got := s.judge(t.Context(), t, "explain_query", statement); got.Code != "" || got.Executed {
			t.Errorf("%s is not explained: %+v", sql, got)
		}
	}
	var shown struct{ Columns []struct{ Name string } }
	if failed := s.ask(t, "validate", object{"connectionId": "warehouse", "sql": "SELECT id, id, ')' AS id FROM ledger"}, &shown); failed != nil || len(shown.Columns) != 3 {
		t.Errorf("columns of one name: %+v, %+v", shown, failed)
	}
	var plan struct{ Plan string }
	failed := s.ask(t, "explain_query", object{"connectionId": "warehouse", "sql": "SELECT * FROM ledger WHERE amount = $1", "parameters": []any{3.9}}, &plan)
	if failed != nil && !strings.Contains(failed.Message, "3.9") || failed == nil && !strings.Contains(plan.Plan, "3.9") {
		t.Errorf("3.9 became another number: %+v, %+v", plan, failed)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if after := uses(); after != before {
		t.Errorf("reads and changes of the ledger were %s and are %s", before, after)
	}
	runs := toolsServer(t, dir, "research")
	runs.sql(t.Context(), t, "warehouse", "SELECT * FROM ledger", nil)
	if err := runs.Close(); err != nil || uses() == before {
		t.Errorf("%v: a statement that runs is not counted", err)
	}
}
