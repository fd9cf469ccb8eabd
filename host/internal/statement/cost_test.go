package statement_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/statement"
	"github.com/loam-data/loam/sdk/conform/corpus"
)

// hostile are texts that repeat a part n times.
var hostile = map[string]func(n int) string{
	"columns": func(n int) string { return "SELECT " + strings.Repeat("status, ", n) + "id FROM orders" },
	"names":   func(n int) string { return "SELECT " + strings.Repeat("a.b.c.d, ", n) + "id FROM orders" },
	"conditions": func(n int) string {
		return "SELECT 1 FROM orders WHERE " + strings.Repeat("status = 'a' AND ", n) + "1 = 1"
	},
	"or": func(n int) string {
		return "SELECT 1 FROM orders WHERE " + strings.Repeat("status = 'a' OR ", n) + "1 = 1"
	},
	"list": func(n int) string { return "SELECT 1 FROM orders WHERE id IN (" + strings.Repeat("1, ", n) + "2)" },
	"unions": func(n int) string {
		return strings.Repeat("SELECT id, status FROM orders UNION ALL ", n) + "SELECT 1, 'a'"
	},
	"joins": func(n int) string {
		return "SELECT status FROM orders o " + strings.Repeat("JOIN orders USING (id) ", n)
	},
	"crosses": func(n int) string {
		return "SELECT " + strings.Repeat("x, ", n) + "y FROM a" + strings.Repeat(", orders o", n)
	},
	"tables": func(n int) string {
		var b strings.Builder
		b.WriteString("WITH t0 AS (SELECT * FROM orders)")
		for i := range n {
			fmt.Fprintf(&b, ", t%d AS (SELECT a.*, b.* FROM t%d a, t%d b)", i+1, i, i)
		}
		return b.String() + " SELECT * FROM t1"
	},
	"chain": func(n int) string {
		var b strings.Builder
		b.WriteString("WITH t0 AS (SELECT * FROM orders)")
		for i := range n {
			fmt.Fprintf(&b, ", t%d AS (SELECT * FROM t%d)", i+1, i)
		}
		return fmt.Sprintf("%s SELECT status FROM t%d", b.String(), n)
	},
	"brackets": func(n int) string { return "SELECT " + strings.Repeat("(", n) + "1" + strings.Repeat(")", n) },
	"queries":  func(n int) string { return strings.Repeat("SELECT (", n) + "SELECT 1" + strings.Repeat(")", n) },
	"from": func(n int) string {
		return "SELECT 1 FROM " + strings.Repeat("(", n) + "SELECT 1" + strings.Repeat(")", n)
	},
	"not":   func(n int) string { return "SELECT " + strings.Repeat("NOT ", n) + "1" },
	"minus": func(n int) string { return "SELECT " + strings.Repeat("- ", n) + "1" },
	"cases": func(n int) string {
		return "SELECT " + strings.Repeat("CASE WHEN a THEN ", n) + "1" + strings.Repeat(" END", n)
	},
	"operators": func(n int) string { return "SELECT 1" + strings.Repeat(" + 1", n) },
	"comparing": func(n int) string { return "SELECT 1" + strings.Repeat(" = 1", n) },
	"subqueries": func(n int) string {
		return "SELECT " + strings.Repeat("(SELECT o.status FROM items WHERE order_id = o.id), ", n) + "1 FROM orders o"
	},
	"aliases": func(n int) string {
		return "SELECT " + strings.Repeat("status AS a, ", n) + "id FROM orders ORDER BY " + strings.Repeat("a, ", n) + "id"
	},
}

// The cost grows linearly with the text, up to the longest one, and stays small beyond it.
func TestCostIsLinear(t *testing.T) {
	d := dialects(t)["postgres"]
	r := statement.New(d, shop)
	for name, text := range hostile {
		unit := len(text(11)) - len(text(10))
		small, large := text(statement.MaxBytes/unit/13), text(statement.MaxBytes/unit*10/13)
		allocated := func(sql string) uint64 {
			if len(sql) > statement.MaxBytes {
				t.Errorf("%s: %d bytes", name, len(sql))
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r.Read(sql)
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		one, ten := allocated(small), allocated(large)
		if ten > 16*one+1<<20 {
			t.Errorf("%s: %d bytes are allocated, and %d for ten times the text", name, one, ten)
		}
	}
}

func FuzzRead(f *testing.F) {
	all := dialects(f)
	for _, name := range []string{"postgres", "clickhouse", "mysql", "duckdb"} {
		for _, sql := range corpus.Ordinary(all[name]) {
			f.Add(name, sql)
		}
	}
	for _, text := range hostile {
		f.Add("sqlite", text(7))
	}
	f.Fuzz(func(t *testing.T, name, sql string) {
		d := all[name]
		if d == nil {
			d = all["postgres"]
		}
		s := statement.New(d, shop).Read(sql)
		for _, b := range s.Blocks {
			if b.Start < 0 || b.Start > len(sql) {
				t.Fatalf("block at %d", b.Start)
			}
			for _, c := range b.Conditions {
				if c.Column == nil || c.At < 0 || c.At >= len(sql) {
					t.Fatalf("condition %+v", c)
				}
			}
			for _, j := range b.Joins {
				if j.Left == nil || j.Right == nil {
					t.Fatalf("join %+v", j)
				}
			}
		}
	})
}

// BenchmarkRead reads the corpus of an engine: 30,000 statements a second are wanted.
func BenchmarkRead(b *testing.B) {
	d := dialects(b)["postgres"]
	all := corpus.Ordinary(d)
	r := statement.New(d, setup(corpus.OrdinarySetup(d)))
	b.ReportAllocs()
	read := 0
	for b.Loop() {
		r.Read(all[read%len(all)])
		read++
	}
	b.ReportMetric(float64(read)/b.Elapsed().Seconds(), "statements/s")
}
