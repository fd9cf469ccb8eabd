// Package foreignkey lists the current foreign keys of a connection's tables: those
// that the warehouse declares, those that a scan inferred, and those that a person
// decided since.
package foreignkey

import (
	"context"
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

// snapshots is how many snapshots of a connection have their keys kept: readers of an
// index may be one scan behind.
const snapshots = 2

// kept is the cache of a connection.
type kept struct {
	mu   sync.Mutex
	file decided
	keys []*Keys // of different snapshots, the latest last
}

// NewSet returns the foreign keys of connections. decisions returns the file of a
// connection's decisions, which need not exist.
func NewSet(decisions func(connection.ID) string) *Set {
	return &Set{decisions: decisions, all: map[connection.ID]*kept{}}
}

// Keys are the foreign keys of one snapshot.
// Concurrency: never changed.
type Keys struct {
	snapshot *catalog.Snapshot
	inferred *inference
	// declared are those of the snapshot, which Keys with other decisions share.
	declared *declared
	file     decided
	graph    once[*Graph]
}

// inference is the inferred links of a scan: the valid ones by the table that they start
// from, and all with the refuted ones.
type inference struct {
	from map[sdk.TableRef][]relationship.Relationship
	all  []relationship.Relationship
}

// Of returns the foreign keys of a snapshot, with the present decisions.
// Shape: the same pointer until the snapshot or the decisions change.
// Errors: KindInvalid for a malformed file of decisions, KindDenied; KindUnavailable
// with catalog.ErrDamaged.
func (s *Set) Of(id connection.ID, snapshot *catalog.Snapshot) (*Keys, error) {
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
	keys := &Keys{snapshot: snapshot, file: one.file}
	at := slices.IndexFunc(one.keys, func(k *Keys) bool { return k.snapshot.Content == snapshot.Content })
	if at >= 0 {
		if one.keys[at].file.version == one.file.version {
			return one.keys[at], nil
		}
		keys.inferred, keys.declared = one.keys[at].inferred, one.keys[at].declared
		one.keys[at] = keys
		return keys, nil
	}
	var err error
	if keys.inferred, err = inferred(snapshot); err != nil {
		return nil, err
	}
	keys.declared = &declared{snapshot: snapshot}
	one.keys = append(one.keys[max(0, len(one.keys)-snapshots+1):], keys)
	return keys, nil
}

// File returns the path of a connection's decisions.
func (s *Set) File(id connection.ID) string { return s.decisions(id) }

func inferred(snapshot *catalog.Snapshot) (*inference, error) {
	data, err := snapshot.Attachment()
	if err != nil {
		return nil, err
	}
	found, err := relationship.Decode(data)
	if err != nil {
		return nil, err
	}
	i := &inference{from: map[sdk.TableRef][]relationship.Relationship{}, all: slices.Concat(found.Relationships, found.Refuted)}
	for _, r := range found.Relationships {
		i.from[r.From] = append(i.from[r.From], r)
	}
	return i, nil
}

// Of lists the foreign keys of a table: accepted ones, and likely ones that wait for a
// person's decision. keys are the declared keys of the table.
// Shape: declared ones first, then decided ones, then by score. A declared one may lack
// ToColumns, and a person's decision may be about missing tables or columns: see Fit.
func (k *Keys) Of(from sdk.TableRef, keys []sdk.Key) (accepted, undecided []relationship.Relationship) {
	found := append(k.declared.of(from, keys), k.inferred.from[from]...)
	decisions := k.file.from[from]
	if len(found) == 0 && len(decisions) == 0 {
		return nil, nil
	}
	for _, r := range relationship.Decided(found, decisions) {
		switch r.Status {
		case relationship.Accepted:
			accepted = append(accepted, r)
		case relationship.Review:
			undecided = append(undecided, r)
		}
	}
	return accepted, undecided
}

// All lists the declared, inferred, refuted and decided foreign keys of all tables.
// Shape: like Of, with every status.
// Errors: those of reading the snapshot and of ctx.
func (k *Keys) All(ctx context.Context) ([]relationship.Relationship, error) {
	found, err := k.declared.list(ctx)
	if err != nil {
		return nil, err
	}
	return relationship.Decided(slices.Concat(found, k.inferred.all), k.file.all), nil
}

// Undeclared lists the inferred, refuted and decided foreign keys of all tables. It reads only the tables that decisions
// are about: a decision about a key that is declared by now is left out.
// Shape: decided ones first, then by score.
// Errors: those of reading the snapshot.
func (k *Keys) Undeclared() ([]relationship.Relationship, error) {
	var declared []relationship.Relationship
	for ref := range k.file.from {
		at, ok := k.snapshot.Position(ref)
		if !ok {
			continue
		}
		keys, err := k.snapshot.ForeignKeys(at)
		if err != nil {
			return nil, err
		}
		declared = append(declared, k.declared.of(ref, keys)...)
	}
	all := relationship.Decided(append(declared, k.inferred.all...), k.file.all)
	return slices.DeleteFunc(all, func(r relationship.Relationship) bool { return r.Origin == relationship.Declared }), nil
}

// Decisions returns the decisions, which must not be changed.
func (k *Keys) Decisions() relationship.Decisions { return k.file.all }

// Exists reports whether both ends of a link are in the snapshot.
// Errors: those of reading it.
func (k *Keys) Exists(l relationship.Link) (bool, error) {
	from, err := k.shape(l.From)
	if err != nil {
		return false, err
	}
	to, err := k.shape(l.To)
	_, fits := Fit(l, from, to)
	return fits, err
}

// shape returns the shape of a table; nil when the snapshot has none.
func (k *Keys) shape(ref sdk.TableRef) (*Shape, error) {
	at, ok := k.snapshot.Position(ref)
	if !ok {
		return nil, nil
	}
	t, err := k.snapshot.At(at)
	if err != nil {
		return nil, err
	}
	return shapeOf(&t.Table), nil
}

// Shape is the columns of a table, which its foreign keys must name.
type Shape struct{ Columns, PrimaryKey []string }

func shapeOf(t *sdk.Table) *Shape {
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

// Fit reports whether both ends of a link exist, and returns the link completed: without
// target columns it means the primary key.
func Fit(l relationship.Link, from, to *Shape) (relationship.Link, bool) {
	if from == nil || to == nil {
		return l, false
	}
	if len(l.ToColumns) == 0 {
		l.ToColumns = to.PrimaryKey
	}
	return l, len(l.Columns) > 0 && len(l.Columns) == len(l.ToColumns) && from.has(l.Columns) && to.has(l.ToColumns)
}
