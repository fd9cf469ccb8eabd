package conform

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/loam-data/loam/sdk"
)

const defaultStreams = 8

func concurrentChecks() []check {
	return []check{
		{"streams", concurrentStreams},
		{"calls", concurrentCalls},
		{"cancel_one", concurrentCancel},
		{"wait", concurrentWait},
	}
}

// streams returns the number of calls to run at once: Capabilities.MaxStreams, at most defaultStreams.
func (p *probe) streams() int {
	if n := p.run.description.Capabilities.MaxStreams; n > 0 {
		return min(n, defaultStreams)
	}
	return defaultStreams
}

// concurrentStreams: the results of concurrent statements of one session do not mix.
func concurrentStreams(p *probe) {
	session := p.shareSession()
	p.within(patience, "statements at once", func() {
		var all sync.WaitGroup
		for i := range p.streams() {
			n := 3000 + i
			sql := p.rowsSQL(n)
			all.Go(func() {
				p.guarded(func() {
					a, err := p.execute(p.ctx, session, sdk.ExecuteRequest{SQL: sql})
					if err != nil {
						p.watchError(err)
						p.errorf("stream %d: %v", i+1, err)
						return
					}
					p.wantRows(fmt.Sprintf("stream %d", i+1), a, n)
				})
			})
		}
		all.Wait()
	})
}

// concurrentCalls runs different calls of one session at once.
func concurrentCalls(p *probe) {
	session := p.shareSession()
	rows := p.rowsSQL(1000)
	calls := []func() error{
		func() error { return session.Ping(p.ctx) },
		func() error { _, err := session.Scan(p.ctx, sdk.ScanRequest{}, newScanCollector(p)); return err },
		func() error { _, err := p.execute(p.ctx, session, sdk.ExecuteRequest{SQL: rows}); return err },
	}
	if explainer, ok := session.(sdk.Explainer); ok {
		calls = append(calls, func() error { _, err := explainer.Explain(p.ctx, sdk.ExplainRequest{SQL: rows}); return err })
	}
	p.within(patience, "different calls at once", func() {
		var all sync.WaitGroup
		for _, call := range calls {
			all.Go(func() {
				p.guarded(func() {
					for range 3 {
						p.must("a call beside others", call())
					}
				})
			})
		}
		all.Wait()
	})
}

// concurrentCancel: cancelling a statement ends that one and no other.
func concurrentCancel(p *probe) {
	session := p.shareSession()
	if p.streams() < 2 {
		p.undeclared("the connector allows one call at a time")
	}
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	statement := p.startSlow(ctx, session, sdk.Limits{})
	p.within(patience, "a statement beside a slow one", func() {
		a, err := p.execute(p.ctx, session, sdk.ExecuteRequest{SQL: p.rowsSQL(5000)})
		p.must("a statement beside a slow one", err)
		p.wantRows("a statement beside a slow one", a, 5000)
		cancel()
		a, err = p.execute(p.ctx, session, sdk.ExecuteRequest{SQL: p.rowsSQL(5000)})
		p.must("a statement beside a cancelled one", err)
		p.wantRows("a statement beside a cancelled one", a, 5000)
	})
	p.want("the cancelled statement", statement.wait(p.run.pace.Settle), sdk.KindCanceled)
	p.wantEnded()
}

// concurrentWait: a call waits for a free connection until its deadline, and gets the connection that
// becomes free.
func concurrentWait(p *probe) {
	session := p.narrowSessions()[0]
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	statement := p.startSlow(ctx, session, sdk.Limits{})
	for again := 1; !p.waitsBeside(session, statement); again++ {
		ended := statement.wait(p.run.pace.Settle)
		if again == mostSlow {
			p.fatalf("SlowSQL ended %d times while it held the only connection: %v", again, ended)
		}
		p.remark("SlowSQL ended while it held the only connection: %v", ended)
		statement = p.startSlow(ctx, session, sdk.Limits{})
	}
	next := make(chan struct{})
	go func() {
		defer close(next)
		p.guarded(func() {
			p.wantRows("a statement that waits", p.queryOn(session, p.rowsSQL(3), sdk.Limits{}), 3)
		})
	}()
	cancel()
	p.want("the cancelled statement", statement.wait(p.run.pace.Settle), sdk.KindCanceled)
	<-next
}

// mostSlow is how often SlowSQL is started for others to wait: what ends it has checks of its own.
const mostSlow = 3

// waitsBeside checks that a call waits until its deadline while a statement holds the only connection of a
// session; false = that statement has ended.
func (p *probe) waitsBeside(session sdk.Session, statement *slow) (holds bool) {
	holds = true
	p.within(patience, "a statement without a connection", func() {
		var err error
		// A connector that examines SlowSQL first may give its connection away before it runs it, and on
		// a busy machine an answer may come so late that the host says unavailable.
		p.eventually(p.run.pace.Settle, func(ctx context.Context) (bool, error) {
			ctx, cancel := context.WithCancel(ctx) // not a deadline: the limit is what ends the statement
			defer cancel()
			defer time.AfterFunc(p.run.pace.Deadline+p.run.pace.Settle, cancel).Stop()
			_, err = p.execute(ctx, session, sdk.ExecuteRequest{SQL: p.rowsSQL(3), Limits: sdk.Limits{Timeout: p.run.pace.Deadline}})
			holds = !statement.ended()
			return !holds || err != nil && p.kind(err) != sdk.KindUnavailable, nil
		})
		if holds {
			p.want("a statement without a connection", err, sdk.KindTimeout)
		}
	})
	return holds
}
