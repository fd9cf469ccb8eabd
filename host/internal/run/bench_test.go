package run

import (
	"testing"
	"time"
)

// BenchmarkBegin measures how long it takes until the row of a run exists.
func BenchmarkBegin(b *testing.B) {
	e := newEngine(b.TempDir())
	b.Cleanup(func() { _ = e.Close() })
	for b.Loop() {
		r, err := e.Begin(b.Context(), scanOf("shop"), untilCanceled)
		if err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := e.Cancel(b.Context(), r.ID); err != nil {
			b.Fatal(err)
		}
		if _, err := e.Wait(b.Context(), r.ID, time.Minute, nil); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// BenchmarkCancel measures how long it takes until a run is canceled whose process is another one, at the usual pace.
func BenchmarkCancel(b *testing.B) {
	dir := b.TempDir()
	worker, other := newEngine(dir), newEngine(dir)
	worker.pace = pace
	b.Cleanup(func() { _ = worker.Close() })
	for b.Loop() {
		b.StopTimer()
		r, err := worker.Begin(b.Context(), scanOf("shop"), untilCanceled)
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if err := other.Cancel(b.Context(), r.ID); err != nil {
			b.Fatal(err)
		}
		if r, err = other.Wait(b.Context(), r.ID, time.Minute, nil); err != nil || r.State != Canceled {
			b.Fatal(r, err)
		}
	}
}
