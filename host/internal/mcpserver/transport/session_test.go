package transport

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"
)

// clock is a time that tests move.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newTestSessions(limit int) (*sessions, *clock, *[]string) {
	c, gone := &clock{time.Unix(1000, 0)}, &[]string{}
	m := newSessions(Limits{Sessions: limit, AddressSessions: limit, SessionIdle: time.Minute}, func(id string) { *gone = append(*gone, id) })
	m.now = c.now
	return m, c, gone
}

func mustOpen(t *testing.T, m *sessions) (*session, func()) {
	t.Helper()
	s, done, err := m.open(nobody, "here")
	if err != nil {
		t.Fatal(err)
	}
	return s, done
}

func useError(m *sessions, id string) error {
	_, done, err := m.use(id, nobody)
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
	if _, _, err := m.open(nobody, "there"); err == nil || !strings.Contains(err.Error(), "all sessions are in use, of which there may be 2") {
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

// One address cannot have all sessions, and not those that others use: it gives up
// its own.
func TestSessionsOfAnAddressAreCapped(t *testing.T) {
	t.Parallel()
	m, _, _ := newTestSessions(4)
	m.each = 2
	open := func(place string) (*session, func()) {
		t.Helper()
		s, done, err := m.open(nobody, place)
		if err != nil {
			t.Fatal(err)
		}
		return s, done
	}
	other, done := open("other") // the longest unused of all
	done()
	first, firstDone := open("loud")
	_, secondDone := open("loud")
	taken := &full{}
	if _, _, err := m.open(nobody, "loud"); !errors.As(err, &taken) || taken.all || !strings.Contains(err.Error(), "all sessions of this address are in use, of which there may be 2") {
		t.Errorf("a third one of an address with two busy ones: %v", err)
	}
	firstDone()
	for range 10 {
		_, done := open("loud")
		done()
	}
	if first.ctx.Err() == nil || other.ctx.Err() != nil {
		t.Error("it did not give up its own session")
	}
	open("third")
	if _, fourthDone := open("fourth"); m.count() != 4 || other.ctx.Err() == nil { // all are taken, and it has none of its own
		t.Errorf("%d sessions; the longest unused of all lives on: %v", m.count(), other.ctx.Err() == nil)
	} else {
		fourthDone()
	}
	secondDone()
	for _, s := range m.live {
		m.end(s)
	}
	if len(m.places) != 0 {
		t.Errorf("left behind: %v", m.places)
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
