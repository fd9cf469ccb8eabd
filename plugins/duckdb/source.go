//go:build cgo

package duckdb

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/loam-data/loam/plugins/duckdb/internal/engine"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// registry holds the sources of the process. Sessions with equal configurations
// share one, because the lock on a database file belongs to the process: closing
// one of two databases of a file would take the lock from the other, and a
// writer could change what is being read.
// Source: fcntl(2), "Record locking".
type registry struct {
	mu  sync.Mutex
	all []*source
}

var sources registry

// take returns the source of a configuration, whose paths it makes absolute.
// Errors: KindConflict for a file that is open with another configuration.
func (r *registry) take(c *config, memory int64, idle time.Duration) (*source, error) {
	if err := absolute(c); err != nil {
		return nil, err
	}
	key, err := json.Marshal([]any{c, memory})
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.all {
		if s.key == string(key) {
			s.sessions++
			return s, nil
		}
		if c.Path != "" && s.config.Path == c.Path {
			return nil, sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "another connection has %s open with other settings", c.Path).
				WithHint("give both connections the same folders, threads and limits.memory, or set isolation: connection")
		}
	}
	s := &source{key: string(key), config: c, memory: memory, idle: idle, sessions: 1}
	r.all = append(r.all, s)
	return s, nil
}

// drop gives a source back; the last one closes its database.
func (r *registry) drop(s *source) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.sessions--; s.sessions == 0 {
		r.all = slices.DeleteFunc(r.all, func(other *source) bool { return other == s })
		s.retire()
	}
}

func absolute(c *config) error {
	paths := []*string{&c.Path}
	for i := range c.Folders {
		paths = append(paths, &c.Folders[i])
	}
	for _, path := range paths {
		if *path == "" {
			continue
		}
		abs, err := filepath.Abs(*path)
		if err != nil {
			return sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "%s: %w", *path, err).WithHint("give the whole path")
		}
		if real, err := filepath.EvalSymlinks(abs); err == nil {
			abs = real // what is missing is reported when it is opened
		}
		*path = abs
	}
	return nil
}

// source is what a configuration leads to, with the database that is open now.
// Concurrency: safe for several goroutines.
type source struct {
	key    string
	config *config
	memory int64 // in bytes
	idle   time.Duration
	// sessions is the registry's.
	sessions int

	mu      sync.Mutex
	current *instance
}

// use runs f on a new connection to a database that shows the files as they are.
func (s *source) use(ctx context.Context, f func(context.Context, *conn) error) error {
	i, err := s.acquire(ctx)
	if err != nil {
		return err
	}
	defer s.release(i)
	c, err := i.connect()
	if err != nil {
		return err
	}
	defer c.Close()
	release := c.Watch(ctx)
	err = f(ctx, c)
	release()
	if fatal(err) {
		s.retireThis(i)
	}
	return err
}

// acquire returns the open database, or opens it.
func (s *source) acquire(ctx context.Context) (*instance, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ended := sqlkit.ContextError(ctx); ended != nil {
		return nil, ended
	}
	if s.current != nil && s.current.replaced() {
		s.retireLocked()
	}
	if s.current == nil {
		i, err := openInstance(ctx, s.config, s.memory)
		if err != nil {
			return nil, err
		}
		s.current = i
	}
	i := s.current
	if i.timer != nil {
		i.timer.Stop()
	}
	i.uses++
	return i, nil
}

// release gives a database back. One that nobody uses closes after a while:
// as long as it is open, nobody can write to its file.
func (s *source) release(i *instance) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i.uses--; i.uses > 0 {
		return
	}
	if i != s.current {
		i.db.Close()
		return
	}
	i.timer = time.AfterFunc(s.idle, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if i == s.current && i.uses == 0 {
			s.retireLocked()
		}
	})
}

// refresh makes the next use read the folders again, if they changed.
func (s *source) refresh(ctx context.Context, i *instance) (changed bool, err error) {
	if changed, err = i.changed(ctx, s.config); changed {
		s.retireThis(i)
	}
	return changed, err
}

func (s *source) retireThis(i *instance) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i == s.current {
		s.retireLocked()
	}
}

// retire closes the database, at once or when its last use ends.
func (s *source) retire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != nil {
		s.retireLocked()
	}
}

func (s *source) retireLocked() {
	i := s.current
	s.current = nil
	if i.timer != nil {
		i.timer.Stop()
	}
	if i.uses == 0 {
		i.db.Close()
	}
}

// fatal reports whether an error leaves a database unusable.
func fatal(err error) bool {
	e, ok := errors.AsType[*engine.Error](err)
	return ok && (e.Type == "FATAL" || e.Type == "INTERNAL")
}
