package conform

import (
	"context"
	"errors"
	"time"

	"github.com/loam-data/loam/sdk"
)

func cancelChecks() []check {
	return []check{
		{"cancel", cancelRunning},
		{"deadline", cancelDeadline},
		{"engine", cancelInEngine},
		{"close", cancelByClose},
		{"before", cancelBefore},
		{"stream", cancelStream},
		{"nothing_else", cancelNothingElse},
		{"late", cancelLate},
	}
}

// slow is a running SlowSQL.
type slow struct {
	p    *probe
	done chan error
}

// startSlow starts SlowSQL, and returns when the engine runs it.
func (p *probe) startSlow(ctx context.Context, s sdk.Session, limits sdk.Limits) *slow {
	p.require(p.run.target.SlowSQL != "", "SlowSQL")
	if !p.engineIdle() {
		p.fatalf("an earlier SlowSQL still runs in the engine")
	}
	running := &slow{p: p, done: make(chan error, 1)}
	ctx, cancel := context.WithCancel(ctx)
	p.defers(cancel) // whatever happens, nothing runs on
	go func() {
		var err error
		if p.guarded(func() { _, err = p.execute(ctx, s, sdk.ExecuteRequest{SQL: p.run.target.SlowSQL, Limits: limits}) }); err == nil {
			err = errNoError
		}
		running.done <- err
	}()
	p.waitRunning(running)
	return running
}

var errNoError = errors.New("SlowSQL came back without an error")

// waitRunning waits until the engine shows the statement; without Fixture.Running it waits for
// graceTime.
func (p *probe) waitRunning(s *slow) {
	if p.run.target.Fixture.Running == nil {
		timer := time.NewTimer(graceTime)
		defer timer.Stop()
		select {
		case <-timer.C:
		case err := <-s.done:
			s.done <- err
		}
		return
	}
	ended := false
	if !p.eventually(startTime, func(ctx context.Context) (bool, error) {
		select {
		case err := <-s.done: // it ended before it was seen; wait reports how
			s.done <- err
			ended = true
			return true, nil
		default:
			return p.run.target.Fixture.Running(ctx)
		}
	}) {
		p.fatalf("SlowSQL does not show up in the engine within %s", startTime)
	}
	if ended {
		p.remark("SlowSQL ended before the engine showed it")
	}
}

// ended reports whether the statement has come back.
func (s *slow) ended() bool {
	select {
	case err := <-s.done:
		s.done <- err
		return true
	default:
		return false
	}
}

// wait returns the error of the statement. It fails the check if there is none within limit.
func (s *slow) wait(limit time.Duration) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case err := <-s.done:
		if errors.Is(err, errNoError) {
			s.p.fatalf("SlowSQL came back without an error")
		}
		return err
	case <-timer.C:
		s.p.fatalf("the statement did not come back within %s", limit)
		return nil
	}
}

// wantIdle checks that the engine has ended the statement, and that the shared session still works.
func (p *probe) wantIdle() {
	p.wantEnded()
	p.wantRows("the next statement of the session", p.query(p.rowsSQL(3), sdk.Limits{}), 3)
}

func (p *probe) wantEnded() {
	if p.run.description.Capabilities.ServerCancel && !p.engineIdle() {
		p.errorf("the statement still runs in the engine %s after it was ended", p.run.pace.Settle)
	}
}

// engineIdle waits until no SlowSQL runs in the engine.
func (p *probe) engineIdle() bool {
	running := p.run.target.Fixture.Running
	return running == nil || p.eventually(p.run.pace.Settle, func(ctx context.Context) (bool, error) { on, err := running(ctx); return !on, err })
}

func cancelRunning(p *probe) {
	session := p.shareSession()
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	statement := p.startSlow(ctx, session, sdk.Limits{})
	cancel()
	p.want("a cancelled statement", statement.wait(p.run.pace.Settle), sdk.KindCanceled)
	p.wantIdle()
}

func cancelDeadline(p *probe) {
	session := p.shareSession()
	deadline := p.run.pace.Deadline
	ctx, cancel := context.WithTimeout(p.ctx, deadline)
	defer cancel()
	statement := p.startSlow(ctx, session, sdk.Limits{})
	p.want("a statement over its deadline", statement.wait(deadline+p.run.pace.Settle), sdk.KindTimeout)
	p.wantIdle()
}

// cancelInEngine checks in the engine that a cancelled statement ends; it needs Fixture.Running.
func cancelInEngine(p *probe) {
	session := p.shareSession()
	if !p.run.description.Capabilities.ServerCancel {
		p.undeclared("ending statements in the engine is not declared")
	}
	p.require(p.run.target.Fixture.Running != nil, "Fixture.Running")
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	statement := p.startSlow(ctx, session, sdk.Limits{})
	canceled := time.Now()
	cancel()
	p.wantEnded()
	took := time.Since(canceled)
	p.remark("ended in the engine after %s%s", took.Round(time.Millisecond), over(took > quickEnd, quickEnd))
	p.want("a cancelled statement", statement.wait(p.run.pace.Settle), sdk.KindCanceled)
}

