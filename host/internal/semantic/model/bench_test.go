package model

import (
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
)

// folder makes the files of n sources of about 2.7 kB: 25 dimensions, 6 measures
// and 3 joins each, to sources further down a tree, of which each has two
// children.
func folder(n int) (names []string, contents [][]byte) {
	for i := range n {
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
		names = append(names, fmt.Sprintf("source_%d.yaml", i))
		contents = append(contents, []byte(b.String()))
	}
	return names, contents
}

func parseAll(names []string, contents [][]byte) []*File {
	files := make([]*File, len(names))
	for i := range names {
		files[i] = Parse(names[i], contents[i])
	}
	return files
}

func BenchmarkCold(b *testing.B) {
	for _, n := range []int{200, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			names, contents := folder(n)
			defer debug.SetGCPercent(debug.SetGCPercent(400))
			b.ReportAllocs()
			cpu(b)
			for b.Loop() {
				m := Build(Input{Files: parseAll(names, contents)})
				if all := m.Problems(); len(all) > 0 {
					b.Fatal(all[0])
				}
			}
			b.ReportMetric(float64(len(contents[n-1])), "B/file")
		})
	}
}

func BenchmarkBuild(b *testing.B) {
	names, contents := folder(10_000)
	files := parseAll(names, contents)
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	b.ReportAllocs()
	cpu(b)
	for b.Loop() {
		Build(Input{Files: files})
	}
}

func BenchmarkReload(b *testing.B) {
	names, contents := folder(10_000)
	m := Build(Input{Files: parseAll(names, contents)})
	for _, at := range []int{2, 9_999} {
		text := string(contents[at])
		b.Run(names[at], func(b *testing.B) {
			b.ReportAllocs()
			cpu(b)
			for i := 0; b.Loop(); i++ {
				changed := strings.Replace(text, "unit: EUR", fmt.Sprint("unit: U", i), 1)
				m = m.With(Parse(names[at], []byte(changed)))
			}
		})
	}
}

func BenchmarkSuggest(b *testing.B) {
	names, contents := folder(4_000)
	m := Build(Input{Files: parseAll(names, contents)})
	m.Suggest(Metrics, "x")
	b.ReportMetric(float64(len(m.names.index().words.list)), "names")
	for b.Loop() {
		if got := m.Suggest(Metrics, "source_17", "atribute_17_3"); len(got) == 0 || got[0] != "source_17.attribute_17_3" {
			b.Fatal(got)
		}
	}
}

func BenchmarkLookupAndPath(b *testing.B) {
	for _, n := range []int{200, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			names, contents := folder(n)
			m := Build(Input{Files: parseAll(names, contents)})
			from := source(b, m, "source_150")
			b.ReportAllocs()
			cpu(b)
			for b.Loop() {
				found, err := m.Lookup(from.ID, "source_4", "status")
				if err != nil {
					b.Fatal(err)
				}
				if _, err := m.Path(from.ID, found[0].Ref); err == nil {
					b.Fatal("several ways lead there")
				}
			}
		})
	}
}

// BenchmarkScanned builds a model of tables alone: 20 columns and two foreign
// keys each.
func BenchmarkScanned(b *testing.B) {
	tables := make([]*Table, 10_000)
	for i := range tables {
		columns := []string{"id int64", "a_id int64", "b_id int64"}
		for c := range 17 {
			columns = append(columns, fmt.Sprintf("column_%d text", c))
		}
		tables[i] = table(fmt.Sprintf("s.table_%d", i), "id", columns...).
			refer("a_id", fmt.Sprintf("s.table_%d", i/2), "id").refer("b_id", fmt.Sprintf("s.table_%d", i/3), "id")
	}
	b.ReportAllocs()
	cpu(b)
	for b.Loop() {
		if m := Build(Input{Tables: tables}); len(m.Problems()) > 0 {
			b.Fatal(m.Problems()[0])
		}
	}
}
