package assemble

import (
	"context"
	"fmt"
	"slices"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/host/internal/wiki"
	"github.com/loam-data/loam/sdk"
)

// maxHits is how many hits of a query rank tables and words.
const maxHits = 200

// view is one state of the project as one request asks about it.
type view struct {
	service     *Service
	request     ContextRequest
	state       *indexer.State
	connections []connection.Connection
	outlines    []*outline // of connections
	// order is the positions of the tables to list, in outlines[0]; nil at depth Domain.
	order []int32
	// pages are the ranks of the pages that the query found.
	pages map[string]int
	basis basis
	notes []string
}

// view returns the view of a request.
// Errors: those of Context.
func (s *Service) view(ctx context.Context, state *indexer.State, r ContextRequest) (*view, error) {
	v := &view{service: s, request: r, state: state}
	if err := v.choose(ctx); err != nil {
		return nil, err
	}
	for _, c := range v.connections {
		o, err := s.outline(ctx, state, c.ID)
		if err != nil {
			return nil, err
		}
		v.outlines = append(v.outlines, o)
		if o.snapshot == nil {
			v.unscanned(c.ID)
		}
	}
	v.notes = append(v.notes, state.Notes...)
	relevance := v.search(ctx)
	r.Cursor = ""
	v.basis = newBasis(r)
	if r.Depth == Domain || len(v.outlines) == 0 || v.outlines[0].snapshot == nil {
		return v, nil
	}
	o := v.outlines[0]
	v.order = o.ranked(relevance, o.used(v.used(ctx)))
	if len(r.Tables) > 0 {
		named, err := v.named(ctx, o)
		if err != nil {
			return nil, err
		}
		v.order = slices.DeleteFunc(slices.Clone(v.order), func(at int32) bool { return !slices.Contains(named, at) })
	}
	v.basis.order(o.snapshot.Content, v.order)
	return v, nil
}

// choose finds the connections of the request. Without any, a note says so.
// Errors: those of connection.Registry.Choose.
func (v *view) choose(ctx context.Context) error {
	registry, err := v.service.Warehouses.Connections(ctx)
	if err != nil {
		return err
	}
	if _, none := registry.Some(); none != nil && v.request.Connection == "" {
		e := sdk.AsError(none, sdk.SourceHost)
		v.notes = append(v.notes, fmt.Sprintf("There is nothing to say: %s; %s.", e.Msg, e.Hint))
		return nil
	}
	if v.request.Depth == Domain {
		v.connections, err = v.service.asked(ctx, v.request.Connection)
		return err
	}
	c, err := registry.Choose(v.request.Connection)
	v.connections = []connection.Connection{c}
	return err
}

// unscanned notes the command that scans a connection. Damaged catalogs are in the notes of the state.
func (v *view) unscanned(id connection.ID) {
	if all, err := v.service.Catalogs.Of(string(id)).History(); err == nil && len(all) == 0 {
		v.notes = append(v.notes, fmt.Sprintf("Connection %s was never scanned: run loam scan %s.", id, id))
	}
}

func (v *view) used(ctx context.Context) *search.Use {
	if v.service.Used == nil {
		return nil
	}
	return v.service.Used(ctx)
}

// search returns the ranks of the tables that the query finds, or whose columns or sources it finds, and keeps those of
// pages.
func (v *view) search(ctx context.Context) map[int32]int {
	if v.request.Query == "" || len(v.connections) == 0 {
		return nil
	}
	var ids []string
	for _, c := range v.connections {
		ids = append(ids, string(c.ID))
	}
	found := v.state.Index.Search(search.Query{Text: v.request.Query, Connections: ids, Limit: maxHits, Use: v.used(ctx)})
	v.pages = map[string]int{}
	tables := map[int32]int{}
	for i := range found.Hits {
		h := &found.Hits[i]
		if h.Kind == search.Wiki {
			v.pages[h.ID] = len(v.pages)
			continue
		}
		if at, ok := v.outlines[0].tableOf(h); ok && h.Connection == string(v.outlines[0].id) {
			if _, twice := tables[at]; !twice {
				tables[at] = len(tables)
			}
		}
	}
	if len(found.Hits) == 0 {
		v.notes = append(v.notes, "Nothing has words of the query: the order is that without one.")
	}
	return tables
}

// tableOf returns the table of a hit: of a column its table, of a source and its members the table of the source.
func (o *outline) tableOf(h *search.Hit) (int32, bool) {
	id := h.ID
	if h.Parent != "" {
		id = h.Parent
	}
	switch h.Kind {
	case search.Table, search.Column:
		return o.position(id)
	case search.Source, search.Measure, search.Dimension:
		if o.listing == nil {
			return 0, false
		}
		at, ok := o.places[o.listing.Entry(id)]
		return at, ok
	}
	return 0, false
}

// named returns the positions of the tables that the request names: the newest of copies for a name that is short for
// them.
// Errors: those of catalog.Snapshot.Find.
func (v *view) named(ctx context.Context, o *outline) (all []int32, err error) {
	known, err := v.service.Warehouses.Of(v.connections[0]).Known(ctx)
	if err != nil { // names are compared exactly, for want of the connector
		v.service.Logger.DebugContext(ctx, "names are compared exactly", "connection", o.id, "error", err)
	}
	for _, name := range v.request.Tables {
		at, err := o.snapshot.Find(known.Dialect(), name)
		if sdk.KindOf(err) == sdk.KindNotFound {
			if families := o.snapshot.Families(known.Dialect(), name); len(families) == 1 {
				at, err = families[0], nil
				v.notes = append(v.notes, fmt.Sprintf("%q is short for several tables: %s is the newest.", clip(name, maxName), catalog.Display(o.snapshot.Entry(at).TableRef)))
			}
		}
		if err != nil {
			return nil, err
		}
		all = append(all, int32(at))
	}
	return all, nil
}

// hasOntology reports whether people or agents said what the data means.
func (v *view) hasOntology() bool {
	if slices.ContainsFunc(v.outlines, func(o *outline) bool { return o.written }) {
		return true
	}
	for p := range v.state.Pages.Pages() {
		if v.mayShow(p) && (vouched(p) || factOf(p) != "") {
			return true
		}
	}
	return false
}

// mayShow reports whether a page is about one of the asked connections, or about none.
func (v *view) mayShow(p *wiki.Page) bool {
	return indexer.About(p, func(id connection.ID) bool {
		return slices.ContainsFunc(v.connections, func(c connection.Connection) bool { return c.ID == id })
	})
}

// missed returns notes about a search without hits and about words that the index does not have. Who may use only
// some connections gets no list of words: by omission it would reveal words of others.
func missed(ctx context.Context, found search.Result) (notes []string) {
	if len(found.Unknown) > 0 && !caller.Of(ctx).Narrows() {
		notes = append(notes, fmt.Sprintf("No name or text has %s.", quotedList(found.Unknown)))
	}
	if len(found.Hits) == 0 {
		notes = append(notes, "Nothing was found: ask with another word for it, or with a part of its name.")
	}
	return notes
}

func quotedList(words []string) (list string) {
	for i, w := range words {
		if i > 0 {
			list += ", "
		}
		list += fmt.Sprintf("%q", w)
	}
	return list
}
