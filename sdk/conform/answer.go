package conform

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/loam-data/loam/sdk"
)

// Answer is the whole result of a statement, for a connector's own tests.
type Answer struct {
	QueryID string
	Columns []sdk.Column
	// Rows are as sdk.Vector.Value gives them, bytes as strings; Nanos are the
	// nanoseconds beyond their microseconds. Texts are as JSON results have them, with
	// "NULL" for a NULL.
	Rows     [][]any
	Nanos    [][]uint32
	Texts    [][]string
	Notices  []sdk.Warning
	Progress []sdk.Progress
	Summary  sdk.Summary
}

// Execute runs a statement to its end, as a host does.
// Shape: never nil; after an error, what came before it.
func Execute(ctx context.Context, s sdk.Session, req sdk.ExecuteRequest) (*Answer, error) {
	a := &Answer{}
	w := sdk.NewRowWriter(a.Sink(), req.Limits)
	err := s.Execute(ctx, req, w)
	if err == nil {
		err = w.Close()
	}
	a.Summary = w.Summary()
	return a, err
}

// Sink returns what collects a result into the answer.
func (a *Answer) Sink() sdk.ResultSink { return &answerSink{answer: a} }

// Query runs a statement that must work.
func Query(t testing.TB, s sdk.Session, sql string, params ...sdk.Value) *Answer {
	t.Helper()
	r, err := Execute(t.Context(), s, sdk.ExecuteRequest{SQL: sql, Params: params})
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return r
}

// WantKind fails the test unless err is an error of a kind, with a hint where somebody can
// act.
func WantKind(t testing.TB, err error, kind sdk.Kind) *sdk.Error {
	t.Helper()
	e, ok := errors.AsType[*sdk.Error](err)
	if !ok || e.Kind != kind {
		t.Fatalf("got %v (kind %s), want kind %s", err, sdk.KindOf(err), kind)
	}
	if e.Hint == "" && kind != sdk.KindCanceled && !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v has no hint", e)
	}
	return e
}

// Eventually asks every 10 ms until the answer is yes.
func Eventually(t testing.TB, limit time.Duration, what string, ask func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !ask() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("%s: not within %s", what, limit)
		}
	}
}

// Querier is a *sql.DB or a *sql.Conn.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Fingerprint hashes the rows of queries, for Fixture.Reread: those of corpus.Reread, say.
func Fingerprint(ctx context.Context, db Querier, queries []string) (string, error) {
	sum := sha256.New()
	for _, query := range queries {
		rows, err := db.QueryContext(ctx, query)
		if err != nil {
			return "", fmt.Errorf("%s: %w", query, err)
		}
		names, err := rows.Columns()
		cells, into := make([]any, len(names)), make([]any, len(names))
		for i := range cells {
			into[i] = &cells[i]
		}
		for err == nil && rows.Next() {
			err = rows.Scan(into...)
			fmt.Fprintf(sum, "%#v\n", cells)
		}
		if err := errors.Join(err, rows.Err(), rows.Close()); err != nil {
			return "", fmt.Errorf("%s: %w", query, err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// answerSink implements sdk.ResultSink.
type answerSink struct {
	mu     sync.Mutex // progress and notices may come from another goroutine
	answer *Answer
}

func (s *answerSink) Started(id string) error { s.answer.QueryID = id; return nil }

func (s *answerSink) Columns(c []sdk.Column) error { s.answer.Columns = slices.Clone(c); return nil }

func (s *answerSink) Progress(p sdk.Progress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer.Progress = append(s.answer.Progress, p)
}

func (s *answerSink) Notice(n sdk.Warning) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer.Notices = append(s.answer.Notices, n)
}

func (s *answerSink) Batch(b *sdk.Batch) error {
	for row := range b.Rows {
		cells, nanos, texts := make([]any, len(b.Columns)), make([]uint32, len(b.Columns)), make([]string, len(b.Columns))
		for i := range b.Columns {
			v, typ := &b.Columns[i], s.answer.Columns[i].Type
			cells[i], nanos[i] = v.Value(typ, row), v.Nano(row)
			if raw, ok := cells[i].([]byte); ok {
				cells[i] = string(raw)
			}
			if texts[i] = "NULL"; !v.IsNull(row) {
				texts[i] = string(v.AppendText(nil, typ, row))
			}
		}
		s.answer.Rows, s.answer.Nanos, s.answer.Texts = append(s.answer.Rows, cells), append(s.answer.Nanos, nanos), append(s.answer.Texts, texts)
	}
	return nil
}
