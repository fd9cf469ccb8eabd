package postgres

import (
	"slices"
	"strings"
	"sync"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/reach"
	"github.com/loam-data/loam/sdk/sqlkit"
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

// relation returns the way from a table or view to what can leave the
// transaction, or nil.
func (r *reachable) relation(schema, name string) *reach.Path {
	for _, kind := range []reach.Kind{reach.Table, reach.View, reach.ForeignTable, storedView} {
		if path := r.Path(reach.Object{Kind: kind, Schema: schema, Name: name}); path != nil {
			return path
		}
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

// unmatched warns of exceptions that name nothing.
func (r *reading) unmatched() ([]sdk.Diagnostic, error) {
	var found []sdk.Diagnostic
	warn := func(key, name string, nearest []string) {
		d := sdk.Diagnostic{Severity: sdk.SeverityWarning, Path: key, Summary: key + " names " + name + ", which is not there"}
		if len(nearest) > 0 {
			d.Detail = "did you mean " + strings.Join(nearest, " or ") + "?"
			d.Summary += "; " + d.Detail
		}
		found = append(found, d)
	}
	if len(r.s.cfg.AllowFunctions) > 0 {
		now, err := r.reachableNow()
		if err != nil {
			return nil, err
		}
		for _, u := range now.Unmatched() {
			warn(reach.AllowFunctions, u.Name, u.Nearest)
		}
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
				warn(allowForeignServers, name, sqlkit.Nearest(name, servers))
			}
		}
	}
	return found, nil
}
