package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loam-data/loam/sdk"
)

var moments = time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)

func accept(t *testing.T, s *Store, id, text string, limits Acceptance) Accepted {
	t.Helper()
	out, err := s.AcceptIngest(t.Context(), Run{ID: id, Actor: []byte(`{}`), QueuedAt: moments}, Ingest{ContentHash: []byte(text), Content: []byte(text), Bytes: len(text)}, limits)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestAcceptIngest(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, statePath(t))
	day := Acceptance{Since: moments.Add(-24 * time.Hour), Most: 2}
	if out := accept(t, s, "A", "one", day); out != (Accepted{Run: "A"}) {
		t.Errorf("the first: %+v", out)
	}
	if out := accept(t, s, "B", "one", day); out != (Accepted{Run: "A", Known: true}) {
		t.Errorf("an equal one that waits: %+v", out)
	}
	accept(t, s, "C", "two", day)
	if out := accept(t, s, "D", "three", day); !out.Full {
		t.Errorf("more than may wait: %+v", out)
	}
	if _, started, err := s.StartRun(t.Context(), "A", "planning", moments); err != nil || !started {
		t.Fatal(started, err)
	}
	if _, started, err := s.StartRun(t.Context(), "A", "planning", moments); err != nil || started {
		t.Errorf("a run that is under way began again: %v", err)
	}
	if err := s.EndRuns(t.Context(), []RunEnd{{ID: "A", Project: "v1"}}, moments); err != nil {
		t.Fatal(err)
	}
	if out := accept(t, s, "E", "one", day); out != (Accepted{Run: "A", Known: true, Done: true, Project: "v1"}) {
		t.Errorf("an equal one that was done within the day: %+v", out)
	}
	if out := accept(t, s, "F", "one", Acceptance{Most: 3}); out != (Accepted{Run: "F"}) {
		t.Errorf("an equal one that does not count: %+v", out)
	}
}

func TestRecoverRuns(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, statePath(t))
	accept(t, s, "A", "one", Acceptance{Most: 9})
	for attempt := 1; attempt <= 3; attempt++ {
		if _, started, err := s.StartRun(t.Context(), "A", "planning", moments); err != nil || !started {
			t.Fatal(attempt, started, err)
		}
		if err := s.RecoverRuns(t.Context(), 3, moments); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Run(t.Context(), "A")
	if err != nil || r.State != RunFailed || r.Error != Poisoned || r.Attempts != 3 {
		t.Fatalf("%+v, %v", r, err)
	}
	if counts, err := s.CountRuns(t.Context()); err != nil || counts.Failed != 1 || counts.Queued != 0 {
		t.Errorf("%+v, %v", counts, err)
	}
	accept(t, s, "B", "one", Acceptance{Most: 9})
	if queued, err := s.RequeueRun(t.Context(), "A", RunFailed, moments); err != nil || queued {
		t.Errorf("it is queued beside an equal text: %v", err)
	}
	if _, _, err := s.StartRun(t.Context(), "B", "planning", moments); err != nil {
		t.Fatal(err)
	}
	if queued, err := s.RequeueRun(t.Context(), "B", RunRunning, moments); err != nil || !queued {
		t.Fatal(queued, err)
	}
	if r, err := s.Run(t.Context(), "B"); err != nil || r.Attempts != 0 || r.State != RunQueued {
		t.Errorf("an interruption counts: %+v, %v", r, err)
	}
	if _, err := s.Run(t.Context(), "C"); sdk.KindOf(err) != sdk.KindNotFound {
		t.Error(err)
	}
}

func TestForgetInputs(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, statePath(t))
	for _, id := range []string{"A", "B"} {
		accept(t, s, id, id, Acceptance{Most: 9})
	}
	if err := s.EndRuns(t.Context(), []RunEnd{{ID: "A"}}, moments); err != nil {
		t.Fatal(err)
	}
	if err := s.ForgetInputs(t.Context(), moments.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"A": "", "B": "B"} { // what waits stays
		in, err := s.IngestOf(t.Context(), id)
		if err != nil || string(in.Content) != want {
			t.Errorf("%s: %q, %v", id, in.Content, err)
		}
	}
}

// counted counts the statements of a connection.
type counted struct {
	driver.Connector
	statements *atomic.Int64
}

func (c counted) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	return &countedConn{conn, c.statements}, err
}

type countedConn struct {
	driver.Conn
	statements *atomic.Int64
}

func (c *countedConn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	c.statements.Add(1)
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, text, args)
}

func (c *countedConn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	c.statements.Add(1)
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, text, args)
}

func (c *countedConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	return c.Conn.(driver.ConnBeginTx).BeginTx(ctx, o)
}

// TestAcceptCost: with 1,000 that wait, accepting one more is as many statements as accepting
// the first one, and none of them reads a table from its beginning to its end.
func TestAcceptCost(t *testing.T) {
	t.Parallel()
	path := statePath(t)
	s := mustOpen(t, path)
	var statements atomic.Int64
	plain := s.write
	s.write = sql.OpenDB(counted{connector(path, writer), &statements})
	s.write.SetMaxOpenConns(1)
	t.Cleanup(func() {
		if err := plain.Close(); err != nil {
			t.Error(err)
		}
	})
	limits := Acceptance{Since: moments.Add(-time.Hour), Most: 10_000}
	accept(t, s, "first", "first", limits)
	first := statements.Load()
	for i := range 1000 {
		accept(t, s, fmt.Sprint(i), fmt.Sprint(i), limits)
	}
	before := statements.Load()
	accept(t, s, "last", "last", limits)
	if last := statements.Load() - before; last > first || last > 5 {
		t.Errorf("%d statements with 1,000 that wait, %d with none", last, first)
	}
	rows, err := s.read.QueryContext(t.Context(), `EXPLAIN QUERY PLAN `+knownRun, []byte("x"), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
	}()
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(detail, "SCAN") {
			t.Error(detail)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}
