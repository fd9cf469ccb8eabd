package mysql_test

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
	db := testserver.MariaDB(t).Database(t, "CREATE TABLE t AS SELECT seq AS id FROM seq_1_to_1000")
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
		{"stream", "SELECT a.id FROM t a, t b, t c /* stream */", context.WithCancel, sdk.KindCanceled},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := openWith(t, sdk.OpenRequest{Config: configOf(db, testserver.MariaDBReader, nil), MaxOpen: 1})
			seen := running(t, db, c.name)
			for range 3 {
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

// A cancel must never hit the statement after the one it was meant for.
func TestCancelHitsNothingElse(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, "")
	s := openWith(t, sdk.OpenRequest{Config: configOf(db, testserver.MariaDBReader, nil), MaxOpen: 1})
	for i := range 200 {
		// The context ends at a time that lies before, in and after the statement.
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i*20)*time.Microsecond)
		_, err := execute(ctx, s, sdk.ExecuteRequest{SQL: "SELECT COUNT(*) FROM seq_1_to_2000"})
		cancel()
		if err != nil {
			wantKind(t, err, sdk.KindTimeout)
		}
		if got := query(t, s, "SELECT 42").Rows[0][0]; got != int64(42) {
			t.Fatalf("round %d: got %v", i, got)
		}
	}
}

func TestLimitsEndTheStatement(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, "CREATE TABLE t AS SELECT seq AS id FROM seq_1_to_1000")
	s := openWith(t, sdk.OpenRequest{Config: configOf(db, testserver.MariaDBReader, nil), MaxOpen: 1})
	seen := running(t, db, "limit")
	for _, limits := range []sdk.Limits{{MaxRows: 10}, {MaxBytes: 1000}} {
		started := time.Now()
		r, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT a.id FROM t a, t b, t c /* limit */", Limits: limits})
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
	if err := s.Execute(t.Context(), sdk.ExecuteRequest{SQL: "SELECT seq FROM seq_1_to_100000000"}, w); !errors.Is(err, gone) {
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
	db := testserver.MariaDB(t).Database(t, "")
	for _, c := range []struct {
		name    string
		request time.Duration
		session time.Duration
		config  string
	}{
		{"of the request", 2 * time.Second, time.Hour, "1h"},
		{"of the session", 0, 2 * time.Second, "1h"},
		{"of the configuration", time.Hour, time.Hour, "2s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := openWith(t, sdk.OpenRequest{
				Config: configOf(db, testserver.MariaDBReader, map[string]any{"statement_timeout": c.config}), StatementTimeout: c.session,
			})
			r, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT @@max_statement_time", Limits: sdk.Limits{Timeout: c.request}})
			if err != nil || r.Rows[0][0] != 2.0 {
				t.Errorf("the server's own limit is %v, %v", r.Rows, err)
			}
			// Which clock ends it, the server's or the connector's, depends on how long
			// the look-up before it took.
			_, err = execute(t.Context(), s, sdk.ExecuteRequest{SQL: slow("timeout"), Limits: sdk.Limits{Timeout: c.request}})
			wantKind(t, err, sdk.KindTimeout)
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
		{"killed", "KILL QUERY ", sdk.KindCanceled, "1317"},
		{"disconnected", "KILL CONNECTION ", sdk.KindUnavailable, ""},
		{"the server dies", "", sdk.KindUnavailable, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := testserver.NewMariaDB(t)
			db := server.Database(t, "")
			s := openAs(t, db, testserver.MariaDBReader)
			seen := running(t, db, "others")
			done := make(chan error, 1)
			go func() {
				_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: slow("others")})
				done <- err
			}()
			eventually(t, 30*time.Second, "the statement shows up", func() bool { return is(t, seen) })
			admin := outside(t, db)
			end := func() {
				if c.end == "" {
					server.Kill()
					return
				}
				for _, row := range db.Rows(t, testserver.MariaDBAdmin, "SELECT ID FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID() AND INFO LIKE 'SELECT%/* others */%'") {
					_, _ = admin.ExecContext(t.Context(), c.end+row[0]) // it may be over by now
				}
			}
			var err error
			eventually(t, 30*time.Second, "the statement ends", func() bool {
				end() // again: a KILL that comes while the statement is only being prepared is lost
				select {
				case err = <-done:
					return true
				default:
					return false
				}
			})
			e := wantKind(t, err, c.kind)
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
	db := testserver.MariaDB(t).Database(t, "")
	s := openAs(t, db, testserver.MariaDBReader)
	for range 3 {
		query(t, s, "SELECT 1")
		for _, row := range db.Rows(t, testserver.MariaDBAdmin, "SELECT ID FROM information_schema.PROCESSLIST WHERE USER = 'loam_reader' AND DB = DATABASE()") {
			// It may be over already.
			_, _ = outside(t, db).ExecContext(t.Context(), "KILL CONNECTION "+row[0])
		}
		query(t, s, "SELECT 1")
	}
}

// The server does not notice that the connector's program is gone: what ends the
// statement is the limit that the server knows itself.
func TestStatementEndsAfterTheProgram(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, "")
	config := configOf(db, testserver.MariaDBReader, map[string]any{"password": "env:LOAM_TEST_PASSWORD", "statement_timeout": "3s"})
	cmd := exec.CommandContext(t.Context(), program.Connector(t, "mysql"), "query", "--config", string(config.JSON), slow("killed"))
	cmd.Env = append(os.Environ(), "LOAM_TEST_PASSWORD="+testserver.MariaDBPassword)
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
	eventually(t, 30*time.Second, "the statement ends", func() bool { return !is(t, seen) })
	if err := cmd.Wait(); err == nil {
		t.Errorf("the program was not killed: %s", output.String())
	}
}

// BENCHMARK and SLEEP return a value when they are interrupted; behind a function
// no text shows them.
func TestInterruptedWithoutAnError(t *testing.T) {
	t.Parallel()
	db := testserver.MariaDB(t).Database(t, `CREATE FUNCTION spins() RETURNS INT RETURN BENCHMARK(1000000000, SHA2('x', 512));
		CREATE FUNCTION sleeps() RETURNS INT RETURN SLEEP(120)`)
	s := openAs(t, db, testserver.MariaDBOwner)
	for _, sql := range []string{"SELECT spins()", "SELECT sleeps()"} {
		_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql, Limits: sdk.Limits{Timeout: 200 * time.Millisecond}})
		if e := wantKind(t, err, sdk.KindTimeout); e.Hint == "" || !e.Retry {
			t.Errorf("%s: hint %q, retry %t", sql, e.Hint, e.Retry)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		_, err = execute(ctx, s, sdk.ExecuteRequest{SQL: sql})
		wantKind(t, err, sdk.KindTimeout)
		cancel()
	}
}
