package layer

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/file"
	"github.com/loam-data/loam/host/internal/relationship"
	"github.com/loam-data/loam/sdk"
)

// generated is the file of one of many sources, of about 2.7 kB: 25 dimensions,
// 6 measures and 3 joins to sources further down a tree.
func generated(i int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "version: 1\nname: source_%d\ndescription: The rows of source %d, as generated for a benchmark.\ntable: generated.source_%d\nprimary_key: [id]\ndefault_time_dimension: created_at\ndimensions:\n", i, i, i)
	b.WriteString("  - {name: id, type: number}\n  - {name: created_at, type: time, column_type: timestamp}\n  - {name: status, type: string, values: [open, paid, closed]}\n  - {name: is_paid, type: boolean, expr: \"status = 'paid'\"}\n")
	for d := range 18 {
		fmt.Fprintf(&b, "  - {name: attribute_%d_%d, type: string, description: Attribute %d}\n", i, d, d)
	}
	for j := range 3 {
		fmt.Fprintf(&b, "  - {name: parent_%d_id, type: number, visibility: internal}\n", j)
	}
	b.WriteString("measures:\n  - {name: row_total, agg: count}\n  - {name: revenue, agg: sum, expr: amount * (1 - discount), format: currency, unit: EUR}\n  - {name: paid_revenue, agg: sum, expr: amount, filter: \"status = 'paid'\", default: 0}\n  - {name: buyers, expr: count(distinct customer_id)}\n  - {name: paid_rate, type: ratio, numerator: paid_revenue, denominator: revenue}\n  - {name: per_row, type: derived, expr: revenue / row_total}\n")
	b.WriteString("segments:\n  - {name: paid, expr: \"status = 'paid'\"}\njoins:\n")
	for j, to := range []int{(i - 1) / 2, (i - 1) / 4, (i - 1) / 8} {
		if i > 0 {
			fmt.Fprintf(&b, "  - {role: parent_%d_of_%d, to: source_%d, on: source_%d.parent_%d_id = parent_%d_of_%d.id, relationship: many_to_one}\n", j, i, to, i, j, j, i)
		}
	}
	return b.String()
}

// inUse is the heap that is in use.
func inUse() float64 {
	size, _ := heap()
	return size
}

// heap returns the bytes and the objects in use.
func heap() (size, objects float64) {
	runtime.GC()
	runtime.GC() // what pools still have after the first
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc), float64(m.HeapObjects)
}

// BenchmarkFiles measures a layer of 10,000 files: the first start, one with the
// cache of another, a call after nothing changed and one after an edit. The time
// on the wall counts what else the machine does; cpu-ms is what it costs.
func BenchmarkFiles(b *testing.B) {
	const n = 10_000
	dir := b.TempDir()
	f := open(b, dir)
	size := 0
	for i := range n {
		content := generated(i)
		size += len(content)
		f.put(b, fmt.Sprintf("source_%d.yaml", i), content)
	}
	b.Run("cold", func(b *testing.B) {
		cpu(b)
		for b.Loop() {
			b.StopTimer()
			if err := os.RemoveAll(filepath.Join(dir, "cache")); err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			open(b, dir).current(b)
		}
		b.ReportMetric(float64(size)/n, "B/file")
	})
	b.Run("cached", func(b *testing.B) {
		open(b, dir).current(b) // writes the pack if nobody has
		before := inUse()
		cpu(b)
		var kept *fixture
		for b.Loop() {
			kept = open(b, dir)
			if s := kept.current(b); len(s.Model.Problems()) > 0 {
				b.Fatal(s.Model.Problems()[0])
			}
		}
		b.ReportMetric((inUse()-before)/1e6, "MB-in-use")
		runtime.KeepAlive(kept)
	})
	last := f.current(b)
	runtime.GC()
	b.Run("unchanged", func(b *testing.B) {
		cpu(b)
		b.ReportAllocs()
		for b.Loop() {
			if f.current(b) != last {
				b.Fatal("the state changed")
			}
		}
	})
	b.Run("files", func(b *testing.B) {
		cpu(b)
		for b.Loop() {
			if _, err := f.Files(b.Context(), "wh"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("edited", func(b *testing.B) {
		cpu(b)
		for i := 0; b.Loop(); i++ {
			content := strings.Replace(generated(9999), "unit: EUR", fmt.Sprint("unit: U", i), 1)
			if err := file.Replace(filepath.Join(dir, "semantic-layer/wh/source_9999.yaml"), []byte(content), 0o644); err != nil {
				b.Fatal(err)
			}
			if next := f.current(b); next == last {
				b.Fatal("the edit was not seen")
			} else {
				last = next
			}
		}
	})
}

// BenchmarkTables measures a layer of 5,000 scanned tables of 20 columns without
// any file: the first call, and what a decision and a rescan cost.
func BenchmarkTables(b *testing.B) {
	const n = 5_000
	dir := b.TempDir()
	f := open(b, dir)
	all := make([]*sdk.Table, n)
	for i := range all {
		columns := []string{fmt.Sprintf("a_id → table_%d", i/2), fmt.Sprintf("b_id → table_%d", i/3)}
		for c := range 17 {
			columns = append(columns, fmt.Sprintf("column_%d_%d", i%100, c))
		}
		all[i] = table(fmt.Sprint("table_", i), columns...)
	}
	f.scan(b, nil, all...)
	b.Run("first", func(b *testing.B) {
		before := inUse()
		cpu(b)
		var kept *fixture
		for b.Loop() {
			kept = open(b, dir)
			kept.current(b)
		}
		b.ReportMetric((inUse()-before)/1e6, "MB-in-use")
		runtime.KeepAlive(kept)
	})
	f.current(b)
	b.Run("unchanged", func(b *testing.B) {
		cpu(b)
		for b.Loop() {
			f.current(b)
		}
	})
	b.Run("decided", func(b *testing.B) {
		cpu(b)
		for i := 0; b.Loop(); i++ {
			one := relationship.Decision{Link: link("table_100", "column_0_1", fmt.Sprint("table_", i%n)), Status: relationship.Accepted, At: time.Unix(int64(i), 0)}
			if err := relationship.PutDecisions(f.Keys.File("wh"), relationship.Decisions{one}); err != nil {
				b.Fatal(err)
			}
			f.current(b)
		}
	})
	b.Run("rescanned", func(b *testing.B) {
		cpu(b)
		for i := 0; b.Loop(); i++ {
			b.StopTimer()
			all[7].Comment = fmt.Sprint("comment ", i)
			f.scan(b, nil, all...)
			b.StartTimer()
			f.current(b)
		}
	})
}
