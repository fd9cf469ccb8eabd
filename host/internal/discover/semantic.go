package discover

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/host/internal/semantic/listing"
	"github.com/loam-data/loam/sdk"
)

// semantic fills in the fields of a reference to a source, a measure or a dimension.
// Errors: KindInternal for a hit that its state does not have.
func (b *refBuilder) semantic(h *search.Hit, r *Ref) error {
	if h.Kind == search.Source {
		s := b.source(h.Connection, h.ID)
		if s == nil {
			return unknown(h)
		}
		r.ID = b.whole(h.Connection, h.ID, s)
		r.Summary, r.Snippet = excerpt(s.Description), known(b.some("", slices.Concat(names(s.Measures), names(s.Dimensions)), nil))
		if h.MatchedOn == search.Body {
			if text, ok := b.service.around(s.Text(), h.Terms); ok {
				r.Snippet = known(text)
			}
		}
		return nil
	}
	s := b.source(h.Connection, h.Parent)
	if s == nil {
		return unknown(h)
	}
	members := s.Measures
	if h.Kind == search.Dimension {
		members = s.Dimensions
	}
	at := slices.IndexFunc(members, func(m listing.Member) bool { return m.Name == h.Name })
	if at < 0 {
		return unknown(h)
	}
	m := &members[at]
	r.Source, r.Summary = b.whole(h.Connection, h.Parent, s), excerpt(m.Description)
	if h.Kind == search.Dimension {
		r.ID = r.Source + "." + m.Name
	}
	switch {
	case len(m.Values) > 0:
		r.Snippet = known(b.some("", m.Values, h.Terms))
	case m.Expr != "":
		r.Snippet = excerpt(m.Expr)
	default:
		r.Snippet = excerpt(m.Type)
	}
	return nil
}

// whole returns the name of a source in queries: with its schema when tables of several
// schemas have the name. Measures need no schema: only the source has them.
func (b *refBuilder) whole(connectionID, id string, s *listing.Source) string {
	snapshot := b.state.Snapshots[connection.ID(connectionID)]
	if snapshot == nil || len(s.Table) <= len(id) || !strings.EqualFold(s.Table[len(s.Table)-len(id)-1:], "."+id) {
		return id
	}
	if _, err := snapshot.Find(nil, id); sdk.KindOf(err) != sdk.KindInvalid {
		return id
	}
	return s.Table
}

// source returns a source of the semantic layer, and caches it; nil when there is none.
func (b *refBuilder) source(connectionID, id string) *listing.Source {
	key := [2]string{connectionID, id}
	if s := b.sources[key]; s != nil {
		return s
	}
	layer, ok := b.state.Semantic[connection.ID(connectionID)]
	if !ok || layer.Listing.Entry(id) == nil {
		return nil
	}
	if b.sources == nil {
		b.sources = map[[2]string]*listing.Source{}
	}
	s := layer.Listing.Entry(id).Source()
	b.sources[key] = s
	return s
}

func names(members []listing.Member) (all []string) {
	for i := range members {
		all = append(all, members[i].Name)
	}
	return all
}

// brokenSources returns a note for each semantic layer that has files with problems.
func brokenSources(state *indexer.State, connections []connection.Connection) (notes []string) {
	for _, c := range connections {
		layer, ok := state.Semantic[c.ID]
		if !ok {
			continue
		}
		broken := map[string]bool{}
		for _, p := range layer.Files.Problems {
			broken[p.File] = true
		}
		for _, f := range layer.Files.List {
			if len(f.Problems) > 0 {
				broken[f.Path] = true
			}
		}
		switch len(broken) {
		case 0:
		case 1:
			notes = append(notes, fmt.Sprintf("A file of the semantic layer of connection %s is broken, at least in part: run loam sl validate -c %s.", c.ID, c.ID))
		default:
			notes = append(notes, fmt.Sprintf("%d files of the semantic layer of connection %s are broken, at least in part: run loam sl validate -c %s.", len(broken), c.ID, c.ID))
		}
	}
	return notes
}
