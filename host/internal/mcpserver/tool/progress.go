package tool

import (
	"context"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/loam-data/loam/host/internal/mcpserver/transport"
)

// reporter sends the progress of one call while it runs.
// Concurrency: any goroutine; reports are sent one at a time, in order.
type reporter struct {
	ctx   context.Context // of the request, whose client it is for
	token mcp.ProgressToken

	mu   sync.Mutex
	last float64
	over bool
}

type reporterKey struct{}

// withReporter makes Progress work for a call that asked for it. done drops
// what is reported after the call: it would arrive behind the answer.
func withReporter(ctx context.Context, meta *mcp.Meta) (with context.Context, done func()) {
	if meta == nil || meta.ProgressToken == nil {
		return ctx, func() {}
	}
	r := &reporter{ctx: ctx, token: meta.ProgressToken, last: -1}
	return context.WithValue(ctx, reporterKey{}, r), r.end
}

// Progress returns the function by which the call of ctx reports how far it
// is, or nil when its client did not ask. Best effort.
// Units: a fraction from 0 to 1; one that does not grow is not sent.
func Progress(ctx context.Context) func(fraction float64, message string) {
	r, ok := ctx.Value(reporterKey{}).(*reporter)
	if !ok {
		return nil
	}
	return r.report
}

type progressParams struct {
	Token    mcp.ProgressToken `json:"progressToken"`
	Progress float64           `json:"progress"`
	Total    float64           `json:"total"`
	Message  string            `json:"message,omitempty"`
}

func (r *reporter) report(fraction float64, message string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over || fraction <= r.last {
		return
	}
	r.last = fraction
	// A client that is gone ends the call through its context.
	_ = transport.Notify(r.ctx, string(mcp.MethodNotificationProgress), progressParams{r.token, fraction, 1, message})
}

func (r *reporter) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
}
