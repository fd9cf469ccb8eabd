package otlp

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/loam-data/loam/host/internal/telemetry"
)

// errorType is the attribute of a failure, by OpenTelemetry's convention.
const errorType = "error.type"

func tracerVersion(version string) trace.TracerOption {
	return trace.WithInstrumentationVersion(version)
}

// tracer is a telemetry.Tracer.
type tracer struct{ tracer trace.Tracer }

var _ telemetry.Tracer = (*tracer)(nil)

// Start implements telemetry.Tracer.
func (t *tracer) Start(ctx context.Context, name string, kind telemetry.Kind, parent string, attrs []telemetry.Attr) (context.Context, telemetry.Span) {
	if parent != "" {
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": parent})
	}
	kinds := map[telemetry.Kind]trace.SpanKind{
		telemetry.Internal: trace.SpanKindInternal, telemetry.Serving: trace.SpanKindServer, telemetry.Asking: trace.SpanKindClient,
	}
	ctx, s := t.tracer.Start(ctx, name, trace.WithSpanKind(kinds[kind]), trace.WithAttributes(attributes(attrs)...))
	return ctx, span{s}
}

type span struct{ span trace.Span }

func (s span) Set(attrs ...telemetry.Attr) { s.span.SetAttributes(attributes(attrs)...) }

func (s span) End(failure string) {
	if failure != "" {
		s.span.SetAttributes(attribute.String(errorType, failure))
		s.span.SetStatus(codes.Error, "")
	}
	s.span.End()
}

// attributes leaves out what is not known: an empty text says nothing.
func attributes(attrs []telemetry.Attr) []attribute.KeyValue {
	out := make([]attribute.KeyValue, 0, len(attrs))
	for _, a := range attrs {
		switch v := a.Value().(type) {
		case int64:
			out = append(out, attribute.Int64(a.Key, v))
		case bool:
			out = append(out, attribute.Bool(a.Key, v))
		case string:
			if v != "" {
				out = append(out, attribute.String(a.Key, v))
			}
		}
	}
	return out
}
