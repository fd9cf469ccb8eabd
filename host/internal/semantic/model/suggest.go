package model

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// guesses bounds what is spent on suggestions while a model is made: beyond it
// a problem is told without any.
// Units: names compared.
// Concurrency: any number of goroutines.
type guesses struct{ left atomic.Int64 }

func newGuesses(n int64) *guesses {
	g := &guesses{}
	g.left.Store(n)
	return g
}

// take reports whether so many names may still be compared.
func (g *guesses) take(n int) bool { return g.left.Add(-int64(n)) >= 0 }

func (g *guesses) near(word string, names []string) []string {
	if !g.take(len(names)) {
		return nil
	}
	return sqlkit.Nearest(word, names)
}

const (
	// maxSuggestions is how many references are offered for an unknown one.
	maxSuggestions = 3
	// maxChanged is how many sources may have changed before the names of all
	// are taken up again.
	maxChanged = 64
	// maxCompared is how many words are compared letter by letter with a
	// misspelt one.
	maxCompared = 128
)

// names finds members by their last name alone. It is made when it is first
// asked for, and serves the models after it too: a source that changed since is
// looked through by itself.
type names struct {
	base  []*Source
	index func() *nameIndex
}

type nameIndex struct {
	sources map[string][]SourceID // by folded name, label or synonym
	words   *words
}

// share takes the names of the model before, or new ones where too much changed.
func (m *Model) share(before *Model) {
	if before != nil {
		m.names = before.names
		for id, s := range m.sources {
			if id >= len(m.names.base) || m.names.base[id] != s {
				m.changed = append(m.changed, SourceID(id))
			}
		}
		if len(m.changed) <= maxChanged {
			return
		}
		m.changed = nil
	}
	base := m.sources
	m.names = &names{base: base, index: sync.OnceValue(func() *nameIndex { return indexNames(base) })}
}

func indexNames(base []*Source) *nameIndex {
	x := &nameIndex{sources: map[string][]SourceID{}}
	for _, s := range base {
		if s == nil {
			continue
		}
		for name := range s.calls() {
			key := fold(name)
			if all := x.sources[key]; len(all) == 0 || all[len(all)-1] != s.ID {
				x.sources[key] = append(all, s.ID)
			}
		}
	}
	list := make([]string, 0, len(x.sources))
	for name := range x.sources {
		list = append(list, name)
	}
	slices.Sort(list)
	x.words = newWords(list)
	return x
}

// calls yields everything that the members which queries may use are called.
func (s *Source) calls() func(func(string) bool) {
	return func(yield func(string) bool) {
		if s.Visibility == Hidden {
			return
		}
		for c := range s.Called() {
			if c.Visibility == Hidden {
				continue
			}
			if !yield(c.Name) || c.Label != "" && !yield(c.Label) || slices.ContainsFunc(c.Synonyms, func(w string) bool { return !yield(w) }) {
				return
			}
		}
	}
}

// sourcesOf returns the sources that have a member called so, in the order of
// their ids.
func (n *names) sourcesOf(m *Model, name string) (all []SourceID) {
	key := fold(name)
	for _, id := range n.index().sources[key] {
		if m.sources[id] != nil && m.sources[id] == n.base[id] {
			all = append(all, id)
		}
	}
	for _, id := range m.changed {
		if s := m.sources[id]; s != nil {
			for call := range s.calls() {
				if fold(call) == key {
					all = append(all, id)
					break
				}
			}
		}
	}
	slices.Sort(all)
	return all
}

// Suggest returns up to three likely corrections of an unknown reference, best
// first: one in a source of a similar name, the same name in another source that
// joins reach, a similar name in the named source, a similar name anywhere.
// Labels and synonyms count as names.
// Units: the cost grows with the number of members, by less than a comparison
// each.
func (m *Model) Suggest(home SourceID, parts ...string) []string {
	leaf := parts[len(parts)-1]
	if from := m.Source(home); from != nil && len(parts) > 1 {
		for _, t := range m.targets(from, parts[:len(parts)-1]) {
			home = t.source
			break
		}
	}
	var all []string
	add := func(id SourceID, name string) {
		if len(all) < maxSuggestions {
			if ref := m.publicName(id, name); ref != "" {
				all = appendNew(all, ref)
			}
		}
	}
	if len(parts) > 1 && home == Metrics {
		for _, source := range m.nearSources(parts[len(parts)-2]) {
			for _, id := range m.named(source) {
				for _, name := range sqlkit.Nearest(leaf, slices.Collect(m.sources[id].calls())) {
					add(id, name)
				}
			}
		}
	}
	for _, id := range m.nearestFirst(home, m.names.sourcesOf(m, leaf)) {
		add(id, leaf)
	}
	if s := m.Source(home); s != nil && (home != Metrics || len(parts) == 1) {
		for _, name := range sqlkit.Nearest(leaf, slices.Collect(s.calls())) {
			add(home, name)
		}
	}
	for _, name := range m.names.index().words.near(leaf) {
		for _, id := range m.nearestFirst(home, m.names.sourcesOf(m, name)) {
			add(id, name)
		}
	}
	return all
}

