package connection

import (
	"slices"
	"strings"
	"sync"

	"github.com/loam-data/loam/sdk"
)

// Registry is the set of configured connections at one moment. It never
// changes; an edit of the project file makes a new one.
type Registry struct {
	ordered []Connection
	byID    map[ID]int
	part    bool // of the project's connections: see Only
}

// New makes a registry that keeps the order given.
// Errors: KindInvalid for an id that is none, KindConflict for one given twice.
func New(connections []Connection) (*Registry, error) {
	r := &Registry{ordered: slices.Clone(connections), byID: make(map[ID]int, len(connections))}
	for i, c := range r.ordered {
		if err := c.ID.Validate(); err != nil {
			return nil, err
		}
		if _, twice := r.byID[c.ID]; twice {
			return nil, sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "connection %q is configured twice", c.ID).
				WithHint("rename one of them in loam.yaml")
		}
		r.byID[c.ID] = i
		r.ordered[i].fingerprint = sync.OnceValue(c.Fingerprint) // every statement asks for it
	}
	return r, nil
}

// Get returns a connection.
// Errors: KindNotFound, with the known ids in the hint and the nearest ones as
// candidates.
func (r *Registry) Get(id ID) (Connection, error) {
	if i, ok := r.byID[id]; ok {
		return r.ordered[i], nil
	}
	err := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no connection %q", string(id))
	if len(r.ordered) == 0 && r.part {
		return Connection{}, err.WithHint("no connection is open to this token: ask whoever runs the server")
	}
	if len(r.ordered) == 0 {
		return Connection{}, err.WithHint("the project has no connections; add one with `loam connection add`")
	}
	known := make([]string, len(r.ordered))
	for i, c := range r.ordered {
		known[i] = string(c.ID)
	}
	slices.Sort(known)
	err.Candidates = Nearest(string(id), known)
	return Connection{}, err.WithHint("use one of the known ids (`loam connection list`, connection_list): %s", strings.Join(known, ", "))
}

// Only returns a registry of some of the connections, as if there were no others.
func (r *Registry) Only(allowed func(ID) bool) *Registry {
	some := &Registry{byID: map[ID]int{}, part: true}
	for _, c := range r.ordered {
		if allowed(c.ID) {
			some.byID[c.ID] = len(some.ordered)
			some.ordered = append(some.ordered, c)
		}
	}
	return some
}

// All returns every connection, in the order of the project file.
func (r *Registry) All() []Connection { return slices.Clone(r.ordered) }

// Len returns the number of connections.
func (r *Registry) Len() int { return len(r.ordered) }
