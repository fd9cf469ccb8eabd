package postgres_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/loam-data/loam/e2e/program"
	"github.com/loam-data/loam/e2e/testserver"
	"github.com/loam-data/loam/sdk"
)

// A cancelled call leaves the connection to the next one.
func TestCancelKeepsTheConnection(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "SELECT")
	s := openWith(t, sdk.OpenRequest{Config: configOf(db, testserver.PostgresReader, nil), MaxOpen: 1})
	seen := running(t, db, "cancel")
	kept := func(attempt int) bool {
		before := query(t, s, "SELECT pg_backend_pid()").Rows[0][0]
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := execute(ctx, s, sdk.ExecuteRequest{SQL: slow("cancel")})
			done <- err
		}()
		eventually(t, 2*time.Minute, "the statement shows up", func() bool { return is(t, seen) })
		cancel()
		wantKind(t, <-done, sdk.KindCanceled)
		after := query(t, s, "SELECT pg_backend_pid()").Rows[0][0]
		t.Logf("attempt %d: backend %v, then %v", attempt, before, after)
		return before == after
	}
	inARow := 0
	for i := range 9 { // the second time the statement is known, and goes another way
		if inARow++; !kept(i) {
			inARow = 0 // on a busy machine the server may take longer to end a statement than a connection is worth
		}
		if inARow == 3 {
			return
		}
	}
	t.Error("the connection was given up")
}

// goneSink cancels the call when it gets the first rows.
type goneSink struct {
	sdk.ResultSink
	cancel func()
}

func (s goneSink) Batch(*sdk.Batch) error {
	s.cancel()
	return nil
}

// A call that is cancelled while rows arrive is cancelled, also where the last of them come
// before the server has the order.
func TestCancelBesideTheLastRows(t *testing.T) {
	t.Parallel()
	db := testserver.Postgres(t).Database(t, "SELECT")
	s := openWith(t, sdk.OpenRequest{Config: configOf(db, testserver.PostgresReader, nil), MaxOpen: 1})
	for range 10 {
		ctx, cancel := context.WithCancel(t.Context())
		w := sdk.NewRowWriter(goneSink{new(result).Sink(), cancel}, sdk.Limits{})
		wantKind(t, s.Execute(ctx, sdk.ExecuteRequest{SQL: "SELECT generate_series(1, 10000)"}, w), sdk.KindCanceled)
		query(t, s, "SELECT 1")
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

func TestStatementTimeout(t *testing.T) {
	t.Parallel()
	const limit = 2 * time.Second // of what opening asks, too
	db := testserver.Postgres(t).Database(t, "SELECT")
	for _, c := range []struct {
		name    string
		request time.Duration
		session time.Duration
		config  string
	}{
		{"of the request", limit, time.Hour, "1h"},
		{"of the session", 0, limit, "1h"},
		{"of the configuration", time.Hour, time.Hour, limit.String()},
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
	eventually(t, 2*time.Minute, "the statement shows up", func() bool { return is(t, seen) })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed := time.Now()
	eventually(t, 2*time.Minute, "the statement ends", func() bool { return !is(t, seen) })
	if took := time.Since(killed); took > 2*time.Second { // a second, on a machine with time for it
		t.Errorf("it ran on for %s", took)
	}
	if err := cmd.Wait(); err == nil {
		t.Errorf("the program was not killed: %s", output.String())
	}
}
