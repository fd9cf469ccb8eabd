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

// closeTimeout bounds the closing of an unused connection.
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
	opened  map[string]int    // how often an id was opened; makes the names in the process unique
	targets map[string]Target // by those names
	stopped error             // why no connection is opened any more; nil = they are
	tasks   sync.WaitGroup
}

func newConnections(p *program, onOpen func(string, sdk.ServerInfo, error), log *slog.Logger) *connections {
	return &connections{program: p, onOpen: onOpen, log: log, granted: func(int64) {}, current: map[string]*connection{}, opened: map[string]int{}, targets: map[string]Target{}}
}

// connection is an open connection, or one that is being opened.
type connection struct {
	target Target
	name   string // its id in the process
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
	retired bool              // no new users
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

// use returns the connection of a target, and opens it if needed. Callers share an attempt to
// open; when all have given up, it is abandoned. The caller calls leave.
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

// find returns the target's connection; nil if there is none, or its configuration may have
// changed.
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

// adopt returns the connection with the configuration of req: the open one, or a new one that
// replaces it.
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

// begin starts to open a connection. The caller has cs.mu.
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

// reopen opens a connection again that the process does not know any more.
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

// report calls OnOpen with the result of an attempt to open a connection, unless it was abandoned.
func (cs *connections) report(ctx context.Context, id string, info sdk.ServerInfo, err error) {
	if cs.onOpen != nil && ctx.Err() == nil {
		cs.onOpen(id, info, err)
	}
}

// expire makes the next user resolve the credentials again.
func (cs *connections) expire(c *connection) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c.stale = true
}

// leave ends a use of a connection.
func (cs *connections) leave(ctx context.Context, c *connection) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c.users--
	if c.users == 0 && c.opening() { // no caller waits for it any more
		c.retired = true
		if cs.current[c.target.ID] == c {
			delete(cs.current, c.target.ID)
		}
		c.cancel(nil)
	}
	cs.settle(ctx, c)
}

// settle closes a retired connection without users. The caller has cs.mu.
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

// closeAll closes every connection of a process that keeps running.
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

// stop cancels attempts to open with a reason, and waits for them. The process must have ended;
// later attempts fail at once.
func (cs *connections) stop(reason *sdk.Error) {
	cs.mu.Lock()
	cs.stopped = reason
	for _, c := range cs.current {
		c.cancel(reason)
	}
	cs.mu.Unlock()
	cs.tasks.Wait()
}

// named returns the target of a connection by its name in the process, also if it was closed.
func (cs *connections) named(name string) (Target, bool) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	t, ok := cs.targets[name]
	return t, ok
}

// ids returns the ids of the open connections.
func (cs *connections) ids() []string {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return slices.Sorted(maps.Keys(cs.current))
}

// memory returns the memory that all connections together may use, in bytes.
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

// digest returns a hash of a configuration, including its secrets.
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
