package indexer

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/host/internal/wiki"
)

// state is the units with all of their segments, as Current returns them.
type state struct {
	index     *search.Index
	analyzer  *text.Analyzer // of index
	parts     []indexed
	units     map[key]*unit
	snapshots map[connection.ID]*catalog.Snapshot
	semantic  map[connection.ID]Semantic
	pages     *wiki.View
	users     int // the indexer among them
}

// indexed is a segment of a connection, or of none.
type indexed struct {
	connection connection.ID
	segment    *search.Segment
}

// newState puts units together whose segments are open.
func (x *Indexer) newState(units map[key]*unit) *state {
	s := &state{units: units, snapshots: map[connection.ID]*catalog.Snapshot{}, semantic: map[connection.ID]Semantic{}, pages: noPages, users: 1}
	for _, at := range slices.SortedFunc(maps.Keys(units), compareKeys) {
		u := units[at]
		for _, p := range u.parts {
			s.parts = append(s.parts, indexed{at.connection, x.segments[p.file]})
		}
		switch at.kind {
		case kindWiki:
			s.pages = u.pages
		case kindSemantic:
			s.semantic[at.connection] = Semantic{u.files, u.listing}
		case kindTables:
			s.snapshots[at.connection] = u.snapshot
		}
	}
	s.analyzer = x.analyzer.With(s.pages.Glossary())
	s.index = s.indexOf(func(connection.ID) bool { return true })
	return s
}

// indexOf returns the index of some connections, and of what belongs to none.
func (s *state) indexOf(allowed func(connection.ID) bool) *search.Index {
	var segments []*search.Segment
	for _, p := range s.parts {
		if p.connection == "" || allowed(p.connection) {
			segments = append(segments, p.segment)
		}
	}
	return search.NewIndex(s.analyzer, segments...)
}

// Only restricts the state to the allowed connections: it drops the data, words,
// values and notes of others, and the pages that are about others only.
func (s *State) Only(allowed func(connection.ID) bool) {
	s.Index = s.of.indexOf(allowed)
	closeIndex, release := s.Index.Close, s.release
	s.release = sync.OnceFunc(func() {
		_ = closeIndex() // frees nothing: the whole index has the segments too
		release()
	})
	others := func(id connection.ID) bool { return !allowed(id) }
	s.Snapshots, s.Semantic = maps.Clone(s.Snapshots), maps.Clone(s.Semantic)
	maps.DeleteFunc(s.Snapshots, func(id connection.ID, _ *catalog.Snapshot) bool { return others(id) })
	maps.DeleteFunc(s.Semantic, func(id connection.ID, _ Semantic) bool { return others(id) })
	s.Pages = s.Pages.Only(func(p *wiki.Page) bool { return About(p, allowed) })
	s.notes = slices.DeleteFunc(slices.Clone(s.notes), func(n note) bool { return n.connection != "" && others(n.connection) })
	s.Notes = texts(s.notes)
}

// About reports whether a page is about an allowed connection, or about none.
func About(p *wiki.Page, allowed func(connection.ID) bool) bool {
	return len(p.Connections) == 0 || slices.ContainsFunc(p.Connections, func(id string) bool { return allowed(connection.ID(id)) })
}

// texts are what notes say.
func texts(notes []note) (all []string) {
	for _, n := range notes {
		all = append(all, n.text)
	}
	return all
}

// taken is a state that one caller uses.
type taken struct {
	state *State
	whole bool // it is all of what was seen
}

// take hands the current state out to one who has seen s; nil when there is
// none. err is what keeps the state from being as it was seen.
func (x *Indexer) take(s *sight, err error) *taken {
	x.mu.Lock()
	now := x.state
	if now != nil {
		now.users++
	}
	x.mu.Unlock()
	if now == nil {
		return nil
	}
	t := &taken{whole: maps.Equal(now.units, s.units), state: &State{
		Index: now.index, Snapshots: now.snapshots, Semantic: now.semantic, Pages: now.pages, notes: slices.Clip(s.notes), of: now,
		release: sync.OnceFunc(func() { x.release(now) }),
	}}
	if t.whole {
		t.state.Notes = texts(t.state.notes)
		return t
	}
	for _, at := range slices.SortedFunc(maps.Keys(s.units), compareKeys) {
		if now.units[at] != s.units[at] {
			t.state.notes = append(t.state.notes, note{at.connection, behind(s.units[at], now.units[at], err)})
		}
	}
	t.state.Notes = texts(t.state.notes)
	return t
}

// release gives back one use of a state.
func (x *Indexer) release(s *state) {
	x.mu.Lock()
	s.users--
	unused := s.users == 0
	x.mu.Unlock()
	if !unused {
		return
	}
	if err := s.index.Close(); err != nil {
		x.config.Logger.Warn("the memory of a search index was not given back", "error", err)
	}
}

const moment = "2006-01-02 15:04:05 MST"

// behind says in what an answer is not the latest: of which unit it has another
// one, or none.
func behind(wanted, has *unit, err error) string {
	subject := "The index of the wiki"
	switch wanted.kind {
	case kindFiles:
		subject = "The index of the collected files"
	case kindSemantic:
		subject = fmt.Sprintf("The index of the semantic layer of connection %s", wanted.connection)
	case kindTables:
		subject = fmt.Sprintf("The index of connection %s for its snapshot of %s", wanted.connection, wanted.snapshot.ExtractedAt.UTC().Format(moment))
	}
	is := "is being made"
	if err != nil {
		is = fmt.Sprintf("could not be made (%s)", explain(err))
	}
	switch noun := rules[wanted.kind].noun; {
	case has == nil:
		return fmt.Sprintf("%s %s: this answer is without its %s.", subject, is, noun)
	case wanted.kind != kindTables:
		return fmt.Sprintf("%s %s: this answer has its %s as they were before.", subject, is, noun)
	}
	return fmt.Sprintf("%s %s: this answer is from the one of %s.", subject, is, has.snapshot.ExtractedAt.UTC().Format(moment))
}

// assemble makes a state of the units that are seen and have all of their
// segments open, and of the current ones of those that have not. The first
// state has the tables of a connection if there are any: without them it would
// be no answer.
func (x *Indexer) assemble(s *sight) {
	x.mu.Lock()
	before := x.state
	x.mu.Unlock()
	units := map[key]*unit{}
	for at, u := range s.units {
		if x.ready(u) {
			units[at] = u
		} else if before != nil && before.units[at] != nil {
			units[at] = before.units[at]
		}
	}
	if before == nil && withTables(s.units) && !withTables(units) || before != nil && maps.Equal(before.units, units) {
		return
	}
	next := x.newState(units)
	x.mu.Lock()
	x.state = next
	x.broadcast()
	x.mu.Unlock()
	if before != nil {
		x.release(before)
	}
	x.step("swapped")
}

func withTables(units map[key]*unit) bool {
	for at := range units {
		if at.kind == kindTables {
			return true
		}
	}
	return false
}

// ready reports whether all segments of a unit are open.
func (x *Indexer) ready(u *unit) bool {
	return !slices.ContainsFunc(u.parts, func(p part) bool { return x.segments[p.file] == nil })
}
