// Package indexer keeps the search index up to date: it compares it with the snapshots, semantic files and pages,
// builds missing segments on disk, and returns one consistent state of all of them.
//
// The index consists of units: the tables of each connection, the definitions in its semantic layer, and the wiki. The
// texts of collected files have an index of their own, by another Indexer, so that they change neither the cost nor the
// ranking of other searches. A unit is divided into shards with one segment each, in a file named by the hash of the
// indexed content. A change rebuilds the shards that contain it, and all hosts of a project share the files. There is
// nothing to invalidate. A call checks the heads of the catalogs and the files; where they differ from the current
// state, one goroutine opens or builds the missing segments, and a unit enters the state when all of its segments are
// complete.
package indexer

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/chunk"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/semantic/listing"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
)

// Config is the configuration of an Indexer. The Indexer of the project has all fields except Files; that of the
// collected files has Files, Dir and Logger.
type Config struct {
	// Dir is the folder of the segments. It may be deleted at any time.
	Dir string
	// Connections returns the current connections.
	Connections func(context.Context) (*connection.Registry, error)
	Catalogs    *catalog.Set
	Semantic    filer
	Wiki        *wiki.Wiki
	Files       texter
	Logger      *slog.Logger
}

// A texter has the collected files as they are now: the same pointer while nothing changes.
type texter interface {
	View(context.Context) (*chunk.View, error)
	Pieces(ctx context.Context, repo, path string) ([]chunk.Piece, error)
}

// A filer has the files of the connections' semantic layers as they are now: the
// same pointer while nothing changes.
type filer interface {
	Files(context.Context, connection.ID) (*layer.Files, error)
}

// Indexer maintains the index and returns its states. Several processes may use one folder.
// Concurrency: any number of goroutines.
type Indexer struct {
	config   Config
	analyzer *text.Analyzer
	version  string // of the rules that segments are made under
	patience time.Duration
	large    int
	step     func(string) // called between the steps of a build, by tests

	round   atomic.Int64  // of the last look that began
	looking chan struct{} // held by who looks
	seen    *sight        // by the last look

	// background is the life of the goroutine that makes segments.
	background context.Context
	cancel     context.CancelFunc
	running    sync.WaitGroup
	close      func() error
	segments   map[string]*search.Segment // that it has open, by file
	swept      bool                       // it has cleaned the folder
	made       int                        // tables, pages and sources in the segments of the present work

	mu      sync.Mutex
	state   *state
	order   *sight // to make next; nil = none
	ordered int64  // the round of the last one that was ordered
	active  bool   // the goroutine is there
	closed  bool
	done    outcome
	changed chan struct{} // closed when any of this does
	spoilt  map[connection.ID]spoilt

	watching sync.Mutex
	watchers map[*func(sdk.Progress)]bool
}

// New returns an indexer. It reads nothing before the first call.
func New(c Config) *Indexer {
	x := &Indexer{
		config: c, analyzer: text.New(), patience: patience, large: large, step: func(string) {}, looking: make(chan struct{}, 1),
		segments: map[string]*search.Segment{}, changed: make(chan struct{}),
		spoilt: map[connection.ID]spoilt{}, watchers: map[*func(sdk.Progress)]bool{},
	}
	x.version = search.Version(x.analyzer)
	x.background, x.cancel = context.WithCancel(context.Background())
	x.close = sync.OnceValue(x.shut)
	return x
}

// State is one consistent state of the project.
type State struct {
	Index *search.Index
	// Snapshots are the indexed snapshots. A connection that was never scanned, or whose catalog is damaged, has none.
	Snapshots map[connection.ID]*catalog.Snapshot
	// Semantic are the indexed semantic layers. A connection without files has none.
	Semantic map[connection.ID]Semantic
	// Pages is the indexed wiki.
	Pages *wiki.View
	// Notes are sentences about outdated or missing parts.
	Notes []string

	notes   []note // what Notes says, with the connections that it is of
	of      *state
	release func()
}

// Semantic is a connection's semantic files with their listing.
type Semantic struct {
	Files   *layer.Files
	Listing *listing.Listing
}

// Release ends the use of a state. It may be called again.
func (s *State) Release() { s.release() }

// patience is how long a call waits for what has to be made first.
const patience = 3 * time.Second

// Current returns the present state of the project, with the last snapshots and the pages on disk. It waits a short
// time for missing segments; then it returns the previous state with a note, while the work goes on.
// Errors: KindUnavailable with Retry while there is no earlier state; the error that prevents the first index; those of
// Config.Connections and of ctx.
func (x *Indexer) Current(ctx context.Context) (*State, error) {
	s, err := x.look(ctx)
	if err != nil {
		return nil, err
	}
	if now := x.take(s, nil); now != nil && now.whole {
		return now.state, nil
	} else if now != nil {
		now.state.Release()
	}
	timer := time.NewTimer(x.patience)
	defer timer.Stop()
	s, err = x.await(ctx, s, timer.C)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if now := x.take(s, err); now != nil {
		return now.state, nil
	}
	if err != nil {
		return nil, err
	}
	e := sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "the index of what was scanned is being made").
		WithHint("ask again in a few seconds")
	e.Retry = true
	return nil, e
}

// Refresh builds all missing segments. progress may be nil; it is called by one goroutine at a time, and not after the
// return.
// Errors: KindDenied when the folder cannot be written; those of
// Config.Connections and of ctx.
func (x *Indexer) Refresh(ctx context.Context, progress func(sdk.Progress)) error {
	if progress != nil {
		defer x.watch(&progress)()
	}
	s, err := x.look(ctx)
	if err != nil {
		return err
	}
	x.mu.Lock()
	x.done.until = time.Time{} // what failed before is worth another try
	x.mu.Unlock()
	_, err = x.await(ctx, s, nil)
	return err
}

// Close ends the background work and releases the segments; states in use keep theirs. It may be called again.
func (x *Indexer) Close() error { return x.close() }
