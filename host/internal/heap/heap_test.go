package heap

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

func TestPercentOf(t *testing.T) {
	t.Parallel()
	for inUse, want := range map[uint64]int{0: 100, 1 << 20: 100, spare: 100, 2 * spare: 50, 4 * spare: 25, 100 * spare: 25} {
		if got := percentOf(inUse); got != want {
			t.Errorf("%d MiB in use: %d %%, want %d", inUse>>20, got, want)
		}
	}
}

// A heap of 256 MiB is collected at 320, and one that shrank as before.
func TestBound(t *testing.T) {
	t.Setenv("GOGC", "")
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	Bound()
	large := make([]byte, 4*spare)
	percent := func() uint64 {
		one := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(one)
		return one[0].Value.Uint64()
	}
	reach := func(want func(uint64) bool) {
		t.Helper()
		for range 1000 { // cleanups run behind a collection
			if runtime.GC(); want(percent()) {
				return
			}
		}
		t.Fatalf("%d %% of the heap may be garbage", percent())
	}
	reach(func(p uint64) bool { return p <= 30 })
	runtime.KeepAlive(large)
	large = nil
	reach(func(p uint64) bool { return p == 100 })
}
