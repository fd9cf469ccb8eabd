package connector

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/wire"
)

// The limits of concurrent calls of a process, and of a connection whose connector sets none.
// Source: Capabilities.max_streams of the contract, and the limit of package wire in the connector.
const (
	maxCallsPerProcess    = 32
	maxCallsPerConnection = 8
)

// DefaultMemoryMax is the memory limit of a connector process whose connections have none.
const DefaultMemoryMax = 512 << 20

// Config is the configuration of a Supervisor. The zero value works.
type Config struct {
	Logger *slog.Logger // nil = slog.Default
	// HostVersion is sent to connectors.
	HostVersion string
	// MemoryMax in bytes; 0 = DefaultMemoryMax.
	MemoryMax int64
	// IdleTimeout is the time without calls after which a process is stopped; 0 = 10 minutes.
	IdleTimeout time.Duration
	// Admit is asked before each start of a program whether it may run; nil = what its
	// manifest expects may.
	// Concurrency: it may be called from several goroutines.
	Admit func(Installed) error
	// Sums knows the checksums of files, also for what Admit verifies; nil = its own.
	Sums *Sums
	// ResetDir is the folder to which RequestReset writes; "" = the user's cache.
	ResetDir string
	// OnOpen is called after every attempt to open a connection, with the server or the
	// failure. It must return quickly.
	// Concurrency: it may be called from several goroutines.
	OnOpen func(id string, info sdk.ServerInfo, err error)
}

// Target is a connection to lease.
type Target struct {
	ID        string // of the connection
	Installed Installed
	// Isolated: the connection gets a process of its own.
	Isolated bool
	// Concurrency bounds its concurrent calls; 0 = the connector's limit.
	Concurrency int
	// Memory bounds the bytes of the connection in its process; 0 = it shares MemoryMax
	// with other connections.
	Memory int64
	// Fingerprint identifies the configuration that Open resolves. When it changes, Open is
	// called again, and the connection is reopened if the result differs. "" = Open is
	// called for every lease.
	Fingerprint string
	// Open resolves the configuration and its secrets. It is called just before the
	// connection is opened.
	Open func(context.Context) (sdk.OpenRequest, error)
}

// Supervisor runs connector programs. It starts none before the first lease.
// Concurrency: any number of goroutines.
type Supervisor struct {
	config   Config
	log      *slog.Logger
	launcher *launcher
	starter  starter // the launcher, except in tests
	timing   timing
	jitter   func(time.Duration) time.Duration

	mu        sync.Mutex
	processes map[processKey]*process
	queues    map[queueKey]*queue
	closed    bool
	closeOnce sync.Once
	closeErr  error
}

// processKey identifies a process: the shared one of a connector, or that of an isolated connection.
type processKey struct{ manifest, isolated string }

type queueKey struct {
	process    processKey
	connection string
	limit      int
}

// New returns a supervisor. It starts no program and reads no file.
func New(config Config) *Supervisor {
	if config.Logger == nil {
		config.Logger = slog.Default()
	}
	if config.MemoryMax <= 0 {
		config.MemoryMax = DefaultMemoryMax
	}
	if config.Sums == nil {
		config.Sums = NewSums()
	}
	t := standardTiming()
	if config.IdleTimeout > 0 {
		t.idle = config.IdleTimeout
	}
	s := &Supervisor{
		config: config, log: config.Logger, timing: t,
		jitter: jitter, processes: map[processKey]*process{}, queues: map[queueKey]*queue{},
	}
	s.launcher = &launcher{
		log: s.log, verifier: newVerifier(bundledSums, config.Sums), memory: config.MemoryMax, hostEnv: os.Environ(), logLevel: logLevel(s.log),
		admit:     config.Admit,
		hostInfo:  wire.HostInfo{Version: config.HostVersion, ContractMinor: sdk.ContractMinor},
		reattach:  sync.OnceValues(func() (map[string]wire.Reattach, error) { return wire.DecodeReattach(os.Getenv(wire.EnvReattach)) }),
		stopGrace: t.stop, exitWait: t.exit,
	}
	s.starter = s.launcher
	return s
}

// Lease is the right to use a connection for one call. The caller calls Release.
type Lease struct {
	// Session runs the call. Its Close would close the connection for all callers: use
	// Release instead.
	Session sdk.Session
	release func()
}

// Release ends the lease. Idempotent.
func (l *Lease) Release() { l.release() }

// Lease returns the target's session. It waits for a free slot, and starts the process and opens the
// connection if needed.
// Errors: those of Target.Open; those of the connector's Open; KindDenied and
// KindUnsupported for a program that must not run; KindUnavailable for one that crashed, is
// disabled or does not start; KindTimeout, KindCanceled.
func (s *Supervisor) Lease(ctx context.Context, t Target) (*Lease, error) {
	in, release, err := s.enter(ctx, t)
	if err != nil {
		return nil, err
	}
	c, err := in.conns.use(ctx, t)
	if err != nil {
		release()
		return nil, err
	}
	return &Lease{Session: c.session, release: sync.OnceFunc(func() {
		in.conns.leave(ctx, c)
		release()
	})}, nil
}