// nearestFirst orders sources by how many joins lead to them from a home; those
// that none leads to come last.
func (m *Model) nearestFirst(home SourceID, all []SourceID) []SourceID {
	if home == Metrics || len(all) < 2 {
		return all
	}
	depth := map[SourceID]int{}
	c := m.closure(home)
	for i := range c.nodes {
		if _, seen := depth[c.nodes[i].source]; !seen {
			depth[c.nodes[i].source] = c.nodes[i].depth - len(c.nodes) // below 0
		}
	}
	slices.SortStableFunc(all, func(a, b SourceID) int { return cmp.Compare(depth[a], depth[b]) })
	return all
}

// publicName is the reference to the public member of a source that is called
// so, "" = there is none.
func (m *Model) publicName(id SourceID, call string) string {
	s := m.whole(m.sources[id])
	full := func(name string) string {
		source := sdk.TableRef{Name: s.Name}
		if len(m.named(s.Name)) > 1 {
			source = s.draft.group.ref
		}
		if id == Metrics {
			source = sdk.TableRef{}
		}
		return reference(source, name)
	}
	called := func(v Visibility, broken, name, label string, synonyms []string) bool {
		is := func(word string) bool { return strings.EqualFold(word, call) }
		return v == Public && broken == "" && name != "" && (is(name) || is(label) || slices.ContainsFunc(synonyms, is))
	}
	for i := range s.Measures {
		if x := &s.Measures[i]; called(x.Visibility, x.Broken, x.Name, x.Label, x.Synonyms) {
			return full(x.Name)
		}
	}
	for i := range s.Dimensions {
		if x := &s.Dimensions[i]; called(x.Visibility, x.Broken, x.Name, x.Label, x.Synonyms) {
			return full(x.Name)
		}
	}
	for i := range s.Segments {
		if x := &s.Segments[i]; called(x.Visibility, x.Broken, x.Name, x.Label, x.Synonyms) {
			return full(x.Name)
		}
	}
	return ""
}

// words finds similar words by the three-letter pieces that they share; the
// few that share the most are then compared letter by letter.
type words struct {
	list   []string
	pieces map[[3]rune][]int32 // → places in list
}

func newWords(list []string) *words {
	w := &words{list: list, pieces: map[[3]rune][]int32{}}
	for i, word := range list {
		for piece := range piecesOf(word) {
			if all := w.pieces[piece]; len(all) == 0 || all[len(all)-1] != int32(i) {
				w.pieces[piece] = append(all, int32(i))
			}
		}
	}
	return w
}

// piecesOf yields the pieces of a word with two spaces before it and one behind,
// so that its beginning counts most.
func piecesOf(word string) func(func([3]rune) bool) {
	return func(yield func([3]rune) bool) {
		last := [3]rune{' ', ' ', ' '}
		for _, r := range fold(word) + " " {
			if last = [3]rune{last[1], last[2], r}; !yield(last) {
				return
			}
		}
	}
}

// near returns the words that a misspelt one was probably meant to be, best
// first, at most three.
func (w *words) near(word string) []string {
	if len(word) > 1000 {
		return nil
	}
	shared := make([]uint16, len(w.list))
	most := uint16(0)
	for piece := range piecesOf(word) {
		for _, i := range w.pieces[piece] {
			shared[i]++
			most = max(most, shared[i])
		}
	}
	counts := make([]int, most+1)
	for _, n := range shared {
		counts[n]++
	}
	least, taken := most, 0
	for least > 0 && taken+counts[least] <= maxCompared {
		taken += counts[least]
		least--
	}
	// Words that share least are too many: the ones of about the same length go
	// before others.
	length := utf8.RuneCountInString(word)
	var close, edge []string
	for i, n := range shared {
		switch {
		case n > least:
			close = append(close, w.list[i])
		case n == least && n > 0:
			if d := utf8.RuneCountInString(w.list[i]) - length; -1 <= d && d <= 1 && len(edge) < maxCompared-taken {
				edge = append(edge, w.list[i])
			}
		}
	}
	return sqlkit.Nearest(word, append(close, edge...))
}
