package catalog

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// warehouse yields tables of 20 columns as they are in a large warehouse.
func warehouse(n int, yield func(*sdk.Table)) {
	words := []string{"order", "customer", "invoice", "line", "product", "price", "amount", "status", "created", "region", "account", "channel"}
	types := []string{"bigint", "character varying(255)", "timestamp with time zone", "numeric(38,10)", "boolean"}
	for i := range n {
		word := func(j int) string { return words[(i*7+j*5+i/13)%len(words)] }
		t := &sdk.Table{
			TableRef: sdk.TableRef{Catalog: "warehouse", Schema: fmt.Sprintf("%s_%02d", word(0), i%40), Name: fmt.Sprintf("%s_%s_%05d", word(1), word(2), i)},
			Kind:     sdk.TableBase, RowEstimate: int64(i) * 1000, ByteEstimate: int64(i) * 90000,
			Comment: fmt.Sprintf("The %s of every %s, loaded nightly from source %d", word(3), word(4), i%97), Fingerprint: fmt.Sprint(i),
		}
		for j := range 20 {
			c := sdk.Column{Name: fmt.Sprintf("%s_%s_%d", word(j), word(j+3), j), Type: sdk.TypeInt64, NativeType: types[(i+j)%len(types)], Nullable: j%3 == 0}
			if j%4 == 0 {
				c.Comment = "The " + word(j) + " as of the " + word(j+1)
			}
			t.Columns = append(t.Columns, c)
		}
		t.Keys = []sdk.Key{{Kind: sdk.KeyPrimary, Name: t.Name + "_pkey", Columns: []string{t.Columns[0].Name}, Enforced: true}}
		yield(t)
	}
}

func write(b *testing.B, c *Catalog, tables int, fresh bool) time.Duration {
	b.Helper()
	start := time.Now()
	w := begin(b, c, fresh)
	warehouse(tables, func(t *sdk.Table) { add(b, w, t) })
	commit(b, w, "s1")
	return time.Since(start)
}

func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

func BenchmarkCatalog(b *testing.B) {
	for _, tables := range []int{5_000, 100_000} {
		c := Open(b.TempDir(), "wh")
		first := write(b, c, tables, false)
		again := write(b, c, tables, false)
		info, err := os.Stat(c.packPath(latest(b, c).Content))
		if err != nil {
			b.Fatal(err)
		}
		name := fmt.Sprintf("tables=%d", tables)
		b.Run(name+"/open", func(b *testing.B) {
			before := heap()
			var m *Snapshot
			for b.Loop() {
				m = latest(b, Open(c.dir, "wh"))
			}
			b.ReportMetric((heap()-before)/(1<<20), "MB-heap")
			b.ReportMetric(float64(info.Size())/(1<<20), "MB-file")
			b.ReportMetric(first.Seconds(), "s-first-scan")
			b.ReportMetric(again.Seconds(), "s-rescan")
			runtime.KeepAlive(m)
		})
		m := latest(b, c)
		d := &dialect.Dialect{Folding: dialect.FoldLower}
		lookup := func(b *testing.B, ask func(Entry) string) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				at, err := m.Find(d, ask(m.Entry(i*7919%m.Len())))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := m.At(at); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.Run(name+"/entity", func(b *testing.B) { lookup(b, Entry.String) })
		b.Run(name+"/entity-by-name", func(b *testing.B) { lookup(b, func(e Entry) string { return strings.ToUpper(e.Name) }) })
		b.Run(name+"/not-found", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				if _, err := m.Find(d, m.Entry(i*7919%m.Len()).Name+"x"); err == nil {
					b.Fatal("found")
				}
			}
		})
		b.Run(name+"/latest", func(b *testing.B) {
			for b.Loop() {
				latest(b, c)
			}
		})
	}
}
