package connector

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/loam-data/loam/sdk"
)

// closeTimeout bounds the closing of a connection that nobody uses any more.
const closeTimeout = 5 * time.Second

// connections are the open connections of one process.
// Concurrency: any number of goroutines.
type connections struct {
	program *program
	onOpen  func(id string, info sdk.ServerInfo, err error)
	log     *slog.Logger
	granted func(sum int64) // receives the sum of the connections' memory

	mu      sync.Mutex
	current map[string]*connection
	opened  map[string]int    // how often an id was opened, for names within the process
	targets map[string]Target // by those names
	stopped error             // why nothing is opened any more
	tasks   sync.WaitGroup
}

func newConnections(p *program, onOpen func(string, sdk.ServerInfo, error), log *slog.Logger) *connections {
	return &connections{program: p, onOpen: onOpen, log: log, granted: func(int64) {}, current: map[string]*connection{}, opened: map[string]int{}, targets: map[string]Target{}}
}

// connection is an open connection, or one that is being opened.
type connection struct {
	target Target
	name   string // its id within the process
	done   chan struct{}
	cancel context.CancelCauseFunc
	// Valid after done.
	session sdk.Session
	err     error

	// Guarded by connections.mu.
	users   int
	version string            // Target.Fingerprint
	request [sha256.Size]byte // digest of what Target.Open returned
	stale   bool              // the warehouse refused its credentials: they may have changed
	retired bool              // not to be used by others any more
	closed  bool
}

func (c *connection) opening() bool {
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

// use returns the connection of a target, opened if need be. Who asks while it
// is being opened waits for that; when nobody waits any more, it is abandoned.
// The caller gives it back with leave.
func (cs *connections) use(ctx context.Context, t Target) (*connection, error) {
	c := cs.find(ctx, t)
	if c == nil {
		req, err := t.Open(ctx)
		if err != nil {
			cs.report(ctx, t.ID, sdk.ServerInfo{}, err)
			return nil, err
		}
		c = cs.adopt(ctx, t, req)
	}
	select {
	case <-c.done:
	case <-ctx.Done():
		cs.leave(ctx, c)
		return nil, notInTime(ctx, t.Installed.Name, fmt.Sprintf("connection %q was open", t.ID))
	}
	if c.err != nil {
		cs.leave(ctx, c)
		return nil, c.err
	}
	return c, nil
}

// find returns the target's connection, or nil if it may have another
// configuration by now.
func (cs *connections) find(ctx context.Context, t Target) *connection {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c, ok := cs.current[t.ID]
	if !ok {
		return cs.begin(ctx, t, t.Open)
	}
	if c.stale || c.version != t.Fingerprint || t.Fingerprint == "" && !c.opening() {
		return nil
	}
	c.users++
	return c
}

// adopt returns the connection that has the configuration of req: the one that
// is open, or a new one that takes its place.
func (cs *connections) adopt(ctx context.Context, t Target, req sdk.OpenRequest) *connection {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if old, ok := cs.current[t.ID]; ok {
		if !old.stale && old.request == digest(req) {
			old.users++
			old.version = t.Fingerprint
			return old
		}
		old.retired = true
		cs.settle(ctx, old)
	}
	return cs.begin(ctx, t, func(context.Context) (sdk.OpenRequest, error) { return req, nil })
}

// begin needs cs.mu. It starts to open a connection.
func (cs *connections) begin(ctx context.Context, t Target, resolve func(context.Context) (sdk.OpenRequest, error)) *connection {
	c := &connection{target: t, name: t.ID, done: make(chan struct{}), users: 1, version: t.Fingerprint}
	cs.opened[t.ID]++
	if n := cs.opened[t.ID]; n > 1 {
		c.name += "~" + strconv.Itoa(n) // the one before may still be in use
	}
	cs.targets[c.name] = t
	ctx, c.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	if cs.stopped != nil {
		c.err = cs.stopped
		c.cancel(nil)
		close(c.done)
		return c
	}
	cs.current[t.ID] = c
	cs.granted(cs.memoryLocked())
	cs.tasks.Go(func() {
		defer c.cancel(nil)
		c.session, c.err = cs.open(ctx, c, resolve)
		if c.err == nil {
			cs.report(ctx, t.ID, c.session.Server(), nil)
		} else {
			cs.report(ctx, t.ID, sdk.ServerInfo{}, c.err)
		}
		cs.mu.Lock()
		defer cs.mu.Unlock()
		if c.err != nil && cs.current[t.ID] == c {
			delete(cs.current, t.ID)
		}
		close(c.done)
		cs.settle(ctx, c)
	})
	return c
}

func (cs *connections) open(ctx context.Context, c *connection, resolve func(context.Context) (sdk.OpenRequest, error)) (sdk.Session, error) {
	req, err := resolve(ctx)
	if err != nil {
		return nil, err
	}
	cs.mu.Lock()
	c.request = digest(req)
	cs.mu.Unlock()
	cs.program.scrubber.Add(req.Config)
	req.ConnectionID = c.name
	reopen := func(ctx context.Context) error { return cs.reopen(ctx, c) }
	return cs.program.connect(reopen, func() { cs.expire(c) }).Open(ctx, req)
}

// reopen opens a connection again that its process has lost.
func (cs *connections) reopen(ctx context.Context, c *connection) error {
	req, err := c.target.Open(ctx)
	if err != nil {
		return err
	}
	cs.program.scrubber.Add(req.Config)
	req.ConnectionID = c.name
	_, err = cs.program.connect(nil, nil).Open(ctx, req)
	return err
}

// report passes the outcome of an attempt to open a connection on, unless it was
// abandoned.
func (cs *connections) report(ctx context.Context, id string, info sdk.ServerInfo, err error) {
	if cs.onOpen != nil && ctx.Err() == nil {
		cs.onOpen(id, info, err)
	}
}

// expire has the next user ask for the credentials again.
func (cs *connections) expire(c *connection) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c.stale = true
}

