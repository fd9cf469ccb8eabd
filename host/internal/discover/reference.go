package discover

import (
	"context"
	"fmt"
	"net/url"
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

// Ref is a search result: a table, column, source, measure, dimension, wiki page or chunk of
// a file.
// Shape: TableRef is set for tables and columns, ColumnName for columns, Source for
// dimensions and for measures that are no metrics, ConnectionID for everything that belongs
// to a connection. sl_query takes the ID of a source, a measure or a dimension.
// Units: Summary and Snippet have at most 200 characters each.
type Ref struct {
	Kind      string  `json:"kind"`
	ID        string  `json:"id"`
	Score     float64 `json:"score"`
	Summary   *string `json:"summary,omitempty"`
	Snippet   *string `json:"snippet,omitempty"`
	MatchedOn string  `json:"matchedOn"`
	// Partial says that it matches only some of the words, or only by similar words.
	Partial      bool              `json:"partial,omitempty"`
	ConnectionID connection.ID     `json:"connectionId,omitempty"`
	TableRef     *catalog.TableRef `json:"tableRef,omitempty"`
	ColumnName   string            `json:"columnName,omitempty"`
	Source       string            `json:"source,omitempty"`
	// Copies counts the copies of the table, see Listed.Copies.
	Copies int `json:"copies,omitempty"`
	// URI of the resource of a table, a source or a page.
	URI string `json:"uri,omitempty"`
	Standing
}

// Scheme is that of the resources.
const Scheme = "loam://"

// uri returns the URI of a resource: the kind, and values in which all but the characters that are unreserved in
// a URI are escaped.
func uri(kind string, values ...string) string {
	for i, v := range values {
		values[i] = strings.ReplaceAll(url.QueryEscape(v), "+", "%20")
	}
	return Scheme + kind + "/" + strings.Join(values, "/")
}

// A table's snippet names at most maxNames columns, a column's at most maxSamples values.
const (
	maxNames   = 5
	maxSamples = 5
)

// refBuilder turns the hits of one search into references. It caches the tables and sources
// that it has read.
type refBuilder struct {
	service *Service
	state   *indexer.State
	tables  map[tableKey]*catalog.Table
	// sources are those of the semantic layer, by connection and ID.
	sources map[[2]string]*listing.Source
	notes   []string
	trust   *trust
}

type tableKey struct {
	connection string
	position   int
}

// ref returns the reference of a hit. If a table cannot be read from the catalog, its fields
// stay null and a note says so.
// Errors: KindInternal for a page that the state does not have; those of ctx.
func (b *refBuilder) ref(ctx context.Context, h *search.Hit) (Ref, error) {
	if err := ctx.Err(); err != nil {
		return Ref{}, err
	}
	r := Ref{Kind: h.Kind.String(), ID: h.ID, Score: h.Score, MatchedOn: h.MatchedOn.String(), Partial: h.Partial}
	switch h.Kind {
	case search.Wiki:
		hit, err := b.wikiHit(ctx, h)
		r.Summary, r.Snippet, r.Standing = hit.Summary, known(hit.Snippet), hit.Standing
		r.URI = strings.ReplaceAll(uri("page", h.ID), "%2F", "/")
		return r, err
	case search.Table, search.Column:
		r.ConnectionID = connection.ID(h.Connection)
		if h.Kind == search.Table {
			r.URI = uri("table", h.Connection, h.ID)
		}
		if err := b.entity(h, &r); err != nil {
			b.note(fmt.Sprintf("What the catalog of connection %s says of %s cannot be read: run loam scan --full %s.", h.Connection, h.ID, h.Connection))
			b.service.Logger.WarnContext(ctx, "a search hit has no table in the catalog", "connection", h.Connection, "error", err)
		}
	case search.Source, search.Measure, search.Dimension:
		r.ConnectionID, r.Standing = connection.ID(h.Connection), b.trust.of(used(h))
		if err := b.semantic(h, &r); err != nil {
			return r, err
		}
		if h.Kind == search.Source {
			r.URI = uri("source", h.Connection, r.ID)
		}
	}
	return r, nil
}

func (b *refBuilder) note(s string) {
	if !slices.Contains(b.notes, s) {
		b.notes = append(b.notes, s)
	}
}

// bodySnippet returns the part of a page's body around the match, else its beginning; nil
// when the page changed since the search.
func (b *refBuilder) bodySnippet(page *wiki.Page, h *search.Hit) *string {
	body, err := b.service.Wiki.Body(page)
	if err != nil {
		return nil
	}
	if h.MatchedOn != search.Name && h.MatchedOn != search.Display {
		if s, ok := b.service.around(body, h.Terms); ok {
			return known(s)
		}
	}
	return excerpt(body)
}

// entity fills in the fields of a reference to a table or a column.
// Errors: KindInternal for a hit that its catalog does not have, those of
// reading it.
func (b *refBuilder) entity(h *search.Hit, r *Ref) error {
	position, t, column, err := b.table(h)
	if err != nil {
		return err
	}
	ref := catalog.RefOf(t.TableRef)
	r.TableRef = &ref
	if h.Kind == search.Table {
		r.Summary = excerpt(t.Comment)
		r.Snippet = b.tableSnippet(h, &t.Table)
		return nil
	}
	c := &t.Columns[column]
	r.ColumnName, r.Summary, r.Snippet = c.Name, excerpt(c.Comment), excerpt(c.NativeType)
	switch h.MatchedOn {
	case search.Description, search.Comment:
		if s, ok := b.service.around(c.Comment, h.Terms); ok {
			r.Snippet = known(s)
		}
	case search.Sample:
		p, err := b.state.Snapshots[r.ConnectionID].Profile(position)
		if err != nil {
			return err
		}
		if s := b.samples(p, c, h.Terms); s != "" {
			r.Snippet = known(s)
		}
	}
	return nil
}

// table reads the table of a hit, and finds the column if the hit is one; else column is -1.
func (b *refBuilder) table(h *search.Hit) (position int, t *catalog.Table, column int, err error) {
	snapshot, display := b.state.Snapshots[connection.ID(h.Connection)], h.ID
	if h.Kind == search.Column {
		display = h.Parent
	}
	if snapshot == nil {
		return 0, nil, -1, unknown(h)
	}
	if position, err = snapshot.Find(nil, display); err != nil {
		return 0, nil, -1, unknown(h)
	}
	if t, err = b.read(h.Connection, snapshot, position); err != nil || h.Kind == search.Table {
		return position, t, -1, err
	}
	column = slices.IndexFunc(t.Columns, func(c sdk.Column) bool { return c.Name == h.Name })
	if column < 0 {
		return 0, nil, -1, unknown(h)
	}
	return position, t, column, nil
}

func unknown(h *search.Hit) error {
	return sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "the index has %s %s of connection %s, what it was made of has not", h.Kind, h.ID, h.Connection)
}

