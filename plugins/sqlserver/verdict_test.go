package sqlserver_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/e2e/testserver/tds"
	"github.com/loam-data/loam/sdk"
)

const (
	settings = "SET LANGUAGE us_english; SET DATEFIRST 7; SET ROWCOUNT 0; SET LOCK_TIMEOUT 10000; SET DEADLOCK_PRIORITY LOW; SET TRANSACTION ISOLATION LEVEL "
	rollback = "IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION"
)

// A statement is planned before it runs, and runs in a transaction that is rolled
// back; nothing else arrives.
func TestWhatArrives(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		server *server
		sql    string
		params []sdk.Value
		want   []string
	}{
		{"a snapshot", &server{showplan: true, snapshots: true}, "SELECT 1", nil, []string{
			"SET SHOWPLAN_XML ON", " SELECT 1", "SET SHOWPLAN_XML OFF", settings + "SNAPSHOT; BEGIN TRANSACTION", " SELECT 1", rollback,
		}},
		{"no snapshots", &server{showplan: true}, "WITH a AS (SELECT 1 AS n) SELECT n FROM a;", nil, []string{
			"SET SHOWPLAN_XML ON", " WITH a AS (SELECT 1 AS n) SELECT n FROM a;", "SET SHOWPLAN_XML OFF", settings + "READ COMMITTED; BEGIN TRANSACTION",
			" WITH a AS (SELECT 1 AS n) SELECT n FROM a;", rollback,
		}},
		{"another database", &server{showplan: true, snapshots: true, plan: func(string) string {
			return planOf(statement("SELECT", `<QueryPlan><RelOp PhysicalOp="Table Scan"><TableScan><Object Database="[other]" Schema="[dbo]" Table="[t]"/></TableScan></RelOp></QueryPlan>`))
		}}, "SELECT 1", nil, []string{
			"SET SHOWPLAN_XML ON", " SELECT 1", "SET SHOWPLAN_XML OFF", settings + "READ COMMITTED; BEGIN TRANSACTION", " SELECT 1", rollback,
		}},
		{"parameters", &server{showplan: true}, "SELECT @p1, @p2, @P1", []sdk.Value{int64(1), "x"}, []string{
			"SET SHOWPLAN_XML ON", "DECLARE @p1 bigint, @p2 nvarchar(max); SELECT @p1, @p2, @P1", "SET SHOWPLAN_XML OFF", settings + "READ COMMITTED; BEGIN TRANSACTION",
			"sp_executesql  SELECT @p1, @p2, @P1", rollback,
		}},
		// The driver would call a procedure of such a name.
		{"one word", &server{showplan: true}, "select.[drop]", nil, []string{
			"SET SHOWPLAN_XML ON", " select.[drop]", "SET SHOWPLAN_XML OFF", settings + "READ COMMITTED; BEGIN TRANSACTION", " select.[drop]", rollback,
		}},
		{"no right to see plans", &server{snapshots: true}, "SELECT 1", nil, []string{settings + "READ COMMITTED; BEGIN TRANSACTION", " SELECT 1", rollback}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			fixture, s := open(t, c.server)
			before := len(fixture.Requests())
			if _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: c.sql, Params: c.params}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, texts(fixture, before)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// What the server takes for anything but one SELECT is planned and never runs.
func TestWhatIsRefused(t *testing.T) {
	t.Parallel()
	function := func(inside string) string {
		return planOf(statement("SELECT", `<UDF ProcName="dbo.f"><Statements>`+inside+`</Statements></UDF>`))
	}
	operator := func(attributes string) string {
		return planOf(statement("SELECT", `<QueryPlan><RelOp `+attributes+`/></QueryPlan>`))
	}
	for _, c := range []struct{ name, plan string }{
		{"an update", planOf(statement("UPDATE", ""))},
		{"select into", planOf(statement("SELECT INTO", ""))},
		{"an assignment", planOf(statement("ASSIGN", ""))},
		{"a procedure", planOf(statement("EXECUTE PROC", ""))},
		{"two statements", planOf(statement("SELECT", ""), statement("SELECT", ""))},
		{"a condition", planOf(`<StmtCond StatementType="COND"><Then><Statements>` + statement("SELECT", "") + `</Statements></Then></StmtCond>`)},
		{"use", planOf(`<StmtUseDb StatementType="USE DATABASE" Database="master"/>`, statement("SELECT", ""))},
		{"a cursor", planOf(`<StmtCursor StatementType="SELECT"/>`)},
		{"another server", operator(`PhysicalOp="Remote Query" LogicalOp="Remote Query"`)},
		{"a file", operator(`PhysicalOp="Remote Scan"`)},
		{"a table of another server", planOf(statement("SELECT", `<Object Server="[far]" Database="[d]" Schema="[dbo]" Table="[t]"/>`))},
		{"a procedure in a function", function(statement("EXECUTE PROC", ""))},
		{"a procedure in a condition of a function", function(`<StmtCond><Then><Statements>` + statement("EXECUTE PROC", "") + `</Statements></Then></StmtCond>`)},
		{"a function of an assembly", planOf(statement("SELECT", `<UserDefinedFunction FunctionName="[dbo].[f]" IsClrFunction="1"/>`))},
		{"no statement", planOf()},
		{"no plan", "1"},
		{"half a plan", planOf(statement("SELECT", ""))[:200]},
		{"another document", "<a/>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			fixture, s := open(t, &server{showplan: true, plan: func(string) string { return c.plan }})
			before := len(fixture.Requests())
			_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT id FROM t"})
			if kind := sdk.KindOf(err); kind != sdk.KindNotReadOnly && kind != sdk.KindInternal {
				t.Errorf("%v, want a refusal", err)
			}
			if diff := cmp.Diff([]string{"SET SHOWPLAN_XML ON", " SELECT id FROM t", "SET SHOWPLAN_XML OFF"}, texts(fixture, before)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			// The connection serves the next statement, which is planned, too.
			if _, err := s.Explain(t.Context(), sdk.ExplainRequest{SQL: "SELECT 2"}); err == nil {
				t.Error("the next statement is not refused")
			}
		})
	}
}

// What functions do in their own variables is no write, and a plan of a server that
// reads its system tables is no plan of another database.
func TestWhatIsAccepted(t *testing.T) {
	t.Parallel()
	for _, plan := range []string{
		planOf(statement("SELECT WITHOUT QUERY", "")),
		planOf(statement("SELECT", `<UDF ProcName="dbo.f"><Statements>`+statement("INSERT", "")+statement("ASSIGN", "")+`<StmtCond StatementType="COND"/>`+statement("RETURN", "")+`</Statements></UDF>`)),
		planOf(statement("SELECT", `<UDTMethod><CLRFunction Assembly="Microsoft.SqlServer.Types"/></UDTMethod><Object Database="[mssqlsystemresource]" Schema="[sys]" Table="[t]"/>`)),
	} {
		_, s := open(t, &server{showplan: true, plan: func(string) string { return plan }})
		if _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT id FROM t"}); err != nil {
			t.Errorf("%v\n%s", err, plan)
		}
	}
}

