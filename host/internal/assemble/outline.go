package assemble

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/foreignkey"
	"github.com/loam-data/loam/host/internal/indexer"
	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/host/internal/semantic/listing"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk"
)

// outline is what is derived of all tables of a snapshot: their sources, their numbers of relationships and their
// order. Tables are identified by their positions, which are in the order of their names.
// Concurrency: immutable.
type outline struct {
	id       connection.ID
	snapshot *catalog.Snapshot // nil = never scanned
	listing  *listing.Listing  // nil = no semantic files
	keys     *foreignkey.Keys  // nil = never scanned
	graph    *foreignkey.Graph

	// sources are the semantic sources of tables, of several the first by its id; places are the tables of sources.
	sources map[int32]*listing.Entry
	places  map[*listing.Entry]int32
	// written: a file defines something. saying are the sources with conventions.
	written bool
	saying  []*listing.Entry
	schemas map[schema]int // their numbers of tables
	// outgoing counts the foreign keys of each table, without those to missing tables.
	outgoing []int32
	// order is that of the tables without a question: those with a semantic file first, whose number is defined.
	order   []int32
	defined int
}

// schema is a schema of a catalog.
type schema struct{ catalog, name string }

// outlines keeps the last outline of each connection.
type outlines struct {
	mu  sync.Mutex
	all map[connection.ID]*outline
}

// outline returns the outline of a connection in a state.
// Errors: those of foreignkey.Set.Of and foreignkey.Keys.Graph.
func (s *Service) outline(ctx context.Context, state *indexer.State, id connection.ID) (*outline, error) {
	o := &outline{id: id, snapshot: state.Snapshots[id], listing: state.Semantic[id].Listing}
	var err error
	if o.snapshot != nil {
		if o.keys, err = s.Keys.Of(id, o.snapshot); err != nil {
			return nil, err
		}
		if o.graph, err = o.keys.Graph(ctx); err != nil {
			return nil, err
		}
	}
	s.outlines.mu.Lock()
	known := s.outlines.all[id]
	s.outlines.mu.Unlock()
	if known != nil && known.snapshot == o.snapshot && known.listing == o.listing && known.keys == o.keys {
		return known, nil
	}
	o.read()
	s.outlines.mu.Lock()
	defer s.outlines.mu.Unlock()
	if s.outlines.all == nil {
		s.outlines.all = map[connection.ID]*outline{}
	}
	s.outlines.all[id] = o
	return o, nil
}

// len returns the number of tables.
func (o *outline) len() int {
	if o.snapshot == nil {
		return 0
	}
	return o.snapshot.Len()
}

func (o *outline) read() {
	o.placeSources()
	if o.snapshot == nil {
		return
	}
	n := o.snapshot.Len()
	o.outgoing, o.order = make([]int32, n), make([]int32, n)
	o.schemas = map[schema]int{}
	degrees, rows := make([]int32, n), make([]int64, n)
	outgoing := make(map[sdk.TableRef]int32, len(o.graph.From)) // to tables that exist
	for i, e := range o.snapshot.Entries() {
		o.order[i], rows[i] = int32(i), e.RowEstimate
		o.schemas[schema{e.Catalog, e.Schema}]++
		incoming := o.graph.To[e.TableRef]
		for at := range incoming {
			outgoing[incoming[at].From]++
		}
		degrees[i] = int32(len(incoming))
	}
	for i, e := range o.snapshot.Entries() {
		o.outgoing[i] = outgoing[e.TableRef]
		degrees[i] += o.outgoing[i]
	}
	o.defined = len(o.sources)
	slices.SortFunc(o.order, func(a, b int32) int {
		return cmp.Or(text.CompareBool(o.sources[b] != nil, o.sources[a] != nil), cmp.Compare(degrees[b], degrees[a]), cmp.Compare(rows[b], rows[a]), cmp.Compare(a, b))
	})
}

