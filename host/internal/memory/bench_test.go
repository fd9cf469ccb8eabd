package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkAccept accepts texts of 4 KiB while 1,000 wait.
// Units: p50-ms and p95-ms of one call.
func BenchmarkAccept(b *testing.B) {
	s := newFixture(b).open(b, nil, nil)
	accept := func(i int) {
		if _, err := s.Accept(b.Context(), Input{Content: numbered(i), Connection: "shop", Actor: script}); err != nil {
			b.Fatal(err)
		}
	}
	const queued = 1000
	for i := range queued {
		accept(i)
	}
	took := make([]time.Duration, 0, 1000)
	for i := queued; b.Loop() && i < maxQueued; i++ {
		began := time.Now()
		accept(i)
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2].Seconds()*1e3, "p50-ms")
	b.ReportMetric(took[len(took)*95/100].Seconds()*1e3, "p95-ms")
}

// BenchmarkDrain works on texts of 4 KiB that state something, without measures.
// Units: runs/s from the first to the last that is done.
func BenchmarkDrain(b *testing.B) {
	const texts = 200
	for b.Loop() {
		b.StopTimer()
		s := newFixture(b).open(b, nil, nil)
		var last RunID
		for i := range texts {
			accepted, err := s.Accept(b.Context(), Input{Content: numbered(i), Connection: "shop", Actor: script})
			if err != nil {
				b.Fatal(err)
			}
			last = accepted.RunID
		}
		b.StartTimer()
		if run, err := s.Wait(b.Context(), last, nil); err != nil || run.Status != "done" {
			b.Fatal(run, err)
		}
	}
	b.ReportMetric(texts*float64(b.N)/b.Elapsed().Seconds(), "runs/s")
}

// numbered is a text of 4 KiB that defines one word.
func numbered(i int) string {
	text := fmt.Sprintf("Word%d means the concept number %d of the house.\n\n", i, i)
	const filler = "Nobody has to keep this sentence, since it states nothing of the kind. "
	return text + strings.Repeat(filler, (4<<10-len(text))/len(filler))
}
