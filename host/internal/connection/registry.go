package connection

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Registry is the set of configured connections at one moment. It never
// changes; an edit of the project file makes a new one.
type Registry struct {
	ordered []Connection
	byID    map[ID]int
	part    bool // of the project's connections: see Only
}

// New returns a registry of connections in this order.
// Errors: KindInvalid for a malformed id, KindConflict for a repeated one.
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

// Get returns the connection with an id.
// Errors: KindNotFound, with the known ids in the hint and the nearest ids as candidates.
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
	known := idsOf(r.ordered)
	err.Candidates = sqlkit.Nearest(string(id), known)
	return Connection{}, err.WithHint("use one of the known ids (`loam connection list`, connection_list): %s", strings.Join(known, ", "))
}

// ErrUnnamed is wrapped by the error of a request that several connections fit.
var ErrUnnamed = errors.New("no connection is named")

// Choose returns the connection that a request means: the one with this id; without an id
// the only connection, else the only one that fits. fits[0] reports whether a connection
// has what is asked for; when it accepts none, the others may single out a likely one.
// Errors: those of Get; KindNotFound when there is no connection; KindInvalid when
// several fit, with their ids as candidates, which wraps ErrUnnamed.
func (r *Registry) Choose(id ID, fits ...func(Connection) bool) (Connection, error) {
	if id != "" {
		return r.Get(id)
	}
	possible, err := r.Some()
	if err != nil {
		return Connection{}, err
	}
	if len(possible) == 1 {
		return possible[0], nil
	}
	about := "there are %d connections, and the request names none"
	for i, fit := range fits {
		fitting := slices.DeleteFunc(slices.Clone(possible), func(c Connection) bool { return !fit(c) })
		if len(fitting) == 1 {
			return fitting[0], nil
		}
		if len(fitting) > 1 && i == 0 {
			possible, about = fitting, "%d connections have what is asked for, and the request names none"
			break
		}
		if i == 0 {
			about = "there are %d connections, none has all that is asked for, and the request names none"
		}
	}
	ids := idsOf(possible)
	ambiguous := sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, about, len(ids)).
		WithHint("name one of them (connection_id; -c on the command line): %s", strings.Join(ids, ", "))
	ambiguous.Candidates, ambiguous.Err = ids, ErrUnnamed
	return Connection{}, ambiguous
}

// Some returns every connection.
// Errors: KindNotFound when there is none.
func (r *Registry) Some() ([]Connection, error) {
	switch {
	case len(r.ordered) > 0:
		return r.All(), nil
	case r.part:
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "no connection is open to this token").
			WithHint("ask whoever runs the server")
	}
	return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "the project has no connections").
		WithHint("add one: loam connection add ID CONNECTOR key=value…")
}

// idsOf returns the ids of connections, sorted.
func idsOf(all []Connection) []string {
	ids := make([]string, len(all))
	for i, c := range all {
		ids[i] = string(c.ID)
	}
	slices.Sort(ids)
	return ids
}

// Only returns a registry of the allowed connections alone.
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
