package conform

import (
	"context"
	"errors"
	"time"

	"github.com/loam-data/loam/sdk"
)

func openChecks(mode Mode) []check {
	checks := []check{
		{"server", openServer},
		{"ping", openPing},
		{"test_connection", openTest},
		{"wrong_secret", openWrongSecret},
		{"unreachable", openUnreachable},
		{"canceled", openCanceled},
		{"close_twice", openCloseTwice},
		{"closed_session", openClosedSession},
	}
	if mode != InProcess {
		checks = append(checks, check{"again", openAgain}, check{"unknown_id", openUnknownID}, check{"after_close", openAfterClose})
	}
	return checks
}

func openServer(p *probe) {
	info := p.shareSession().Server()
	if info.Product == "" || info.Version == "" {
		p.errorf("the server is %q, version %q: both must be known after open", info.Product, info.Version)
	}
	if info.ReadOnly == sdk.ReadOnlyUnspecified || info.ReadOnlyMechanism == "" {
		p.errorf("the session says nothing of what stops a write (level %s, mechanism %q)", info.ReadOnly, info.ReadOnlyMechanism)
	}
	if info.ReadOnly < p.run.description.Capabilities.ReadOnly && len(info.Warnings) == 0 {
		p.errorf("the session reaches read-only level %s, the connector declares %s, and no warning says why", info.ReadOnly, p.run.description.Capabilities.ReadOnly)
	}
	p.remark("%s %s, read-only by %s (%s)", info.Product, info.Version, info.ReadOnly, info.ReadOnlyMechanism)
}

func openPing(p *probe) {
	session := p.shareSession()
	p.within(patience, "ping", func() { p.must("ping", session.Ping(p.ctx)) })
}

// steps runs the staged checks of a configuration.
func (p *probe) steps(config sdk.Config) []sdk.TestStep {
	s := p.subject()
	var steps []sdk.TestStep
	p.within(patience, "the connection test", func() {
		err := s.test(p.ctx, p.request(config), func(step sdk.TestStep) { steps = append(steps, step) })
		p.must("what the connection test finds is data, not an error", err)
	})
	for _, step := range steps {
		p.watchStep(step)
		if step.Name == "" {
			p.errorf("a step of the connection test has no name")
		}
	}
	if len(steps) == 0 {
		p.errorf("the connection test has no steps")
	}
	return steps
}

func openTest(p *probe) {
	for _, step := range p.steps(p.run.target.Config) {
		if step.Err != nil {
			p.errorf("step %s fails on the target's own configuration: %v", step.Name, step.Err)
		}
	}
}

func openWrongSecret(p *probe) {
	config, ok := p.run.target.wrongSecret()
	p.require(ok, "WrongSecret")
	s := p.subject()
	p.within(patience, "open", func() {
		session, err := s.open(p.ctx, p.request(config))
		if err == nil {
			p.must("close", session.Close(p.ctx))
		}
		e := p.want("open with a wrong secret", err, sdk.KindUnauthenticated)
		if e.Retry {
			p.errorf("a wrong secret is marked as worth a retry")
		}
	})
	if refusedStep(p.steps(config)) != sdk.KindUnauthenticated {
		p.errorf("no step of the connection test says %s", sdk.KindUnauthenticated)
	}
}

// refusedStep returns the kind of the first step that did not pass.
func refusedStep(steps []sdk.TestStep) sdk.Kind {
	for _, step := range steps {
		if step.Err != nil {
			return step.Err.Kind
		}
	}
	return ""
}

