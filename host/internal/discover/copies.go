package discover

import (
	"context"
	"strings"
	"sync"
	"unicode"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/host/internal/text"
)

// head is a hit that represents its table and the copies of it.
type head struct {
	hit    *search.Hit
	copies int
}

// When removed copies leave room on a page, the search is repeated with hitsFactor times as
// many hits, up to maxHits. It has megabytes and waits for nothing but a processor, so that as
// many run at once as there are processors.
const hitsFactor, maxHits = 8, 4000

// page returns at most q.Limit hits, without copies. It repeats the search with a larger
// depth until the page is full, all hits are read or maxHits is reached.
// Errors: those of reading a snapshot and of ctx.
func (b *refBuilder) page(ctx context.Context, q search.Query, found *search.Result) ([]head, error) {
	question := b.state.Index.Question(q.Text)
	for q.Depth = q.Limit; ; q.Depth *= hitsFactor {
		f := folding{builder: b, stands: map[search.Ranked]bool{}}
		q.Keep = f.keep
		*found = question.Search(q)
		if f.err != nil {
			return nil, f.err
		}
		if len(found.Hits) >= q.Limit || found.Ranked < q.Depth || q.Depth*hitsFactor > maxHits {
			return f.heads(found.Hits), nil
		}
		if q.Depth == q.Limit {
			select {
			case b.service.repeats <- struct{}{}:
				defer func() { <-b.service.repeats }()
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
}

// folding keeps one hit of each family of copies: at the place of the family's first hit, with
// the name of the copy with the highest digits.
type folding struct {
	builder *refBuilder
	stands  map[search.Ranked]bool // of families, with their newest table
	kept    []family               // of each hit
	err     error                  // of reading a snapshot
}

// keep reports whether a hit is the first of its family.
func (f *folding) keep(r search.Ranked) bool {
	if f.err != nil {
		return false
	}
	of, err := f.builder.newest(r)
	if f.err = err; err != nil {
		return false
	}
	if of.copies > 0 {
		r.Root = of.newest
		if r.Kind == search.Table {
			r.Name = of.newest
		}
		if f.stands[r] {
			return false
		}
		f.stands[r] = true
	}
	f.kept = append(f.kept, of)
	return true
}

// heads returns the hits that were kept, as their newest copies.
func (f *folding) heads(hits []search.Hit) []head {
	all := make([]head, len(hits))
	for i := range hits {
		h, of := &hits[i], f.kept[i]
		if of.copies > 0 {
			if h.Kind == search.Column {
				h.ID, h.Parent = of.newest+strings.TrimPrefix(h.ID, h.Parent), of.newest
			} else {
				h.ID = of.newest
			}
		}
		all[i] = head{h, of.copies}
	}
	return all
}

// family is the display name of the newest of several copies, and the number of the others;
// 0 = the table has no copies.
type family struct {
	newest string
	copies int
}

// families keeps the families that were asked about, for the last snapshot of each
// connection: to compare the columns of copies, all of their tables are read.
// Concurrency: any number of goroutines.
type families struct {
	mu  sync.Mutex
	all map[connection.ID]*familiesOf
}

// familiesOf are the families of the tables of a snapshot, by the display of each table.
type familiesOf struct {
	snapshot *catalog.Snapshot
	known    map[string]family
}

// get returns the family of a table, if it is known.
func (f *families) get(id connection.ID, snapshot *catalog.Snapshot, table string) (family, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	of := f.all[id]
	if of == nil || of.snapshot != snapshot {
		return family{}, false
	}
	one, known := of.known[table]
	return one, known
}

// put notes the family of some tables.
func (f *families) put(id connection.ID, snapshot *catalog.Snapshot, tables []string, one family) {
	f.mu.Lock()
	defer f.mu.Unlock()
	of := f.all[id]
	if of == nil || of.snapshot != snapshot {
		of = &familiesOf{snapshot: snapshot, known: map[string]family{}}
		if f.all == nil {
			f.all = map[connection.ID]*familiesOf{}
		}
		f.all[id] = of
	}
	for _, table := range tables {
		of.known[table] = one
	}
}

// newest returns the family of a hit's table; it has no copies when the hit is no table or column.
// Errors: those of reading the snapshot.
func (b *refBuilder) newest(r search.Ranked) (family, error) {
	if r.Kind != search.Table && r.Kind != search.Column || !strings.ContainsFunc(r.Root, unicode.IsDigit) {
		return family{}, nil
	}
	id := connection.ID(r.Connection)
	if known, ok := b.service.families.get(id, b.state.Snapshots[id], r.Root); ok {
		return known, nil
	}
	return b.readFamily(r)
}

// readFamily reads the family of a hit's table and caches it for all members.
// Errors: those of reading the snapshot.
func (b *refBuilder) readFamily(r search.Ranked) (known family, err error) {
	table := strings.Clone(r.Root) // the family is kept for longer than the index is open
	position, t, _, err := b.table(&search.Hit{Kind: search.Table, Connection: r.Connection, ID: table, Name: table})
	if err != nil {
		return known, nil // ref notes it
	}
	id := connection.ID(r.Connection)
	l := entityReader{snapshot: b.state.Snapshots[id]}
	display := catalog.Display(t.TableRef)
	others, err := l.copies(position)
	if err != nil {
		return known, err
	}
	if len(others) > 0 {
		known = family{display, len(others)}
		if text.CompareInFamily(others[0], display) > 0 {
			known.newest = others[0]
		}
	}
	b.service.families.put(id, l.snapshot, append(others, display), known)
	return known, nil
}
