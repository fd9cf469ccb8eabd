package search

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// copied is an index of n tables whose names differ in their digits, and of some others.
func copied(t *testing.T, n int) *Index {
	t.Helper()
	return index(t, func(b *Builder) error {
		var err error
		for i := range n {
			err = errors.Join(err, table(b, fmt.Sprintf("w s.orders_%d(id customer_id status)", i)))
		}
		return errors.Join(err, table(b, "w s.orders_sum(id)"), table(b, "w s.late_orders(day)"))
	}, func(*Builder) error { return nil })
}

// A page without some documents has those that a longer page without them has, in the same order.
func TestKeep(t *testing.T) {
	t.Parallel()
	x := copied(t, 300)
	once := func() func(Ranked) bool {
		seen := map[string]bool{}
		return func(r Ranked) bool {
			name := strings.TrimRight(r.Root, "0123456789") + "|" + strings.TrimRight(r.Name, "0123456789")
			was := seen[name]
			seen[name] = true
			return !was
		}
	}
	for _, limit := range []int{1, 3, 5, 50} {
		for _, depth := range []int{0, 40, 200, 5000} {
			for _, text := range []string{"orders", "orders status", "order customer", "nothing"} {
				all := x.Search(Query{Text: text, Limit: max(limit, depth)}).Hits
				want, keep := []Hit{}, once()
				for _, h := range all {
					root := h.ID
					if h.Parent != "" {
						root = h.Parent
					}
					if keep(Ranked{h.Kind, h.Connection, root, h.Name}) && len(want) < limit {
						want = append(want, h)
					}
				}
				got := x.Search(Query{Text: text, Limit: limit, Depth: depth, Keep: once()})
				same := slices.EqualFunc(got.Hits, want, func(a, b Hit) bool { return gocmp.Equal(fmt.Sprintf("%+v", a), fmt.Sprintf("%+v", b)) })
				if !same || len(got.Hits) < limit && got.Ranked != len(all) {
					t.Errorf("%s, %d of %d: ranked %d, want %d\n%+v\nwant\n%+v", text, limit, depth, got.Ranked, len(all), got.Hits, want)
				}
			}
		}
	}
}

// Documents that are not kept cost no memory, however many are ranked.
func TestRefusedDocumentsAreNotCopied(t *testing.T) {
	x := copied(t, 3000)
	allocations := func(depth int) float64 {
		ranked := 0
		n := testing.AllocsPerRun(20, func() {
			kept := 0
			r := x.Search(Query{Text: "orders", Limit: 10, Depth: depth, Keep: func(Ranked) bool { kept++; return kept <= 3 }})
			if ranked = r.Ranked; len(r.Hits) != 3 {
				t.Fatalf("%d hits", len(r.Hits))
			}
		})
		if ranked != depth {
			t.Errorf("%d of %d were ranked", ranked, depth)
		}
		return n
	}
	if few, many := allocations(100), allocations(1000); many > few+20 {
		t.Errorf("%.0f allocations of 100 documents, %.0f of 1000", few, many)
	}
}
