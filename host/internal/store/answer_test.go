package store

import (
	"sync"
	"testing"
	"time"
)

func TestAnswer(t *testing.T) {
	t.Parallel()
	s := mustOpen(t, statePath(t))
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	if got, err := s.Answer(t.Context(), []byte("k")); got != nil || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	for _, answer := range []string{`{"a":1}`, `{"b":2}`} {
		if err := s.PutAnswer(t.Context(), []byte("k"), []byte(answer), at); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Answer(t.Context(), []byte("k")); string(got) != answer || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
	for _, tt := range []struct {
		before time.Time
		want   string
	}{{at, `{"b":2}`}, {at.Add(time.Second), ""}} {
		if err := s.ForgetAnswers(t.Context(), tt.before); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Answer(t.Context(), []byte("k")); string(got) != tt.want || err != nil {
			t.Errorf("before %v: %q, %v", tt.before, got, err)
		}
	}
}

// TestSpendTokens: a day's tokens are counted across restarts, and no two callers share the last of them.
func TestSpendTokens(t *testing.T) {
	t.Parallel()
	path := statePath(t)
	s, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	spend := func(s *Store, day string, tokens, most int64) bool {
		ok, err := s.SpendTokens(t.Context(), day, tokens, most)
		if err != nil {
			t.Error(err)
		}
		return ok
	}
	var group sync.WaitGroup
	var mu sync.Mutex
	count := 0
	for range 20 {
		group.Go(func() {
			if spend(s, "2026-11-20", 10, 100) {
				mu.Lock()
				count++
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if count != 10 {
		t.Errorf("%d calls of 10 tokens with 100", count)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, path)
	if spend(s, "2026-11-20", 1, 100) || !spend(s, "2026-11-21", 1, 100) || !spend(s, "2026-11-20", 1, 0) {
		t.Error("the tokens of a day are not counted after a restart")
	}
	if !spend(s, "2026-11-20", -50, 0) || !spend(s, "2026-11-20", 40, 100) {
		t.Error("tokens that were given back do not count again")
	}
}
