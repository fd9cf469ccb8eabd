package transport

import (
	"cmp"
	"container/list"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/sdk"
)

var (
	errSessionUnknown = errors.New("there is no such session: send initialize without Mcp-Session-Id")
	errSessionEnded   = errors.New("the session has ended: send initialize without Mcp-Session-Id")
)

// graveTime is how long an ended session is told from one that never was.
const graveTime = 10 * time.Minute

// session is one client of the era that has sessions.
type session struct {
	id    string
	who   *principal      // who alone may speak in it
	place string          // where its client is; see principal.place
	ctx   context.Context // done when the session has ended
	stop  context.CancelCauseFunc
	calls int           // requests being served
	used  time.Time     // when the last request began or ended
	entry *list.Element // in sessions.unused

	requests  requests
	questions questions
	introduced
}

var _ server.SessionWithClientInfo = (*session)(nil)

// SessionID is that of the client's requests.
func (s *session) SessionID() string { return s.id }

// Initialize has nothing to do: a session begins with its first request.
func (*session) Initialize() {}

// Initialized is always true.
func (*session) Initialized() bool { return true }

// NotificationChannel is none: what a call sends goes with its answer.
func (*session) NotificationChannel() chan<- mcp.JSONRPCNotification { return nil }

// sessions knows every live session and, for a while, the ended ones.
// Units: at most limit sessions and as many graves.
// Concurrency: any goroutine. gone is called without the lock, once for each
// session that the client did not end itself.
type sessions struct {
	limit, each int // sessions, in all and of a place
	idle        time.Duration
	now         func() time.Time
	gone        func(id string)

	mu     sync.Mutex
	live   map[string]*session
	places map[string]int // how many live sessions a place has
	unused *list.List     // of *session, the longest unused first
	graves map[string]time.Time
	dug    []string // the ids of graves, oldest first
}

func newSessions(l Limits, gone func(id string)) *sessions {
	return &sessions{
		limit: l.Sessions, each: min(l.AddressSessions, l.Sessions), idle: l.SessionIdle, now: time.Now, gone: gone,
		live: map[string]*session{}, places: map[string]int{}, unused: list.New(), graves: map[string]time.Time{},
	}
}

// full is why there is no session for a client.
type full struct {
	all   bool // no place has one, not only the client's own
	limit int
}

func (e *full) Error() string {
	if e.all {
		return fmt.Sprintf("all sessions are in use, of which there may be %d: try again later, or start the server with more (--sessions)", e.limit)
	}
	return fmt.Sprintf("all sessions of this address are in use, of which there may be %d: end some, or start the server with more (--sessions-per-address)", e.limit)
}

// open makes a session with one request being served; done ends that request.
// Errors: *full.
func (m *sessions) open(who *principal, place string) (s *session, done func(), err error) {
	m.mu.Lock()
	evicted, err := m.makeRoom(place)
	if err != nil {
		m.mu.Unlock()
		return nil, nil, err
	}
	s = &session{id: rand.Text(), who: who, place: place}
	s.ctx, s.stop = context.WithCancelCause(context.Background())
	s.entry = m.unused.PushBack(s)
	m.live[s.id] = s
	m.places[place]++
	done = m.begin(s)
	m.mu.Unlock()
	if evicted != nil {
		m.gone(evicted.id)
	}
	return s, done, nil
}

// makeRoom makes room for a session of a place. A place that has its part, or that has
// an unused one when all are taken, gives up one of its own.
func (m *sessions) makeRoom(place string) (evicted *session, err error) {
	switch {
	case m.places[place] >= m.each && m.each < m.limit:
		if evicted = m.longestUnused(place); evicted == nil {
			return nil, &full{limit: m.each}
		}
	case len(m.live) >= m.limit:
		if evicted = cmp.Or(m.longestUnused(place), m.longestUnused("")); evicted == nil {
			return nil, &full{all: true, limit: m.limit}
		}
	default:
		return nil, nil
	}
	m.bury(evicted)
	return evicted, nil
}

// use returns a live session for one request; done ends that request.
// Errors: errSessionUnknown, also for one of another principal, errSessionEnded.
func (m *sessions) use(id string, who *principal) (s *session, done func(), err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.live[id]
	if !ok {
		if _, ended := m.graves[id]; ended {
			return nil, nil, errSessionEnded
		}
		return nil, nil, errSessionUnknown
	}
	if s.who != who {
		return nil, nil, errSessionUnknown
	}
	return s, m.begin(s), nil
}

func (m *sessions) begin(s *session) (done func()) {
	s.calls++
	m.touch(s)
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		s.calls--
		m.touch(s)
	}
}

func (m *sessions) touch(s *session) {
	s.used = m.now()
	m.unused.MoveToBack(s.entry)
}

// end ends a session and cancels its requests.
func (m *sessions) end(s *session) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.live[s.id] == s {
		m.bury(s)
	}
}

// endOver ends the sessions of those whose token is no more.
func (m *sessions) endOver() {
	m.mu.Lock()
	var ended []*session
	for _, s := range m.live {
		if s.who.over() {
			m.bury(s)
			ended = append(ended, s)
		}
	}
	m.mu.Unlock()
	for _, s := range ended {
		m.gone(s.id)
	}
}

// sweep ends every session that was unused for too long.
func (m *sessions) sweep() {
	m.mu.Lock()
	deadline := m.now().Add(-m.idle)
	var ended []*session
	for e := m.unused.Front(); e != nil; {
		s := e.Value.(*session)
		if s.used.After(deadline) {
			break
		}
		e = e.Next()
		if s.calls == 0 {
			m.bury(s)
			ended = append(ended, s)
		}
	}
	m.fillGraves()
	m.mu.Unlock()
	for _, s := range ended {
		m.gone(s.id)
	}
}

// longestUnused returns that of a place; "" = of all of them.
func (m *sessions) longestUnused(place string) *session {
	for e := m.unused.Front(); e != nil; e = e.Next() {
		if s := e.Value.(*session); s.calls == 0 && (place == "" || s.place == place) {
			return s
		}
	}
	return nil
}

func (m *sessions) bury(s *session) {
	delete(m.live, s.id)
	m.unused.Remove(s.entry)
	if m.places[s.place]--; m.places[s.place] == 0 {
		delete(m.places, s.place)
	}
	var why error = sdk.Errorf(sdk.KindCanceled, sdk.SourceCaller, "the session has ended")
	if s.who.over() {
		why = context.Cause(s.who.ctx)
	}
	s.stop(why)
	m.graves[s.id] = m.now().Add(graveTime)
	m.dug = append(m.dug, s.id)
	m.fillGraves()
}

// fillGraves forgets the graves that are old or too many.
func (m *sessions) fillGraves() {
	for len(m.dug) > 0 && (len(m.dug) > m.limit || m.graves[m.dug[0]].Before(m.now())) {
		delete(m.graves, m.dug[0])
		m.dug = m.dug[1:]
	}
}

func (m *sessions) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.live)
}
