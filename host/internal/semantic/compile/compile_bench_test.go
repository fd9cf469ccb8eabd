package compile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk/dialect"
)

// forest is a model of n sources of 20 dimensions and 6 measures, each of which
// has two children in a tree of joins.
func forest(b testing.TB, n int) *model.Model {
	b.Helper()
	var in model.Input
	for i := range n {
		var s strings.Builder
		fmt.Fprintf(&s, "name: s%d\ntable: t%d\nprimary_key: [id]\ndimensions:\n  - {name: id, type: number}\n  - {name: at, type: time, column_type: date}\n  - {name: status, type: string}\n", i, i)
		for d := range 17 {
			fmt.Fprintf(&s, "  - {name: a%d, type: string}\n", d)
		}
		s.WriteString("measures:\n  - {name: n, agg: count}\n  - {name: revenue, agg: sum, expr: amount * (1 - discount)}\n  - {name: paid, agg: sum, expr: amount, filter: \"status = 'paid'\", default: 0}\n  - {name: buyers, agg: count_distinct, expr: buyer}\n  - {name: rate, type: ratio, numerator: paid, denominator: revenue}\n  - {name: each, type: derived, expr: revenue / n}\n")
		if i > 0 {
			fmt.Fprintf(&s, "joins:\n  - {to: s%d, on: s%d.parent = s%d.id, relationship: many_to_one}\n", (i-1)/2, i, (i-1)/2)
		}
		in.Files = append(in.Files, model.Parse(fmt.Sprintf("s%d.yaml", i), []byte(s.String())))
	}
	m := model.Build(in)
	for _, p := range m.Problems() {
		b.Fatal(p)
	}
	return m
}

// ordinary is three measures by three dimensions with three filters.
var ordinary = request.Request{
	Measures:   []request.Measure{{Name: "s150.revenue"}, {Name: "s150.rate"}, {Name: "s150.n"}},
	Dimensions: []request.Dimension{{Field: "s150.status"}, {Field: "s74.a3"}, {Field: "s150.at", Grain: dialect.Month}},
	Filters:    []request.Filter{{SQL: "s150.status <> 'open'"}, {SQL: "s36.a1 IN ('x', 'y')"}, {SQL: "s150.n > 3"}},
}

// BenchmarkCompile compiles the ordinary request.
func BenchmarkCompile(b *testing.B) {
	d := engine(b, "postgres")
	for _, n := range []int{200, 2_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m := forest(b, n)
			var took []time.Duration
			b.ReportAllocs()
			for b.Loop() {
				start := time.Now()
				if _, err := compile.Compile(m, d, ordinary, compile.Options{}); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
	}
}

// BenchmarkWide compiles 70 measures of ten sources by 100 dimensions.
func BenchmarkWide(b *testing.B) {
	m, d := forest(b, 200), engine(b, "postgres")
	var r request.Request
	for _, name := range []string{"n", "revenue", "paid", "buyers", "rate", "each"} {
		for i := range 10 {
			r.Measures = append(r.Measures, request.Measure{Name: fmt.Sprintf("s%d.%s", 100+i, name)})
		}
	}
	for i := range 10 {
		r.Measures = append(r.Measures, request.Measure{Name: fmt.Sprintf("s%d.revenue", 90+i)})
	}
	for source := range 6 { // what all of them lead to
		for i := range 17 {
			r.Dimensions = append(r.Dimensions, request.Dimension{Field: fmt.Sprintf("s%d.a%d", []int{0, 2, 5, 0, 2, 5}[source], i)})
		}
	}
	r.Dimensions = r.Dimensions[:17]
	for i := range 83 {
		r.Dimensions = append(r.Dimensions, request.Dimension{Field: fmt.Sprintf("s0.a%d", i%17), Name: fmt.Sprintf("x%d", i)})
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := compile.Compile(m, d, r, compile.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
