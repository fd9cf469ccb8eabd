//go:build !race

package compile_test

import (
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/compile"
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
