package conform

import (
	"context"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/wire"
)

func drainChecks() []check {
	return []check{
		{"idle", drainIdle},
		{"running", drainRunning},
	}
}

// wired is a subject that is reached over the wire.
type wired interface{ wireClient() *wire.Client }

func (r remote) wireClient() *wire.Client { return r.client }

// client returns the wire client of the shared connector.
func (p *probe) client() *wire.Client { return p.subject().(wired).wireClient() }

// fresh starts a connector for only this check.
func (p *probe) fresh() (subject, *wire.Client) {
	s, err := p.run.start(p.ctx)
	p.must("start the connector", err)
	return s, s.(wired).wireClient()
}

func (p *probe) stop(s subject) { p.must("stop the connector", s.stop()) }

// drainIdle: a drained connector refuses new calls.
func drainIdle(p *probe) {
	s, client := p.fresh()
	defer p.stop(s)
	session := p.open(s)
	p.within(drainGrace+p.run.pace.Settle, "drain", func() {
		_, err := client.Drain(p.ctx, drainGrace)
		p.must("drain", err)
		_, err = s.open(p.ctx, p.request(p.run.target.Config))
		p.want("open after a drain", err, sdk.KindUnavailable)
		_, err = p.execute(p.ctx, session, sdk.ExecuteRequest{SQL: p.rowsSQL(1)})
		p.want("execute after a drain", err, sdk.KindUnavailable, sdk.KindNotFound)
	})
}

// drainRunning: drain ends running statements in the engine.
func drainRunning(p *probe) {
	s, client := p.fresh()
	defer p.stop(s)
	session := p.open(s)
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	statement := p.startSlow(ctx, session, sdk.Limits{})
	grace := p.run.pace.Deadline + p.run.pace.Settle
	p.within(grace+p.run.pace.Settle, "drain of a running statement", func() {
		canceled, err := client.Drain(p.ctx, grace)
		p.must("drain", err)
		if canceled != 1 {
			p.errorf("drain cancelled %d calls, one was running", canceled)
		}
	})
	e := p.want("a drained statement", statement.wait(p.run.pace.Settle), sdk.KindUnavailable, sdk.KindCanceled)
	if e.Kind == sdk.KindUnavailable && !e.Retry {
		p.errorf("a drained statement could be repeated, but is not marked so: %v", e)
	}
	p.wantEnded()
}
