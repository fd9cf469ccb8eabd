package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/loam-data/loam/e2e/program"
	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
)

// A cancelled call returns after the statement has ended in the server, within a
// second, and the connection serves the next one.
func TestCancelEndsTheStatement(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "CREATE TABLE t AS SELECT generate_series(1, 1000) AS id")
	for _, c := range []struct {
		name string
		sql  string
		end  func(context.Context) (context.Context, context.CancelFunc)
		kind sdk.Kind
	}{
		{"cancel", slow("cancel"), context.WithCancel, sdk.KindCanceled},
		{"deadline", slow("deadline"), func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 300*time.Millisecond)
		}, sdk.KindTimeout},
		// Rows come all the time: reading, not waiting, is interrupted.
		{"stream", "WITH x AS (SELECT) SELECT a.id FROM t a, t b, t c, x /* stream */", context.WithCancel, sdk.KindCanceled},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := openWith(t, sdk.OpenRequest{Config: configOf(db, testserver.PostgresReader, nil), MaxOpen: 1})
			pid := query(t, s, "SELECT pg_backend_pid()").Rows[0][0]
			seen := running(t, db, c.name)
			for range 3 { // the second time the statement is known, and goes another way
				ctx, cancel := c.end(t.Context())
				done := make(chan error, 1)
				go func() {
					_, err := execute(ctx, s, sdk.ExecuteRequest{SQL: c.sql})
					done <- err
				}()
				eventually(t, 30*time.Second, "the statement shows up", func() bool { return is(t, seen) || ctx.Err() != nil })
				if c.kind == sdk.KindCanceled {
					cancel()
				}
				<-ctx.Done()
				ended := time.Now()
				wantKind(t, <-done, c.kind)
				if is(t, seen) {
					t.Error("the call returned while the statement runs on")
				}
				t.Logf("it took %s", time.Since(ended)) // a figure, not a bound: the machine may be busy
				cancel()
			}
			if again := query(t, s, "SELECT pg_backend_pid()").Rows[0][0]; again != pid {
				t.Errorf("the connection was given up: backend %v, then %v", pid, again)
			}
		})
	}
}

func is(t testing.TB, ask func(context.Context) (bool, error)) bool {
	t.Helper()
	yes, err := ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return yes
}

// A cancel must never hit the statement after the one it was meant for, however
// late it arrives.
func TestCancelHitsNothingElse(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "SELECT")
	for _, late := range []time.Duration{0, 20 * time.Millisecond} {
		t.Run(late.String(), func(t *testing.T) {
			t.Parallel()
			_, s := delayed(t, db, testserver.PostgresReader, 1, late)
			for i := range 200 {
				// The context ends at a time that lies before, in and after the statement.
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i*20)*time.Microsecond)
				_, err := execute(ctx, s, sdk.ExecuteRequest{SQL: "SELECT count(*) FROM generate_series(1, 2000)"})
				cancel()
				if err != nil {
					wantKind(t, err, sdk.KindTimeout)
				}
				for range 3 {
					if got := query(t, s, "SELECT count(*) FROM generate_series(1, 20000)").Rows[0][0]; got != int64(20000) {
						t.Fatalf("round %d: got %v", i, got)
					}
				}
			}
		})
	}
}

// A server that lets a cancel request hang costs the connection, and no later
// statement.
func TestCancelThatHangs(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "SELECT")
	_, s := delayed(t, db, testserver.PostgresReader, 1, 5*time.Second)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := execute(ctx, s, sdk.ExecuteRequest{SQL: "SELECT count(*) FROM generate_series(1, 3000000)"}); err != nil {
		wantKind(t, err, sdk.KindTimeout) // else it came to its end
	}
	for range 40 {
		query(t, s, "SELECT count(*) FROM generate_series(1, 1000000)")
	}
}

func TestLimitsEndTheStatement(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "CREATE TABLE t AS SELECT generate_series(1, 1000) AS id")
	s := openWith(t, sdk.OpenRequest{Config: configOf(db, testserver.PostgresReader, nil), MaxOpen: 1})
	seen := running(t, db, "limit")
	for _, limits := range []sdk.Limits{{MaxRows: 10}, {MaxBytes: 1000}} {
		started := time.Now()
		r, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "WITH x AS (SELECT) SELECT a.id FROM t a, t b, t c, x /* limit */", Limits: limits})
		if err != nil {
			t.Fatal(err)
		}
		if r.Summary.TruncatedBy == sdk.TruncatedNot || len(r.Rows) == 0 || time.Since(started) > 20*time.Second {
			t.Errorf("%d rows, cut by %q after %s", len(r.Rows), r.Summary.TruncatedBy, time.Since(started))
		}
		if is(t, seen) {
			t.Error("the statement runs on")
		}
	}
	gone := errors.New("gone")
	w := sdk.NewRowWriter(failingSink{gone}, sdk.Limits{})
	if err := s.Execute(t.Context(), sdk.ExecuteRequest{SQL: "SELECT generate_series(1, 100000000)"}, w); !errors.Is(err, gone) {
		t.Errorf("got %v, want the sink's own error", err)
	}
	query(t, s, "SELECT 1")
}

