package transport

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
)

// emitter delivers a message to the client of one request, ahead of the
// request's answer and on no other stream.
type emitter interface {
	emit(text []byte) error
}

type emitterKey struct{}

func withEmitter(ctx context.Context, e emitter) context.Context {
	return context.WithValue(ctx, emitterKey{}, e)
}

// Notify sends a notification of the request of ctx. When it returns, the
// message is with the client's transport, so that later messages arrive later.
// Without a request, or when the client accepts no stream, nothing is sent.
// Errors: the client is gone or does not read; its request is being cancelled.
func Notify(ctx context.Context, method string, params any) error {
	e, ok := ctx.Value(emitterKey{}).(emitter)
	if !ok {
		return nil
	}
	text, err := json.Marshal(struct {
		JSONRPC string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}{mcp.JSONRPC_VERSION, method, params})
	if err != nil {
		return err
	}
	return e.emit(text)
}