// placeSources finds the table of each source: the only one that has its name, else the only one that is spelled so.
func (o *outline) placeSources() {
	o.sources, o.places = map[int32]*listing.Entry{}, map[*listing.Entry]int32{}
	if o.listing == nil {
		return
	}
	named := map[string][]*candidate{} // by the folded name
	for e := range o.listing.Entries() {
		s := e.Source()
		if says(s) {
			o.saying = append(o.saying, e)
		}
		if e.IsMetrics() {
			o.written = true
			continue
		}
		if s.Trust == "" && e.Measures == 0 { // only a scan knows it
			continue
		}
		o.written = true
		name := unquoted(cmp.Or(s.Table, e.ID))
		named[strings.ToLower(name)] = append(named[strings.ToLower(name)], &candidate{entry: e, name: name})
	}
	if len(named) == 0 || o.snapshot == nil {
		return
	}
	for i, e := range o.snapshot.Entries() {
		for _, name := range spellings(e.TableRef) {
			for _, c := range named[strings.ToLower(name)] {
				c.found(int32(i), c.name == name)
			}
		}
	}
	for _, all := range named {
		for _, c := range all {
			at, ok := c.table()
			if !ok {
				continue
			}
			o.places[c.entry] = at
			if first := o.sources[at]; first == nil || c.entry.ID < first.ID {
				o.sources[at] = c.entry
			}
		}
	}
}

// candidate is a source with the tables that have its name.
type candidate struct {
	entry          *listing.Entry
	name           string
	tables, folded []int32
}

func (c *candidate) found(at int32, exact bool) {
	if exact {
		c.tables = append(c.tables, at)
	} else {
		c.folded = append(c.folded, at)
	}
}

func (c *candidate) table() (int32, bool) {
	for _, all := range [][]int32{c.tables, c.folded} {
		if len(all) > 0 {
			return all[0], len(all) == 1
		}
	}
	return 0, false
}

// spellings are the names of a table with and without its schema and catalog.
func spellings(ref sdk.TableRef) []string {
	all := []string{ref.Name}
	if ref.Schema != "" {
		all = append(all, ref.Schema+"."+ref.Name)
	}
	if ref.Catalog != "" {
		all = append(all, ref.Catalog+"."+ref.Schema+"."+ref.Name)
	}
	return all
}

// unquoted removes the quotes of a name. Names that differ only in quotes are ambiguous then.
func unquoted(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("\"`[]", r) {
			return -1
		}
		return r
	}, name)
}

// ranked returns the order of the tables with a question and with use: relevance, semantic file, use, then order.
// relevance has the ranks of tables, shares their use.
func (o *outline) ranked(relevance map[int32]int, shares map[int32]float32) []int32 {
	if len(relevance)+len(shares) == 0 {
		return o.order
	}
	var special []int32
	for _, at := range o.order {
		if _, ranked := relevance[at]; ranked || shares[at] > 0 {
			special = append(special, at)
		}
	}
	rank := func(at int32) int {
		if r, ok := relevance[at]; ok {
			return r
		}
		return len(relevance)
	}
	slices.SortStableFunc(special, func(a, b int32) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), text.CompareBool(o.sources[b] != nil, o.sources[a] != nil), cmp.Compare(shares[b], shares[a]))
	})
	isSpecial := make(map[int32]bool, len(special))
	for _, at := range special {
		isSpecial[at] = true
	}
	all := make([]int32, 0, len(o.order))
	ahead := func(belongs func(int32) bool) {
		for len(special) > 0 && belongs(special[0]) {
			all, special = append(all, special[0]), special[1:]
		}
	}
	ahead(func(at int32) bool { _, ok := relevance[at]; return ok })
	ahead(func(at int32) bool { return o.sources[at] != nil })
	for i, at := range o.order {
		if i == o.defined {
			ahead(func(int32) bool { return true })
		}
		if !isSpecial[at] {
			all = append(all, at)
		}
	}
	return append(all, special...)
}

// used returns the shares of use of the outline's tables.
func (o *outline) used(use *search.Use) map[int32]float32 {
	shares := map[int32]float32{}
	for u, share := range use.All() {
		if u.Kind != search.Table || u.Connection != string(o.id) {
			continue
		}
		if at, ok := o.position(u.ID); ok && share > 0 {
			shares[at] = share
		}
	}
	return shares
}

// position returns the position of a table by its display name.
func (o *outline) position(display string) (int32, bool) {
	if o.snapshot == nil {
		return 0, false
	}
	at, err := o.snapshot.Find(nil, display)
	return int32(at), err == nil
}