// openUnreachable: opening a server that does not exist ends by the deadline of the call.
func openUnreachable(p *probe) {
	p.require(p.run.target.Unreachable != nil, "Unreachable")
	const deadline = 5 * time.Second
	s := p.subject()
	p.within(deadline+p.run.pace.Settle, "open of an unreachable server with a deadline of 5 s", func() {
		ctx, cancel := context.WithTimeout(p.ctx, deadline)
		defer cancel()
		session, err := s.open(ctx, p.request(*p.run.target.Unreachable))
		if err == nil {
			p.must("close", session.Close(p.ctx))
		}
		p.want("open of an unreachable server", err, sdk.KindUnavailable, sdk.KindTimeout)
	})
	if kind := refusedStep(p.steps(*p.run.target.Unreachable)); kind != sdk.KindUnavailable && kind != sdk.KindTimeout {
		p.errorf("no step of the connection test says %s, the first refusal is %q", sdk.KindUnavailable, kind)
	}
}

func openCanceled(p *probe) {
	ctx, cancel := context.WithCancel(p.ctx)
	cancel()
	s := p.subject()
	p.within(p.run.pace.Settle, "open with a cancelled context", func() {
		session, err := s.open(ctx, p.request(p.run.target.Config))
		if err == nil {
			p.must("close", session.Close(p.ctx))
		}
		p.want("open with a cancelled context", err, sdk.KindCanceled)
	})
}

func openCloseTwice(p *probe) {
	session := p.open(p.subject())
	p.closeSession(session)
	p.closeSession(session)
}

// openClosedSession: every call on a closed session returns an error.
func openClosedSession(p *probe) {
	session := p.open(p.subject())
	p.closeSession(session)
	p.within(patience, "a call on a closed session", func() {
		if p.kind(session.Ping(p.ctx)) == "" {
			p.errorf("Ping of a closed session answers")
		}
		if _, err := p.execute(p.ctx, session, sdk.ExecuteRequest{SQL: p.rowsSQL(1)}); p.kind(err) == "" {
			p.errorf("a closed session runs a statement")
		}
		if _, err := session.Scan(p.ctx, sdk.ScanRequest{}, newScanCollector(p)); p.kind(err) == "" {
			p.errorf("a closed session scans")
		}
	})
}

// openAgain: opening an open id returns the same session again.
func openAgain(p *probe) {
	s := p.subject()
	p.within(patience, "opening an open id", func() {
		request := p.request(p.run.target.Config)
		first, err := s.open(p.ctx, request)
		p.must("open", err)
		second, err := s.open(p.ctx, request)
		p.must("open again", err)
		if diff := difference(first.Server(), second.Server()); diff != "" {
			p.errorf("the same id shows another server (-first +second):\n%s", diff)
		}
		p.must("ping", second.Ping(p.ctx))
		p.must("close", first.Close(p.ctx))
		p.wantUnknown("ping after the other one was closed", second.Ping(p.ctx))
	})
}

func openUnknownID(p *probe) {
	client := p.client()
	session := client.Session("conform-never-opened", sdk.ServerInfo{})
	p.within(patience, "a call on an unknown connection", func() {
		p.wantUnknown("ping", session.Ping(p.ctx))
		_, err := p.execute(p.ctx, session, sdk.ExecuteRequest{SQL: p.rowsSQL(1)})
		p.wantUnknown("execute", err)
		_, err = session.Scan(p.ctx, sdk.ScanRequest{}, newScanCollector(p))
		p.wantUnknown("scan", err)
		p.must("close of an unknown connection", session.Close(p.ctx))
	})
}

func (p *probe) wantUnknown(what string, err error) {
	if e := p.want(what, err, sdk.KindNotFound); e.Code != sdk.CodeUnknownConnection {
		p.errorf("%s on an unknown connection has code %q, want %q", what, e.Code, sdk.CodeUnknownConnection)
	}
}

// openAfterClose: a closed id can be opened again, as after a crash.
func openAfterClose(p *probe) {
	s := p.subject()
	p.within(patience, "opening a closed id", func() {
		request := p.request(p.run.target.Config)
		for range 2 {
			session, err := s.open(p.ctx, request)
			p.must("open", err)
			err = session.Ping(p.ctx)
			p.must("ping", errors.Join(err, session.Close(p.ctx)))
		}
	})
}
