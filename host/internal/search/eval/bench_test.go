package eval

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/search"
	"github.com/loam-data/loam/host/internal/search/value"
)

const (
	shardTables = 8192
	shardPages  = 512
)

// widen gives a table the number of columns that wide warehouses have.
func widen(t *search.TableDocument, r *rand.Rand, columns int) {
	first := strings.Fields("customer order product invoice ship bill net gross total unit list base start end due paid open last next first source target parent account store region channel contract")
	second := strings.Fields("id date amount code status type name number flag count rate value price quantity time key group level class note")
	for len(t.Columns) < columns {
		name := first[r.IntN(len(first))] + "_" + second[r.IntN(len(second))]
		c := search.ColumnDocument{Name: name}
		if r.IntN(5) == 0 {
			c.Comment = "The " + strings.ReplaceAll(name, "_", " ") + " as the source system has it"
		}
		if r.IntN(10) == 0 {
			c.Samples = []string{"Standard", "Premium plus", "Not yet known"}
		}
		t.Columns = append(t.Columns, c)
	}
}

// made returns ten values of a column.
func made(r *rand.Rand) (out []string) {
	for range 10 {
		out = append(out, fmt.Sprintf("%s %s %d", people[r.IntN(len(people))], systems[r.IntN(len(systems))], r.IntN(1_000_000)))
	}
	return out
}

// measured is what building and opening an index took.
type measured struct {
	built, opened time.Duration
	heap          uint64 // in use at most, as far as was seen
}

// shard builds one segment, and counts only the time that this takes.
func (m *measured) shard(b *testing.B, path string, fill func(*search.Builder) error) {
	b.Helper()
	builder, err := search.NewBuilder(path, Abbreviations())
	if err != nil {
		b.Fatal(err)
	}
	err = fill(builder)
	begin := time.Now()
	if err := errors.Join(err, builder.Finish("bench", nil), builder.Close()); err != nil {
		b.Fatal(err)
	}
	m.built += time.Since(begin)
	m.look()
}

func (m *measured) look() {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	m.heap = max(m.heap, memory.HeapInuse)
}

func (m *measured) open(b *testing.B, dir string) *search.Index {
	b.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		b.Fatal(err)
	}
	begin := time.Now()
	var segments []*search.Segment
	for _, f := range files {
		s, err := search.Open(filepath.Join(dir, f.Name()), Abbreviations())
		if err != nil {
			b.Fatal(err)
		}
		segments = append(segments, s)
	}
	x := search.NewIndex(Abbreviations(), segments...)
	m.opened = time.Since(begin)
	for _, s := range segments {
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.Cleanup(func() {
		if err := x.Close(); err != nil {
			b.Error(err)
		}
	})
	return x
}

// large builds the index of a warehouse with 20 columns and 10 sampled values a
// table, in shards.
func large(b *testing.B, tables, pages int) (*search.Index, *measured) {
	b.Helper()
	dir, m := b.TempDir(), &measured{}
	shards := uint32((tables + shardTables - 1) / shardTables)
	for shard := range shards {
		r := rand.New(rand.NewPCG(5, uint64(shard)))
		m.shard(b, filepath.Join(dir, fmt.Sprint("tables", shard)), func(builder *search.Builder) (err error) {
			Warehouse(warehouseName, tables, func(t Table) {
				h := fnv.New32a()
				_, _ = h.Write([]byte(t.ID)) // a hash takes everything
				if h.Sum32()%shards != shard {
					return
				}
				widen(&t.TableDocument, r, 20)
				sampled := made(r)
				begin := time.Now()
				err = errors.Join(err, builder.Table(t.TableDocument), builder.Values().Add(value.Column{
					Connection: t.Connection, Source: t.ID, Name: t.Columns[0].Name, Cardinality: int64(len(sampled)),
				}, sampled))
				m.built += time.Since(begin)
			})
			return err
		})
	}
	for first := 0; first < pages; first += shardPages {
		m.shard(b, filepath.Join(dir, fmt.Sprint("pages", first)), func(builder *search.Builder) (err error) {
			for n := first; n < min(pages, first+shardPages); n++ {
				err = errors.Join(err, builder.Add(Note(n)))
			}
			return err
		})
	}
	return m.open(b, dir), m
}

var asked = strings.Split(`id|name|date|status|customer|order status|customer order date|total amount by customer|which products have the most returns|
crm.customers|dim_customer|CustomerNumber|cust_no|cutsomer|subscirptions|warehou|invoices due next month by region and channel|клиент|顧客|Rechnungen|
price list valid from|monthly recurring revenue|number of open support tickets per agent and priority|amt|customer id order id product id|
employee salary department|exchange rate eur|net amount gross amount tax amount|who approved the purchase order|stock on hand`, "|")

// percentiles reports the median and the 99th percentile of what a call takes.
func percentiles(b *testing.B, call func(i int)) {
	var took []time.Duration
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		before := b.Elapsed()
		call(i)
		took = append(took, b.Elapsed()-before)
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2].Seconds()*1000, "p50-ms")
	b.ReportMetric(took[len(took)*99/100].Seconds()*1000, "p99-ms")
}

// BenchmarkSearch reports what one search takes, and what the index takes to be
// built, opened and kept.
func BenchmarkSearch(b *testing.B) {
	for _, size := range []struct{ tables, pages int }{{5_000, 1_000}, {100_000, 1_000}} {
		b.Run(fmt.Sprintf("tables=%d/pages=%d", size.tables, size.pages), func(b *testing.B) {
			before := heap()
			x, m := large(b, size.tables, size.pages)
			percentiles(b, func(i int) { x.Search(search.Query{Text: asked[i%len(asked)]}) })
			for range 2 {
				x.Find("anna", nil, 100) // has the suffix arrays built
			}
			b.ReportMetric(m.built.Seconds(), "build-s")
			b.ReportMetric(float64(m.heap)/(1<<20), "build-heap-MB")
			b.ReportMetric(m.opened.Seconds()*1000, "open-ms")
			b.ReportMetric(float64(x.Size())/(1<<20), "mapped-MB")
			b.ReportMetric(float64(heap()-before)/(1<<20), "heap-MB")
			b.ReportMetric(float64(x.Count(search.Column)), "columns")
		})
	}
}

// heap returns the bytes that are in use after a collection.
func heap() int64 {
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return int64(memory.HeapInuse)
}

func BenchmarkSlowest(b *testing.B) {
	x, _ := large(b, 100_000, 1_000)
	for _, question := range asked {
		b.Run(question, func(b *testing.B) {
			for b.Loop() {
				x.Search(search.Query{Text: question})
			}
		})
	}
}
