package testserver

import (
	"sync"
	"testing"
)

// shared is a server that all tests of a process share. It is started on first use and
// ends with the process, however that ends.
type shared[S any] struct {
	once   sync.Once
	server S
	err    error
}

// get returns the server; name is for the error of a start that failed.
func (s *shared[S]) get(t testing.TB, name string, start func() (S, error)) S {
	t.Helper()
	s.once.Do(func() { s.server, s.err = start() })
	if s.err != nil {
		t.Fatalf("starting %s: %v", name, s.err)
	}
	return s.server
}

// own starts a server of one test, which ends with the test.
func own[S interface{ Kill() }](t testing.TB, name string, start func() (S, error)) S {
	t.Helper()
	s, err := start()
	if err != nil {
		t.Fatalf("starting %s: %v", name, err)
	}
	t.Cleanup(s.Kill)
	return s
}
