// Package history is the audit trail: one row per tool call in the state store,
// written asynchronously.
//
// A call that ends goes into a bounded queue, which serves clients in rotation. A
// writer of this process takes several calls at a time and inserts them with one
// statement. When the queue is full, or the store cannot be written, calls are lost:
// they are counted and logged, and recorded as a gap as soon as the store can be
// written again, so that the trail shows where it is incomplete.
package history

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

const (
	// maxQueued bounds the calls that wait to be written, maxQueuedBytes their arguments.
	maxQueued      = 4096
	maxQueuedBytes = 8 << 20
	// Arguments of more than maxArguments bytes are not recorded, only their size; of shorter
	// ones at most maxKept bytes are.
	maxArguments = 64 << 10
	maxKept      = 4 << 10
	// maxBatch bounds the calls of one transaction.
	maxBatch = 64
	// maxWord bounds the name and version of a client, and connection ids, in bytes.
	maxWord = 100
)

// Settings say which calls are recorded, and for how long.
type Settings struct {
	Off bool
	// Keep is the age at which a call is deleted; only the latest Rows calls are kept.
	Keep      time.Duration
	Rows      int
	Arguments Arguments
}

// Default returns the settings of a project that sets nothing: 30 days, 100,000 calls, Shape.
func Default() Settings {
	return Settings{Keep: 30 * 24 * time.Hour, Rows: 100_000, Arguments: Shape}
}

// Call is one tool call that has ended.
type Call struct {
	Request    string
	Started    time.Time
	Elapsed    time.Duration
	Tool       string
	Connection string          // "" = the one that the arguments name
	Arguments  json.RawMessage // as sent, without the secrets that the host knows
	Outcome    string
	Incident   string
	Rows       int // store.NoRows = the tool returns no rows
	Bytes      int // of the answer
	Caller     caller.Record

	size int  // of the arguments as sent
	own  bool // the host made the arguments, and they are recorded as they are
}

// Config has the dependencies of a Recorder. All fields are required.
type Config struct {
	// Store returns the state store.
	Store func(context.Context) (Store, error)
	// Settings returns the current settings.
	Settings func(context.Context) (Settings, error)
	// Dialects returns the possible dialects of a connection; none when it is unknown.
	Dialects func(connection string) []dialect.Dialect
	Now      func() time.Time
	Logger   *slog.Logger
}

// A Store stores calls; *store.Store implements it.
type Store interface {
	PutCalls(context.Context, []store.Call, []store.CallGap) error
	PruneCalls(context.Context, store.Retention) error
	Answered(ctx context.Context, tools []string, latest int) ([]store.Answered, error)
	Calls(context.Context, store.CallFilter) ([]store.Call, error)
	SavedQueryRuns(context.Context, []store.SavedQuery) (map[store.SavedQuery]store.SavedQueryRuns, error)
}

// Recorder records calls. The first call starts its goroutine, Close ends it.
// Concurrency: its methods may be called concurrently; several processes may share a store.
type Recorder struct {
	config Config
	ring   chan struct{} // receives a value when there is something to write
	ended  chan struct{} // the writer has returned

	alive, writing context.Context // end when the writer must stop; when a write must stop
	stop, abandon  context.CancelFunc

	mu      sync.Mutex
	queue   queue
	lost    map[string]*store.CallGap // by reason
	failure error                     // of the last write
	running bool
	over    bool
	stats   Stats

	w writer
}

// Stats counts the calls of this process. Lost calls are not in the store.
type Stats struct {
	Recorded int64
	Lost     int64
	// Failure is the error of the last write; nil = it succeeded.
	Failure error
}

// New returns a Recorder. The caller closes it.
func New(c Config) *Recorder {
	r := &Recorder{config: c, ring: make(chan struct{}, 1), ended: make(chan struct{}), lost: map[string]*store.CallGap{}}
	r.alive, r.stop = context.WithCancel(context.Background())
	r.writing, r.abandon = context.WithCancel(context.Background())
	r.w = writer{recorder: r, settings: Default()}
	return r
}

// Record queues a call for writing. It does no I/O and returns no error: a call that cannot be
// queued is counted as lost.
func (r *Recorder) Record(c Call) {
	c.size = len(c.Arguments)
	if c.size > maxArguments {
		c.Arguments = nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		r.lose(&c)
		return
	}
	r.queue.add(c, r.lose)
	if !r.running {
		r.running = true
		go r.w.run()
	}
	select {
	case r.ring <- struct{}{}:
	default: // the writer has not seen the last signal yet
	}
}

// lose counts a call that is not recorded. The caller has r.mu.
func (r *Recorder) lose(c *Call) {
	reason := "more calls ended than could be written"
	switch {
	case r.failure != nil:
		reason = "the state store could not be written: " + string(sdk.KindOf(r.failure))
	case r.over:
		reason = "the host was ending"
	}
	ended := c.Started.Add(c.Elapsed)
	g, ok := r.lost[reason]
	if !ok {
		g = &store.CallGap{From: ended, Until: ended, Reason: reason}
		r.lost[reason] = g
	}
	if ended.Before(g.From) {
		g.From = ended
	}
	if ended.After(g.Until) {
		g.Until = ended
	}
	g.Calls++
	r.stats.Lost++
}

// Stats returns the current counts.
func (r *Recorder) Stats() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.stats
	s.Failure = r.failure
	return s
}

// Close writes the queued calls and ends the goroutine. When ctx ends first, or the last writes
// take more than five seconds, the remaining calls are lost and logged. Calls recorded later
// are lost. Close is idempotent.
func (r *Recorder) Close(ctx context.Context) {
	r.mu.Lock()
	r.over = true
	running := r.running
	r.mu.Unlock()
	r.stop()
	if !running {
		return
	}
	defer context.AfterFunc(ctx, r.abandon)()
	<-r.ended // abandon makes a write return
	r.abandon()
}

// Set returns settings in which zero values are replaced by those of Default.
func Set(off bool, keep time.Duration, rows int, arguments Arguments) Settings {
	d := Default()
	return Settings{Off: off, Keep: cmp.Or(keep, d.Keep), Rows: cmp.Or(rows, d.Rows), Arguments: cmp.Or(arguments, d.Arguments)}
}
