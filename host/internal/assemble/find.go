package assemble

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/sdk"
)

const (
	defaultFound, mostFound = 20, 100 // tables of a SchemaAnswer
	// maxRanked is how many tables and columns one search ranks.
	maxRanked = 2000
	// The most columns and joins of a FoundTable.
	maxMatched, maxJoins = 10, 5
)

// Schema returns the tables that match a question, or whose columns do.
// Errors: KindInvalid for a question that is empty or too long, a limit out of its bounds and a cursor of other
// arguments or another state; KindNotFound for a connection that does not exist; those of the index and of reading
// snapshots.
func (s *Service) Schema(ctx context.Context, r SchemaRequest) (*SchemaAnswer, error) {
	r.Query = strings.TrimSpace(r.Query)
	characters := utf8.RuneCountInString(r.Query)
	switch {
	case characters == 0:
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the query is empty").WithHint("ask with words, or with names of tables or columns")
	case characters > maxQuestion:
		return nil, tooLong("the query", characters, maxQuestion)
	case r.Limit < 0 || r.Limit > mostFound:
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "a limit of %d tables is not possible", r.Limit).
			WithHint("choose from 1 to %d, or leave it out for %d", mostFound, defaultFound)
	}
	connections, err := s.asked(ctx, r.Connection)
	if err != nil {
		return nil, err
	}
	state, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	defer state.Release()
	f := finder{service: s, state: state, outlines: map[string]*outline{}}
	a := &SchemaAnswer{Results: []FoundTable{}}
	if a.Notes, err = f.open(ctx, connections); err != nil {
		return nil, err
	}
	groups, found := f.search(ctx, r.Query, connections)
	a.Total = len(groups)
	a.Notes = append(append(a.Notes, state.Notes...), missed(ctx, found)...)
	if len(found.Hits) == maxRanked {
		a.Notes = append(a.Notes, "More tables match: ask with more words.")
	}
	limit := cmp.Or(r.Limit, defaultFound)
	basis := f.basis(r, groups)
	first, err := basis.position(r.Cursor, len(groups))
	if err != nil {
		return nil, err
	}
	for _, g := range groups[first:min(first+limit, len(groups))] {
		t, err := f.table(g)
		if err != nil {
			return nil, err
		}
		a.Results = append(a.Results, t)
	}
	if next := first + limit; next < len(groups) {
		cursor := basis.cursor(next)
		a.NextCursor = &cursor
	}
	return a, ctx.Err()
}

// finder answers one SchemaRequest.
type finder struct {
	service  *Service
	state    *indexer.State
	outlines map[string]*outline // of the scanned connections
}

// open reads the outlines, and returns notes about connections that were never scanned.
// Errors: those of Service.outline.
func (f *finder) open(ctx context.Context, connections []connection.Connection) (notes []string, err error) {
	v := view{service: f.service, state: f.state}
	for _, c := range connections {
		if f.state.Snapshots[c.ID] == nil {
			v.unscanned(c.ID)
			continue
		}
		if f.outlines[string(c.ID)], err = f.service.outline(ctx, f.state, c.ID); err != nil {
			return nil, err
		}
	}
	return v.notes, nil
}

// group is a table with its hits.
type group struct {
	outline *outline
	table   int32
	score   float64
	columns []string // that match, best first
	terms   []string // that the table matches
}

// search groups the hits of a question by their tables. A group has the place of its best hit.
func (f *finder) search(ctx context.Context, question string, connections []connection.Connection) (groups []*group, found search.Result) {
	q := search.Query{Text: question, Kinds: []search.Kind{search.Table, search.Column}, Limit: maxRanked}
	for _, c := range connections {
		if f.outlines[string(c.ID)] != nil {
			q.Connections = append(q.Connections, string(c.ID))
		}
	}
	if q.Connections == nil { // none would mean all
		return nil, found
	}
	if f.service.Used != nil {
		q.Use = f.service.Used(ctx)
	}
	found = f.state.Index.Search(q)
	type key struct {
		connection string
		table      int32
	}
	known := map[key]*group{}
	for i := range found.Hits {
		h := &found.Hits[i]
		o := f.outlines[h.Connection]
		if o == nil {
			continue
		}
		at, ok := o.tableOf(h)
		if !ok {
			continue
		}
		g := known[key{h.Connection, at}]
		if g == nil {
			g = &group{outline: o, table: at, score: h.Score}
			known[key{h.Connection, at}] = g
			groups = append(groups, g)
		}
		switch {
		case h.Kind == search.Table:
			g.terms = h.Terms
		case h.MatchedOn != search.Context: // else the words are those of its table
			g.columns = append(g.columns, h.Name)
		}
	}
	return groups, found
}

// basis returns what a cursor depends on: the request, the snapshots and the order of the groups.
func (f *finder) basis(r SchemaRequest, groups []*group) basis {
	r.Cursor = ""
	b := newBasis(r)
	for _, g := range groups {
		b.order(string(g.outline.id)+" "+g.outline.snapshot.Content, []int32{g.table})
	}
	return b
}

// table describes a table that was found.
// Errors: those of reading the snapshot.
func (f *finder) table(g *group) (found FoundTable, err error) {
	o := g.outline
	t, err := o.snapshot.At(int(g.table))
	if err != nil {
		return found, err
	}
	var profile *catalog.Profile
	if t.RowEstimate < 0 {
		if profile, err = o.snapshot.Profile(int(g.table)); err != nil {
			return found, err
		}
	}
	found = FoundTable{
		Table: catalog.Display(t.TableRef), ConnectionID: o.id, TableRef: catalog.RefOf(t.TableRef), RowCount: rowsOf(t.RowEstimate, profile),
		Joins: o.joins(t.TableRef), Score: g.score,
	}
	source := sourceOf(o, g.table)
	found.Description, found.Trust = about(&t.Table, source)
	for i := range t.Columns {
		if name := t.Columns[i].Name; !slices.Contains(g.columns, name) && len(g.terms) > 0 && f.service.has(name, g.terms) {
			g.columns = append(g.columns, name)
		}
	}
	for _, name := range g.columns[:min(maxMatched, len(g.columns))] {
		at := slices.IndexFunc(t.Columns, func(c sdk.Column) bool { return c.Name == name })
		if at >= 0 {
			c := &t.Columns[at]
			found.MatchedColumns = append(found.MatchedColumns, FoundColumn{Name: c.Name, Type: c.NativeType, Description: described(c, source)})
		}
	}
	return found, nil
}

// joins returns tables that a table is joined with: those that it refers to, then those that refer to it.
func (o *outline) joins(ref sdk.TableRef) (all []string) {
	add := func(other sdk.TableRef) {
		_, there := o.snapshot.Position(other)
		if name := catalog.Display(other); there && other != ref && len(all) < maxJoins && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	for _, r := range o.graph.From[ref] {
		add(r.To)
	}
	for _, r := range o.graph.To[ref] {
		add(r.From)
	}
	return all
}
