package connector

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/wire"
)

// fakeStarter makes programs that live in this process.
type fakeStarter struct {
	verifyErr error
	startErr  func(start int) error
	delay     time.Duration
	open      func(context.Context, sdk.OpenRequest) (sdk.Session, error)
	sick      atomic.Bool
	memory    atomic.Int64
	data      atomic.Int64
	hangDrain bool

	mu       sync.Mutex
	starts   []time.Time
	programs []*fakeProgram
	pings    int
}

type fakeProgram struct {
	*program
	starter *fakeStarter
	exited  chan struct{}
	die     func()
	drained atomic.Bool
	limits  atomic.Int64
	calls   *calls
	reopen  func(context.Context) error
	refused func()
}

func (f *fakeStarter) verify(Installed) (*executable, error) { return nil, f.verifyErr }

func (f *fakeStarter) start(ctx context.Context, _ Installed, _ *executable, l launch) (*program, error) {
	f.mu.Lock()
	f.starts = append(f.starts, time.Now())
	n := len(f.starts)
	f.mu.Unlock()
	select {
	case <-time.After(f.delay):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if f.startErr != nil {
		if err := f.startErr(n); err != nil {
			return nil, err
		}
	}
	p := &fakeProgram{starter: f, calls: l.calls, exited: make(chan struct{})}
	p.die = sync.OnceFunc(func() { close(p.exited) })
	p.program = &program{
		pid: 1000 + n, exited: p.exited, stop: p.die, kill: p.die, scrubber: &wire.Scrubber{},
		ended:    func() exit { return exit{code: 2, panicked: "panic: boom"} },
		resident: f.memory.Load, limit: p.limits.Store, counted: func() (held, limit int64) { return f.data.Load(), 100 },
		healthy: func(ctx context.Context) error {
			f.mu.Lock()
			f.pings++
			f.mu.Unlock()
			if f.sick.Load() {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		},
		connect: func(reopen func(context.Context) error, refused func()) remote {
			f.mu.Lock()
			defer f.mu.Unlock()
			if reopen != nil {
				p.reopen, p.refused = reopen, refused
			}
			return &fakeRemote{program: p}
		},
	}
	f.mu.Lock()
	f.programs = append(f.programs, p)
	f.mu.Unlock()
	return p.program, nil
}

func (f *fakeStarter) started() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.starts)
}

func (f *fakeStarter) pinged() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.pings
}

func (f *fakeStarter) last() *fakeProgram {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.programs[len(f.programs)-1]
}

type fakeRemote struct {
	remote
	program *fakeProgram
}

func (r *fakeRemote) Open(ctx context.Context, req sdk.OpenRequest) (sdk.Session, error) {
	return r.program.starter.open(ctx, req)
}

func (r *fakeRemote) Drain(ctx context.Context, _ time.Duration) (int, error) {
	r.program.drained.Store(true)
	if r.program.starter.hangDrain {
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-r.program.exited:
			return 0, errors.New("gone")
		}
	}
	return 0, nil
}

// fakeSession counts how often it is closed.
type fakeSession struct {
	sdk.Session
	id     string
	config string
	closed atomic.Int32
}

func (s *fakeSession) Server() sdk.ServerInfo { return sdk.ServerInfo{Product: "Fake", Database: s.id} }

func (s *fakeSession) Close(context.Context) error {
	s.closed.Add(1)
	return nil
}

// fakeOpener opens fake sessions and remembers them by connection id.
type fakeOpener struct {
	delay time.Duration
	fail  error

	mu       sync.Mutex
	sessions map[string]*fakeSession
	canceled atomic.Int32
}

func (o *fakeOpener) open(ctx context.Context, req sdk.OpenRequest) (sdk.Session, error) {
	select {
	case <-time.After(o.delay):
	case <-ctx.Done():
		o.canceled.Add(1)
		return nil, sdk.AsError(ctx.Err(), sdk.SourceCaller)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.fail != nil {
		return nil, o.fail
	}
	s := &fakeSession{id: req.ConnectionID, config: string(req.Config.JSON)}
	if o.sessions == nil {
		o.sessions = map[string]*fakeSession{}
	}
	o.sessions[s.id] = s
	return s, nil
}

func (o *fakeOpener) opened() map[string]*fakeSession {
	o.mu.Lock()
	defer o.mu.Unlock()
	return maps.Clone(o.sessions)
}

// newFakeSupervisor runs the programs of f. It is closed with the test.
func newFakeSupervisor(t *testing.T, f *fakeStarter, config Config) *Supervisor {
	t.Helper()
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	if config.ResetDir == "" {
		config.ResetDir = t.TempDir()
	}
	if f.open == nil {
		f.open = (&fakeOpener{}).open
	}
	s := New(config)
	s.starter = f
	s.jitter = func(d time.Duration) time.Duration { return d }
	return s
}

func fakeTarget() Target {
	return Target{
		ID: "warehouse", Fingerprint: "1", Installed: Installed{Name: "fake", Manifest: "/fake.json", SHA256: "1"},
		Open: func(context.Context) (sdk.OpenRequest, error) { return sdk.OpenRequest{}, nil },
	}
}
