package heap

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

const mib = 1 << 20

// TestPercentOf computes Go's goal from the percentage.
func TestPercentOf(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ inUse, roots, goal uint64 }{
		{0, 0, 16}, {0, 1, 16}, {1, 0, 17}, {1, 3, 17}, {3, 0, 19}, {3, 2, 19}, {16, 1, 32}, {20, 1, 40},
		{24, 0, 48}, {32, 1, 64}, {50, 1, 82}, {128, 2, 160}, {256, 0, 320}, {6400, 0, 8000},
	} {
		percent := uint64(percentOf(tc.inUse*mib, tc.roots*mib))
		goal := max(tc.inUse*mib+(tc.inUse+tc.roots)*mib*percent/100, goMinimum*percent/100)
		if off := math.Abs(float64(goal)/float64(tc.goal*mib) - 1); off > 0.02 {
			t.Errorf("%d MiB in use, %d MiB of roots: GOGC %d, goal %.1f MiB, want %d", tc.inUse, tc.roots, percent, float64(goal)/mib, tc.goal)
		}
	}
}

// TestBound grows and shrinks the heap of this process and reads Go's goal.
func TestBound(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(percentOf(0, 0)))
	follow() // whatever GOGC this test was started with
	for _, size := range []int{0, 256 * mib, 40 * mib, 0} {
		held := make([]byte, size)
		var goal, want uint64
		settled := false
		for range 20_000 { // a goroutine behind the collection adjusts GOGC
			runtime.GC()
			runtime.Gosched()
			inUse, _ := lastCollection()
			goal = read("/gc/heap/goal:bytes")
			want = inUse + max(min(max(inUse, minGarbage), maxGarbage), inUse/minShare)
			if settled = goal > want*95/100 && goal < want*105/100; settled {
				break
			}
		}
		if !settled {
			t.Errorf("%d MiB in use: the goal is %.1f MiB, want %.1f", size/mib, float64(goal)/mib, float64(want)/mib)
		}
		runtime.KeepAlive(held)
	}
	// A memory limit replaces the rule: the goal stays below the limit.
	const limit = 12 * mib
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(limit))
	if runtime.GC(); read("/gc/heap/goal:bytes") >= limit {
		t.Errorf("the goal is %.1f MiB at a memory limit of %d", float64(read("/gc/heap/goal:bytes"))/mib, limit/mib)
	}
}

func read(name string) uint64 {
	samples := []metrics.Sample{{Name: name}}
	metrics.Read(samples)
	return samples[0].Value.Uint64()
}