// The connector's own look refuses what a plan does not stop, and nothing of it
// arrives.
func TestWhatIsNotEvenPlanned(t *testing.T) {
	t.Parallel()
	fixture, s := open(t, &server{showplan: true})
	before := len(fixture.Requests())
	for _, sql := range []string{
		"USE master", "EXEC sp_who", "sp_who", "UPDATE t SET a = 1", "SELECT 1; SELECT 2", "SELECT 1 USE master", "SELECT 1 EXEC sp_who",
		"SELECT * INTO u FROM t", "SELECT * FROM OPENROWSET(BULK 'x', SINGLE_CLOB) a", "SELECT * FROM OPENQUERY(far, 'x')", "SELECT NEXT VALUE FOR s",
		"WITH a AS (SELECT 1 AS n) DELETE FROM t", "BEGIN TRAN", "SELECT 1 SET SHOWPLAN_XML OFF", "SELECT a FROM t WITH (XLOCK)", "",
	} {
		if _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql}); err == nil {
			t.Errorf("%s is not refused", sql)
		}
	}
	if got := texts(fixture, before); len(got) > 0 {
		t.Errorf("arrived: %q", got)
	}
}

// An account that may write runs nothing without a right to see plans.
func TestAccounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		server   *server
		level    sdk.ReadOnlyLevel
		warnings int
		refused  bool
	}{
		{"a reader", &server{showplan: true}, sdk.ReadOnlyEngine, 0, false},
		{"a reader without plans", &server{}, sdk.ReadOnlyEngine, 1, false},
		{"a writer", &server{showplan: true, permissions: [][2]string{{"database", "INSERT"}, {"database", "EXECUTE"}, {"server", "CONTROL SERVER"}}}, sdk.ReadOnlySession, 2, false},
		{"a writer without plans", &server{permissions: [][2]string{{"database", "UPDATE"}}}, sdk.ReadOnlySession, 2, true},
		{"a writer of a database that is read-only", &server{readOnly: true, permissions: [][2]string{{"database", "UPDATE"}}}, sdk.ReadOnlyEngine, 2, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			fixture, s := open(t, c.server)
			info := s.Server()
			if info.ReadOnly != c.level || len(info.Warnings) != c.warnings {
				t.Errorf("level %s (%s), warnings %v", info.ReadOnly, info.ReadOnlyMechanism, info.Warnings)
			}
			before := len(fixture.Requests())
			_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT 1"})
			if !c.refused && err != nil {
				t.Error(err)
			}
			if c.refused {
				if e := wantKind(t, err, sdk.KindDenied); !strings.Contains(e.Hint, "GRANT SHOWPLAN TO [reader]") || len(texts(fixture, before)) > 0 {
					t.Errorf("%v; arrived: %q", e, texts(fixture, before))
				}
			}
		})
	}
}

// Of a cancelled statement nothing is left: it has ended in the server when the call
// returns.
func TestCancel(t *testing.T) {
	t.Parallel()
	running, ended := make(chan struct{}, 1), make(chan struct{})
	fixture, s := open(t, &server{showplan: true, answer: func(ctx context.Context, r tds.Request, _ *tds.Answer) error {
		if !strings.Contains(r.Text, "slow") {
			return nil
		}
		running <- struct{}{}
		<-ctx.Done()
		close(ended)
		return ctx.Err()
	}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-running
		cancel()
	}()
	_, err := execute(ctx, s, sdk.ExecuteRequest{SQL: "SELECT slow"})
	wantKind(t, err, sdk.KindCanceled)
	select {
	case <-ended:
	default:
		t.Error("the call returned before the statement had ended")
	}
	if n := len(slices.DeleteFunc(texts(fixture, 0), func(text string) bool { return text != " SELECT slow" })); n != 2 {
		t.Errorf("the statement arrived %d times, want 2: planned, and run", n)
	}
	if err := s.Ping(t.Context()); err != nil {
		t.Error(err)
	}
}
