package catalog

import (
	"path/filepath"
	"sync"
)

// Set is the catalogs of a project's connections, each in a folder named after
// its connection.
// Concurrency: any number of goroutines.
type Set struct {
	dir string

	mu  sync.Mutex
	all map[string]*Catalog
}

// NewSet returns the catalogs below a folder, which need not exist.
func NewSet(dir string) *Set { return &Set{dir: dir, all: map[string]*Catalog{}} }

// Of returns a connection's catalog, the same one every time.
func (s *Set) Of(connection string) *Catalog {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.all[connection]
	if c == nil {
		c = Open(filepath.Join(s.dir, connection), connection)
		s.all[connection] = c
	}
	return c
}
