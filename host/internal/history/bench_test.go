package history

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/store"
)

// BenchmarkRecord is what a recorded call costs beside the call, from the end of the
// call to its row in a real store: calls that are alike, and calls that are all
// different.
func BenchmarkRecord(b *testing.B) {
	for _, alike := range []bool{true, false} {
		b.Run(fmt.Sprint("alike=", alike), func(b *testing.B) {
			s, err := store.Open(b.Context(), filepath.Join(b.TempDir(), "state.db"))
			if err != nil {
				b.Fatal(err)
			}
			r := newRig(func(c *Config) { c.Store = func(context.Context) (Store, error) { return s, nil } })
			r.running = true // this goroutine is the writer
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				c := call("4ZQ5LJ2XH7KWM")
				c.Caller = caller.Record{Client: "chat", Version: "1.2", Transport: "http", Principal: "ada", Session: "a1b2c3d4"}
				id := n
				if alike {
					id = 1
				}
				c.Arguments = fmt.Appendf(nil, `{"connectionId":"shop","sql":"select id, name from customers where id <> %d order by id limit 5","maxRows":10}`, id)
				r.Record(c)
				if n%maxBatch == maxBatch-1 {
					if err := r.w.writeAll(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
			}
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
