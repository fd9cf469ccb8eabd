// Package heap bounds the garbage of the program that imports it: its collector runs when
// there is as much garbage as live memory, within 16 and 32 MiB of garbage. GOGC in the
// environment replaces this rule. A memory limit, as in GOMEMLIMIT, still makes the
// collector run earlier.
package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// minGarbage is how many bytes of garbage a heap of any size may hold. By Go's own
	// rule a host with 3 MB in use collects every 97 calls. At 24 MiB, host and connector
	// together held 118 MiB after load, of 105 that they may.
	minGarbage = 16 << 20
	// maxGarbage is how many bytes of garbage a large heap may hold. A host with ten
	// thousand sources has 150 MB in use; Go's own rule lets it grow to 300.
	maxGarbage = 32 << 20
	// minShare limits maxGarbage: garbage may always be one part in minShare of what is
	// in use, so that a very large heap is not collected all the time.
	minShare = 4
	// goMinimum is the heap that Go collects first at GOGC=100. It grows with GOGC.
	// Source: defaultHeapMinimum in Go's runtime/mgcpacer.go.
	goMinimum = 4 << 20
)

// init bounds the garbage, and sets the goal of an empty heap first, so that no collection
// runs before main: at Go's own goal of 4 MiB, what packages make at their start costs a
// quarter of the start.
// Source: packages without uninitialised imports are initialised in the order of their
// paths (Go specification, "Program initialization"), this one before most.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percentOf(0, 0))
		follow()
	}
}

// follow adjusts GOGC after each collection to what the collection left in use.
func follow() {
	sentinel := new([4]*int) // garbage at once, so that the next collection finds it
	runtime.AddCleanup(sentinel, func(struct{}) {
		debug.SetGCPercent(percentOf(lastCollection()))
		follow()
	}, struct{}{})
}

// percentOf returns the GOGC at which a heap with inUse bytes in use gets a goal of
// inUse plus the garbage it may hold.
// Source: Go's goal is inUse + (inUse+roots)*GOGC/100, and at least
// goMinimum*GOGC/100 (commit and setGCPercent in runtime/mgcpacer.go). Both terms
// matter for small heaps: 2 MiB in use at GOGC=1200 would have a goal of 48 MiB.
func percentOf(inUse, roots uint64) int {
	garbage := max(min(max(inUse, minGarbage), maxGarbage), inUse/minShare)
	return int(min(100*garbage/max(inUse+roots, 1), 100*(inUse+garbage)/goMinimum))
}

// lastCollection returns the bytes that the last collection left in use, and the bytes
// of stacks and globals that it scanned.
func lastCollection() (inUse, roots uint64) {
	samples := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"},
	}
	metrics.Read(samples)
	return samples[0].Value.Uint64(), samples[1].Value.Uint64() + samples[2].Value.Uint64()
}
