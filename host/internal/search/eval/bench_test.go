package eval

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/search"
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

// large builds a segment of a warehouse with 20 columns a table and returns how
// long that took and how much memory was in use at most, as far as was seen.
func large(b *testing.B, path string, n int) (took time.Duration, heap uint64) {
	builder, err := search.NewBuilder(path, Abbreviations())
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 5))
	begin, seen := time.Now(), 0
	var memory runtime.MemStats
	Warehouse(warehouseName, n, func(t Table) {
		widen(&t.TableDocument, r, 20)
		err = errors.Join(err, builder.Table(t.TableDocument))
		if seen++; seen%10_000 == 0 {
			runtime.ReadMemStats(&memory)
			heap = max(heap, memory.HeapInuse)
		}
	})
	if err := errors.Join(err, builder.Finish("bench", map[search.Kind]int{search.Table: n}), builder.Close()); err != nil {
		b.Fatal(err)
	}
	runtime.ReadMemStats(&memory)
	return time.Since(begin), max(heap, memory.HeapInuse)
}

var asked = strings.Split(`id|name|date|status|customer|order status|customer order date|total amount by customer|which products have the most returns|
crm.customers|dim_customer|CustomerNumber|cust_no|cutsomer|subscirptions|warehou|invoices due next month by region and channel|клиент|顧客|Rechnungen|
price list valid from|monthly recurring revenue|number of open support tickets per agent and priority|amt|customer id order id product id|
employee salary department|exchange rate eur|net amount gross amount tax amount|who approved the purchase order|stock on hand`, "|")

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{5_000, 100_000} {
		b.Run(fmt.Sprintf("tables=%d", n), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "segment")
			built, heap := large(b, path, n)
			runtime.GC()
			begin := time.Now()
			s, err := search.Open(path, Abbreviations())
			if err != nil {
				b.Fatal(err)
			}
			s.Search(search.Query{Text: "customer"})
			started := time.Since(begin)
			defer s.Close()
			var took []float64
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				before := b.Elapsed()
				s.Search(search.Query{Text: asked[i%len(asked)]})
				took = append(took, float64((b.Elapsed()-before).Microseconds())/1000)
			}
			slices.Sort(took)
			b.ReportMetric(took[len(took)/2], "p50-ms")
			b.ReportMetric(took[len(took)*99/100], "p99-ms")
			b.ReportMetric(built.Seconds(), "build-s")
			b.ReportMetric(float64(heap)/(1<<20), "build-heap-MB")
			b.ReportMetric(float64(s.Size())/(1<<20), "resident-MB")
			b.ReportMetric(float64(started.Microseconds())/1000, "start-ms")
			b.ReportMetric(float64(s.Count(search.Column)), "columns")
		})
	}
}

func BenchmarkSlowest(b *testing.B) {
	path := filepath.Join(b.TempDir(), "segment")
	large(b, path, 100_000)
	s, err := search.Open(path, Abbreviations())
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for _, question := range asked {
		b.Run(question, func(b *testing.B) {
			for b.Loop() {
				s.Search(search.Query{Text: question})
			}
		})
	}
}
