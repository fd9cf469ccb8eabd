// Package heap bounds how much memory the host holds for garbage.
package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

const (
	// spare is how much garbage there may be beside what is in use, in bytes. A host of
	// ten thousand sources has 200 MB in use; Go's own rule lets it grow to 400.
	spare = 64 << 20
	// least is the percentage of what is in use that may be garbage however much that
	// is, so that a large heap is not collected all the time.
	least = 25
)

// Bound makes the garbage collector run when there are 64 MiB of garbage, or as much
// as is in use where that is less, for as long as the process lives. GOGC in the
// environment goes before.
func Bound() {
	if os.Getenv("GOGC") == "" {
		once.Do(func() { bound(100) })
	}
}

var once sync.Once

// bound sees to the next collection, after which the percentage is the one that fits
// what is in use by then.
func bound(percent int) {
	after := new([4]*int) // nobody keeps it: the next collection finds it
	runtime.AddCleanup(after, func(before int) {
		now := percentOf(inUse())
		if now != before {
			debug.SetGCPercent(now)
		}
		bound(now)
	}, percent)
}

// percentOf is how much garbage there may be, in percent of what is in use.
func percentOf(inUse uint64) int {
	if inUse <= spare {
		return 100
	}
	return int(max(least, 100*spare/inUse))
}

// inUse is how many bytes the last collection left.
func inUse() uint64 {
	one := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(one)
	return one[0].Value.Uint64()
}
