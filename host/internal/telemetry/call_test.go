package telemetry

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
)

func TestCall(t *testing.T) {
	t.Parallel()
	ctx, call := Begin(t.Context(), nil)
	if _, other := Begin(ctx, nil); other.ID() == call.ID() || len(call.ID()) != idLength {
		t.Errorf("ids %q and %q", call.ID(), other.ID())
	}
	if rows, ok := call.Rows(); ok || rows != 0 || call.Connection() != "" {
		t.Errorf("a new call has %d rows of %q", rows, call.Connection())
	}
	Uses(ctx, "a")
	Uses(ctx, "b")
	Delivered(ctx, 0)
	if rows, ok := call.Rows(); !ok || rows != 0 || call.Connection() != "b" {
		t.Errorf("%d rows, %v, of %q", rows, ok, call.Connection())
	}
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() { Delivered(ctx, 2) })
	}
	all.Wait()
	if rows, _ := call.Rows(); rows != 128 {
		t.Errorf("%d rows", rows)
	}
	Uses(t.Context(), "nobody") // outside of a call nothing is kept
	Delivered(t.Context(), 1)
}

// A call sees one state from its beginning to its end, and the next one that of now.
func TestOnce(t *testing.T) {
	t.Parallel()
	n := 0
	read := func(context.Context) (*int, error) {
		n++
		if value := n; n > 1 {
			return &value, nil
		}
		return nil, errors.New("not readable yet")
	}
	ctx, _ := Begin(t.Context(), nil)
	if _, err := Once(ctx, read); err == nil {
		t.Error("a failure was kept from who asked")
	}
	for range 2 {
		if got, err := Once(ctx, read); err != nil || *got != 2 {
			t.Errorf("%v, %v", got, err)
		}
	}
	next, _ := Begin(t.Context(), nil)
	for i, of := range []context.Context{next, t.Context(), t.Context()} {
		if got, err := Once(of, read); err != nil || *got != 3+i {
			t.Errorf("%v, %v, want %d", got, err, 3+i)
		}
	}
}

// An engine takes the id for the name of one running query: no two are alike.
func TestStatementID(t *testing.T) {
	t.Parallel()
	ctx, call := Begin(t.Context(), nil)
	for i, want := range []string{call.ID(), call.ID() + ".2", call.ID() + ".3"} {
		if got := StatementID(ctx); got != want {
			t.Errorf("statement %d is %q, want %q", i, got, want)
		}
	}
	if a, b := StatementID(t.Context()), StatementID(t.Context()); a == "" || a == b {
		t.Errorf("outside of a call: %q and %q", a, b)
	}
}

func TestLogHandler(t *testing.T) {
	t.Parallel()
	ctx, call := Begin(t.Context(), nil)
	for _, tt := range []struct {
		name string
		ctx  context.Context
		with func(*slog.Logger) *slog.Logger
		want string
	}{
		{"a call", ctx, func(l *slog.Logger) *slog.Logger { return l }, "msg=x a=1 request_id=" + call.ID() + "\n"},
		{"attributes", ctx, func(l *slog.Logger) *slog.Logger { return l.With("b", 2) }, "msg=x b=2 a=1 request_id=" + call.ID() + "\n"},
		{"a group", ctx, func(l *slog.Logger) *slog.Logger { return l.WithGroup("g") }, "msg=x g.a=1 g.request_id=" + call.ID() + "\n"},
		{"no call", t.Context(), func(l *slog.Logger) *slog.Logger { return l }, "msg=x a=1\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			tt.with(slog.New(LogHandler(slog.NewTextHandler(&log, nil)))).InfoContext(tt.ctx, "x", "a", 1)
			if got := log.String(); !strings.HasSuffix(got, tt.want) {
				t.Errorf("got %q, want …%q", got, tt.want)
			}
		})
	}
}

// traced notes the spans that were begun.
type traced struct{ names []string }

func (r *traced) Start(ctx context.Context, name string, _ Kind, parent string, _ []Attr) (context.Context, Span) {
	r.names = append(r.names, name+parent)
	return ctx, silent{}
}

func TestStart(t *testing.T) {
	t.Parallel()
	r := &traced{}
	ctx, _ := Begin(t.Context(), r)
	StartFrom(ctx, "a", Serving, " inside another")
	Start(ctx, "b", Internal)
	Start(t.Context(), "outside of a call", Internal)
	if got := strings.Join(r.names, ","); got != "a inside another,b" {
		t.Errorf("spans %s", got)
	}
}
