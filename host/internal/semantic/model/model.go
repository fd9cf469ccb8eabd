package model

import (
	"cmp"
	"crypto/sha256"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Input is what a connection's model is made of.
type Input struct {
	// Dialect of the connection, for names, fragments of its SQL and the default
	// schema; nil = not known, so that only the portable language is read.
	Dialect *dialect.Dialect
	// Tables that were scanned, and files as Parse read them. Neither changes
	// afterwards: a Model keeps them.
	Tables []*Table
	Files  []*File
}

// Model is the semantic layer of one connection.
// Concurrency: never changes; any number of goroutines.
type Model struct {
	input    Input
	sources  []*Source // by id; nil where there was one
	order    []SourceID
	byName   map[string][]SourceID // folded names
	roles    map[string][]JoinID   // folded roles
	problems []Problem             // of the grouping
	hash     Hash
	graph    *graph
	names    *names
	// changed are the sources that names does not have as they are now.
	changed []SourceID
	// sourceWords are the names of sources, made when one is misspelt.
	sourceWords func() *words
}

// Build makes the model of a connection. It never fails: what is wrong is in
// Problems and in the Broken of what cannot be used.
// Units: the cost is linear in what is put in.
func Build(in Input) *Model { return assemble(in, nil) }

// With returns the model after files changed. File replaces the one of its
// Path; one without Kind, Sources and Metrics, and with the zero Hash, removes it.
// What the change does not touch is shared, and so are the ids.
// Units: the cost is that of the sources that changed or name one that did, and
// a few milliseconds for ten thousand others.
func (m *Model) With(changed ...*File) *Model {
	in := m.input
	in.Files = slices.Clone(in.Files)
	for _, f := range changed {
		at := slices.IndexFunc(in.Files, func(o *File) bool { return o.Path == f.Path })
		switch gone := f.Hash == (Hash{}); {
		case at < 0 && !gone:
			in.Files = append(in.Files, f)
		case at >= 0 && gone:
			in.Files = slices.Delete(in.Files, at, at+1)
		case at >= 0:
			in.Files[at] = f
		}
	}
	return assemble(in, m)
}

// WithTables returns the model after a scan. A table that did not change is the
// same pointer as before.
func (m *Model) WithTables(tables []*Table) *Model {
	in := m.input
	in.Tables = tables
	return assemble(in, m)
}

// Hash changes when anything does that the model is made of.
func (m *Model) Hash() Hash { return m.hash }

// Sources returns the sources in the order of their identities, the broken ones
// too.
func (m *Model) Sources() iter.Seq[*Source] {
	return func(yield func(*Source) bool) {
		for _, id := range m.order {
			if !yield(m.sources[id]) {
				return
			}
		}
	}
}

// Source returns a source by its id; Metrics has the metrics as its measures.
// It is nil for an id that is none.
func (m *Model) Source(id SourceID) *Source {
	if id < 0 || int(id) >= len(m.sources) {
		return nil
	}
	return m.sources[id]
}

// Dimension, Measure, Segment and Join return a member by its id, which must be
// one of this model.
func (m *Model) Dimension(id DimensionID) *Dimension {
	return &m.sources[id.Source()].Dimensions[place(id)]
}

// Measure returns a measure by its id.
func (m *Model) Measure(id MeasureID) *Measure { return &m.sources[id.Source()].Measures[place(id)] }

// Segment returns a segment by its id.
func (m *Model) Segment(id SegmentID) *Segment { return &m.sources[id.Source()].Segments[place(id)] }

// Join returns a join by its id.
func (m *Model) Join(id JoinID) *Join { return &m.sources[id.Source()].Joins[place(id)] }

// Problems returns everything that is wrong, by file and place.
func (m *Model) Problems() []Problem {
	all := slices.Clone(m.problems)
	for _, f := range m.input.Files {
		all = append(all, f.Problems...)
	}
	for _, s := range m.sources {
		if s != nil {
			all = append(all, s.draft.problems...)
			all = append(all, s.problems...)
		}
	}
	sortProblems(all)
	return slices.CompactFunc(all, func(a, b Problem) bool {
		return a.File == b.File && a.Pos == b.Pos && a.Path == b.Path && a.Msg == b.Msg
	})
}

// assemble makes a model, from scratch or with what the one before has.
func assemble(in Input, before *Model) *Model {
	m := &Model{input: in}
	groups, problems := groupAll(&in)
	m.problems = problems
	changes := m.draw(groups, before)
	m.index()
	m.link(before, changes)
	m.share(before)
	m.hash = m.sum()
	return m
}

// draw makes the drafts and gives ids. It returns the sources whose drafts are
// new, and the folded names of these and of those that are gone.
func (m *Model) draw(groups []*group, before *Model) *changes {
	c := &changes{names: map[string]bool{}, sources: map[SourceID]bool{}}
	ids := map[string]SourceID{}
	m.sources = []*Source{{ID: Metrics, Name: "metrics", draft: metricsDraft(&m.input)}}
	if before != nil {
		m.sources = append(m.sources, make([]*Source, len(before.sources)-1)...)
		for _, id := range before.order {
			ids[before.sources[id].Identity] = id
		}
		if old := before.sources[Metrics]; slices.Equal(old.draft.group.layers, m.sources[Metrics].draft.group.layers) {
			m.sources[Metrics] = old
		}
	}
	if before == nil || m.sources[Metrics] != before.sources[Metrics] {
		c.sources[Metrics] = true
	}
	m.order = make([]SourceID, 0, len(groups))
	for _, g := range groups {
		name := identity(g.ref)
		id, known := ids[name]
		if !known {
			id = SourceID(len(m.sources))
			m.sources = append(m.sources, nil)
		}
		m.order = append(m.order, id)
		if known && before.sources[id].draft.group.same(g) {
			m.sources[id] = before.sources[id]
			continue
		}
		m.sources[id] = &Source{ID: id, Name: g.ref.Name, Identity: name, draft: newDraft(g, m.input.Dialect)}
		c.add(m.sources[id])
		if known {
			c.add(before.sources[id])
		}
	}
	if before != nil {
		for _, id := range before.order {
			if m.sources[id] == nil {
				c.add(before.sources[id])
				delete(c.sources, id)
			}
		}
	}
	return c
}

// index makes the sources findable by name.
func (m *Model) index() {
	m.byName = make(map[string][]SourceID, len(m.order))
	for _, id := range m.order {
		key := fold(m.sources[id].Name)
		m.byName[key] = append(m.byName[key], id)
	}
	m.sourceWords = sync.OnceValue(func() *words {
		names := make([]string, 0, len(m.order))
		for _, id := range m.order {
			names = append(names, m.sources[id].Name)
		}
		return newWords(names)
	})
}

// sum is the hash of all that the model is made of.
func (m *Model) sum() Hash {
	h := sha256.New()
	if d := m.input.Dialect; d != nil {
		h.Write([]byte(d.Name + "\x00" + d.DefaultSchema + "\x00"))
	}
	files := slices.Clone(m.input.Files)
	slices.SortFunc(files, func(a, b *File) int { return strings.Compare(a.Path, b.Path) })
	for _, f := range files {
		h.Write([]byte(f.Path))
		h.Write(f.Hash[:])
	}
	tables := slices.Clone(m.input.Tables)
	slices.SortFunc(tables, func(a, b *Table) int { return compareRefs(a.Ref, b.Ref) })
	for _, t := range tables {
		sum := t.hash()
		h.Write([]byte(identity(t.Ref)))
		h.Write(sum[:])
	}
	return Hash(h.Sum(nil)[:len(Hash{})])
}

func compareRefs(a, b sdk.TableRef) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Catalog, b.Catalog))
}