func (b *refBuilder) read(connection string, snapshot *catalog.Snapshot, position int) (*catalog.Table, error) {
	key := tableKey{connection, position}
	if t := b.tables[key]; t != nil {
		return t, nil
	}
	t, err := snapshot.At(position)
	if err != nil {
		return nil, err
	}
	if b.tables == nil {
		b.tables = map[tableKey]*catalog.Table{}
	}
	b.tables[key] = t
	return t, nil
}

// tableSnippet returns the part of the comment that matches, else up to maxNames column
// names, matching ones first.
func (b *refBuilder) tableSnippet(h *search.Hit, t *sdk.Table) *string {
	if h.MatchedOn == search.Comment || h.MatchedOn == search.Description {
		if s, ok := b.service.around(t.Comment, h.Terms); ok {
			return known(s)
		}
	}
	var first, others []string
	for i := range t.Columns {
		name := t.Columns[i].Name
		switch {
		case h.MatchedOn == search.Context && len(first) < maxNames && b.has(name, h.Terms):
			first = append(first, name)
		case len(others) < maxNames:
			others = append(others, name)
		}
	}
	first = append(first, others...)
	return excerpt(strings.Join(first[:min(maxNames, len(first))], ", "))
}

// has reports whether a name or a value contains one of the terms.
func (b *refBuilder) has(s string, terms []string) (yes bool) {
	b.service.scan(s, terms, func(found) bool {
		yes = true
		return false
	})
	return yes
}

// samples returns some of a column's sampled values; "" when there are none.
func (b *refBuilder) samples(p *catalog.Profile, c *sdk.Column, terms []string) string {
	if p == nil {
		return ""
	}
	stats := p.Column(c.Name)
	if stats == nil {
		return ""
	}
	head := "samples: "
	if c.NativeType != "" {
		head = c.NativeType + " · " + head
	}
	return b.some(head, stats.Values, terms)
}

// some returns head and some values of a list, matching ones first, as many as fit; "" when
// the list is empty.
func (b *refBuilder) some(head string, values, terms []string) string {
	var first, others []string
	for _, v := range values {
		switch {
		case len(first) < maxSamples && b.has(v, terms):
			first = append(first, v)
		case len(others) < maxSamples:
			others = append(others, v)
		}
	}
	first = append(first, others...)
	first = first[:min(maxSamples, len(first))]
	for n := len(first); n > 0; n-- {
		if s := head + strings.Join(first[:n], ", "); n == 1 || cut(s, maxText) == s {
			return cut(s, maxText)
		}
	}
	return ""
}
