package indexer

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

// Many ask while the project changes under them: each gets a whole state, which
// is of what was there when it asked, or later.
func TestManyReaders(t *testing.T) {
	t.Parallel()
	p := newProject(t, "shop")
	const readers, swaps = 32, 50
	change := func(n int) {
		p.scan("shop", nil, table("s.orders", "id"), table(fmt.Sprintf("s.round%03d", n), "id"))
		p.page("global/state", fmt.Sprintf("# State %03d", n))
		p.source("shop", "rounds", source("rounds", fmt.Sprintf("measure%03d", n)))
	}
	change(0)
	h := p.host()
	h.current()
	var committed atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	var calls atomic.Int64
	for range readers {
		all.Go(func() {
			for ctx.Err() == nil {
				calls.Add(1)
				least := committed.Load()
				s, err := h.Current(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				if got := found(t, s, "orders"); len(got) != 1 || got[0] != "s.orders" {
					t.Errorf("found %q", got)
				}
				tables, pages, measures := -1, -1, -1
				for _, e := range s.Snapshots["shop"].Entries() {
					_, _ = fmt.Sscanf(e.Name, "round%d", &tables)
				}
				if page, err := s.Pages.Page("state"); err == nil {
					_, _ = fmt.Sscanf(page.Title, "State %d", &pages)
				}
				if e := s.Semantic["shop"].Listing.Entry("rounds"); e != nil {
					_, _ = fmt.Sscanf(e.Source().Measures[0].Name, "measure%d", &measures)
				}
				if len(found(t, s, fmt.Sprintf("measure%03d", measures))) == 0 {
					t.Errorf("the measure of round %d is in the listing and not in the index", measures)
				}
				if len(found(t, s, fmt.Sprintf("round%03d", tables))) == 0 {
					t.Errorf("the table of round %d is in the snapshot and not in the index", tables)
				}
				if int64(min(tables, pages, measures)) < least {
					t.Errorf("tables of round %d, pages of %d and measures of %d, when %d was there; notes %q", tables, pages, measures, least, s.Notes)
				}
				s.Release()
			}
		})
	}
	for n := 1; n <= swaps; n++ {
		change(n)
		committed.Store(int64(n))
		h.current()
	}
	stop()
	all.Wait()
	t.Logf("%d calls in %d looks", calls.Load(), h.round.Load())
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}
