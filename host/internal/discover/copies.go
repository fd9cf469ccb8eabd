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
// limit until the page is full, all hits are read or maxHits is reached.
// Errors: those of reading a snapshot and of ctx.
func (b *refBuilder) page(ctx context.Context, q search.Query, found *search.Result) ([]head, error) {
	question := b.state.Index.Question(q.Text)
	for limit := q.Limit; ; q.Limit *= hitsFactor {
		*found = question.Search(q)
		heads, err := b.fold(found.Hits)
		if err != nil {
			return nil, err
		}
		if len(heads) >= limit || len(found.Hits) < q.Limit || q.Limit*hitsFactor > maxHits {
			return heads[:min(limit, len(heads))], nil
		}
		if q.Limit == limit {
			select {
			case b.service.repeats <- struct{}{}:
				defer func() { <-b.service.repeats }()
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
}

// fold keeps one hit of each family of copies: at the place of the family's first hit, with
// the name of the copy with the highest digits.
// Errors: those of reading a snapshot.
func (b *refBuilder) fold(hits []search.Hit) (all []head, err error) {
	type place struct{ connection, id string } // of a table or a column
	stands := map[place]bool{}
	for i := range hits {
		newest, copies, err := b.newest(&hits[i])
		if err != nil {
			return nil, err
		}
		if copies == 0 {
			all = append(all, head{&hits[i], 0})
			continue
		}
		id := newest
		if hits[i].Kind == search.Column {
			id += strings.TrimPrefix(hits[i].ID, hits[i].Parent)
		}
		if key := (place{hits[i].Connection, id}); !stands[key] {
			stands[key] = true
			h := hits[i]
			if h.ID = id; h.Kind == search.Column {
				h.Parent = newest
			}
			all = append(all, head{&h, copies})
		}
	}
	return all, nil
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

// newest returns the newest copy of a hit's table, which may be the table itself, and the
// number of the others; 0 = it has none.
// Errors: those of reading the snapshot.
func (b *refBuilder) newest(h *search.Hit) (display string, copies int, err error) {
	table := h.ID
	if h.Kind == search.Column {
		table = h.Parent
	}
	if h.Kind != search.Table && h.Kind != search.Column || !strings.ContainsFunc(table, unicode.IsDigit) {
		return "", 0, nil
	}
	id := connection.ID(h.Connection)
	known, ok := b.service.families.get(id, b.state.Snapshots[id], table)
	if !ok {
		if known, err = b.readFamily(h); err != nil {
			return "", 0, err
		}
	}
	return known.newest, known.copies, nil
}

// readFamily reads the family of a hit's table and caches it for all members.
// Errors: those of reading the snapshot.
func (b *refBuilder) readFamily(h *search.Hit) (known family, err error) {
	position, t, _, err := b.table(h)
	if err != nil {
		return known, nil // ref notes it
	}
	id := connection.ID(h.Connection)
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