// enter acquires the slots of one call and an instance. The function that it returns releases them.
func (s *Supervisor) enter(ctx context.Context, t Target) (*instance, func(), error) {
	p, connection, err := s.find(t) //nolint:contextcheck // a process outlives the call that asks for it first
	if err != nil {
		return nil, nil, err
	}
	onConnection, err := connection.take(ctx)
	if err != nil {
		return nil, nil, notInTime(ctx, t.Installed.Name, noSlot)
	}
	inProcess, err := p.calls.take(ctx)
	if err != nil {
		connection.give(onConnection)
		return nil, nil, notInTime(ctx, t.Installed.Name, noSlot)
	}
	giveBoth := func() {
		connection.give(onConnection)
		p.calls.give(inProcess)
	}
	in, err := p.acquire(ctx, t)
	if err != nil {
		giveBoth()
		return nil, nil, err
	}
	return in, func() {
		p.release(in)
		giveBoth()
	}, nil
}

// find returns the process of a target and the queue of its connection.
func (s *Supervisor) find(t Target) (*process, *queue, error) {
	key := processKey{manifest: t.Installed.Manifest}
	if t.Isolated {
		key.isolated = t.ID
	}
	limit := t.Installed.Description.Capabilities.MaxStreams
	if limit <= 0 {
		limit = maxCallsPerConnection
	}
	if t.Concurrency > 0 {
		limit = min(limit, t.Concurrency)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, nil, closing(t.Installed.Name)
	}
	p, ok := s.processes[key]
	if !ok {
		p = s.newProcess(t.Installed.Name, key.isolated)
		s.processes[key] = p
	}
	of := queueKey{process: key, connection: t.ID, limit: limit}
	if s.queues[of] == nil {
		s.queues[of] = newQueue(limit)
	}
	return p, s.queues[of], nil
}

func (s *Supervisor) newProcess(name, isolated string) *process {
	p := &process{
		name: name, isolated: isolated, starter: s.starter, timing: s.timing, memory: s.config.MemoryMax,
		log: s.log.With("connector", name), jitter: s.jitter, onOpen: s.config.OnOpen,
		blame:    newBlame(s.timing),
		wasReset: func(since time.Time) bool { return resetSince(s.config.ResetDir, name, since) },
		calls:    newQueue(maxCallsPerProcess), inbox: make(chan func()), done: make(chan struct{}),
		state: StateAbsent, since: time.Now(), started: map[string]bool{}, seen: map[string]string{},
	}
	go p.loop()
	return p
}

// jitter varies a wait randomly by up to a quarter.
func jitter(d time.Duration) time.Duration {
	return d*3/4 + rand.N(d/2+1)
}

// TestConnection makes the connector open and check a connection in steps, and calls report for each.
// Errors: those of Lease, before the first step.
func (s *Supervisor) TestConnection(ctx context.Context, t Target, report func(sdk.TestStep)) error {
	req, err := t.Open(ctx)
	if err != nil {
		return err
	}
	in, release, err := s.enter(ctx, t)
	if err != nil {
		return err
	}
	defer release()
	in.program.scrubber.Add(req.Config)
	req.ConnectionID = t.ID
	return in.program.connect(nil, nil).TestConnection(ctx, req, report)
}

// Authenticate makes the connector sign a person in, and calls prompt with each prompt for the person.
// It does not store the credentials.
// Errors: those of Lease, those of prompt; KindUnsupported for a connector without a
// sign-in, KindUnauthenticated when the person declined, KindTimeout.
func (s *Supervisor) Authenticate(ctx context.Context, t Target, prompt func(sdk.Prompt) error) (sdk.Credentials, error) {
	req, err := t.Open(ctx)
	if err != nil {
		return sdk.Credentials{}, err
	}
	in, release, err := s.enter(ctx, t)
	if err != nil {
		return sdk.Credentials{}, err
	}
	defer release()
	in.program.scrubber.Add(req.Config)
	credentials, err := in.program.connect(nil, nil).Authenticate(ctx, req, prompt)
	in.program.scrubber.Add(sdk.Config{Secrets: credentials.Secrets})
	return credentials, err
}

// ValidateConfig makes a connector check a configuration, without contacting the warehouse.
func (s *Supervisor) ValidateConfig(ctx context.Context, c Installed, config sdk.Config) ([]sdk.Diagnostic, error) {
	in, release, err := s.enter(ctx, Target{Installed: c})
	if err != nil {
		return nil, err
	}
	defer release()
	in.program.scrubber.Add(config)
	return in.program.connect(nil, nil).ValidateConfig(ctx, config)
}

// State returns all processes since the first lease, ordered by connector and connection.
func (s *Supervisor) State() []ProcessState {
	var states []ProcessState
	for _, p := range s.all() {
		if state, ok := p.snapshot(); ok {
			states = append(states, state)
		}
	}
	slices.SortFunc(states, func(a, b ProcessState) int {
		return strings.Compare(a.Connector+"\x00"+a.Connection, b.Connector+"\x00"+b.Connection)
	})
	return states
}

func (s *Supervisor) all() []*process {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*process, 0, len(s.processes))
	for _, p := range s.processes {
		all = append(all, p)
	}
	return all
}

// Close cancels running calls, stops every process and returns when none is left. When ctx
// ends first, the processes are killed. Idempotent.
func (s *Supervisor) Close(ctx context.Context) error {
	s.closeOnce.Do(func() {
		s.mu.Lock()
		s.closed = true
		s.mu.Unlock()
		var stopping sync.WaitGroup
		for _, p := range s.all() {
			stopping.Go(func() { p.shutDown(ctx) })
		}
		stopping.Wait()
		s.closeErr = s.launcher.close()
	})
	return s.closeErr
}
