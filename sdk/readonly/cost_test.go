package readonly_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk/readonly"
)

const ordinary = `WITH recent AS (
  SELECT o.customer_id, o.total, date_trunc('month', o.created_at) AS month
  FROM sales.orders o WHERE o.created_at >= '2024-01-01' AND o.status IN ('paid', 'shipped') -- no refunds
) SELECT c.name, r.month, sum(r.total) AS revenue, count(*) FILTER (WHERE r.total > 100) AS big,
  rank() OVER (PARTITION BY r.month ORDER BY sum(r.total) DESC) AS place
FROM recent r JOIN sales.customers c ON c.id = r.customer_id WHERE c.country <> 'XX'
GROUP BY c.name, r.month HAVING sum(r.total) > 10 ORDER BY r.month, revenue DESC LIMIT 100`

func BenchmarkCheck(b *testing.B) {
	d := byName(b, "duckdb")
	b.ReportAllocs()
	b.SetBytes(int64(len(ordinary)))
	for b.Loop() {
		if err := readonly.Check(ordinary, d); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheckLongest(b *testing.B) {
	d := byName(b, "duckdb")
	long := "SELECT " + strings.Repeat("a.b + f(c) || 'x', ", readonly.MaxTextBytes/20) + "1"
	b.SetBytes(int64(len(long)))
	for b.Loop() {
		if err := readonly.Check(long, d); err != nil {
			b.Fatal(err)
		}
	}
}

// An ordinary statement is accepted without an allocation.
func TestCheckDoesNotAllocate(t *testing.T) {
	d := byName(t, "duckdb")
	if n := testing.AllocsPerRun(100, func() {
		if err := readonly.Check(ordinary, d); err != nil {
			panic(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// Texts that make a careless scanner read the same bytes again and again, so
// long that a cost that grew with the square of the length would take minutes.
func TestCheckIsLinear(t *testing.T) {
	t.Parallel()
	fill := func(head, unit, tail string) string {
		return head + strings.Repeat(unit, readonly.MaxTextBytes/4/len(unit)) + tail
	}
	for name, sql := range map[string]string{
		"opening brackets":       fill("SELECT ", "(", ""),
		"closed brackets":        fill("SELECT 1", " + (1)", ""),
		"opening comments":       fill("SELECT 1 ", "/*", ""),
		"comments":               fill("SELECT 1 ", "/* /* */ */", ""),
		"line comments":          fill("SELECT 1 ", "--\n", ""),
		"strings and line ends":  fill("SELECT 1", " , 'a' \n --\n 'b'", ""),
		"strings and comments":   fill("SELECT 'a'", "\n--", "\n, 1"),
		"escape strings":         fill("SELECT E'", `\'`, "'"),
		"dollars":                fill("SELECT 1", "+$a", ""),
		"long dollar tag":        fill("SELECT $", "a", ""),
		"dollar strings":         fill("SELECT 1", ",$a$ $b$ $a$", ""),
		"long word":              fill("SELECT ", "a", ""),
		"long word beyond ASCII": fill("SELECT ", "é", ""),
		"long number":            fill("SELECT ", "1", ""),
		"members":                fill("SELECT a", ".a", ""),
		"calls":                  fill("SELECT 1", "+f(a)", ""),
		"columns in parentheses": fill("SELECT 1", "+(update)", ""),
		"words behind update":    fill("SELECT (update", " a.b", ")"),
		"options of explain":     fill("SELECT (explain", " analyze", ")"),
		"semicolons":             fill("SELECT 1", ";", ""),
		"semicolons in front":    fill("", ";", "SELECT 1"),
		"CTEs":                   fill("WITH a AS (SELECT 1)", ", b (c, d) AS MATERIALIZED (SELECT 1)", " SELECT 1"),
		"columns of a CTE":       fill("WITH a (b", ", c", ") AS (SELECT 1) SELECT 1"),
		"columns without an end": fill("WITH a (b", ", c", ""),
		"expressions of a WITH":  fill("WITH f(a) AS b", ", g(c, d) AS e", " SELECT 1"),
		"search clause":          fill("WITH RECURSIVE a AS (SELECT 1) SEARCH DEPTH FIRST BY b", ", b", ""),
		"locks":                  fill("SELECT 1 FROM t LOCK", " LOCK IN SHARE", ""),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, dialect := range []string{"duckdb", "mysql", "clickhouse"} {
				_ = readonly.Check(sql, byName(t, dialect)) // the verdict is other tests' matter
			}
		})
	}
}

// The memory of a text is that of its tokens: ten times the text, about ten
// times the bytes. (It runs alone: the counter is the whole program's.)
func TestCheckMemoryIsLinear(t *testing.T) {
	d := byName(t, "duckdb")
	bytesOf := func(terms int) uint64 {
		sql := "SELECT 1" + strings.Repeat(" + (a)", terms)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := readonly.Check(sql, d); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	small, large := bytesOf(10_000), bytesOf(100_000)
	if large > 20*small {
		t.Errorf("%d bytes for 10,000 terms, %d for 100,000", small, large)
	}
}
