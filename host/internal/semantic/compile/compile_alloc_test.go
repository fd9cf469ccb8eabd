//go:build !race

package compile_test

import (
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
