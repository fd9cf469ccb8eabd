package layer

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/loam-data/loam/sdk"
)

// TestBytesPerSource measures what a layer keeps of a source, whose file has 2.7 kB: definitions once, and what relates
// them. It does not grow with the number of sources. It counts the heap, so nothing may run beside it.
func TestBytesPerSource(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: what a layer keeps of 1,000 sources")
	}
	for _, tt := range []struct {
		name          string
		cached        bool
		most, objects float64
	}{{"parsed", false, 14.5 * 1024, 100}, {"from the cache", true, 14.5 * 1024, 75}} {
		kept := func(n int) (size, objects float64) {
			dir := t.TempDir()
			f := open(t, dir)
			for i := range n {
				f.put(t, fmt.Sprintf("source_%d.yaml", i), generated(i))
			}
			if tt.cached {
				f.current(t) // writes the cache
			}
			sizeBefore, objectsBefore := heap()
			f = open(t, dir)
			s := f.current(t)
			sizeAfter, objectsAfter := heap()
			runtime.KeepAlive(s)
			return (sizeAfter - sizeBefore) / float64(n), (objectsAfter - objectsBefore) / float64(n)
		}
		few, _ := kept(100)
		many, objects := kept(1000)
		if many > tt.most { // of 100, what the process makes once would count
			t.Errorf("%s: a source keeps %.0f bytes; the limit is %.0f", tt.name, many, tt.most)
		}
		if many > 1.2*few {
			t.Errorf("%s: a source keeps %.0f bytes of 100, and %.0f of 1000", tt.name, few, many)
		}
		if objects > tt.objects {
			t.Errorf("%s: a source keeps %.0f objects; the limit is %.0f", tt.name, objects, tt.objects)
		}
		t.Logf("%s: %.0f bytes of 100, %.0f of 1000, in %.0f objects", tt.name, few, many, objects)
	}
}

// TestBytesPerScannedTable measures what a layer keeps of the tables of a scan: 28 columns of
// their own each, and 28 that all tables have, as copies of a table do.
func TestBytesPerScannedTable(t *testing.T) {
	const n = 300
	for _, tt := range []struct {
		name string
		most float64
		own  bool
	}{{"columns of its own", 4600, true}, {"columns of all", 1400, false}} {
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
