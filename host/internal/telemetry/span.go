package telemetry

import (
	"context"
	"slices"
)

// Kind is the role of the program in a span.
type Kind uint8

const (
	Internal Kind = iota
	Serving       // the handling of a request from outside
	Asking        // a request to another program
)

// Attr is an attribute of a span. Attributes never contain secrets, SQL or values.
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

// Value returns a string, an int64 or a bool.
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

// Tracer makes spans. Concurrency: any goroutine.
type Tracer interface {
	// Start begins a span inside the one of ctx; parent, when not "", is the W3C
	// traceparent of a span in another program.
	Start(ctx context.Context, name string, kind Kind, parent string, attrs []Attr) (context.Context, Span)
}

// Span is a traced operation.
type Span interface {
	// Set adds attributes.
	Set(attrs ...Attr)
	// End ends the span; failure is an error's code, or "".
	End(failure string)
}

// Start begins a span of the call of ctx. Without a call or a tracer it costs
// nothing.
func Start(ctx context.Context, name string, kind Kind, attrs ...Attr) (context.Context, Span) {
	return StartFrom(ctx, name, kind, "", attrs...)
}

// StartFrom begins a span like Start, inside a span of another program.
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