// cancelByClose: closing a session ends what it runs.
func cancelByClose(p *probe) {
	session := p.open(p.subject())
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	statement := p.startSlow(ctx, session, sdk.Limits{})
	p.within(p.run.pace.Settle+graceTime, "close of a session that runs a statement", func() { p.must("close", session.Close(p.ctx)) })
	if err := statement.wait(p.run.pace.Settle); p.kind(err) == "" {
		p.errorf("a statement survives the close of its session")
	}
	p.wantEnded()
}

// cancelBefore: nothing starts when the caller is gone already.
func cancelBefore(p *probe) {
	session := p.shareSession()
	ctx, cancel := context.WithCancel(p.ctx)
	cancel()
	p.within(p.run.pace.Settle, "calls with a cancelled context", func() {
		_, err := p.execute(ctx, session, sdk.ExecuteRequest{SQL: p.rowsSQL(1)})
		p.want("execute", err, sdk.KindCanceled)
		_, err = session.Scan(ctx, sdk.ScanRequest{}, newScanCollector(p))
		p.want("scan", err, sdk.KindCanceled)
		p.want("ping", session.Ping(ctx), sdk.KindCanceled)
	})
	p.wantRows("afterwards", p.query(p.rowsSQL(1), sdk.Limits{}), 1)
}

// executeCanceling runs a statement of many rows and, as soon as the first are there,
// calls before and cancels it.
func (p *probe) executeCanceling(session sdk.Session, before func()) error {
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	var err error
	p.within(patience, "a statement that is cancelled while its rows arrive", func() {
		_, err = p.executeInto(ctx, session, sdk.ExecuteRequest{SQL: p.rowsSQL(manyRows)}, func() error {
			before()
			cancel()
			return nil
		})
	})
	return err
}

// cancelStream: a statement is cancelled while its rows arrive, not while the call waits.
func cancelStream(p *probe) {
	session := p.narrowSessions()[0]
	for range 3 { // the second time the statement is known, and may go another way
		p.want("a statement that is cancelled while its rows arrive", p.executeCanceling(session, func() {}), sdk.KindCanceled)
		p.wantRows("the statement after it", p.queryOn(session, p.rowsSQL(3), sdk.Limits{}), 3)
	}
}

// cancelNothingElse: cancelling a statement must not cancel the next one of its connection. The
// deadline is moved from before the statement to after its usual end.
func cancelNothingElse(p *probe) {
	const rounds = 60
	session := p.narrowSessions()[0]
	whole := patience
	for range 5 { // the shortest counts: the machine may have been busy
		begun := time.Now()
		p.wantRows("a statement without a deadline", p.queryOn(session, p.rowsSQL(1000), sdk.Limits{}), 1000)
		whole = min(whole, time.Since(begun))
	}
	for i := range rounds {
		ctx, cancel := context.WithTimeout(p.ctx, whole*time.Duration(i)*3/(2*rounds))
		_, err := p.execute(ctx, session, sdk.ExecuteRequest{SQL: p.rowsSQL(1000)})
		cancel()
		if err != nil {
			p.want("a statement over its deadline", err, sdk.KindTimeout)
		}
		p.wantRows("the statement after it", p.queryOn(session, p.rowsSQL(1000), sdk.Limits{}), 1000)
	}
}

// closed returns a function that reports whether a channel is closed.
func closed(c <-chan struct{}) func(context.Context) (bool, error) {
	return func(context.Context) (bool, error) {
		select {
		case <-c:
			return true, nil
		default:
			return false, nil
		}
	}
}

// cancelLate: a cancel request on a connection of its own may be delayed, and reach the server
// when the next statement runs. It must not cancel that one.
func cancelLate(p *probe) {
	r, session := p.relayed()
	if err := p.executeCanceling(session, r.hold); err != nil { // else it came to its end
		p.want("a statement whose order is held up", err, sdk.KindCanceled)
	}
	waiting, release, err := r.pass()
	p.must("the relay", err)
	if waiting == 0 {
		return // the order does not take another connection
	}
	ctx, cancel := context.WithCancel(p.ctx)
	defer cancel()
	statement := p.startSlow(ctx, session, sdk.Limits{})
	p.eventually(quickEnd, closed(release())) // else the order's connection is kept
	if p.eventually(graceTime, func(context.Context) (bool, error) { return len(statement.done) > 0, nil }) {
		p.errorf("the order that came late ended the next statement")
	}
	cancel()
	p.want("the statement after it", statement.wait(p.run.pace.Settle), sdk.KindCanceled)
	p.wantEnded()
}
