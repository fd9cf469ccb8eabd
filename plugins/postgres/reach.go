package postgres

import (
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/reach"
)

// reacher knows what statements reach through the objects that they name.
// Concurrency: safe for several goroutines.
type reacher struct {
	mu  sync.Mutex
	now *reachable // of the last version that was looked at; nil before
	// behind: the state of the database had changed when a statement was repeated.
	// On a busy server it always has, and trying costs a round trip.
	behind bool
	rows   int  // of users, when they were read; versionQuestion is for few rows themselves; written under both locks
	narrow bool // versionQuestion leaves the links out; written under both locks
	// loading serialises look-ups, and guards what they share.
	loading sync.Mutex
	known   *known           // nil before the first look-up
	solved  *reach.Map       // of known
	system  []systemFunction // that leave the transaction
	// alone: look-ups over a connection of their own are of no use here.
	alone atomic.Bool
}

// reachable is what is reached in one version of the catalogue.
type reachable struct {
	snapshot string
	reach    *reach.Map
	path     []string // the schemas of names without one
}

func (s *reacher) current() *reachable {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

func (s *reacher) set(now *reachable) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = now
}

// repeatable returns what is known, nil where it has probably changed.
func (s *reacher) repeatable() *reachable {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.behind {
		return nil
	}
	return s.now
}

func (s *reacher) fellBehind(yes bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.behind = yes
}

// typed reports whether a type is known to leave the transaction, or nothing is known
// yet: to read a value of such a type may run a function.
func (s *reacher) typed() bool {
	now := s.current()
	return now == nil || now.reach.Reaches(reach.Type) || now.reach.Reaches(reach.Domain)
}

// find refuses a statement that reaches what can leave the transaction.
func (r *reachable) find(st *statement, on *dialect.Dialect) error {
	tokens := st.parsed.Tokens
	path := r.reach.Find(st.sql, tokens, r.path)
	if path == nil {
		return nil
	}
	only := onlyReader{st: st, d: on, path: r.path, m: r.reach}
	exempt := only.exempt()
	for path != nil {
		at := slices.IndexFunc(tokens, func(t dialect.Token) bool { return int(t.Start) == path.Start })
		if at < 0 || !exempt[path.Start] {
			return path.Refuse(st.sql)
		}
		tokens = tokens[at+1:]
		path = r.reach.Find(st.sql, tokens, r.path)
	}
	return nil
}

// relation returns the way from a table or view to what can leave the
// transaction, or nil.
func (r *reachable) relation(schema, name string) *reach.Path {
	for _, kind := range []reach.Kind{reach.Table, reach.View, reach.ForeignTable, storedView} {
		if path := r.reach.Path(reach.Object{Kind: kind, Schema: schema, Name: name}); path != nil {
			return path
		}
	}
	return nil
}

// state is the state of the database as a statement finds it.
type state struct {
	snapshot string
	path     []string
	server   string   // when it started, which no other server did
	version  *edition // of the catalogue; nil = not asked
	look     *lookout // that is under way; nil = none
}

func (now *state) question() question {
	return question{stateSQL, nil, func(v [][]byte) error {
		now.snapshot, now.server = string(v[0]), string(v[2])
		return json.Unmarshal(v[1], &now.path)
	}}
}

// questions ask for the state. The version of the catalogue is asked for too
// where the snapshot is likely to be another: by a lookout at the same time, if
// there is one.
func (r *reading) questions(now *state) []question {
	all := []question{now.question()}
	s := r.s.reacher
	s.mu.Lock()
	behind := s.behind
	s.mu.Unlock()
	if !behind {
		return all
	}
	if now.look = r.look(); now.look == nil {
		now.version = &edition{}
		s.mu.Lock()
		defer s.mu.Unlock()
		all = append(all, s.versionQuestion(now.version))
	}
	return all
}

// reachable returns what is reached in a state of the database.
// Errors: KindDenied when the role may not read the system tables.
func (r *reading) reachable(now *state) (*reachable, error) {
	s := r.s.reacher
	if known := s.current(); known != nil && known.snapshot == now.snapshot {
		s.fellBehind(false)
		return known, nil
	}
	if now.look == nil && now.version == nil {
		now.look = r.look()
	}
	if now.look != nil {
		if reached := now.look.reachable(now); reached != nil {
			s.set(reached)
			return reached, nil
		}
	}
	m, err := r.survey(now.version)
	if err != nil {
		return nil, r.unresolved(err)
	}
	reached := &reachable{snapshot: now.snapshot, reach: m, path: now.path}
	s.set(reached)
	return reached, nil
}

// reachableNow is reachable for the state that the server is in.
func (r *reading) reachableNow() (*reachable, error) {
	var now state
	defer func() { now.look.leave() }()
	if err := r.together(r.questions(&now)...); err != nil {
		return nil, r.unresolved(err)
	}
	return r.reachable(&now)
}

// unresolved says why what a statement reaches cannot be found out.
func (r *reading) unresolved(err error) error {
	return r.hidden("what the statement reaches cannot be resolved", err)
}

// hidden explains the error of a system table that the role may not read: what stays
// unknown, and which right is missing.
func (r *reading) hidden(what string, err error) error {
	said, ok := asServerError(err)
	if !ok || said.Code != deniedCode {
		return err
	}
	return sdk.Errorf(sdk.KindDenied, sdk.SourceWarehouse, "%s: %s", what, said.Message).
		WithHint("have the administrator grant the role the right to read the system tables, which everybody has by default: GRANT SELECT ON ALL TABLES IN SCHEMA pg_catalog TO %s", quote(r.s.cfg.User))
}

// unmatched warns of exceptions that name nothing.
func (r *reading) unmatched() ([]sdk.Diagnostic, error) {
	var found []sdk.Diagnostic
	if len(r.s.cfg.AllowFunctions) > 0 {
		now, err := r.reachableNow()
		if err != nil {
			return nil, err
		}
		found = now.reach.Unmatched()
	}
	if len(r.s.cfg.AllowForeignServers) > 0 {
		var servers []string
		err := r.query("SELECT srvname FROM pg_catalog.pg_foreign_server ORDER BY srvname", nil, func(v [][]byte) error {
			servers = append(servers, string(v[0]))
			return nil
		})
		if err != nil {
			return nil, r.unresolved(err)
		}
		for _, name := range r.s.cfg.AllowForeignServers {
			if !slices.Contains(servers, name) {
				found = append(found, reach.Unmatched(allowForeignServers, name, servers))
			}
		}
	}
	return found, nil
}
