package discover

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/semantic/listing"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// DeadSLRefs returns one error for each entry in the sl_refs of a wiki page that no semantic
// layer defines, in the order of the pages. A reference that a connection without a scan may
// define is not reported.
// Errors: those of the index.
func (s *Service) DeadSLRefs(ctx context.Context) (dead []*sdk.Error, err error) {
	registry, err := s.Warehouses.Connections(ctx)
	if err != nil {
		return nil, err
	}
	state, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	defer state.Release()
	for page := range state.Pages.Pages() {
		for _, ref := range page.SLRefs {
			if s.offered(state, registry.All(), page, ref) {
				continue
			}
			e := sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "%s has %q in its sl_refs, which no semantic layer offers", page.Path, ref).
				WithHint("mend the page's sl_refs, or define it in semantic-layer; see what there is: loam sl list")
			e.Candidates = near(state, ref)
			dead = append(dead, e)
		}
	}
	return dead, nil
}

// offered reports whether one of a page's connections defines a reference, or may define it.
func (s *Service) offered(state *indexer.State, connections []connection.Connection, page *wiki.Page, ref string) bool {
	return slices.ContainsFunc(connections, func(c connection.Connection) bool {
		if len(page.Connections) > 0 && !slices.Contains(page.Connections, string(c.ID)) {
			return false
		}
		snapshot, layer := state.Snapshots[c.ID], state.Semantic[c.ID].Listing
		return snapshot == nil || layer != nil && defined(layer, ref) || scanned(snapshot, layer, ref)
	})
}

// scanned reports whether a reference names a scanned table or one of its columns: each table
// is a source, with its columns as dimensions. An ambiguous name counts as scanned.
func scanned(snapshot *catalog.Snapshot, layer *listing.Listing, ref string) bool {
	if _, err := snapshot.Find(nil, ref); sdk.KindOf(err) != sdk.KindNotFound {
		return true
	}
	source, member := cutMember(ref)
	if layer != nil && source != "" {
		if e := layer.Entry(source); e != nil {
			source = cmp.Or(e.Source().Table, source)
		}
	}
	position, err := snapshot.Find(nil, source)
	if err != nil {
		return sdk.KindOf(err) != sdk.KindNotFound
	}
	t, err := snapshot.At(position)
	return err != nil || member == model.RowCount || slices.ContainsFunc(t.Columns, func(c sdk.Column) bool { return strings.EqualFold(c.Name, member) })
}

// defined reports whether the files of a semantic layer define a reference.
func defined(l *listing.Listing, ref string) bool {
	if ref != "" && l.Entry(ref) != nil {
		return true
	}
	source, member := cutMember(ref)
	e := l.Entry(source)
	if e == nil { // the reference may start with the role of a join
		_, source = cutMember(source)
		e = l.Entry(source)
	}
	if e == nil {
		return false
	}
	s := e.Source()
	return slices.ContainsFunc(slices.Concat(s.Measures, s.Dimensions, s.Segments), func(m listing.Member) bool { return m.Name == member })
}

// cutMember cuts a reference at its last dot; a metric has no source.
func cutMember(ref string) (source, member string) {
	at := strings.LastIndexByte(ref, '.')
	return ref[:max(0, at)], ref[at+1:]
}

// near returns the existing references with the most similar names, best first.
func near(state *indexer.State, ref string) []string {
	var all []string
	for _, layer := range state.Semantic {
		for e := range layer.Listing.Entries() {
			before := ""
			if !e.IsMetrics() {
				all, before = append(all, e.ID), e.ID+"."
			}
			s := e.Source()
			for _, m := range slices.Concat(s.Measures, s.Dimensions, s.Segments) {
				all = append(all, before+m.Name)
			}
		}
	}
	slices.Sort(all) // connections come in any order
	return sqlkit.Nearest(ref, all)
}
