package layer

import (
	"runtime/debug"
	"sync"
)

// spare is how much more than what is in use the heap may grow to while
// thousands of files are read at once: most of it is of use to the end, and to
// go through it again and again costs as much as the reading.
const spare = 200

var relaxed struct {
	sync.Mutex
	count, before int
}

// relax lets the heap grow until restore is called by all who called it.
func relax() (restore func()) {
	relaxed.Lock()
	defer relaxed.Unlock()
	if relaxed.count++; relaxed.count == 1 {
		if relaxed.before = debug.SetGCPercent(spare); relaxed.before < 0 || relaxed.before > spare {
			debug.SetGCPercent(relaxed.before)
		}
	}
	return func() {
		relaxed.Lock()
		defer relaxed.Unlock()
		if relaxed.count--; relaxed.count == 0 {
			debug.SetGCPercent(relaxed.before)
		}
	}
}
