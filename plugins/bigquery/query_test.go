package bigquery_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	fixture "github.com/loam-data/loam/e2e/testserver/bigquery"
	"github.com/loam-data/loam/plugins/bigquery"
	"github.com/loam-data/loam/sdk"
)

// TestOneStatementIsADryRunAndAJob looks at what arrives for one statement.
func TestOneStatementIsADryRunAndAJob(t *testing.T) {
	t.Parallel()
	server := start(t)
	s := open(t, server, map[string]any{"max_gib_billed": 1})
	before := len(server.Requests())
	r, err := execute(t.Context(), s, sdk.ExecuteRequest{
		SQL: "SELECT id, name FROM accounts WHERE id = @p1", Params: []sdk.Value{int64(2)},
		Tags: map[string]string{"principal": "ada", "tool": "sql_execution"}, Limits: sdk.Limits{Timeout: 7 * time.Second},
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]any{{int64(2), "Grace"}}, r.Rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	dry, jobs := since(server, before, "dry_run"), since(server, before, "query")
	if len(dry) != 1 || len(jobs) != 1 {
		t.Fatalf("%d dry runs and %d jobs arrived, want one of each", len(dry), len(jobs))
	}
	job := jobs[0]
	if job.Statement != dry[0].Statement || job.Job == "" || job.Job != r.QueryID || job.JobTimeoutMs != 7000 || job.MaximumBytesBilled != 1<<30 || job.Location != "US" {
		t.Errorf("the job is %+v, told as %q", job, r.QueryID)
	}
	if diff := cmp.Diff(map[string]string{"principal": "ada", "tool": "sql_execution", "loam_connection": "test"}, job.Labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if r.Summary.BytesScanned == 0 || r.Summary.BytesBilled == 0 {
		t.Errorf("the summary says nothing of bytes: %+v", r.Summary)
	}
}

func TestBytesAreCappedBeforeAJobRuns(t *testing.T) {
	t.Parallel()
	server := start(t)
	s := open(t, server, nil)
	server.Plant(fixture.Plant{Match: "accounts", DryRun: true, Bytes: 5 << 30})
	before := len(server.Requests())
	_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT id FROM accounts", Limits: sdk.Limits{MaxBytesScanned: 1 << 30}})
	if e := wantKind(t, err, sdk.KindLimit); !strings.Contains(e.Msg, fmt.Sprint(5<<30)) {
		t.Errorf("the error does not say how much: %v", e)
	}
	if jobs := since(server, before, "query"); len(jobs) > 0 {
		t.Errorf("a job ran: %s", describe(jobs[0]))
	}
	// The service itself holds the budget, too.
	server.Plant(fixture.Plant{Match: "ledger", Run: true, Bytes: 5 << 30})
	_, err = execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT id FROM ledger", Limits: sdk.Limits{MaxBytesScanned: 1 << 30}})
	wantKind(t, err, sdk.KindLimit)
}

// TestCancelSettles ends a call: the job has ended when it returns.
func TestCancelSettles(t *testing.T) {
	t.Parallel()
	server := start(t)
	s := open(t, server, nil)
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	server.Plant(fixture.Plant{Match: "held", Run: true, Hold: hold})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := execute(ctx, s, sdk.ExecuteRequest{SQL: "SELECT 1 AS held"})
		ended <- err
	}()
	running(t, server)
	cancel()
	if err := <-ended; sdk.KindOf(err) != sdk.KindCanceled {
		t.Errorf("a cancelled call ends with %v", err)
	}
	if ids := server.Running(); len(ids) > 0 {
		t.Errorf("jobs run on: %v", ids)
	}
	_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT 1 AS held", Limits: sdk.Limits{Timeout: 2 * time.Second}})
	wantKind(t, err, sdk.KindTimeout)
	if ids := server.Running(); len(ids) > 0 {
		t.Errorf("jobs run on after their time: %v", ids)
	}
}

// TestASuccessorCancels has another session end the job of one that is gone.
func TestASuccessorCancels(t *testing.T) {
	t.Parallel()
	server := start(t)
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	server.Plant(fixture.Plant{Match: "held", Run: true, Hold: hold})
	first := open(t, server, nil)
	ended := make(chan error)
	go func() {
		_, err := execute(context.Background(), first, sdk.ExecuteRequest{SQL: "SELECT 1 AS held"})
		ended <- err
	}()
	id := running(t, server)
	second := open(t, server, nil)
	was, err := second.CancelQuery(t.Context(), id)
	if !was || err != nil {
		t.Errorf("the job was running: %v, %v", was, err)
	}
	if ids := server.Running(); len(ids) > 0 {
		t.Errorf("jobs run on: %v", ids)
	}
	if e := wantKind(t, <-ended, sdk.KindCanceled); e.Code != "stopped" {
		t.Errorf("the first session is told %v", e)
	}
	if was, err := second.CancelQuery(t.Context(), id); was || err != nil {
		t.Errorf("a job that ended: %v, %v", was, err)
	}
}

func TestPagesOfAResult(t *testing.T) {
	t.Parallel()
	server := start(t, fixture.PageSize(100))
	s := open(t, server, nil)
	r := query(t, s, "SELECT n FROM UNNEST(GENERATE_ARRAY(1, 1050)) AS n ORDER BY n")
	if len(r.Rows) != 1050 || r.Rows[1049][0] != int64(1050) {
		t.Fatalf("%d rows", len(r.Rows))
	}
	before := len(server.Requests())
	r, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT n FROM UNNEST(GENERATE_ARRAY(1, 1050)) AS n ORDER BY n", Limits: sdk.Limits{MaxRows: 30}})
	if err != nil || len(r.Rows) != 30 || r.Summary.TruncatedBy != sdk.TruncatedByRows {
		t.Errorf("%d rows, %+v, %v", len(r.Rows), r.Summary, err)
	}
	pages := slices.DeleteFunc(since(server, before, "results"), func(r fixture.Request) bool { return strings.Contains(r.Query, "maxResults=0") })
	if len(pages) != 1 || !strings.Contains(pages[0].Query, "maxResults=31") {
		t.Errorf("pages read for 30 rows: %v", pages)
	}
}

func TestValidateAndExplainRunNothing(t *testing.T) {
	t.Parallel()
	server := start(t)
	s := open(t, server, nil)
	before := len(server.Requests())
	v, err := s.Validate(t.Context(), sdk.ValidateRequest{SQL: "SELECT id, name FROM accounts WHERE id = @p1"})
	if err != nil {
		t.Fatal(err)
	}
	want := []sdk.TableRef{{Catalog: server.Project, Schema: lab, Name: "accounts"}}
	if diff := cmp.Diff(want, v.Tables); diff != "" || v.StatementType != "SELECT" || v.EstimatedBytes <= 0 || v.Estimate != sdk.EstimateExact || len(v.Columns) != 2 {
		t.Errorf("validation %+v, tables (-want +got):\n%s", v, diff)
	}
	plan, err := s.Explain(t.Context(), sdk.ExplainRequest{SQL: "SELECT id FROM accounts"})
	if err != nil || plan.EstimatedBytes <= 0 || !json.Valid([]byte(plan.Text)) {
		t.Errorf("plan %+v, %v", plan, err)
	}
	if jobs := since(server, before, "query"); len(jobs) > 0 {
		t.Errorf("a job ran: %s", describe(jobs[0]))
	}
}

// TestErrors has the fixture refuse in the service's words.
func TestErrors(t *testing.T) {
	t.Parallel()
	server := start(t)
	s := open(t, server, nil)
	for sql, want := range map[string]struct {
		kind sdk.Kind
		pos  sdk.Position
		near string
	}{
		"SELECT FROM WHERE":               {sdk.KindSyntax, sdk.Position{Line: 1, Column: 13}, ""},
		"SELECT 1,\n  nme FROM accounts":  {sdk.KindNotFound, sdk.Position{Line: 2, Column: 3}, "name"},
		"SELECT 1 FROM acounts":           {sdk.KindNotFound, sdk.Position{Line: 1, Column: 15}, "accounts"},
		"SELECT no_such_function(1) AS n": {sdk.KindNotFound, sdk.Position{Line: 1, Column: 8}, ""},
		"SELECT 1 FROM nowhere.accounts":  {sdk.KindNotFound, sdk.Position{}, ""},
		"SELECT ERROR('as planned') AS n": {sdk.KindInvalid, sdk.Position{}, ""},
		"SELECT 1 + @p1 AS n":             {sdk.KindInvalid, sdk.Position{}, ""},
		"SELECT 1 AS n; SELECT 2 AS n":    {sdk.KindNotReadOnly, sdk.Position{Line: 1, Column: 16}, ""},
		"DELETE FROM accounts WHERE TRUE": {sdk.KindNotReadOnly, sdk.Position{}, ""},
		"  -- nothing\n":                  {sdk.KindInvalid, sdk.Position{}, ""},
		"SELECT CAST('x' AS INT64) AS n":  {sdk.KindInvalid, sdk.Position{}, ""},
	} {
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql})
		e, ok := errors.AsType[*sdk.Error](err)
		if !ok || e.Kind != want.kind || e.Hint == "" || !want.pos.IsZero() && e.Pos != want.pos {
			t.Errorf("%q: %v (%s), want %s at %v", sql, err, sdk.KindOf(err), want.kind, want.pos)
			continue
		}
		if want.near != "" && !strings.Contains(fmt.Sprint(e.Candidates), want.near) {
			t.Errorf("%q: candidates %v, want %s", sql, e.Candidates, want.near)
		}
	}
	for _, planted := range []struct {
		err   *fixture.Error
		kind  sdk.Kind
		retry bool
	}{
		{fixture.QuotaExceeded, sdk.KindRateLimited, false}, {fixture.RateLimited, sdk.KindRateLimited, true},
		{fixture.BackendError, sdk.KindUnavailable, true}, {fixture.Unauthorized, sdk.KindUnauthenticated, false},
	} {
		forget := server.Plant(fixture.Plant{Match: "planted", Error: planted.err})
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT 1 AS planted"})
		if e := wantKind(t, err, planted.kind); e.Retry != planted.retry {
			t.Errorf("%s: retry %v", planted.err.Reason, e.Retry)
		}
		forget()
	}
}

func TestQueryLog(t *testing.T) {
	t.Parallel()
	server := start(t)
	s := open(t, server, nil)
	query(t, s, "SELECT 'first' AS logged")
	query(t, s, "SELECT 'second' AS logged")
	w := &entries{}
	before := len(server.Requests())
	if err := s.QueryLog(t.Context(), sdk.QueryLogRequest{MaxEntries: 1}, w); err != nil {
		t.Fatal(err)
	}
	if len(w.found) != 1 || !strings.Contains(w.found[0].SQL, "second") || w.found[0].StartedAt.IsZero() || w.found[0].User == "" || w.found[0].Application != "test" {
		t.Errorf("entries %+v", w.found)
	}
	if jobs := since(server, before, "query"); len(jobs) > 0 {
		t.Errorf("the log is billed: %s", describe(jobs[0]))
	}
}

type entries struct{ found []sdk.QueryLogEntry }

func (w *entries) Entry(e sdk.QueryLogEntry) error { w.found = append(w.found, e); return nil }

func (w *entries) Progress(sdk.Progress) {}

var _ sdk.Session = (*bigquery.Session)(nil)
