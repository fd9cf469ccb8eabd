package discover

import (
	"context"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/host/internal/semantic/listing"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
)

// PageRef is a reference of a page and its target.
type PageRef struct {
	// Ref is as the page has it.
	Ref string `json:"ref"`
	// Kind is the search.Kind of the target, "" = nothing has this name now.
	Kind string `json:"kind,omitempty"`
	// ConnectionID and ID name the target, Table the table of a column, Source the source of a dimension.
	ConnectionID connection.ID `json:"connectionId,omitempty"`
	ID           string        `json:"id,omitempty"`
	Table        string        `json:"table,omitempty"`
	Source       string        `json:"source,omitempty"`
}

// PageRefs resolves references of a page into the catalogs and semantic layers of its connections, in the order given,
// and returns the pages of the same moment.
// Errors: those of the index.
func (s *Service) PageRefs(ctx context.Context, key string, references []string) (*wiki.View, []PageRef, error) {
	connections, err := s.asked(ctx, "")
	if err != nil {
		return nil, nil, err
	}
	state, err := s.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer state.Release()
	var about []string
	if p, ok := state.Pages.Find(key); ok {
		about = p.Connections
	}
	all := make([]PageRef, len(references))
	for i, ref := range references {
		all[i].Ref = ref
		for _, c := range connections {
			if (len(about) == 0 || slices.Contains(about, string(c.ID))) && all[i].resolve(state, c.ID) {
				break
			}
		}
	}
	return state.Pages, all, nil
}

// resolve finds the target of a reference in one connection.
func (r *PageRef) resolve(state *indexer.State, id connection.ID) bool {
	found := r.defined(state.Semantic[id].Listing) || r.scanned(state.Snapshots[id])
	if found {
		r.ConnectionID = id
	}
	return found
}

// defined finds a member or source that files of the semantic layer define.
func (r *PageRef) defined(l *listing.Listing) bool {
	if l == nil {
		return false
	}
	source, member := cutMember(r.Ref)
	if e := l.Entry(source); e != nil {
		named := func(m listing.Member) bool { return m.Name == member }
		of := e.Source()
		switch {
		case slices.ContainsFunc(of.Measures, named):
			r.Kind, r.ID, r.Source = search.Measure.String(), r.Ref, source
			return true
		case slices.ContainsFunc(of.Dimensions, named):
			r.Kind, r.ID, r.Source = search.Dimension.String(), r.Ref, source
			return true
		}
	}
	if r.Ref == "" || l.Entry(r.Ref) == nil {
		return false
	}
	r.Kind, r.ID = search.Source.String(), r.Ref
	return true
}

// scanned finds a table or a column of a snapshot.
func (r *PageRef) scanned(snapshot *catalog.Snapshot) bool {
	if snapshot == nil {
		return false
	}
	if at, err := snapshot.Find(nil, r.Ref); err == nil {
		t, err := snapshot.At(at)
		if err != nil {
			return false
		}
		r.Kind, r.ID = search.Table.String(), catalog.Display(t.TableRef)
		return true
	}
	source, column := cutMember(r.Ref)
	at, err := snapshot.Find(nil, source)
	if err != nil {
		return false
	}
	t, err := snapshot.At(at)
	if err != nil || !slices.ContainsFunc(t.Columns, func(c sdk.Column) bool { return strings.EqualFold(c.Name, column) }) {
		return false
	}
	r.Kind, r.Table = search.Column.String(), catalog.Display(t.TableRef)
	r.ID = r.Table + "." + column
	return true
}
