package telemetry

import (
	"context"
	"slices"
)

// Kind is the part that a span's program has in it.
type Kind uint8

const (
	Internal Kind = iota
	Serving       // the work that a request from outside asked for
	Asking        // the wait for another program
)

// Attr is one thing that is said of a span. Attributes never hold secrets, SQL or
// values.
type Attr struct {
	Key string
	// What there is of the value is here as it is: an attribute takes no memory where
	// nobody asks for spans.
	kind   kind
	text   string
	number int64
}

type kind uint8

const (
	isText kind = iota
	isNumber
	isBool
)

// With returns an attribute.
func With[T string | int64 | bool](key string, value T) Attr {
	switch v := any(value).(type) {
	case string:
		return Attr{Key: key, text: v}
	case int64:
		return Attr{Key: key, kind: isNumber, number: v}
	case bool:
		a := Attr{Key: key, kind: isBool}
		if v {
			a.number = 1
		}
		return a
	}
	panic("telemetry: an attribute of another type")
}

// Value is a string, an int64 or a bool.
func (a Attr) Value() any {
	switch a.kind {
	case isNumber:
		return a.number
	case isBool:
		return a.number == 1
	default:
		return a.text
	}
}

// A Tracer makes spans. Concurrency: any goroutine.
type Tracer interface {
	// Start begins a span inside the one that ctx is in; parent, when not "", is
	// the W3C traceparent of a span in another program.
	Start(ctx context.Context, name string, kind Kind, parent string, attrs []Attr) (context.Context, Span)
}

// Span is a piece of work with a beginning and an end.
type Span interface {
	// Set adds attributes.
	Set(attrs ...Attr)
	// End ends it; failure, when not "", is the code of what went wrong.
	End(failure string)
}

// Start begins a span of the call that ctx belongs to. Without a call, or when
// nobody asks for spans, it costs nothing.
func Start(ctx context.Context, name string, kind Kind, attrs ...Attr) (context.Context, Span) {
	return StartFrom(ctx, name, kind, "", attrs...)
}

// StartFrom begins a span as Start does, inside one of another program.
func StartFrom(ctx context.Context, name string, kind Kind, parent string, attrs ...Attr) (context.Context, Span) {
	c := callOf(ctx)
	if c == nil || c.tracer == nil {
		return ctx, silent{}
	}
	return c.tracer.Start(ctx, name, kind, parent, slices.Clone(attrs)) // so that those of others stay on the stack
}

// silent is a span that nobody asked for.
type silent struct{}

func (silent) Set(...Attr) {}
func (silent) End(string)  {}
