package project

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/connection"
)

// settle is how old a file's last change must be before an unchanged size and
// time prove an unchanged content. Source: the coarsest file time in use, two
// seconds on FAT.
const settle = 2 * time.Second

// Source gives the project as its file says now: an edit is seen by the next
// call, and a file that did not change costs one stat.
// Concurrency: any number of goroutines.
type Source struct {
	dir string
	now func() time.Time

	mu      sync.Mutex
	seen    os.FileInfo // of the file as text holds it; nil = never read
	readAt  time.Time
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
	file := filepath.Join(s.dir, FileName)
	info, err := os.Stat(file)
	if err == nil && s.unchanged(info) {
		return s.project, s.err
	}
	readAt := s.now()
	text, err := read(file)
	if err != nil {
		s.seen = nil
		return nil, err
	}
	if s.seen == nil || !bytes.Equal(text, s.text) {
		s.project, s.err = parse(s.dir, text)
	}
	s.seen, s.readAt, s.text = info, readAt, text
	return s.project, s.err
}

func (s *Source) unchanged(info os.FileInfo) bool {
	return s.seen != nil && os.SameFile(s.seen, info) && s.seen.Size() == info.Size() &&
		s.seen.ModTime().Equal(info.ModTime()) && s.readAt.Sub(info.ModTime()) > settle
}

// Connections returns the connections of the current project.
func (s *Source) Connections(ctx context.Context) (*connection.Registry, error) {
	p, err := s.Current(ctx)
	if err != nil {
		return nil, err
	}
	return p.Connections, nil
}
