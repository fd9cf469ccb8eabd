package wire

import (
	"context"
	"log/slog"
)

type callKey struct{}

type call struct{ connection, request string }

func withCall(ctx context.Context, connection, request string) context.Context {
	return context.WithValue(ctx, callKey{}, call{connection, request})
}

// LogAttrs returns the attributes of the call of ctx for a connector's log line:
// the connection and, where the host sent one, the request id.
func LogAttrs(ctx context.Context) []slog.Attr {
	c, ok := ctx.Value(callKey{}).(call)
	if !ok {
		return nil
	}
	attrs := []slog.Attr{slog.String("connection", c.connection)}
	if c.request != "" {
		attrs = append(attrs, slog.String("request_id", c.request))
	}
	return attrs
}
