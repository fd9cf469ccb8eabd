package connector

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/loam-data/loam/sdk"
)

// State is the state of a connector process; see the package comment.
type State string

const (
	StateAbsent   State = "absent"   // not started yet
	StateStarting State = "starting" //
	StateReady    State = "ready"    // runs and accepts calls
	StateDraining State = "draining" // is being stopped
	StateStopped  State = "stopped"  // was stopped; the next call starts it
	StateBackoff  State = "backoff"  // failed; waits before the next start
	StateDisabled State = "disabled" // failed too often; waits longer
)

// starter starts programs: a launcher, except in tests.
type starter interface {
	verify(Installed) (*executable, error)
	start(context.Context, Installed, *executable, launch) (*program, error)
}

// launch has the parameters of a start.
type launch struct {
	memory int64  // memory limit in bytes; see processLimit
	calls  *calls // records its running calls
}

// process supervises one connector program, of which at most one instance runs at a time. Only its
// loop goroutine accesses the state; others send it functions with do.
type process struct {
	name     string
	isolated string // the id of its only connection; "" = it is shared
	starter  starter
	timing   timing
	memory   int64
	log      *slog.Logger
	jitter   func(time.Duration) time.Duration
	wasReset func(since time.Time) bool
	onOpen   func(string, sdk.ServerInfo, error)

	blame *blame // calls that ended it
	calls *queue // bounds concurrent calls
	inbox chan func()
	done  chan struct{} // closed when the loop has ended
	tasks sync.WaitGroup

	// Owned by the loop.
	installed   Installed
	state       State
	since       time.Time
	current     *instance
	waiters     []*waiter
	starting    context.CancelFunc
	started     map[string]bool // programs that have started before, by checksum
	seen        map[string]string
	crashes     []time.Time // within the window
	starts      int64       // in all
	crashed     int64       // in all
	failure     *sdk.Error  // of the last crash or failed start
	startFailed bool        // failure is of a start
	notBefore   time.Time   // of the next start
	pauses      int         // how often in a row it was disabled
	wanted      int64       // memory of the last caller's connection
	closing     bool
	finished    bool
}

// instance is one run of the program.
type instance struct {
	program *program
	conns   *connections
	calls   *calls
	binary  string // checksum of the program that runs

	// Owned by the loop.
	leases   int
	pingedAt time.Time // when the last ping ended
	unusedAt time.Time // when the last call ended
	lookedAt time.Time
	// weighedAt is when renew last checked the memory.
	weighedAt time.Time
	misses    int
	pinging   bool
}

// waiter is a caller that waits for a process.
type waiter struct{ answer chan grant }

type grant struct {
	instance *instance
	err      error
}

// do sends f to the loop; false when the loop has ended.
func (p *process) do(f func()) bool {
	select {
	case p.inbox <- f:
		return true
	case <-p.done:
		return false
	}
}

func (p *process) loop() {
	defer close(p.done)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for !p.finished {
		timer.Reset(time.Until(p.nextEvent()))
		select {
		case f := <-p.inbox:
			f()
		case <-timer.C:
		}
		p.advance(time.Now())
	}
}

// acquire returns the running instance with a lease on it, and starts the program if needed. The
// caller calls release.
func (p *process) acquire(ctx context.Context, t Target) (*instance, error) {
	w := &waiter{answer: make(chan grant, 1)}
	if !p.do(func() { p.admit(w, t) }) {
		return nil, closing(p.name)
	}
	select {
	case g := <-w.answer:
		return g.instance, g.err
	case <-ctx.Done():
		p.do(func() { p.forget(w) })
		return nil, notInTime(ctx, p.name, "the connector had started")
	}
}

// release ends the lease of acquire.
func (p *process) release(in *instance) {
	p.do(func() {
		in.leases--
		in.unusedAt = time.Now()
		p.renew(in)
	})
}

// renew stops an idle process that holds most of its memory limit, because its allocator keeps freed
// memory, fragmented. The next call starts a new process.
func (p *process) renew(in *instance) {
	if in.leases > 0 || p.current != in || p.state != StateReady || in.program.reason.Load() != nil || in.unusedAt.Sub(in.weighedAt) < p.timing.weigh {
		return
	}
	in.weighedAt = in.unusedAt
	if held, limit := in.program.counted(); held > limit/4*3 {
		p.log.Info("connector is renewed: it keeps most of its memory", "pid", in.program.pid, "held_bytes", held, "limit_bytes", limit)
		p.drain()
	}
}

