package serve

import (
	"context"
	"errors"
	"sync"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/wire"
)

// registry holds the open sessions of a connector.
// Concurrency: safe for several goroutines.
type registry struct {
	connector *sdk.Connector

	mu       sync.Mutex
	slots    map[string]*slot
	draining bool
	running  map[*running]struct{}
	idle     chan struct{} // closed when draining and nothing runs
}

// slot is one connection id: opening, open or closing.
type slot struct {
	opened  chan struct{} // closed when session or err is set
	session sdk.Session
	err     error
	closing bool
	gone    chan struct{} // closed when the slot has left the registry
}

// running is one call under way, or one session being opened.
type running struct {
	slot   *slot
	cancel context.CancelCauseFunc
	done   chan struct{}
}

var _ wire.Backend = (*registry)(nil)

// NewBackend returns the backend of a program: c and its sessions. It is for tests
// that serve a connector inside their own process.
func NewBackend(c *sdk.Connector) wire.Backend { return newRegistry(c) }

func newRegistry(c *sdk.Connector) *registry {
	return &registry{connector: c, slots: map[string]*slot{}, running: map[*running]struct{}{}, idle: make(chan struct{})}
}

func (r *registry) Connector() *sdk.Connector { return r.connector }

// Open opens a session, once for all who ask for the same id at the same time.
func (r *registry) Open(ctx context.Context, req sdk.OpenRequest) (sdk.ServerInfo, error) {
	for {
		s, mine, err := r.claim(req.ConnectionID)
		if err != nil {
			return sdk.ServerInfo{}, err
		}
		if mine {
			r.open(ctx, s, req)
		}
		if err := wait(ctx, s.opened); err != nil {
			return sdk.ServerInfo{}, err
		}
		r.mu.Lock()
		closing := s.closing
		r.mu.Unlock()
		switch {
		case s.err != nil && (mine || !interrupted(s.err)):
			return sdk.ServerInfo{}, s.err
		case s.err == nil && !closing:
			return s.session.Server(), nil
		case mine:
			return sdk.ServerInfo{}, errClosed(req.ConnectionID)
		}
		// It is being closed, or its opener gave up: wait for that, then try again.
		if err := wait(ctx, s.gone); err != nil {
			return sdk.ServerInfo{}, err
		}
	}
}

// claim returns the slot of an id, and whether the caller has to open it.
func (r *registry) claim(id string) (s *slot, mine bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.draining {
		return nil, false, errStopping()
	}
	if s = r.slots[id]; s != nil {
		return s, false, nil
	}
	s = &slot{opened: make(chan struct{}), gone: make(chan struct{})}
	r.slots[id] = s
	return s, true, nil
}

// open fills a slot; a failed one leaves the registry at once.
func (r *registry) open(ctx context.Context, s *slot, req sdk.OpenRequest) {
	ctx, end := r.start(ctx, s)
	defer end()
	defer close(s.opened)
	defer func() {
		if s.session == nil {
			r.forget(req.ConnectionID, s)
		}
	}()
	s.err = errors.New("the connector panicked while it opened the connection") // unless the next line returns
	s.session, s.err = r.connector.Open(ctx, req)
	switch {
	case s.err != nil:
		s.session = nil
		if cause, ok := errors.AsType[*sdk.Error](context.Cause(ctx)); ok {
			s.err = cause
		}
	case s.session == nil:
		s.err = sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "the connector opened nothing and gave no error")
	}
}

func interrupted(err error) bool {
	kind := sdk.AsError(err, sdk.SourceConnector).Kind
	return kind == sdk.KindCanceled || kind == sdk.KindTimeout
}

// start notes a call as running.
func (r *registry) start(ctx context.Context, s *slot) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	call := &running{slot: s, cancel: cancel, done: make(chan struct{})}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running[call] = struct{}{}
	if r.draining {
		cancel(errStopping())
	}
	return ctx, func() { r.finish(call) }
}

func (r *registry) finish(call *running) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.running, call)
	close(call.done)
	call.cancel(nil)
	r.settle()
}

// settle notes that nothing runs any more; it needs r.mu.
func (r *registry) settle() {
	if r.draining && len(r.running) == 0 && !isClosed(r.idle) {
		close(r.idle)
	}
}

// Begin implements wire.Backend.
func (r *registry) Begin(ctx context.Context, id string) (context.Context, sdk.Session, func(), error) {
	r.mu.Lock()
	s := r.slots[id]
	usable := s != nil && !s.closing && isClosed(s.opened) && s.err == nil
	draining := r.draining
	r.mu.Unlock()
	if draining {
		return nil, nil, nil, errStopping()
	}
	if !usable {
		e := sdk.Errorf(sdk.KindNotFound, sdk.SourceHost, "connection %q is not open in this connector", id)
		e.Code = sdk.CodeUnknownConnection
		return nil, nil, nil, e.WithHint("open the connection again, then repeat the call")
	}
	ctx, end := r.start(ctx, s)
	return ctx, s.session, end, nil
}

// Close cancels what runs on a connection, waits for it and closes it.
func (r *registry) Close(ctx context.Context, id string) error {
	r.mu.Lock()
	s := r.slots[id]
	if s == nil {
		r.mu.Unlock()
		return nil
	}
	first := !s.closing
	s.closing = true
	calls := r.cancel(s, errClosed(id))
	r.mu.Unlock()
	if !first {
		return wait(ctx, s.gone)
	}
	defer r.forget(id, s)
	for _, call := range calls {
		if wait(ctx, call.done) != nil {
			break // the session's own Close ends what is left
		}
	}
	if !isClosed(s.opened) || s.session == nil {
		return nil
	}
	return s.session.Close(ctx)
}

// cancel cancels the calls of a slot, or of all with nil; it needs r.mu.
func (r *registry) cancel(s *slot, cause error) []*running {
	var calls []*running
	for call := range r.running {
		if s == nil || call.slot == s {
			call.cancel(cause)
			calls = append(calls, call)
		}
	}
	return calls
}

func (r *registry) forget(id string, s *slot) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.slots[id] == s {
		delete(r.slots, id)
		close(s.gone)
	}
}

func wait(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return sdk.AsError(ctx.Err(), sdk.SourceCaller)
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func errStopping() error {
	e := sdk.Errorf(sdk.KindUnavailable, sdk.SourceConnector, "the connector is stopping").WithHint("repeat the call")
	e.Retry = true
	return e
}

func errClosed(id string) error {
	return sdk.Errorf(sdk.KindCanceled, sdk.SourceHost, "connection %q was closed while the call ran", id)
}
