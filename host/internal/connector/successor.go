package connector

import (
	"context"
	"time"

	"github.com/loam-data/loam/sdk"
)

// In some warehouses, statements run on, and are billed, after their connector has crashed. The
// next process of the connector cancels them, each once.

// orphanTimeout bounds the start of the next process and the cancels.
const orphanTimeout = 2 * time.Minute

// orphan is a statement that ran when its process ended.
type orphan struct {
	connection string // the connection's id in the process
	query      string // the statement's id in the warehouse
}

// orphans returns the statements that had started and ran when the process ended.
func (cs *calls) orphans() []orphan {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	var all []orphan
	for _, c := range cs.ran {
		if c.query != "" {
			all = append(all, orphan{c.connection, c.query})
		}
	}
	return all
}

// adopt cancels the statements of an instance that crashed. Only the loop calls it.
func (p *process) adopt(in *instance) {
	if !p.installed.Description.Capabilities.CancelQuery {
		return
	}
	byTarget := map[string][]orphan{}
	for _, o := range in.calls.orphans() {
		byTarget[o.connection] = append(byTarget[o.connection], o)
	}
	for name, statements := range byTarget {
		if target, ok := in.conns.named(name); ok {
			p.tasks.Go(func() { p.cancel(target, statements) })
		}
	}
}

// cancel cancels statements through the next process. Failures are logged and not retried.
func (p *process) cancel(t Target, statements []orphan) {
	ctx, done := context.WithTimeout(context.Background(), orphanTimeout)
	defer done()
	log := p.log.With("connection", t.ID)
	in, err := p.acquire(ctx, t)
	if err != nil {
		log.Warn("statements of a crashed connector may still run", "statements", len(statements), "error", err)
		return
	}
	defer p.release(in)
	c, err := in.conns.use(ctx, t)
	if err != nil {
		log.Warn("statements of a crashed connector may still run", "statements", len(statements), "error", err)
		return
	}
	defer in.conns.leave(ctx, c)
	canceler, ok := c.session.(sdk.QueryCanceler)
	if !ok {
		return
	}
	for _, o := range statements {
		running, err := canceler.CancelQuery(ctx, o.query)
		if err != nil {
			log.Warn("a statement of a crashed connector may still run", "query_id", o.query, "error", err)
			continue
		}
		log.Info("a statement of a crashed connector was canceled", "query_id", o.query, "was_running", running)
	}
}
