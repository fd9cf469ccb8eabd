package transport

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// clock is a time that tests move.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newTestSessions(limit int) (*sessions, *clock, *[]string) {
	c, gone := &clock{time.Unix(1000, 0)}, &[]string{}
	m := newSessions(Limits{Sessions: limit, SessionIdle: time.Minute}, func(id string) { *gone = append(*gone, id) })
	m.now = c.now
	return m, c, gone
}

func mustOpen(t *testing.T, m *sessions) (*session, func()) {
	t.Helper()
	s, done, err := m.open()
	if err != nil {
		t.Fatal(err)
	}
	return s, done
}

func useError(m *sessions, id string) error {
	_, done, err := m.use(id)
	if err == nil {
		done()
	}
	return err
}

func TestIdleSessionsEndAndAreForgotten(t *testing.T) {
	t.Parallel()
	m, c, gone := newTestSessions(10)
	idle, done := mustOpen(t, m)
	done()
	busy, busyDone := mustOpen(t, m)
	c.at = c.at.Add(2 * time.Minute)
	m.sweep()
	if idle.ctx.Err() == nil || !errors.Is(useError(m, idle.id), errSessionEnded) || !slices.Equal(*gone, []string{idle.id}) {
		t.Errorf("the idle session lives on; gone: %v", *gone)
	}
	if busy.ctx.Err() != nil || useError(m, busy.id) != nil {
		t.Error("a session with a call in flight was ended")
	}
	busyDone()
	c.at = c.at.Add(50 * time.Second)
	m.sweep()
	if err := useError(m, busy.id); err != nil {
		t.Errorf("the idle time does not count from the end of the last call: %v", err)
	}
	c.at = c.at.Add(graveTime)
	m.sweep()
	if err := useError(m, idle.id); !errors.Is(err, errSessionUnknown) {
		t.Errorf("the grave is kept: %v", err)
	}
}

func TestSessionsAreCapped(t *testing.T) {
	t.Parallel()
	m, c, gone := newTestSessions(2)
	first, firstDone := mustOpen(t, m)
	c.at = c.at.Add(time.Second)
	second, secondDone := mustOpen(t, m)
	if _, _, err := m.open(); !errors.Is(err, errSessionsFull) {
		t.Fatalf("a third session beside two busy ones: %v", err)
	}
	secondDone()
	third, _ := mustOpen(t, m)
	if second.ctx.Err() == nil || first.ctx.Err() != nil || !slices.Equal(*gone, []string{second.id}) {
		t.Errorf("the wrong session made room; gone: %v", *gone)
	}
	firstDone()
	m.end(third)
	if m.count() != 1 || !errors.Is(useError(m, third.id), errSessionEnded) {
		t.Errorf("%d sessions live on", m.count())
	}
}

func TestGravesAreCapped(t *testing.T) {
	t.Parallel()
	m, _, _ := newTestSessions(3)
	for range 100 {
		s, done := mustOpen(t, m)
		done()
		m.end(s)
	}
	if len(m.graves) != 3 || len(m.dug) != 3 || m.unused.Len() != 0 {
		t.Errorf("%d graves, %d dug, %d in the list", len(m.graves), len(m.dug), m.unused.Len())
	}
}
