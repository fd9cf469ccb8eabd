package connector

import (
	"context"
	"time"

	"github.com/loam-data/loam/sdk"
)

// Statements of some warehouses outlive the connector that started them, and are
// billed. When its process crashed, its successor cancels them, each once.

// orphanTimeout bounds the start of the successor and the cancels.
const orphanTimeout = 2 * time.Minute

// orphan is a statement that ran when its process ended.
type orphan struct {
	connection string // its id within the process
	query      string // its id within the warehouse
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

// adopt cancels the statements of an instance that crashed. It runs in the loop.
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

// cancel has a successor cancel statements. What fails is logged and not repeated.
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
