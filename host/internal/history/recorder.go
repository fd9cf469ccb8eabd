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
	// maxQueued and maxQueuedBytes bound the calls that wait to be written; the
	// second counts their arguments.
	maxQueued      = 4096
	maxQueuedBytes = 8 << 20
	// maxArguments is how much of a call's arguments is looked at at all, in
	// bytes as sent; maxKept is how much of what is left of them is kept.
	maxArguments = 64 << 10
	maxKept      = 4 << 10
	// maxBatch bounds the calls of one transaction.
	maxBatch = 64
	// maxWord bounds what a client says of itself, in bytes.
	maxWord = 100
)

// Settings say what is kept.
type Settings struct {
	Off bool
	// Keep is how long a call is kept and Rows how many of the latest are.
	Keep      time.Duration
	Rows      int
	Arguments Arguments
}

// Default is what is kept where nothing is set.
func Default() Settings {
	return Settings{Keep: 30 * 24 * time.Hour, Rows: 100_000, Arguments: Shape}
}

// Call is one tool call that was answered. Bytes are those of the answer.
type Call struct {
	Request    string
	Started    time.Time
	Elapsed    time.Duration
	Tool       string
	Connection string          // "" = take it from the arguments
	Arguments  json.RawMessage // as sent, without secrets
	Outcome    string
	Incident   string
	Rows       int // store.NoRows = none
	Bytes      int
	Caller     caller.Record

	size int // of the arguments as sent
}

// Config is what a Recorder is made of. All fields are required.
type Config struct {
	// Store opens the state store.
	Store func(context.Context) (Store, error)
	// Settings returns what is to be kept as it is set now.
	Settings func(context.Context) (Settings, error)
	// Dialects returns the dialects of a connection, none when it is unknown.
	Dialects func(connection string) []dialect.Dialect
	Now      func() time.Time
	Logger   *slog.Logger
}

// A Store keeps calls; *store.Store is one.
type Store interface {
	PutCalls(context.Context, []store.Call, []store.CallGap) error
	PruneCalls(context.Context, store.Retention) error
	Answered(ctx context.Context, tools []string, latest int) ([]store.Answered, error)
}

// Recorder records calls. Nothing runs before the first one.
// Concurrency: any number of goroutines and, on one store, of processes.
type Recorder struct {
	config Config
	ring   chan struct{} // there is something to write
	ended  chan struct{} // the writer has returned

	alive, writing context.Context // the writer goes on; a write may go on
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

// Stats counts the calls of this process.
type Stats struct {
	Recorded int64
	Lost     int64
	// Failure of the last write; nil when that succeeded.
	Failure error
}

// New makes a Recorder.
func New(c Config) *Recorder {
	r := &Recorder{config: c, ring: make(chan struct{}, 1), ended: make(chan struct{}), lost: map[string]*store.CallGap{}}
	r.alive, r.stop = context.WithCancel(context.Background())
	r.writing, r.abandon = context.WithCancel(context.Background())
	r.w = writer{recorder: r, settings: Default()}
	return r
}

// Record keeps a call, soon. It never waits and never fails.
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
	default: // it will be seen with what rang before
	}
}

// lose counts a call that is not recorded. It runs under the lock.
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

// Stats returns what was counted so far.
func (r *Recorder) Stats() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.stats
	s.Failure = r.failure
	return s
}

// Close writes what waits and ends the writer. Calls recorded later are lost.
// When ctx ends first, what waits then is lost, and said in the log.
// Idempotent.
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
	<-r.ended // a write that is abandoned returns
	r.abandon()
}

// Set returns the settings with which a zero value stands for the default.
func Set(off bool, keep time.Duration, rows int, arguments Arguments) Settings {
	d := Default()
	return Settings{Off: off, Keep: cmp.Or(keep, d.Keep), Rows: cmp.Or(rows, d.Rows), Arguments: cmp.Or(arguments, d.Arguments)}
}
