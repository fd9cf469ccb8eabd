package finding

import (
	"context"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/sdk"
)

// links are the columns of a snapshot that keys connect: those with equal values mean the same
// thing.
// Concurrency: never changed.
type links struct {
	keys    *foreignkey.Keys
	classes map[end]int32
}

// end is a column of the table at a position.
type end struct {
	table  int32
	column string
}

// linksOf returns the links of a snapshot; nil = they cannot be read.
// Shape: the same pointer as long as neither the snapshot nor the decisions change.
func (s *Service) linksOf(ctx context.Context, id connection.ID, snapshot *catalog.Snapshot) *links {
	keys, err := s.Keys.Of(id, snapshot)
	if err != nil {
		s.Logger.DebugContext(ctx, "a statement is compared without relationships", "connection", id, "error", err)
		return nil
	}
	s.mu.Lock()
	made := s.links[id]
	s.mu.Unlock()
	if made != nil && made.keys == keys {
		return made
	}
	all, err := keys.All(ctx)
	if err != nil {
		return nil
	}
	made = connect(snapshot, all)
	made.keys = keys
	s.mu.Lock()
	defer s.mu.Unlock()
	s.links[id] = made
	return made
}

// connect puts the columns that relationships connect into classes. An undecided one connects
// too, and only a rejected one does not.
func connect(snapshot *catalog.Snapshot, all []relationship.Relationship) *links {
	l := &links{classes: map[end]int32{}}
	var parents []int32
	class := func(e end) int32 {
		if at, known := l.classes[e]; known {
			return at
		}
		at := int32(len(parents))
		parents = append(parents, at)
		l.classes[e] = at
		return at
	}
	root := func(at int32) int32 {
		for parents[at] != at {
			parents[at] = parents[parents[at]]
			at = parents[at]
		}
		return at
	}
	for i := range all {
		r := &all[i]
		from, known := snapshot.Position(r.From)
		to, exists := snapshot.Position(r.To)
		targets := targetsOf(snapshot, &r.Link, to)
		if r.Status == relationship.Rejected || !known || !exists || len(targets) != len(r.Columns) {
			continue
		}
		for n := range targets {
			parents[root(class(end{int32(from), r.Columns[n]}))] = root(class(end{int32(to), targets[n]}))
		}
	}
	for e, at := range l.classes {
		l.classes[e] = root(at)
	}
	return l
}

// targetsOf returns the target columns of a link: a declared one without any means the primary
// key.
func targetsOf(snapshot *catalog.Snapshot, l *relationship.Link, to int) []string {
	if len(l.ToColumns) > 0 {
		return l.ToColumns
	}
	t, err := snapshot.At(to)
	if err != nil {
		return nil
	}
	return (&table{Table: t}).primary()
}

// class returns the class of a column; ok = a relationship has it.
func (l *links) class(t *table, column string) (class int32, ok bool) {
	class, ok = l.classes[end{int32(t.position), column}]
	return class, ok
}

// connected reports whether relationships connect two columns.
func (l *links) connected(a *table, columnA string, b *table, columnB string) bool {
	classA, known := l.class(a, columnA)
	classB, too := l.class(b, columnB)
	return known && too && classA == classB
}

// identifies reports whether the values of a column identify rows, of its table or of another.
func (l *links) identifies(t *table, column string) bool {
	if _, ok := l.class(t, column); ok {
		return true
	}
	key := t.primary()
	return len(key) == 1 && key[0] == column
}

// between returns the accepted relationships between two tables.
func (l *links) between(ctx context.Context, a, b *table) (all []relationship.Relationship) {
	graph, err := l.keys.Graph(ctx)
	if err != nil {
		return nil
	}
	for _, r := range graph.From[a.TableRef] {
		if r.To == b.TableRef {
			all = append(all, r)
		}
	}
	if a.position == b.position {
		return all
	}
	for _, r := range graph.From[b.TableRef] {
		if r.To == a.TableRef {
			all = append(all, r)
		}
	}
	return all
}

// from returns the accepted relationship that starts at a single column; nil = none, or several.
func (l *links) from(ctx context.Context, t *table, column string) (found *relationship.Relationship) {
	graph, err := l.keys.Graph(ctx)
	if err != nil {
		return nil
	}
	for i := range graph.From[t.TableRef] {
		r := &graph.From[t.TableRef][i]
		if len(r.Columns) != 1 || r.Columns[0] != column {
			continue
		}
		if found != nil {
			return nil
		}
		found = r
	}
	return found
}

// condition returns a link as the condition of a join.
func condition(snapshot *catalog.Snapshot, l *relationship.Link) string {
	to, _ := snapshot.Position(l.To)
	targets := targetsOf(snapshot, l, to)
	var all []string
	for i := range min(len(l.Columns), len(targets)) {
		all = append(all, qualified(l.From, l.Columns[i])+" = "+qualified(l.To, targets[i]))
	}
	return strings.Join(all, " AND ")
}

func qualified(ref sdk.TableRef, column string) string { return catalog.Display(ref) + "." + column }
