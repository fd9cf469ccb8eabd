package model

import (
	"cmp"
	"iter"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/loam-data/loam/host/internal/flight"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Input is everything that the model of a connection is built from.
type Input struct {
	// Dialect of the connection, for names, fragments of its SQL and the default
	// schema; nil = not known, so that only the portable language is read.
	Dialect *dialect.Dialect
	// Tables that were scanned, and files as Parse read them. Neither changes
	// afterwards: a Model keeps them.
	Tables []*Table
	Files  []*File
	// Queries have the known columns of sources that are queries. None changes
	// afterwards.
	Queries []*Query
	// Repeats are columns of to-one joins whose values a scan found in several
	// rows.
	Repeats Repeats
}

// Model is the semantic layer of one connection.
// Concurrency: never changes; any number of goroutines.
type Model struct {
	input     Input      // the files by path
	groups    []*group   // of the sources in order
	calendars []SourceID // that are calendars
	sources   []*Source  // by id; nil where there was one
	order     []SourceID
	byName    []SourceID          // in the order of the folded names, then of the parts of the identities
	roles     map[string][]JoinID // folded roles
	problems  []Problem           // of the grouping
	faults    func() []Problem    // all of them, made when they are asked for
	hash      func() Hash         // made when it is asked for
	graph     *graph
	names     *names
	// changed are the sources that names does not have as they are now.
	changed []SourceID
	// sourceWords are the names of sources, made when one is misspelt.
	sourceWords func() *words
	guesses     *guesses
}

// Build makes the model of a connection. It never fails: faults are in Problems and
// in the Broken of each unusable part.
// Units: the cost is linear in the input.
func Build(in Input) *Model {
	in.Files = slices.Clone(in.Files)
	slices.SortFunc(in.Files, func(a, b *File) int { return strings.Compare(a.Path, b.Path) })
	return assemble(in, nil, nil)
}

// With returns the model after files changed. A file replaces the one of its Path;
// a file with the zero Hash removes it. Unaffected sources are shared, and ids
// stay.
// Units: the cost is that of the changed sources and of those that refer to them,
// and a few milliseconds for ten thousand others.
func (m *Model) With(changed ...*File) *Model {
	in := m.input
	in.Files = slices.Clone(in.Files)
	groups := slices.Clone(m.groups)
	for _, f := range changed {
		at, found := slices.BinarySearchFunc(in.Files, f.Path, func(o *File, path string) int { return strings.Compare(o.Path, path) })
		gone := f.Hash == (Hash{})
		switch {
		case found && !gone:
			if groups != nil {
				groups = regroup(groups, in.Files[at], f)
			}
			in.Files[at] = f
			continue
		case found:
			in.Files = slices.Delete(in.Files, at, at+1)
		case !gone:
			in.Files = slices.Insert(in.Files, at, f)
			groups = added(groups, f, in.Dialect)
			continue
		default:
			continue
		}
		groups = nil
	}
	if len(m.problems) > 0 {
		groups = nil // they have places in files, which may have moved
	}
	return assemble(in, m, groups)
}

// regroup replaces a file in the groups; nil when it may belong elsewhere now.
func regroup(groups []*group, old, f *File) []*group {
	same := slices.EqualFunc(old.Sources, f.Sources, func(a, b SourceDef) bool {
		return a.Name.Value == b.Name.Value && a.Table.Value == b.Table.Value && a.SQL.Value == b.SQL.Value &&
			a.Broken == b.Broken && a.InheritsFrom.Value == b.InheritsFrom.Value
	})
	if !same || f.Kind == ShardFile { // other sources may inherit from a shard
		return nil
	}
	for i, g := range groups {
		if !g.has(old) {
			continue
		}
		groups[i] = g.replaced(old, f)
	}
	return groups
}

// WithColumns returns the model after a scan, or after queries were described.
// Unaffected sources keep their pointers.
func (m *Model) WithColumns(tables []*Table, queries []*Query) *Model {
	in := m.input
	in.Tables, in.Queries = tables, queries
	return assemble(in, m, nil)
}

// Hash changes when any input of the model does.
func (m *Model) Hash() Hash { return m.hash() }

// Sources returns the sources in the order of their identities, the broken ones
// too.
func (m *Model) Sources() iter.Seq[*Source] {
	return func(yield func(*Source) bool) {
		for _, id := range m.order {
			if !yield(m.whole(m.sources[id])) {
				return
			}
		}
	}
}

// Source returns a source by its id; Metrics has the metrics as its measures.
// It is nil for an id that is none.
func (m *Model) Source(id SourceID) *Source {
	return m.whole(m.outline(id))
}

// Dimension, Measure, Segment and Join return a member by its id, which must be
// one of this model.
func (m *Model) Dimension(id DimensionID) *Dimension {
	return &m.whole(m.sources[id.Source()]).Dimensions[place(id)]
}

// Measure returns a measure by its id.
func (m *Model) Measure(id MeasureID) *Measure {
	return &m.whole(m.sources[id.Source()]).Measures[place(id)]
}

// Segment returns a segment by its id.
func (m *Model) Segment(id SegmentID) *Segment {
	return &m.whole(m.sources[id.Source()]).Segments[place(id)]
}

// Join returns a join by its id.
func (m *Model) Join(id JoinID) *Join { return &m.sources[id.Source()].Joins[place(id)] }

// Problems returns all faults, by file and position. The list must not be changed.
// Units: the first call takes a step for each source and file.
func (m *Model) Problems() []Problem { return m.faults() }

// allProblems lists the faults of the grouping, of the files and of the sources.
func (m *Model) allProblems() []Problem {
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

// Warnings returns usable definitions that may be meant otherwise, by file and
// position: expressions that are read as the engine's own SQL without declaring it,
// and computed dimensions with the name of a column.
func (m *Model) Warnings() (all []Problem) {
	for _, s := range m.sources {
		if s != nil {
			all = append(all, s.draft.warnings...)
		}
	}
	sortProblems(all)
	return all
}

// assemble makes a model, from scratch or with what the one before has. groups
// are the groups of its input, nil = not known yet.
func assemble(in Input, before *Model, groups []*group) *Model {
	m := &Model{input: in, groups: groups, guesses: newGuesses(200_000)}
	m.faults = sync.OnceValue(m.allProblems)
	if groups == nil {
		m.groups, m.problems = groupAll(&in)
	}
	changes := m.draw(before)
	m.index(before)
	m.calendars = m.calendarsOf()
	m.link(before, changes)
	m.share(before)
	m.hash = sync.OnceValue(m.sum)
	return m
}

// draw gives ids and makes the drafts. It returns the sources whose drafts are
// new, and the folded names of these and of those that are gone.
func (m *Model) draw(before *Model) *changes {
	c := &changes{names: map[string]bool{}, sources: map[SourceID]bool{}}
	m.sources = []*Source{newSource(Metrics, "metrics", "", metricsDraft(&m.input))}
	if before == nil {
		before = &Model{sources: []*Source{nil}}
	}
	if old := before.sources[Metrics]; old != nil && slices.Equal(old.draft.group.layers, m.sources[Metrics].draft.group.layers) {
		m.sources[Metrics] = old
	} else {
		c.sources[Metrics] = true
	}
	m.sources = append(m.sources, make([]*Source, len(before.sources)-1)...)
	m.order = make([]SourceID, 0, len(m.groups))
	for i, g := range m.groups {
		if i < len(before.groups) && g == before.groups[i] {
			id := before.order[i]
			m.order = append(m.order, id)
			m.sources[id] = before.sources[id]
			continue
		}
		m.drawOne(g, before, c)
	}
	m.drafts(before, c)
	for _, id := range before.order {
		if m.sources[id] == nil {
			c.add(before.sources[id])
			delete(c.sources, id)
		}
	}
	return c
}

// drawOne takes over a source whose group is made of the same as before, or
// notes that it is to be made.
func (m *Model) drawOne(g *group, before *Model, c *changes) {
	id, known := before.id(g.ref)
	if !known {
		id = SourceID(len(m.sources))
		m.sources = append(m.sources, nil)
	}
	m.order = append(m.order, id)
	if known && before.sources[id].draft.group.same(g) {
		m.sources[id] = before.sources[id]
		return
	}
	m.sources[id] = newSource(id, g.ref.Name, identity(g.ref), &draft{group: g})
	c.sources[id] = true
}

// drafts makes the drafts of the sources that are new, on all processors: a
// draft knows nothing of others.
func (m *Model) drafts(before *Model, c *changes) {
	ids := sorted(c.sources)
	m.each(ids, func(s *Source) {
		if s.ID != Metrics {
			s.draft = newDraft(s.draft.group, m.input.Dialect)
		}
	})
	for _, id := range ids {
		c.add(m.sources[id])
		if int(id) < len(before.sources) && before.sources[id] != nil {
			c.add(before.sources[id])
		}
	}
}

// each does something with sources on all processors. What is done with one must
// not look at what is done with others.
func (m *Model) each(ids []SourceID, do func(*Source)) {
	workers := min(runtime.GOMAXPROCS(0), len(ids)/64+1)
	if workers == 1 {
		for _, id := range ids {
			do(m.sources[id])
		}
		return
	}
	var next atomic.Int64
	flight.All(workers, func(int) {
		for at := int(next.Add(1)) - 1; at < len(ids); at = int(next.Add(1)) - 1 {
			do(m.sources[ids[at]])
		}
	})
}

// index makes the sources findable by name.
func (m *Model) index(before *Model) {
	if before != nil && slices.Equal(m.order, before.order) {
		m.byName, m.sourceWords = before.byName, before.sourceWords
		return
	}
	m.byName = slices.Clone(m.order)
	slices.SortFunc(m.byName, func(a, b SourceID) int {
		x, y := m.sources[a], m.sources[b]
		return cmp.Or(compareFolded(x.Name, fold(y.Name)), compareRefs(x.draft.group.ref, y.draft.group.ref))
	})
	m.sourceWords = sync.OnceValue(func() *words {
		names := make([]string, 0, len(m.order))
		for _, id := range m.order {
			names = append(names, m.sources[id].Name)
		}
		return newWords(names)
	})
}

// named returns the sources of a name in any case, by the parts of their identities.
func (m *Model) named(name string) []SourceID {
	key := fold(name)
	compare := func(id SourceID, key string) int { return compareFolded(m.sources[id].Name, key) }
	first, found := slices.BinarySearchFunc(m.byName, key, compare)
	if !found {
		return nil
	}
	n := sort.Search(len(m.byName)-first, func(i int) bool { return compare(m.byName[first+i], key) > 0 })
	return m.byName[first : first+n : first+n]
}

// id returns the source of a table, or of a definition with these parts.
func (m *Model) id(ref sdk.TableRef) (id SourceID, known bool) {
	all := m.named(ref.Name)
	at, known := slices.BinarySearchFunc(all, ref, func(id SourceID, ref sdk.TableRef) int { return compareRefs(m.sources[id].draft.group.ref, ref) })
	if known {
		id = all[at]
	}
	return id, known
}

// sum is the hash of all that the model is made of.
func (m *Model) sum() Hash {
	var all []byte
	if d := m.input.Dialect; d != nil {
		all = append(all, d.Name+"\x00"+d.DefaultSchema+"\x00"...)
	}
	for _, f := range m.input.Files {
		all = append(append(all, f.Path...), f.Hash[:]...)
	}
	for _, id := range m.order {
		if s := m.sources[id]; s.draft.table != (Hash{}) {
			all = append(append(all, s.Identity...), s.draft.table[:]...)
		}
	}
	if h := m.input.Repeats.hash(); h != (Hash{}) {
		all = append(all, h[:]...)
	}
	return hashOf(all)
}

func compareRefs(a, b sdk.TableRef) int {
	return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Catalog, b.Catalog))
}
