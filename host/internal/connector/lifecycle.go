package connector

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/loam-data/loam/sdk"
)

// The transitions between states. All run in the loop; slow work runs in a task, which
// sends its result to the loop.

func (p *process) start() {
	p.enter(StateStarting)
	limit := p.timing.start
	if !p.started[p.installed.SHA256] {
		limit = p.timing.firstStart
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	p.starting = cancel
	c := p.installed
	r := launch{memory: processLimit(c, p.granted(p.wanted)), calls: newCalls(p.name, p.blame)}
	p.tasks.Go(func() {
		defer cancel()
		exe, err := p.starter.verify(c)
		if err != nil {
			p.do(func() { p.refused(err) })
			return
		}
		program, err := p.starter.start(ctx, c, exe, r)
		if err != nil {
			p.do(func() { p.failed(sdk.AsError(err, sdk.SourceConnector)) })
			return
		}
		in := &instance{program: program, conns: newConnections(program, p.onOpen, p.log), calls: r.calls, binary: c.SHA256}
		in.conns.granted = func(sum int64) { in.program.limit(processLimit(c, p.granted(sum))) }
		p.do(func() { p.ready(in) })
	})
}

// refused ends a start before the program ran, because verification failed. The next caller
// verifies again.
func (p *process) refused(err error) {
	p.failure = sdk.AsError(err, sdk.SourceHost)
	p.log.Error("connector refused", "error", err)
	p.enter(StateStopped)
	p.answer(err)
}

func (p *process) failed(err *sdk.Error) {
	if p.closing {
		p.enter(StateStopped)
		return
	}
	p.startFailed = true
	p.crash(err)
	p.answer(p.failure)
}

func (p *process) ready(in *instance) {
	now := time.Now()
	in.pingedAt, in.unusedAt, in.lookedAt = now, now, now
	p.started[in.binary] = true
	p.current = in
	p.enter(StateReady)
	p.starts++
	p.log.Info("connector started", "pid", in.program.pid, "version", p.installed.Description.Version)
	p.tasks.Go(func() {
		<-in.program.exited
		p.do(func() { p.exited(in) })
	})
}

// exited handles the end of a program that was not asked to end.
func (p *process) exited(in *instance) {
	if p.current != in || p.state != StateReady {
		return
	}
	p.current, p.startFailed = nil, false
	end := in.program.ending(p.name)
	explained := in.calls.end(end)
	p.log.Error("connector crashed", "pid", in.program.pid, "reason", end.what, "memory", end.memory, "calls_charged", explained, "output", in.program.ended().tail)
	reason := crashed(p.name, end.what)
	if time.Since(p.since) >= p.timing.window {
		p.pauses = 0
	}
	if explained || end.memory {
		p.rest(reason)
	} else {
		p.crash(reason)
	}
	p.adopt(in)
	p.tasks.Go(func() {
		in.program.stop()
		in.conns.stop(reason)
	})
}

// crash schedules the next start after a failure of the connector itself.
func (p *process) crash(err *sdk.Error) {
	now := time.Now()
	p.crashes = slices.DeleteFunc(p.crashes, func(t time.Time) bool { return now.Sub(t) >= p.timing.window })
	p.crashes = append(p.crashes, now)
	n := len(p.crashes)
	if n < p.timing.maxCrashes && p.pauses == 0 {
		p.wait(StateBackoff, err, p.jitter(p.timing.backoffAfter(n)))
		return
	}
	p.pauses++
	wait := p.jitter(p.timing.pauseAfter(p.pauses))
	p.wait(StateDisabled, disabled(p.name, n, p.timing.window, wait, err), wait)
}

// rest schedules the next start after an end that a call caused. The short wait prevents a
// repeated call from restarting the program in a loop.
func (p *process) rest(err *sdk.Error) { p.wait(StateBackoff, err, p.jitter(p.timing.backoff)) }

// wait prevents starts for a while.
func (p *process) wait(s State, err *sdk.Error, wait time.Duration) {
	p.crashed++
	p.failure = err
	p.notBefore = time.Now().Add(wait)
	p.log.Warn("connector waits before its next start", "state", string(s), "error", err, "wait", wait)
	p.enter(s)
}

// granted returns the memory that a process should keep to, given the sum of its connections'
// limits.
func (p *process) granted(sum int64) int64 { return cmp.Or(sum, p.memory) }

// drain stops the program: it first ends running calls.
func (p *process) drain() {
	in := p.current
	p.enter(StateDraining)
	p.tasks.Go(func() {
		// The connector gets the grace in the request; its answer may take a second longer.
		ctx, cancel := context.WithTimeout(context.Background(), p.timing.drain+time.Second)
		defer cancel()
		var canceled int
		var err error
		if in.program.attached {
			in.conns.closeAll(ctx)
		} else if canceled, err = in.program.connect(nil, nil).Drain(ctx, p.timing.drain); err != nil {
			p.log.Warn("connector did not drain", "error", err)
		}
		in.program.stop()
		in.conns.stop(closing(p.name))
		p.do(func() { p.stopped(canceled) })
	})
}

func (p *process) stopped(canceled int) {
	p.log.Info("connector stopped", "calls_canceled", canceled)
	p.current = nil
	p.enter(StateStopped)
}

// shutDown ends the process and its loop, and waits for both. When ctx ends first, the program is
// killed.
func (p *process) shutDown(ctx context.Context) {
	p.do(func() {
		p.closing = true
		p.answer(closing(p.name))
		if p.starting != nil {
			p.starting()
		}
	})
	hurry := context.AfterFunc(ctx, func() {
		p.do(func() {
			if p.current != nil {
				p.current.program.kill()
			}
		})
	})
	<-p.done
	hurry()
	p.tasks.Wait()
}

// ProcessState is the state of one connector process.
type ProcessState struct {
	Connector string // name
	// Connection is the id of the only connection of an isolated process; "" = it is shared.
	Connection  string
	State       State
	Since       time.Time
	Version     string
	PID         int // 0 = no process runs
	MemoryBytes int64
	// Connections are the ids of the open connections, Calls is the number of running calls.
	Connections []string
	Calls       int
	// Failures counts the failures of the last five minutes. NextStart is the earliest time of the
	// next start; zero = now.
	Failures  int
	LastError error
	NextStart time.Time
	// Starts and Crashes are counted since the first lease. Crashes includes failed starts, and ends
	// that are charged to a call.
	Starts, Crashes int64
}

// snapshot returns the state; false when the loop has ended.
func (p *process) snapshot() (s ProcessState, ok bool) {
	answer := make(chan ProcessState, 1)
	if !p.do(func() { answer <- p.describe() }) {
		return ProcessState{}, false
	}
	return <-answer, true
}

func (p *process) describe() ProcessState {
	s := ProcessState{
		Connector: p.name, Connection: p.isolated, State: p.state, Since: p.since, Version: p.installed.Description.Version,
		Starts: p.starts, Crashes: p.crashed,
	}
	now := time.Now()
	for _, t := range p.crashes {
		if now.Sub(t) < p.timing.window {
			s.Failures++
		}
	}
	if p.failure != nil {
		s.LastError = p.failure
	}
	if p.state == StateBackoff || p.state == StateDisabled {
		s.NextStart = p.notBefore
	}
	if in := p.current; in != nil {
		s.PID, s.Calls, s.MemoryBytes, s.Connections = in.program.pid, in.leases, in.program.resident(), in.conns.ids()
	}
	return s
}

func mebibytes(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }
