package tool

import (
	"cmp"
	"context"

	"github.com/mark3labs/mcp-go/mcp"
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

// observe begins a call: its id, and its span, inside the client's when that
// came along. end closes the span.
func (s *Set) observe(ctx context.Context, e *entry, req mcp.CallToolRequest) (_ context.Context, _ *telemetry.Call, end func(outcome string)) {
	ctx, call := telemetry.Begin(ctx, s.config.Tracer)
	client, _ := clientOf(ctx)
	call.From(e.tool.Name, client)
	if s.config.Tracer == nil {
		return ctx, call, func(string) {}
	}
	parent := ""
	if req.Params.Meta != nil {
		parent, _ = req.Params.Meta.AdditionalFields["traceparent"].(string)
	}
	who := caller.Of(ctx)
	network := "pipe"
	if who.Transport == caller.HTTP {
		network = "tcp"
	}
	ctx, span := telemetry.StartFrom(ctx, "tools/call "+e.tool.Name, telemetry.Serving, parent,
		telemetry.With("mcp.method.name", "tools/call"), telemetry.With("gen_ai.tool.name", e.tool.Name),
		telemetry.With("gen_ai.operation.name", "execute_tool"), telemetry.With("network.transport", network),
		telemetry.With("mcp.protocol.version", server.RequestProtocolVersion(ctx)), telemetry.With("loam.session", who.Session()),
		telemetry.With("loam.request_id", call.ID()))
	return ctx, call, func(outcome string) {
		if outcome == outcomeOK {
			outcome = ""
		}
		span.End(outcome)
	}
}
