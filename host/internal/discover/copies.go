package discover

import (
	"strings"
	"unicode"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/host/internal/text"
)

// head is a hit that stands for so many copies of its table.
type head struct {
	hit    *search.Hit
	copies int
}

// more is how many more hits are looked for, and mostHits how many at most, where copies
// that are left out leave room on a page.
const more, mostHits = 8, 4000

// page searches for the hits of a page, copies folded. Where these leave room it looks for
// more.
// Errors: those of reading a snapshot.
func (b *bench) page(q search.Query, found *search.Result) ([]head, error) {
	for limit := q.Limit; ; q.Limit *= more {
		*found = b.state.Index.Search(q)
		heads, err := b.fold(found.Hits)
		if err != nil {
			return nil, err
		}
		if len(heads) >= limit || len(found.Hits) < q.Limit || q.Limit*more > mostHits {
			return heads[:min(limit, len(heads))], nil
		}
	}
}

// fold leaves out the hits on copies of a table that another hit is on. The newest copy by
// its digits stands for all, in the place of the first one.
// Errors: those of reading a snapshot.
func (b *bench) fold(hits []search.Hit) (all []head, err error) {
	stands := map[string]bool{} // by connection and ID
	for i := range hits {
		h := hits[i]
		newest, copies, err := b.newest(&h)
		if err != nil {
			return nil, err
		}
		if copies == 0 {
			all = append(all, head{&hits[i], 0})
			continue
		}
		if h.Kind == search.Column {
			h.ID, h.Parent = newest+strings.TrimPrefix(h.ID, h.Parent), newest
		} else {
			h.ID = newest
		}
		if key := h.Connection + "\x00" + h.ID; !stands[key] {
			stands[key] = true
			all = append(all, head{&h, copies})
		}
	}
	return all, nil
}

// member is a table of a connection that may be one of a family, by its display.
type member struct{ connection, display string }

// family is the newest of some copies, and how many others there are; 0 = a table has none.
type family struct {
	newest string
	copies int
}

// newest returns the newest copy of a hit's table, which may be the table itself, and how
// many others there are; 0 = it has none. Each family is read once.
// Errors: those of reading the snapshot.
func (b *bench) newest(h *search.Hit) (display string, copies int, err error) {
	table := h.ID
	if h.Kind == search.Column {
		table = h.Parent
	}
	if h.Kind != search.Table && h.Kind != search.Column || !strings.ContainsFunc(table, unicode.IsDigit) {
		return "", 0, nil
	}
	known, ok := b.families[member{h.Connection, table}]
	if !ok {
		if known, err = b.readFamily(h); err != nil {
			return "", 0, err
		}
	}
	return known.newest, known.copies, nil
}

// readFamily reads the family of a hit's table and keeps it for all that are of it.
// Errors: those of reading the snapshot.
func (b *bench) readFamily(h *search.Hit) (known family, err error) {
	position, t, _, err := b.table(h)
	if err != nil {
		return known, nil // ref notes it
	}
	l := look{snapshot: b.state.Snapshots[connection.ID(h.Connection)]}
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
	if b.families == nil {
		b.families = map[member]family{}
	}
	for _, one := range append(others, display) {
		b.families[member{h.Connection, one}] = known
	}
	return known, nil
}
