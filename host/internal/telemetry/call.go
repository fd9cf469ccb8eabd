// Package telemetry traces calls: the call that a context belongs to, its id in every
// log line, and spans. It knows no protocol and no collector. Package otlp does, and
// the composition root installs it.
package telemetry

import (
	"context"
	"crypto/rand"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
)

// idLength is how many characters, of 5 bits each, tell calls apart.
const idLength = 13

// Call is one tool call under way. The rooms below the edge tell it what the
// edge cannot know.
// Concurrency: any goroutine.
type Call struct {
	id         string
	tracer     Tracer
	statements atomic.Int64

	mu         sync.Mutex
	connection string
	rows       int
	counted    bool
	kept       any
}

type callKey struct{}

// Begin makes ctx the context of a new call. Spans below it go to tracer; nil =
// nobody asks for them.
func Begin(ctx context.Context, tracer Tracer) (context.Context, *Call) {
	c := &Call{id: rand.Text()[:idLength], tracer: tracer}
	return context.WithValue(ctx, callKey{}, c), c
}

func callOf(ctx context.Context) *Call {
	c, _ := ctx.Value(callKey{}).(*Call)
	return c
}

// ID is the id by which every log line of the call is found.
func (c *Call) ID() string { return c.id }

// Connection is the connection that the call worked on last, "" for none.
func (c *Call) Connection() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.connection
}

// Rows is how many rows the call's statements delivered; ok is false when it
// ran none to its end.
func (c *Call) Rows() (rows int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rows, c.counted
}

// Uses tells the call of ctx, if there is one, which connection it works on.
func Uses(ctx context.Context, connection string) {
	if c := callOf(ctx); c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.connection = connection
	}
}

// Delivered tells the call of ctx, if there is one, of the rows of a statement.
func Delivered(ctx context.Context, rows int) {
	if c := callOf(ctx); c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.rows += rows
		c.counted = true
	}
}

// Once returns what read returned first in the call of ctx, so that a call works on
// one state of it from its beginning to its end; outside of a call, what it returns
// now. A failure is not kept. T is one type in the whole program.
func Once[T any](ctx context.Context, read func(context.Context) (T, error)) (T, error) {
	c := callOf(ctx)
	if c == nil {
		return read(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if kept, ok := c.kept.(T); ok {
		return kept, nil
	}
	value, err := read(ctx)
	if err == nil {
		c.kept = value
	}
	return value, err
}

// StatementID returns an id for one statement: that of the call for its first,
// with a number behind it for the others, because an engine takes it for the
// name of one running query. Outside of a call it is a new one each time.
func StatementID(ctx context.Context) string {
	c := callOf(ctx)
	if c == nil {
		return rand.Text()
	}
	if n := c.statements.Add(1); n > 1 {
		return c.id + "." + strconv.FormatInt(n, 10)
	}
	return c.id
}

// requestID is the name of a call's id in log lines; connectors use it too.
const requestID = "request_id"

// LogHandler adds the id of the call that a record's context belongs to.
func LogHandler(h slog.Handler) slog.Handler { return logHandler{h} }

type logHandler struct{ slog.Handler }

func (h logHandler) Handle(ctx context.Context, r slog.Record) error {
	if c := callOf(ctx); c != nil {
		r = r.Clone()
		r.AddAttrs(slog.String(requestID, c.id))
	}
	return h.Handler.Handle(ctx, r)
}

func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.Handler.WithAttrs(attrs)}
}

func (h logHandler) WithGroup(name string) slog.Handler { return logHandler{h.Handler.WithGroup(name)} }
