package tool

import (
	"context"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/loam-data/loam/host/internal/mcpserver/transport"
)

// maxUnsent bounds the reports that wait for the client. When it reads more
// slowly than the call reports, the newest report replaces the one before it.
const maxUnsent = 64

// reporter sends the progress of one call while it runs. A report does not wait
// for the client: the call holds a slot of its connection.
// Concurrency: any goroutine; reports are sent one at a time, in order.
type reporter struct {
	notify func(method string, params any) error // to the client of the request
	token  mcp.ProgressToken

	mu      sync.Mutex
	last    float64
	over    bool
	unsent  []progressParams
	sending bool
	sender  sync.WaitGroup
}

type reporterKey struct{}

// withReporter makes Progress work for a call that asked for it. done returns
// when the reports were sent, and drops later ones: they would arrive behind the
// answer.
func withReporter(ctx context.Context, meta *mcp.Meta) (with context.Context, done func()) {
	if meta == nil || meta.ProgressToken == nil {
		return ctx, func() {}
	}
	notify := func(method string, params any) error { return transport.Notify(ctx, method, params) }
	r := &reporter{notify: notify, token: meta.ProgressToken, last: -1}
	return context.WithValue(ctx, reporterKey{}, r), r.end
}

// Progress returns the function by which the call of ctx reports its progress,
// or nil when the client did not ask for it. Best effort.
// Units: a fraction from 0 to 1; a fraction that does not grow is not sent.
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
	if len(r.unsent) == maxUnsent {
		r.unsent = r.unsent[:maxUnsent-1]
	}
	r.unsent = append(r.unsent, progressParams{r.token, fraction, 1, message})
	if !r.sending {
		r.sending = true
		r.sender.Go(r.send)
	}
}

// send sends what was reported until nothing is left.
func (r *reporter) send() {
	for {
		r.mu.Lock()
		if len(r.unsent) == 0 {
			r.sending = false
			r.mu.Unlock()
			return
		}
		next := r.unsent[0]
		r.unsent = r.unsent[1:]
		r.mu.Unlock()
		// A client that is gone ends the call through its context.
		_ = r.notify(string(mcp.MethodNotificationProgress), next)
	}
}

func (r *reporter) end() {
	r.mu.Lock()
	r.over = true
	r.mu.Unlock()
	r.sender.Wait()
}
