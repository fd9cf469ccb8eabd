package project

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/file"
)

// Source gives the project as its file says now: an edit is seen by the next
// call, and a file that did not change costs one stat.
// Concurrency: any number of goroutines.
type Source struct {
	dir string
	now func() time.Time

	mu      sync.Mutex
	seen    file.Seen // the file as text holds it
	text    []byte
	project *Project
	err     error
}

// NewSource follows the project in dir; now tells the time.
func NewSource(dir string, now func() time.Time) *Source { return &Source{dir: dir, now: now} }

// Current returns the project. Errors: as Load, for as long as the file stays
// broken.
func (s *Source) Current(ctx context.Context) (*Project, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	path := filepath.Join(s.dir, FileName)
	info, err := os.Stat(path)
	if err == nil && s.seen.Same(info) {
		return s.project, s.err
	}
	readAt := s.now()
	text, err := read(path)
	if err != nil {
		s.seen, s.text = file.Seen{}, nil
		return nil, err
	}
	if s.text == nil || !bytes.Equal(text, s.text) {
		s.project, s.err = parse(s.dir, text)
	}
	s.seen, s.text = file.SeenAt(info, readAt), text
	return s.project, s.err
}

// Connections returns the connections of the current project.
func (s *Source) Connections(ctx context.Context) (*connection.Registry, error) {
	p, err := s.Current(ctx)
	if err != nil {
		return nil, err
	}
	return p.Connections, nil
}
