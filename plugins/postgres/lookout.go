package postgres

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/loam-data/loam/sdk/reach"
)

// lookout looks at the catalogue beside a statement, over another connection of the
// pool. To plan the look-ups takes the server longer than to run them, and there it
// keeps their plans: no statement of a caller runs on that connection in between, for
// the reset behind one drops them. So nobody prepares anything else under their names.
type lookout struct {
	by        *reading
	questions []question // that were sent
	found     state
	failed    bool // the connection is not to be used again
}

// maxPrepared bounds the look-ups whose plans a connection keeps.
const maxPrepared = 100

// apartFirst opens what is sent together apart from a statement, which is a transaction of
// its own. Plans for the values of a single look-up would not be kept. To compile one for a
// large catalogue takes longer than to run it.
const apartFirst = systemFirst + `, pg_catalog.set_config('plan_cache_mode', 'force_generic_plan', true), pg_catalog.set_config('jit', 'off', true)`

// beside returns a reading for look-ups on a connection that is idle, nil when none
// is.
func (s *Session) beside(ctx context.Context) *reading {
	if s.reacher.alone.Load() {
		return nil
	}
	c, ok := s.pool.Spare()
	if !ok {
		return nil
	}
	if c.prepared == nil {
		c.prepared = map[string]string{}
	}
	work, stop := context.WithCancel(ctx)
	return &reading{s: s, c: c, p: c.pg.StartPipeline(work), stop: stop, over: work.Done(), apart: true}
}

// queueApart queues questions, each of which the server parses once.
func (r *reading) queueApart(questions []question) {
	r.opening++
	for _, q := range append([]question{{sql: apartFirst}}, questions...) {
		name, prepared := r.c.prepared[q.sql]
		if !prepared && len(r.c.prepared) >= maxPrepared {
			r.p.SendQueryParams(q.sql, q.params, nil, nil, nil)
			continue
		}
		if !prepared {
			name = "loam_" + strconv.Itoa(len(r.c.prepared))
			r.c.prepared[q.sql] = name
			r.p.SendPrepare(name, q.sql, nil)
		}
		r.p.SendQueryPrepared(name, q.params, nil, nil)
	}
}

// look sends for the state and the version of the catalogue beside r. It returns nil
// when there is no connection for it, or nothing is known yet that could have changed.
func (r *reading) look() *lookout {
	s := r.s.reacher
	if r.beside == nil || s.current() == nil {
		return nil
	}
	by := r.beside()
	if by == nil {
		return nil
	}
	l := &lookout{by: by}
	l.found.version = &edition{}
	s.mu.Lock()
	l.questions = []question{l.found.question(), s.versionQuestion(l.found.version)}
	s.mu.Unlock()
	l.failed = by.ask(l.questions) != nil
	return l
}

// reachable returns what is reached in the state that the lookout found, which is no older
// than the statement. nil: the lookout failed, and the statement's own connection has to
// ask.
func (l *lookout) reachable(now *state) *reachable {
	if l.failed {
		return nil
	}
	m, err := l.survey(now)
	if l.failed = err != nil; l.failed {
		// A pooler that does not keep what is prepared, or leads elsewhere, goes on so.
		if isServerError(err) && !l.by.c.pg.IsClosed() || errors.Is(err, errElsewhere) {
			l.by.s.reacher.alone.Store(true)
		}
		return nil
	}
	return &reachable{snapshot: l.found.snapshot, reach: m, path: l.found.path}
}

// errElsewhere says that a lookout does not see what the statement sees.
var errElsewhere = errors.New("another server answers, or another path")

func (l *lookout) survey(now *state) (*reach.Map, error) {
	if err := l.by.hear(l.questions); err != nil {
		return nil, err
	}
	if l.found.server != now.server || !slices.Equal(l.found.path, now.path) {
		return nil, errElsewhere
	}
	return l.by.survey(l.found.version)
}

// leave gives the connection back.
func (l *lookout) leave() {
	if l == nil {
		return
	}
	r := l.by
	err := r.p.Close()
	r.stop()
	if err == nil && !l.failed && !r.c.pg.IsClosed() && r.c.pg.TxStatus() == 'I' {
		r.s.pool.Release(r.c)
	} else {
		r.s.pool.Discard(r.c)
	}
}
