package memory

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/planner"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/run"
	"github.com/loam-data/loam/host/internal/semantic/layer"
	"github.com/loam-data/loam/host/internal/warehouse"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Config is the configuration of a Service. Fields are required unless noted.
type Config struct {
	// Dir is the folder of the project, and State the one in it where the host writes.
	Dir, State string
	// User whose own pages are read beside the global ones, "" = none.
	User string
	// Settings returns the current settings of loam.yaml.
	Settings   func(context.Context) (project.Memory, error)
	Store      run.LazyStore
	Engine     *change.Engine
	Warehouses *warehouse.Set
	Layer      layers
	Query      engine
	Wiki       *wiki.Wiki
	Index      index
	// Queries returns the saved queries of a connection, with the tables that their statements read; nil = they are not known.
	Queries func(ctx context.Context, id connection.ID) ([]SavedQuery, error)
	// Texts are the collected files; nil = there are none.
	Texts texts
	// Known removes the secrets of this program's configuration from a text.
	Known func(text string) string
	Plan  func(in planner.Input, view planner.View) (*planner.Plan, error)
	// Model extracts statements where the settings enable it; may be nil.
	Model  extractor
	Now    func() time.Time
	Logger *slog.Logger
	// step is called between the steps of a run, by tests; nil = nobody.
	step func(name string)
	// planTime is the time that a plan may take; 0 = the usual one.
	planTime time.Duration
}

// layers are the semantic layers of the project; *layer.Layer is one.
type layers interface {
	Current(ctx context.Context, id connection.ID, d *dialect.Dialect) (*layer.State, error)
}

// An engine runs statements and estimates what they read; *query.Service is one.
type engine interface {
	Run(ctx context.Context, r query.Request, sink query.Sink) (query.Summary, error)
	Validate(ctx context.Context, id connection.ID, sql string) (sdk.Validation, error)
}

// texts reports whether a collected file other than the named one says something; *chunk.Engine is one.
type texts interface {
	Says(ctx context.Context, text, other string) (bool, error)
}

// An index is an indexer.Indexer.
type index interface {
	Refresh(ctx context.Context, progress func(sdk.Progress)) error
	Current(ctx context.Context) (*indexer.State, error)
}

// Service is the memory of a project. It opens no file before it is used.
// Concurrency: any number of goroutines, and of processes on one project.
type Service struct {
	Config
	rates  rates
	worker worker
	// deciding is held by who has the lock of the memory, or waits for it, in this process.
	deciding chan struct{}
	salt     func() ([]byte, error)
}

// New makes a Service.
func New(c Config) *Service {
	s := &Service{Config: c, deciding: make(chan struct{}, 1)}
	if s.step == nil {
		s.step = func(string) {}
	}
	s.salt = sync.OnceValues(s.readSalt)
	s.worker.init(s)
	return s
}

// Resume works off runs that earlier processes left queued, in the background. Where no text was ever accepted it
// opens no state store, which the history of calls may have made.
func (s *Service) Resume() {
	if _, err := os.Stat(s.saltPath()); err == nil && s.began() {
		s.worker.start()
	}
}

// Close gives the queue some seconds and ends the background work; waiting runs are left to the next
// process. Idempotent.
func (s *Service) Close() error { return s.worker.close() }

// began reports whether there is a state store: without one nothing was ever remembered.
func (s *Service) began() bool {
	_, err := os.Stat(s.Store.Path())
	return err == nil
}

func (s *Service) lockPath() string { return filepath.Join(s.State, "memory.lock") }

// saltPath is the file that every accepted text requires, made by the first one.
func (s *Service) saltPath() string { return filepath.Join(s.State, "memory.salt") }
