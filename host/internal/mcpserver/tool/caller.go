package tool

import (
	"cmp"
	"context"

	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/telemetry"
)

// CallerOf returns the caller of a context, with the client's own name for itself.
func CallerOf(ctx context.Context) caller.Record {
	who := caller.Of(ctx)
	c := caller.Record{Transport: cmp.Or(who.Transport, caller.Stdio), Principal: who.Principal, Session: who.Session()}
	c.Client, c.Version = clientOf(ctx)
	return c
}

// clientOf returns what the client of a request calls itself.
func clientOf(ctx context.Context) (name, version string) {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.ClientInfo != nil {
		return info.ClientInfo.Name, info.ClientInfo.Version
	}
	if session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		info := session.GetClientInfo()
		return info.Name, info.Version
	}
	return "", ""
}

// observe begins a request: its id, and its span, inside the client's when that
// came along. end closes the span.
func (s *Set) observe(ctx context.Context, q request) (_ context.Context, _ *telemetry.Call, end func(outcome string)) {
	ctx, call := telemetry.Begin(ctx, s.config.Tracer)
	client, _ := clientOf(ctx)
	call.From(q.name, client)
	if s.config.Tracer == nil {
		return ctx, call, func(string) {}
	}
	parent := ""
	if q.meta != nil {
		parent, _ = q.meta.AdditionalFields["traceparent"].(string)
	}
	who := caller.Of(ctx)
	network := "pipe"
	if who.Transport == caller.HTTP {
		network = "tcp"
	}
	title, attributes := q.method, []telemetry.Attr{
		telemetry.With("mcp.method.name", q.method), telemetry.With("network.transport", network),
		telemetry.With("mcp.protocol.version", server.RequestProtocolVersion(ctx)), telemetry.With("loam.session", who.Session()),
		telemetry.With("loam.request_id", call.ID()),
	}
	if q.name != q.method {
		title += " " + q.name
		attributes = append(attributes, telemetry.With("gen_ai.tool.name", q.name), telemetry.With("gen_ai.operation.name", "execute_tool"))
	}
	ctx, span := telemetry.StartFrom(ctx, title, telemetry.Serving, parent, attributes...)
	return ctx, call, func(outcome string) {
		if outcome == outcomeOK {
			outcome = ""
		}
		span.End(outcome)
	}
}
