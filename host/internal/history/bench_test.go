package history

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/loam-data/loam/host/internal/store"
)

// BenchmarkWriter is what a recorded call costs beside the call, in batches as
// they are written under load.
func BenchmarkWriter(b *testing.B) {
	s, err := store.Open(b.Context(), filepath.Join(b.TempDir(), "state.db"))
	if err != nil {
		b.Fatal(err)
	}
	r := newRig(nil)
	c := call("4ZQ5LJ2XH7KWM")
	c.Arguments = []byte(`{"connectionId":"shop","sql":"select id, name from customers where name <> 'x' order by id limit 5","maxRows":10}`)
	for _, keep := range []Arguments{None, Shape} {
		r.w.settings.Arguments = keep
		b.Run(fmt.Sprint("row/", keep), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.w.row(&c)
			}
		})
	}
	b.Run("store", func(b *testing.B) {
		batch := make([]store.Call, maxBatch)
		for i := range batch {
			batch[i] = r.w.row(&c)
		}
		b.ReportAllocs()
		for n := 0; b.Loop(); n++ {
			if n%maxBatch == 0 {
				if err := s.PutCalls(context.Background(), batch, nil); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
}