type failingSink struct{ err error }

func (f failingSink) Started(string) error       { return nil }
func (f failingSink) Columns([]sdk.Column) error { return nil }
func (f failingSink) Batch(*sdk.Batch) error     { return f.err }
func (f failingSink) Progress(sdk.Progress)      {}
func (f failingSink) Notice(sdk.Warning)         {}

func TestStatementTimeout(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "SELECT")
	for _, c := range []struct {
		name    string
		request time.Duration
		session time.Duration
		config  string
	}{
		{"of the request", 100 * time.Millisecond, time.Hour, "1h"},
		{"of the session", 0, 100 * time.Millisecond, "1h"},
		{"of the configuration", time.Hour, time.Hour, "100ms"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := openWith(t, sdk.OpenRequest{
				Config: configOf(db, testserver.PostgresReader, map[string]any{"statement_timeout": c.config}), StatementTimeout: c.session,
			})
			_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: slow("timeout"), Limits: sdk.Limits{Timeout: c.request}})
			if e := wantKind(t, err, sdk.KindTimeout); e.Code != "57014" {
				t.Errorf("the code is %q: the server did not end it", e.Code)
			}
		})
	}
}

// Somebody else may end a statement, the connection or the server.
func TestEndedByOthers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		end  string
		kind sdk.Kind
		code string
	}{
		{"cancelled", "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE '%/* others */'", sdk.KindCanceled, "57014"},
		{"terminated", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%/* others */'", sdk.KindUnavailable, "57P01"},
		{"the server dies", "", sdk.KindUnavailable, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := testserver.NewPostgres(t)
			db := server.Database(t, "SELECT")
			s := openAs(t, db, testserver.PostgresReader)
			seen := running(t, db, "others")
			done := make(chan error, 1)
			go func() {
				_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: slow("others")})
				done <- err
			}()
			eventually(t, 30*time.Second, "the statement shows up", func() bool { return is(t, seen) })
			if c.end == "" {
				server.Kill()
			} else {
				db.Exec(t, testserver.PostgresAdmin, c.end)
			}
			e := wantKind(t, <-done, c.kind)
			if !e.Retry || e.Hint == "" || c.code != "" && e.Code != c.code {
				t.Errorf("code %q, retry %t, hint %q", e.Code, e.Retry, e.Hint)
			}
			if c.end == "" {
				_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT 1"})
				wantKind(t, err, sdk.KindUnavailable)
				return
			}
			query(t, s, "SELECT 1")
		})
	}
}

// Connections that died while they were idle are replaced without a word.
func TestStaleConnections(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "SELECT")
	s := openAs(t, db, testserver.PostgresReader)
	for _, warm := range []string{"SELECT 1", "SELECT 'mood'::regtype::text"} {
		query(t, s, "SELECT 1")
		db.Exec(t, testserver.PostgresAdmin, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'loam_reader' AND datname = current_database()")
		if _, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: warm}); sdk.KindOf(err) == sdk.KindUnavailable {
			t.Errorf("%s: %v", warm, err)
		}
	}
}

// When the connector's program is gone, so is its statement, within a second.
func TestStatementEndsWithTheProgram(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "SELECT")
	config := configOf(db, testserver.PostgresReader, map[string]any{"password": "env:LOAM_TEST_PASSWORD"})
	cmd := exec.CommandContext(t.Context(), program.Connector(t, "postgres"), "query", "--config", string(config.JSON), slow("killed"))
	cmd.Env = append(os.Environ(), "LOAM_TEST_PASSWORD="+testserver.PostgresPassword)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	seen := running(t, db, "killed")
	eventually(t, 30*time.Second, "the statement shows up", func() bool { return is(t, seen) })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	eventually(t, 30*time.Second, "the statement ends", func() bool { return !is(t, seen) })
	if took := time.Since(killed); took > 2*time.Second { // a second, on a machine with time for it
		t.Errorf("it ran on for %s", took)
	}
	if err := cmd.Wait(); err == nil {
		t.Errorf("the program was not killed: %s", output.String())
	}
}
