package layer

import (
	"fmt"
	"runtime"
	"testing"
)

// What a layer keeps of a source does not grow with the number of sources, and is a
// few times its file of 2.7 kB: definitions once, and what relates them. It counts the
// heap, so nothing may run beside it.
func TestBytesPerSource(t *testing.T) {
	const most = 18 << 10 // it is 15 kB
	kept := func(n int) float64 {
		dir := t.TempDir()
		f := open(t, dir)
		for i := range n {
			f.put(t, fmt.Sprintf("source_%d.yaml", i), generated(i))
		}
		f.current(t) // writes the cache
		before := inUse()
		f = open(t, dir)
		s := f.current(t)
		defer runtime.KeepAlive(s)
		return (inUse() - before) / float64(n)
	}
	few, many := kept(100), kept(1000)
	if few > most || many > most {
		t.Errorf("a source keeps %.0f bytes of 100, %.0f of 1000; the limit is %d", few, many, most)
	}
	if many > 1.2*few {
		t.Errorf("a source keeps %.0f bytes of 100, and %.0f of 1000", few, many)
	}
	t.Logf("%.0f bytes of 100, %.0f of 1000", few, many)
}
