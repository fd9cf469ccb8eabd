package postgres

import (
	"sync"

	"github.com/loam-data/loam/sdk"
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
	// loading serialises look-ups, and guards what they share.
	loading   sync.Mutex
	functions map[string]*function // by OID
	views     map[string]*viewRule // by the OID of the rule
	system    []systemFunction     // that leave the transaction
}

// reachable is what is reached in one version of the catalogue.
type reachable struct {
	snapshot, version string
	*reach.Map
	path []string // the schemas of names without one
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

// repeatable returns what is known, if it is worth a try that it still holds.
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

// find refuses a statement that reaches what can leave the transaction.
func (r *reachable) find(st *statement) error {
	if path := r.Find(st.sql, st.parsed.Tokens, r.path); path != nil {
		return path.Refuse(st.sql)
	}
	return nil
}

// reachable returns what is reached in the state of the database that snapshot
// names, and whether the server had to be asked for it.
// Errors: KindDenied when the role may not read the system tables.
func (r *reading) reachable(snapshot string) (now *reachable, asked bool, _ error) {
	known := r.s.reacher.current()
	if known != nil && known.snapshot == snapshot {
		r.s.reacher.fellBehind(false)
		return known, false, nil
	}
	version, path, err := r.version()
	if err != nil {
		return nil, true, err
	}
	if known != nil && known.version == version {
		now := *known
		now.snapshot = snapshot
		r.s.reacher.set(&now)
		return &now, true, nil
	}
	m, err := r.lookAround()
	if err != nil {
		return nil, true, err
	}
	now = &reachable{snapshot: snapshot, version: version, Map: m, path: path}
	r.s.reacher.set(now)
	return now, true, nil
}

// reachableNow is reachable for the state that the server is in.
func (r *reading) reachableNow() (*reachable, error) {
	var state string
	err := r.query(snapshotSQL, nil, func(v [][]byte) error {
		state = string(v[0])
		return nil
	})
	if err != nil {
		return nil, err
	}
	now, _, err := r.reachable(state)
	return now, err
}

// unresolved says why what a statement reaches cannot be found out.
func (r *reading) unresolved(err error) error {
	said, ok := asServerError(err)
	if !ok || said.Code != deniedCode {
		return err
	}
	return sdk.Errorf(sdk.KindDenied, sdk.SourceWarehouse, "what the statement reaches cannot be resolved: %s", said.Message).
		WithHint("have the administrator grant the role the right to read the system tables, which everybody has by default: GRANT SELECT ON ALL TABLES IN SCHEMA pg_catalog TO %s", quote(r.s.cfg.User))
}
