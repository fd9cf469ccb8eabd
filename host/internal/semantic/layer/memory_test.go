package layer

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/loam-data/loam/sdk"
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

// TestBytesPerScannedTable measures what a layer keeps of the tables of a scan: 28 columns of
// their own each, and 28 that all tables have, as copies of a table do.
func TestBytesPerScannedTable(t *testing.T) {
	const n = 300
	for _, tt := range []struct {
		name string
		most float64
		own  bool
	}{{"columns of its own", 5200, true}, {"columns of all", 2700, false}} {
		f := newFixture(t)
		var tables []*sdk.Table
		for i := range n {
			var columns []string
			for c := range 27 {
				name := fmt.Sprintf("column_%d", c)
				if tt.own {
					name = fmt.Sprintf("column_%d_%d", c, i)
				}
				columns = append(columns, name)
			}
			tables = append(tables, table(fmt.Sprintf("t%d", i), columns...))
		}
		f.scan(t, nil, tables...)
		before := inUse()
		s := f.current(t)
		kept := (inUse() - before) / n
		runtime.KeepAlive(s)
		if kept > tt.most {
			t.Errorf("%s: a table keeps %.0f bytes; the limit is %.0f", tt.name, kept, tt.most)
		}
		t.Logf("%s: %.0f bytes", tt.name, kept)
	}
}
