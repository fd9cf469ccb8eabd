package project

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/file"
)

// Source returns the current project: it reads the file again when that has changed. A
// file that did not change costs one stat, without a lock.
// Concurrency: any number of goroutines.
type Source struct {
	dir, path string
	now       func() time.Time

	last    atomic.Pointer[reading]
	reading sync.Mutex // held while the file is read
}

// reading is the file's content with the time at which it was read.
type reading struct {
	seen    file.Seen
	text    []byte
	project *Project
	err     error
}

// NewSource returns the source of the project in dir; now is the clock.
func NewSource(dir string, now func() time.Time) *Source {
	return &Source{dir: dir, path: filepath.Join(dir, FileName), now: now}
}

// Dir returns the project folder, which need not hold a project yet.
func (s *Source) Dir() string { return s.dir }

// Current returns the project. Errors: as Load, for as long as the file stays
// broken.
func (s *Source) Current(ctx context.Context) (*Project, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r := s.last.Load(); r != nil {
		if info, err := os.Stat(s.path); err == nil && r.seen.Same(info) {
			return r.project, r.err
		}
	}
	s.reading.Lock()
	defer s.reading.Unlock()
	info, _ := os.Stat(s.path) // what is wrong with it, reading tells
	last := s.last.Load()
	if last != nil && info != nil && last.seen.Same(info) {
		return last.project, last.err
	}
	readAt := s.now()
	text, err := read(s.path)
	if err != nil {
		s.last.Store(nil)
		return nil, err
	}
	next := &reading{seen: file.SeenAt(info, readAt), text: text}
	if last != nil && bytes.Equal(text, last.text) {
		next.project, next.err = last.project, last.err
	} else {
		next.project, next.err = parse(s.dir, text)
	}
	s.last.Store(next)
	return next.project, next.err
}

// Connections returns the connections of the current project.
func (s *Source) Connections(ctx context.Context) (*connection.Registry, error) {
	p, err := s.Current(ctx)
	if err != nil {
		return nil, err
	}
	return p.Connections, nil
}
