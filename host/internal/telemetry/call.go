// Package telemetry traces calls: the call of a context, its id in every log line, and
// spans. Package otlp sends the spans; the composition root installs it.
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

// Call is a running tool call. Packages below the MCP server record facts in it, such as
// the connection.
// Concurrency: any goroutine.
type Call struct {
	id         string
	tracer     Tracer
	statements atomic.Int64

	mu         sync.Mutex
	connection string
	tool       string
	client     string
	rows       int
	counted    bool
	kept       any
}

type callKey struct{}

// Begin returns the context of a new call. Its spans go to tracer; nil = no spans.
func Begin(ctx context.Context, tracer Tracer) (context.Context, *Call) {
	c := &Call{id: rand.Text()[:idLength], tracer: tracer}
	return context.WithValue(ctx, callKey{}, c), c
}

func callOf(ctx context.Context) *Call {
	c, _ := ctx.Value(callKey{}).(*Call)
	return c
}

// ID returns the id that every log line of the call has.
func (c *Call) ID() string { return c.id }

// Connection returns the connection that the call used last, or "".
func (c *Call) Connection() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.connection
}

// Rows returns the number of rows that the call's statements delivered; ok is false when
// none ran to its end.
func (c *Call) Rows() (rows int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.rows, c.counted
}

// From records the tool and the name of the client.
func (c *Call) From(tool, client string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tool, c.client = tool, client
}

// ID returns the id of the call of ctx; "" outside of a call.
func ID(ctx context.Context) string {
	if c := callOf(ctx); c != nil {
		return c.id
	}
	return ""
}

// Origin returns the tool and the client of the call of ctx; "" outside of a call.
func Origin(ctx context.Context) (tool, client string) {
	c := callOf(ctx)
	if c == nil {
		return "", ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tool, c.client
}

// Uses records the connection of the call of ctx, if any.
func Uses(ctx context.Context, connection string) {
	if c := callOf(ctx); c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.connection = connection
	}
}

// Delivered adds the rows of a statement to the call of ctx, if any.
func Delivered(ctx context.Context, rows int) {
	if c := callOf(ctx); c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.rows += rows
		c.counted = true
	}
}

// Once calls read once per call and returns its first result from then on, so that a tool
// call works on one state from beginning to end. Outside of a call it calls read each
// time. It does not keep a failure. T identifies the value: the program uses each T for
// one value only.
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

// StatementID returns an id for one statement: the id of the call for its first statement,
// with a number appended for the next ones, because engines require unique ids of running
// queries. Outside of a call each id is new.
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

// LogHandler adds the id of the context's call to each record.
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
