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

// newest returns the newest copy of a hit's table, which may be the table itself, and how
// many others there are; 0 = it has none.
// Errors: those of reading the snapshot.
func (b *bench) newest(h *search.Hit) (display string, copies int, err error) {
	table := h.ID
	if h.Kind == search.Column {
		table = h.Parent
	}
	if h.Kind != search.Table && h.Kind != search.Column || !strings.ContainsFunc(table, unicode.IsDigit) {
		return "", 0, nil
	}
	position, t, _, err := b.table(h)
	if err != nil {
		return "", 0, nil // ref notes it
	}
	l := look{snapshot: b.state.Snapshots[connection.ID(h.Connection)]}
	others, err := l.copies(position)
	if err != nil || len(others) == 0 {
		return "", 0, err
	}
	display = catalog.Display(t.TableRef)
	if text.CompareInFamily(others[0], display) > 0 {
		display = others[0]
	}
	return display, len(others), nil
}