// leave gives a connection back.
func (cs *connections) leave(ctx context.Context, c *connection) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c.users--
	if c.users == 0 && c.opening() { // nobody waits for it any more
		c.retired = true
		if cs.current[c.target.ID] == c {
			delete(cs.current, c.target.ID)
		}
		c.cancel(nil)
	}
	cs.settle(ctx, c)
}

// settle needs cs.mu. It closes a connection that nobody may use any more.
func (cs *connections) settle(ctx context.Context, c *connection) {
	if !c.retired || c.closed || c.users > 0 || c.opening() || c.err != nil || cs.stopped != nil {
		return
	}
	c.closed = true
	cs.tasks.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		cs.close(ctx, c)
	})
}

func (cs *connections) close(ctx context.Context, c *connection) {
	if err := c.session.Close(ctx); err != nil {
		cs.log.Warn("closing a connection failed", "connection", c.name, "error", err)
	}
}

// closeAll closes every connection, for a process that is to stay.
func (cs *connections) closeAll(ctx context.Context) {
	cs.mu.Lock()
	var open []*connection
	for _, c := range cs.current {
		if !c.opening() && !c.closed {
			c.closed = true
			open = append(open, c)
		}
	}
	cs.mu.Unlock()
	for _, c := range open {
		cs.close(ctx, c)
	}
}

// stop ends what is under way, for a reason, and waits for it. The process must
// have ended; what is begun later fails at once.
func (cs *connections) stop(reason *sdk.Error) {
	cs.mu.Lock()
	cs.stopped = reason
	for _, c := range cs.current {
		c.cancel(reason)
	}
	cs.mu.Unlock()
	cs.tasks.Wait()
}

// named returns the target of a connection by its name within the process, also of one
// that was closed.
func (cs *connections) named(name string) (Target, bool) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	t, ok := cs.targets[name]
	return t, ok
}

// ids lists the connections that are open.
func (cs *connections) ids() []string {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return slices.Sorted(maps.Keys(cs.current))
}

// memory is what the connections may take between them, in bytes.
func (cs *connections) memory() int64 {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return cs.memoryLocked()
}

func (cs *connections) memoryLocked() int64 {
	var sum int64
	for _, c := range cs.current {
		sum += c.target.Memory
	}
	return sum
}

// digest identifies a configuration, its secrets included.
func digest(req sdk.OpenRequest) [sha256.Size]byte {
	secrets := map[string]string{}
	for path, secret := range req.Config.Secrets {
		secrets[path] = secret.Reveal()
	}
	text, err := json.Marshal([]any{string(req.Config.JSON), secrets, req.MaxOpen, req.IdleTimeout, req.StatementTimeout, req.MemoryBytes})
	if err != nil {
		panic(fmt.Sprintf("connector: strings and numbers do not marshal: %v", err))
	}
	return sha256.Sum256(text)
}
