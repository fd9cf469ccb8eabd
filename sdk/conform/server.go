package conform

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
)

// serverChecks check how a connector handles broken connections, and statements and connections
// that others end.
func serverChecks() []check {
	return []check{
		{"ended", serverEnded},
		{"disconnected", serverDisconnected},
		{"idle", serverIdle},
		{"dies", serverDies},
		{"left_behind", serverLeftBehind},
	}
}

// The first word of Target.Server: embedded if the engine is inside the connector, fixture if a
// test server replaces the real one.
const (
	embedded = "embedded"
	fixture  = "fixture"
)

// needServer skips a check for an engine without a server.
func (p *probe) needServer() {
	if strings.HasPrefix(p.run.target.Server, embedded) {
		p.skipf("the engine is inside the connector")
	}
}

// relayed opens a session with one physical connection through a relay. Both are closed at the end
// of the check.
func (p *probe) relayed() (*relay, sdk.Session) {
	p.needServer()
	address, through := p.address()
	r, err := startRelay(address)
	p.must("start the relay", err)
	p.defers(func() { p.must("close the relay", r.close()) })
	request := p.request(through(r.address()))
	request.MaxOpen = 1
	session := p.openFor(request)
	p.defers(func() { _ = session.Close(context.WithoutCancel(p.ctx)) }) // its connections may be broken
	p.wantRows("through the relay", p.queryOn(session, p.rowsSQL(3), sdk.Limits{}), 3)
	return r, session
}

// address returns the address of the server, and a function that returns Config for another address.
func (p *probe) address() (string, func(string) sdk.Config) {
	if p.run.target.Through != nil {
		return p.run.target.Address, p.run.target.Through
	}
	object := p.object()
	_, named := object["host"].(string)
	_, numbered := object["port"].(float64)
	p.require(named && numbered, "Through")
	return fmt.Sprintf("%v:%v", object["host"], object["port"]), func(address string) sdk.Config {
		host, port, _ := strings.Cut(address, ":")
		changed := p.object()
		changed["host"], changed["port"] = host, json.Number(port)
		return p.config(changed)
	}
}

// serverEnded: another connection ends the statement.
func serverEnded(p *probe) {
	p.needServer()
	p.endedBy("End", p.run.target.Fixture.End, sdk.KindCanceled)
}

// serverDisconnected: another connection ends the session's connection, during a statement and
// between two statements.
func serverDisconnected(p *probe) {
	p.needServer()
	disconnect := p.run.target.Fixture.Disconnect
	p.endedBy("Disconnect", disconnect, sdk.KindUnavailable)
	p.must("Fixture.Disconnect", disconnect(p.ctx))
	p.wantRows("after idle connections ended", p.query(p.rowsSQL(3), sdk.Limits{}), 3)
}

// endedBy runs SlowSQL, and ends it without the connector.
func (p *probe) endedBy(hook string, end func(context.Context) error, kind sdk.Kind) {
	p.require(end != nil, "Fixture."+hook)
	statement := p.startSlow(p.ctx, p.shareSession(), sdk.Limits{})
	var err error
	ended := p.eventually(p.run.pace.Settle, func(ctx context.Context) (bool, error) {
		select {
		case err = <-statement.done:
			return true, nil
		default: // repeat it: while the statement is being prepared it has no effect
			return false, end(ctx)
		}
	})
	if !ended {
		p.fatalf("the statement runs on after Fixture.%s", hook)
	}
	p.wantRetry("a statement that others ended", err, kind)
	p.wantIdle()
}

// wantRetry checks that an error says that the call may be retried.
func (p *probe) wantRetry(what string, err error, kind sdk.Kind) {
	if e := p.want(what, err, kind); !e.Retry || e.Hint == "" {
		p.errorf("%s may be repeated: retry %t, hint %q", what, e.Retry, e.Hint)
	}
}

// serverIdle: idle connections that break are replaced.
func serverIdle(p *probe) {
	r, session := p.relayed()
	for range 3 {
		r.cut(false)
		p.wantRows("after an idle connection died", p.queryOn(session, p.rowsSQL(3), sdk.Limits{}), 3)
	}
}

// leftTime is the timeout of a statement whose connection breaks.
const leftTime = 5 * time.Second

// serverDies: the server becomes unreachable during a statement, and reachable again later.
func serverDies(p *probe) {
	r, session := p.relayed()
	statement := p.startSlow(p.ctx, session, sdk.Limits{Timeout: leftTime})
	r.cut(true)
	p.wantRetry("a statement whose server dies", statement.wait(p.run.pace.Settle), sdk.KindUnavailable)
	p.within(patience, "a statement without a server", func() {
		_, err := p.execute(p.ctx, session, sdk.ExecuteRequest{SQL: p.rowsSQL(3)})
		p.wantRetry("a statement without a server", err, sdk.KindUnavailable)
	})
	r.cut(false)
	p.endLeft()
	p.wantRows("after the server came back", p.queryOn(session, p.rowsSQL(3), sdk.Limits{}), 3)
}

// serverLeftBehind: a statement ends in the engine after its connection broke, by the server itself
// or by the timeout that the connector has set.
func serverLeftBehind(p *probe) {
	r, session := p.relayed()
	statement := p.startSlow(p.ctx, session, sdk.Limits{Timeout: leftTime})
	r.cut(true)
	_ = p.kind(statement.wait(p.run.pace.Settle)) // server/dies says what it must be
	if !p.engineIdle() {
		p.errorf("the statement runs on in the engine")
	}
	p.endLeft()
}

// endLeft ends statements that a broken connection has left in the engine.
func (p *probe) endLeft() {
	end, running := p.run.target.Fixture.End, p.run.target.Fixture.Running
	if end == nil || running == nil {
		return
	}
	p.eventually(p.run.pace.Settle, func(ctx context.Context) (bool, error) {
		if err := end(ctx); err != nil {
			return false, err
		}
		on, err := running(ctx)
		return !on, err
	})
}
