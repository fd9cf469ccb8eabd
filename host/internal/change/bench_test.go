package change

import (
	"fmt"
	"testing"

	"github.com/loam-data/loam/host/internal/store"
)

// BenchmarkList lists the first page of 100,000 changes that wait, with their number.
func BenchmarkList(b *testing.B) {
	p := newProject(b)
	p.propose(agent, says("a line"))
	state, err := p.Store.Get(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	rows, err := state.MemoryChanges(b.Context(), store.MemoryFilter{Limit: 1})
	if err != nil {
		b.Fatal(err)
	}
	const all, batch = 100_000, 1000
	for i := 0; i < all; i += batch {
		more := &store.MemoryBatch{}
		for n := i; n < i+batch; n++ {
			row := rows[0]
			row.N, row.ID, row.Signature = 0, fmt.Sprintf("%010x", 1<<36+n), fmt.Appendf(nil, "%d", n)
			more.New = append(more.New, row)
		}
		if err := state.PutMemory(b.Context(), more); err != nil {
			b.Fatal(err)
		}
	}
	for _, f := range []Filter{{States: []State{Pending, Draft}, Limit: 20}, {Limit: 20}, {States: []State{Pending}, Limit: 1000}, {Kind: Page, Limit: 20}} {
		b.Run(fmt.Sprintf("states=%v kind=%s limit=%d", f.States, f.Kind, f.Limit), func(b *testing.B) {
			for b.Loop() {
				list, err := p.List(b.Context(), f)
				if err != nil || list.Total != all+1 || len(list.Changes) != f.Limit {
					b.Fatal(list, err)
				}
			}
		})
	}
}
