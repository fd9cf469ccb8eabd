// Package layer returns the current semantic model of each connection, built from the files
// that people write, the scanned tables and the accepted relationships.
package layer

import (
	"context"
	"log/slog"
	"reflect"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/sdk/dialect"
)

// Config is the configuration of a Layer.
type Config struct {
	// Dir is the folder semantic-layer, with a folder for each connection's id.
	Dir string
	// Cache is the folder of parsed files by their hash, and of the columns of queries; it
	// may be deleted at any time.
	Cache    string
	Catalogs *catalog.Set
	Keys     *foreignkey.Set
	Logger   *slog.Logger
}

// Layer is the semantic layers of a project.
// Concurrency: any number of goroutines.
type Layer struct {
	Config
	cache *cache

	mu    sync.Mutex
	sites map[connection.ID]*site
}

// New returns the semantic layers of a project, whose folders need not exist.
func New(c Config) *Layer {
	return &Layer{Config: c, cache: newCache(c.Cache, c.Logger), sites: map[connection.ID]*site{}}
}

// Files are a connection's files at one moment.
// Concurrency: never changed.
type Files struct {
	// Version changes when any file does.
	Version model.Hash
	// List has the readable files by path, including broken ones.
	List []*model.File
	// Problems are those of files and folders that cannot be read at all.
	Problems []model.Problem
	// Newest is the latest time at which a file was written; zero = there are no files.
	Newest time.Time
	// all has the others as well, as sources that cannot be used.
	all []*model.File
}

// State is the semantic layer of a connection at one moment.
// Concurrency: never changed.
type State struct {
	Model *model.Model
	// Snapshot has the scanned tables; nil = never scanned, or damaged.
	Snapshot *catalog.Snapshot
	Files    *Files
	// Notes are sentences about outdated or missing parts.
	Notes []string
}

// site is what is known of one connection.
type site struct {
	id      connection.ID
	files   files
	tables  tables
	queries queries
	repeats repeats

	mu     sync.Mutex
	states []*state // the latest last
}

func (l *Layer) site(id connection.ID) *site {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.sites[id]
	if s == nil {
		s = &site{id: id}
		s.files.open(l, id)
		l.sites[id] = s
	}
	return s
}

// Files returns a connection's present files, parsed; hundreds of files may be up to 200 ms
// old unless this process wrote since. It builds no model.
// Shape: the same files as long as none changes; none when the connection has no folder.
// Errors: KindDenied when the folder cannot be read; those of ctx. Concurrent callers share
// the work; it goes on when one of them is cancelled.
func (l *Layer) Files(ctx context.Context, id connection.ID) (*Files, error) {
	if err := id.Validate(); err != nil {
		return nil, err
	}
	files, err := l.site(id).files.look(ctx)
	report(ctx, l, id, err)
	return files, err
}

// Current returns the present semantic layer, built from the files, the last snapshot and
// the accepted relationships. d is nil when the dialect is unknown.
// Shape: the same state as long as nothing changes, per connection and content of the
// dialect.
// Errors: those of Files; KindInvalid for an invalid file of decisions, KindDenied for it
// and for a snapshot.
func (l *Layer) Current(ctx context.Context, id connection.ID, d *dialect.Dialect) (*State, error) {
	if err := id.Validate(); err != nil {
		return nil, err
	}
	s := l.site(id)
	one := s.state(d)
	now, err := one.runs.Do(ctx, func(ctx context.Context) (*State, error) { return l.bring(ctx, s, one) })
	report(ctx, l, id, err)
	return now, err
}

// dialects is how many dialects of a connection are kept a model of: what its
// server was last, and what it was before it was upgraded.
const dialects = 3

// state returns the place for a connection's state in a dialect.
func (s *site) state(d *dialect.Dialect) *state {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.states {
		if one.dialect == d || d != nil && one.dialect != nil && reflect.DeepEqual(one.dialect, d) {
			return one
		}
	}
	one := &state{dialect: d}
	s.states = append(s.states, one)
	if len(s.states) > dialects {
		s.states = s.states[1:]
	}
	return one
}
