// Package foreignkey knows which columns of a connection's tables refer to which
// others by now: what the warehouse declares, what a scan inferred and what a
// person decided since.
package foreignkey

import (
	"slices"
	"sync"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/sdk"
)

// Set is the foreign keys of a project's connections.
// Concurrency: any number of goroutines.
type Set struct {
	decisions func(connection.ID) string

	mu  sync.Mutex
	all map[connection.ID]*kept
}

// kept is what was last read of a connection.
type kept struct {
	mu   sync.Mutex
	file decided
	keys *Keys
}

// NewSet returns the foreign keys of connections of whose decisions is the file
// that decisions returns, which need not exist.
func NewSet(decisions func(connection.ID) string) *Set {
	return &Set{decisions: decisions, all: map[connection.ID]*kept{}}
}

// Keys are the foreign keys of one snapshot.
// Concurrency: never changed.
type Keys struct {
	image    *catalog.Image
	inferred map[sdk.TableRef][]relationship.Relationship
	decided  map[sdk.TableRef]relationship.Decisions
	version  int64 // of the decisions
}

// Of returns the foreign keys of a snapshot, with what was decided by now.
// Shape: the same keys for as long as neither is another.
// Errors: KindInvalid for a file of decisions that cannot be understood,
// KindDenied; KindUnavailable with catalog.ErrDamaged.
func (s *Set) Of(id connection.ID, image *catalog.Image) (*Keys, error) {
	s.mu.Lock()
	one := s.all[id]
	if one == nil {
		one = &kept{file: decided{path: s.decisions(id)}}
		s.all[id] = one
	}
	s.mu.Unlock()

	one.mu.Lock()
	defer one.mu.Unlock()
	if err := one.file.look(); err != nil {
		return nil, err
	}
	if one.keys != nil && one.keys.image.Content == image.Content && one.keys.version == one.file.version {
		return one.keys, nil
	}
	keys := &Keys{image: image, decided: one.file.from, version: one.file.version}
	if one.keys != nil && one.keys.image.Content == image.Content {
		keys.inferred = one.keys.inferred
	} else {
		var err error
		if keys.inferred, err = inferred(image); err != nil {
			return nil, err
		}
	}
	one.keys = keys
	return keys, nil
}

// inferred are the accepted links that were inferred with a snapshot, by the
// table they start from.
func inferred(image *catalog.Image) (map[sdk.TableRef][]relationship.Relationship, error) {
	data, err := image.Attachment()
	if err != nil {
		return nil, err
	}
	found, err := relationship.Decode(data)
	if err != nil {
		return nil, err
	}
	from := map[sdk.TableRef][]relationship.Relationship{}
	for _, r := range found.Relationships {
		if r.Status == relationship.Accepted {
			from[r.From] = append(from[r.From], r)
		}
	}
	return from, nil
}

// Of lists the accepted foreign keys of a table, of which keys are the declared
// ones among others.
// Shape: declared ones first, then by score. A declared one may lack ToColumns,
// and a person's may be about what is no longer there: see Fit.
func (k *Keys) Of(from sdk.TableRef, keys []sdk.Key) []relationship.Relationship {
	var found []relationship.Relationship
	for _, key := range keys {
		if key.Kind == sdk.KeyForeign {
			link := relationship.Link{From: from, Columns: key.Columns, To: k.image.Target(from, key.Ref), ToColumns: key.RefColumns}
			found = append(found, relationship.Relationship{Link: link, Origin: relationship.Declared, Status: relationship.Accepted, Name: key.Name})
		}
	}
	found = append(found, k.inferred[from]...)
	if len(found) == 0 && len(k.decided[from]) == 0 {
		return nil
	}
	return slices.DeleteFunc(relationship.Decided(found, k.decided[from]), func(r relationship.Relationship) bool {
		return r.Status != relationship.Accepted
	})
}

// Shape is what a key is held against: the columns of a table.
type Shape struct{ Columns, PrimaryKey []string }

// ShapeOf returns the shape of a table.
func ShapeOf(t *sdk.Table) *Shape {
	s := &Shape{Columns: make([]string, len(t.Columns))}
	for i, c := range t.Columns {
		s.Columns[i] = c.Name
	}
	for _, key := range t.Keys {
		if key.Kind == sdk.KeyPrimary {
			s.PrimaryKey = key.Columns
		}
	}
	return s
}

func (s *Shape) has(columns []string) bool {
	for _, name := range columns {
		if !slices.Contains(s.Columns, name) {
			return false
		}
	}
	return true
}

// Fit reports whether both ends of a link are there, and returns it whole: one
// that names no columns of its target means the primary key.
func Fit(l relationship.Link, from, to *Shape) (relationship.Link, bool) {
	if from == nil || to == nil {
		return l, false
	}
	if len(l.ToColumns) == 0 {
		l.ToColumns = to.PrimaryKey
	}
	return l, len(l.Columns) > 0 && len(l.Columns) == len(l.ToColumns) && from.has(l.Columns) && to.has(l.ToColumns)
}