func (p *process) admit(w *waiter, t Target) {
	before, known := p.seen[t.ID]
	p.seen[t.ID] = t.Fingerprint
	if t.Installed.SHA256 != p.installed.SHA256 || known && before != t.Fingerprint || p.state == StateDisabled && p.wasReset(p.since) {
		p.reset()
	}
	p.installed, p.wanted = t.Installed, t.Memory
	switch now := time.Now(); {
	case p.closing:
		w.answer <- grant{err: closing(p.name)}
	case (p.state == StateDisabled || p.state == StateBackoff && p.startFailed) && now.Before(p.notBefore):
		again := *p.failure
		again.Retry, again.RetryAfter = true, p.notBefore.Sub(now).Round(time.Millisecond)
		w.answer <- grant{err: &again}
	default:
		p.waiters = append(p.waiters, w)
	}
}

// forget removes the request of a caller that has given up.
func (p *process) forget(w *waiter) {
	if i := slices.Index(p.waiters, w); i >= 0 {
		p.waiters = slices.Delete(p.waiters, i, i+1)
		return
	}
	if g := <-w.answer; g.instance != nil {
		g.instance.leases--
	}
}

func (p *process) answer(err error) {
	for _, w := range p.waiters {
		w.answer <- grant{err: err}
	}
	p.waiters = nil
}

func (p *process) enter(s State) {
	p.state, p.since = s, time.Now()
	p.log.Debug("connector state changed", "state", string(s))
}

// reset clears past failures.
func (p *process) reset() {
	p.crashes, p.notBefore, p.pauses = nil, time.Time{}, 0
	p.blame.forget()
	if p.state == StateDisabled || p.state == StateBackoff {
		p.enter(StateStopped)
	}
}

// advance makes the transitions that are due.
func (p *process) advance(now time.Time) {
	switch p.state {
	case StateAbsent, StateStopped, StateBackoff, StateDisabled:
		switch {
		case p.closing:
			p.finished = true
		case len(p.waiters) > 0 && !now.Before(p.notBefore):
			p.start()
		}
	case StateReady:
		p.attend(now)
	case StateStarting, StateDraining:
	}
}

// nextEvent returns the time at which advance must run even without a call.
func (p *process) nextEvent() time.Time {
	never := time.Now().Add(24 * time.Hour)
	switch {
	case (p.state == StateBackoff || p.state == StateDisabled) && len(p.waiters) > 0:
		return p.notBefore
	case p.state != StateReady, p.current.program.reason.Load() != nil:
		return never
	}
	in := p.current
	next := in.lookedAt.Add(p.timing.look)
	if in.leases == 0 {
		next = in.unusedAt.Add(p.timing.idle)
	}
	if ping := in.pingedAt.Add(p.timing.ping); !in.pinging && ping.Before(next) {
		next = ping
	}
	return next
}

// attend makes the periodic checks of a running process.
func (p *process) attend(now time.Time) {
	in := p.current
	select {
	case <-in.program.exited: // the loop has not handled the end yet, but no caller may get the instance
		p.exited(in)
		return
	default:
	}
	if in.program.reason.Load() != nil { // it is being killed
		return
	}
	outdated := in.binary != p.installed.SHA256
	if !outdated {
		for _, w := range p.waiters {
			in.leases++
			w.answer <- grant{instance: in}
		}
		p.waiters = nil
	}
	switch {
	case p.closing,
		in.leases == 0 && outdated,
		in.leases == 0 && now.Sub(in.unusedAt) >= p.timing.idle:
		p.drain()
	case !in.pinging && now.Sub(in.pingedAt) >= p.timing.ping:
		p.ping(in)
		p.look(in, now)
	case in.leases > 0 && now.Sub(in.lookedAt) >= p.timing.look:
		p.look(in, now)
	}
}

// ping checks that a process answers. Running or ending calls prove nothing: those of a frozen process
// end, too, by their timeouts.
func (p *process) ping(in *instance) {
	in.pinging = true
	p.tasks.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), p.timing.pingTimeout)
		defer cancel()
		err := in.program.healthy(ctx)
		p.do(func() {
			in.pinging, in.pingedAt = false, time.Now()
			if err == nil {
				in.misses = 0
				return
			}
			in.misses++
			p.log.Warn("connector does not answer", "misses", in.misses, "error", err)
			if in.misses >= p.timing.pingMisses {
				p.kill(in, killing{what: "did not answer and was killed", hung: true})
			}
		})
	})
}

// look kills a process that uses twice its memory limit. Where the system enforces the limit, only
// shared memory, which it does not count, can exceed it.
func (p *process) look(in *instance, now time.Time) {
	in.lookedAt = now
	granted := p.granted(in.conns.memory())
	if held := in.program.resident(); held > 2*granted {
		p.kill(in, killing{what: "held " + mebibytes(held) + " of memory, more than twice its " + mebibytes(granted) + ", and was killed", memory: true})
	}
}

func (p *process) kill(in *instance, reason killing) {
	if in.program.reason.CompareAndSwap(nil, &reason) {
		in.program.kill()
	}
}
