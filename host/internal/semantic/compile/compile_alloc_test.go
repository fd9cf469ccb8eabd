//go:build !race

package compile_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
)

// maxCompiledBytes and maxCompiledAllocations bound what the ordinary request costs.
const maxCompiledBytes, maxCompiledAllocations = 60 << 10, 940

// Compiling allocates no more than it did. It does not run beside other tests, which
// would be counted too, nor with the race detector, which allocates.
func TestAllocationsOfCompile(t *testing.T) {
	m, d := forest(t, 200), engine(t, "postgres")
	result := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := compile.Compile(m, d, ordinary, compile.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	if bytes, n := result.AllocedBytesPerOp(), result.AllocsPerOp(); bytes > maxCompiledBytes || n > maxCompiledAllocations {
		t.Errorf("%d bytes in %d allocations, more than %d in %d", bytes, n, maxCompiledBytes, maxCompiledAllocations)
	}
}

// A request whose statement would be too long is refused before that is written: at the
// first part that is too long, or before anything is planned.
func TestAllocationsOfTooLongStatement(t *testing.T) {
	d := engine(t, "sqlite")
	m := shopModel(t, d)
	for _, tt := range []struct{ dimensions, mebibytes int }{{64, 48}, {200, 4}} {
		var dims []string
		for i := range tt.dimensions {
			dims = append(dims, fmt.Sprintf(`{"expr": "orders.id + %d", "name": "d%d"}`, i, i))
		}
		text := fmt.Sprintf(`{"measures": ["orders.revenue"], "dimensions": [%s], "totals": true}`, strings.Join(dims, ", "))
		r, _, err := request.Normalise([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err = compile.Compile(m, d, r, compile.Options{})
		runtime.ReadMemStats(&after)
		if refused, ok := errors.AsType[*refusal.Error](err); !ok || refused.Code != refusal.CodeInvalidRequest || !strings.Contains(refused.Message, "too long") {
			t.Errorf("%d dimensions: %v", tt.dimensions, err)
		}
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > uint64(tt.mebibytes) {
			t.Errorf("%d dimensions took %d MiB, more than %d", tt.dimensions, took, tt.mebibytes)
		} else {
			t.Logf("%d dimensions took %d MiB", tt.dimensions, took)
		}
	}
}

// A compilation that nobody waits for any more ends at once: it never works long without
// asking, and after the first error it asks once more and returns that error.
func TestEndedCompilation(t *testing.T) {
	m, d := forest(t, 200), engine(t, "sqlite")
	var r request.Request
	for i := range 16 {
		r.Dimensions = append(r.Dimensions, request.Dimension{Field: fmt.Sprintf("s0.a%d", i)})
	}
	for i := range 60 {
		r.Measures = append(r.Measures, request.Measure{Name: fmt.Sprintf("s%d.%s", i/4, []string{"n", "revenue", "paid", "buyers"}[i%4])})
	}
	r.Totals = true
	allocated := func() uint64 {
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.TotalAlloc
	}
	asked := 0
	first := allocated()
	last, most := first, uint64(0)
	_, whole := compile.Compile(m, d, r, compile.Options{Ended: func() error {
		asked++
		now := allocated()
		last, most = now, max(most, now-last)
		return nil
	}})
	now := allocated()
	most = max(most, now-last)
	if all := now - first; most > all/20 {
		t.Errorf("%d of %d bytes were allocated without asking", most, all)
	}
	for _, at := range []int{1, asked / 10, asked / 2, asked - 1} {
		n, want := 0, context.Canceled
		_, err := compile.Compile(m, d, r, compile.Options{Ended: func() error {
			if n++; n >= at {
				return want
			}
			return nil
		}})
		if err != want {
			t.Errorf("ended at %d of %d: %v; whole: %v", at, asked, err, whole)
		}
		if n > at+1 {
			t.Errorf("ended at %d of %d, and asked %d times after that", at, asked, n-at)
		}
	}
}
