package bench

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// sources makes a project with so many sources in a binary tree of to-one joins,
// each a YAML file of about 2.7 KB with 25 dimensions, 6 measures and 3 joins.
// The first of them have a table, of 100 rows if there are at most 1,000 tables, else empty; they
// are scanned when scan is set.
func sources(b testing.TB, n, tables int, scan bool) (binary, dir string) {
	b.Helper()
	binary, err := filepath.Abs("../../bin/loam")
	if err != nil {
		b.Fatal(err)
	}
	dir = b.TempDir()
	put(b, filepath.Join(dir, "loam.yaml"), "version: 1\nconnections:\n  shop:\n    connector: sqlite\n    config: {path: shop.db}\n")
	for i := range n {
		put(b, sourceFile(dir, i), source(i, ""))
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "shop.db")+"?_pragma=journal_mode(OFF)&_pragma=synchronous(OFF)")
	if err != nil {
		b.Fatal(err)
	}
	var columns, values []string
	for c := range 22 {
		columns, values = append(columns, fmt.Sprintf("attribute_%d TEXT", c)), append(values, fmt.Sprintf("'v' || (n * %d %% 7)", c+1))
	}
	rows := 100
	if tables > 1000 {
		rows = 0
	}
	for i := range tables {
		for _, statement := range []string{
			fmt.Sprintf("CREATE TABLE source_%d (id INTEGER PRIMARY KEY, parent_id INTEGER, left_id INTEGER, right_id INTEGER, amount INTEGER, at TIMESTAMP, %s)", i, strings.Join(columns, ", ")),
			fmt.Sprintf("WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 100) INSERT INTO source_%d SELECT n, 1 + n * 7 %% 100, n, n, n * 13 %% 97, datetime('2025-01-01', n || ' days'), %s FROM s LIMIT %d", i, strings.Join(values, ", "), rows),
		} {
			if _, err := db.Exec(statement); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	if scan {
		if out, err := exec.Command(binary, "scan", "--project-dir", dir, "--quiet", "--mode", "structural").CombinedOutput(); err != nil {
			b.Fatalf("loam scan: %v\n%s", err, out)
		}
	}
	return binary, dir
}

func put(b testing.TB, path, text string) {
	b.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		b.Fatal(err)
	}
}

func sourceFile(dir string, i int) string {
	return filepath.Join(dir, "semantic-layer", "shop", fmt.Sprintf("source_%d.yaml", i))
}

// source is the file of a source; more are further measures.
func source(i int, more string) string {
	var s strings.Builder
	fmt.Fprintf(&s, "version: 1\nname: source_%d\ntable: main.source_%d\ndescription: Rows number %d of the made-up warehouse.\nprimary_key: [id]\ndefault_time_dimension: at\ndimensions:\n", i, i, i)
	s.WriteString("  - {name: id, type: number}\n  - {name: amount, type: number}\n  - {name: at, type: time, column_type: timestamp}\n")
	for c := range 22 {
		fmt.Fprintf(&s, "  - {name: attribute_%d, type: string, description: Attribute %d of source %d.}\n", c, c, i)
	}
	fmt.Fprintf(&s, `measures:
  - {name: rows_%[1]d, agg: count, description: How many there are.}
  - {name: total_%[1]d, agg: sum, expr: amount, format: currency, unit: EUR}
  - {name: mean_%[1]d, agg: avg, expr: amount}
  - {name: paid_%[1]d, agg: sum, expr: amount, filter: "attribute_1 = 'v1'", default: 0}
  - {name: kinds_%[1]d, agg: count_distinct, expr: attribute_2}
  - {name: rate_%[1]d, type: ratio, numerator: paid_%[1]d, denominator: total_%[1]d}
%[2]ssegments:
  - {name: good, expr: "attribute_1 = 'v1'"}
`, i, more)
	if parent := (i - 1) / 2; i > 0 {
		fmt.Fprintf(&s, "joins:\n  - {to: source_%d, \"on\": source_%d.parent_id = source_%d.id, relationship: many_to_one}\n", parent, i, parent)
		fmt.Fprintf(&s, "  - {role: first, to: source_%d, \"on\": source_%d.left_id = first.id, relationship: many_to_one}\n", parent, i)
		fmt.Fprintf(&s, "  - {role: second, to: source_%d, \"on\": source_%d.right_id = second.id, relationship: many_to_one}\n", parent, i)
	}
	return s.String()
}

// threeByThree asks for three measures by three dimensions under three filters.
func threeByThree(i int) map[string]any {
	parent := (i - 1) / 2
	here, up := fmt.Sprintf("source_%d.", i), fmt.Sprintf("source_%d.", parent)
	return map[string]any{
		"measures":   []string{here + "total_" + fmt.Sprint(i), here + "kinds_" + fmt.Sprint(i), here + "rate_" + fmt.Sprint(i)},
		"dimensions": []any{here + "attribute_3", up + "attribute_4", map[string]any{"field": here + "at", "granularity": "quarter"}},
		"filters":    []string{here + "amount > 3", up + "attribute_5 <> 'v0'", here + "attribute_6 IS NOT NULL"},
		"limit":      50,
	}
}

// answer makes a call that must succeed.
func answer(b testing.TB, p *pipe, params string) string {
	line := p.call(b, "tools/call", params)
	if strings.Contains(line, `"isError":true`) || !strings.Contains(line, "structuredContent") {
		b.Fatalf("answer: %.500s", line)
	}
	return line
}

// BenchmarkSemantic measures the semantic layer through the product over stdio:
// 200 sources over scanned tables. What sl_query costs is compared with its own
// SQL through sql_execution, one after the other in the same run.
func BenchmarkSemantic(b *testing.B) {
	const last = 199
	binary, dir := sources(b, last+1, last+1, true)
	asked := threeByThree(last)
	b.Run("sl_query", func(b *testing.B) {
		p := open(b, binary, dir)
		defer p.close()
		shown := threeByThree(last)
		shown["include"] = []string{"sql"}
		var compiled struct {
			Result struct {
				StructuredContent struct{ SQL string }
			}
		}
		if err := json.Unmarshal([]byte(answer(b, p, research("sl_query", shown))), &compiled); err != nil || compiled.Result.StructuredContent.SQL == "" {
			b.Fatalf("no SQL: %v", err)
		}
		plain := toolCall(compiled.Result.StructuredContent.SQL, 1000)
		params := research("sl_query", asked)
		answer(b, p, plain)
		var with, without []time.Duration
		for b.Loop() {
			without = append(without, timed(func() { answer(b, p, plain) }))
			with = append(with, timed(func() { answer(b, p, params) }))
		}
		b.ReportMetric(float64(median(with).Microseconds()), "µs-p50")
		b.ReportMetric(float64(quantile(with, 0.99).Microseconds()), "µs-p99")
		b.ReportMetric(float64(median(without).Microseconds()), "µs-sql-p50")
		b.ReportMetric(float64(median(with))/float64(median(without)), "ratio-to-sql")
		b.ReportMetric(float64(resident(b, p.cmd.Process.Pid))/1024, "MiB-resident")
	})
	b.Run("sl_read_source", func(b *testing.B) {
		p := open(b, binary, dir)
		defer p.close()
		params := research("sl_read_source", map[string]any{"connectionId": "shop", "sourceName": fmt.Sprintf("source_%d", last)})
		answer(b, p, params)
		var took []time.Duration
		for b.Loop() {
			took = append(took, timed(func() { answer(b, p, params) }))
		}
		b.ReportMetric(float64(median(took).Microseconds()), "µs-p50")
	})
	b.Run("edited", func(b *testing.B) { edited(b, binary, dir, last) })
	b.Run("start", func(b *testing.B) { startSemantic(b, binary, dir, asked, false) })
}

// BenchmarkSemantic10k is 10,000 sources, all from YAML: the first answer after
// a start without and with the cache, an edit until it is in an answer, memory.
func BenchmarkSemantic10k(b *testing.B) {
	const last = 9_999
	binary, dir := sources(b, last+1, 3, false)
	asked := threeByThree(2)
	b.Run("cold", func(b *testing.B) { startSemantic(b, binary, dir, asked, true) })
	b.Run("cached", func(b *testing.B) { startSemantic(b, binary, dir, asked, false) })
	b.Run("edited", func(b *testing.B) { edited(b, binary, dir, 2) })
	b.Run("memory", func(b *testing.B) { memory(b, binary, dir, asked) })
	for i := range last + 1 {
		put(b, sourceFile(dir, i), smaller(i))
	}
	b.Run("memory-smaller", func(b *testing.B) { memory(b, binary, dir, map[string]any{"measures": []string{"source_2.total_2"}}) })
}

// BenchmarkScanned10k is 10,000 sources over as many scanned tables: memory, and the
// processor time of a call on a folder in which nothing changed.
func BenchmarkScanned10k(b *testing.B) {
	const last = 9_999
	binary, dir := sources(b, last+1, last+1, true)
	b.Run("memory", func(b *testing.B) { memory(b, binary, dir, threeByThree(last)) })
	b.Run("unchanged", func(b *testing.B) {
		p := open(b, binary, dir)
		defer p.close()
		calls := map[string]string{
			"sl_query":       research("sl_query", threeByThree(last)),
			"sl_read_source": research("sl_read_source", map[string]any{"connectionId": "shop", "sourceName": fmt.Sprintf("source_%d", last)}),
			"sql_execution":  toolCall("SELECT 1", 1000),
		}
		for _, params := range calls {
			answer(b, p, params)
		}
		for b.Loop() {
			for name, params := range calls {
				const n = 300
				before := processor(b, p.cmd.Process.Pid)
				for range n {
					answer(b, p, params)
				}
				b.ReportMetric(float64((processor(b, p.cmd.Process.Pid)-before).Microseconds())/1000/n, "ms-cpu-"+name)
			}
		}
		b.ReportMetric(float64(resident(b, p.cmd.Process.Pid))/1024, "MiB-resident")
	})
}

// processor is the processor time that a process has used, in steps of 10 ms.
func processor(b testing.TB, pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Skipf("no /proc: %v", err)
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	var ticks int
	for _, field := range fields[11:13] { // utime and stime
		n, err := strconv.Atoi(field)
		if err != nil {
			b.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// smaller is the file of a source with 10 columns, 3 measures and 1 or 2 joins.
func smaller(i int) string {
	var s strings.Builder
	fmt.Fprintf(&s, "name: source_%d\ntable: main.source_%d\ndescription: Rows number %d of the made-up warehouse.\nprimary_key: [id]\ndefault_time_dimension: at\ndimensions:\n", i, i, i)
	s.WriteString("  - {name: id, type: number}\n  - {name: amount, type: number}\n  - {name: at, type: time, column_type: timestamp}\n")
	for c := range 7 {
		fmt.Fprintf(&s, "  - {name: attribute_%d, type: string, description: Attribute %d of source %d.}\n", c, c, i)
	}
	fmt.Fprintf(&s, "measures:\n  - {name: rows_%[1]d, agg: count}\n  - {name: total_%[1]d, agg: sum, expr: amount, unit: EUR}\n  - {name: mean_%[1]d, type: ratio, numerator: total_%[1]d, denominator: rows_%[1]d}\n", i)
	if parent := (i - 1) / 2; i > 0 {
		fmt.Fprintf(&s, "joins:\n  - {to: source_%d, \"on\": source_%d.parent_id = source_%d.id, relationship: many_to_one}\n", parent, i, parent)
		if i%2 == 1 {
			fmt.Fprintf(&s, "  - {role: first, to: source_%d, \"on\": source_%d.left_id = first.id, relationship: many_to_one}\n", parent, i)
		}
	}
	return s.String()
}

// memory measures what the host holds after the first sl_query of a start without a
// cache, after the first discover_data that has all, and at most until then.
func memory(b *testing.B, binary, dir string, asked map[string]any) {
	search := research("discover_data", map[string]any{"query": "attribute of source 7"})
	for b.Loop() {
		for _, cache := range []string{"semantic", "index"} {
			if err := os.RemoveAll(filepath.Join(dir, ".loam", cache)); err != nil {
				b.Fatal(err)
			}
		}
		p := open(b, binary, dir)
		answer(b, p, research("sl_query", asked))
		b.ReportMetric(float64(resident(b, p.cmd.Process.Pid))/1024, "MiB-sl_query")
		for strings.Contains(p.call(b, "tools/call", search), "is being made") {
		}
		answer(b, p, search)
		b.ReportMetric(float64(resident(b, p.cmd.Process.Pid))/1024, "MiB-discover_data")
		p.close()
	}
}

// edited measures from a changed file to the answer that knows of it.
func edited(b *testing.B, binary, dir string, i int) {
	p := open(b, binary, dir)
	defer p.close()
	answer(b, p, research("sl_query", threeByThree(i)))
	var took, unchanged []time.Duration
	for n := 0; b.Loop(); n++ {
		put(b, sourceFile(dir, i), source(i, fmt.Sprintf("  - {name: added_%d, agg: max, expr: amount}\n", n)))
		params := research("sl_query", map[string]any{"measures": []string{fmt.Sprintf("source_%d.added_%d", i, n)}})
		took = append(took, timed(func() { answer(b, p, params) }))
		unchanged = append(unchanged, timed(func() { answer(b, p, params) }))
	}
	b.ReportMetric(float64(median(took).Microseconds())/1000, "ms-p50")
	b.ReportMetric(float64(slices.Max(took).Microseconds())/1000, "ms-max")
	b.ReportMetric(float64(median(unchanged).Microseconds())/1000, "ms-unchanged-p50")
	b.ReportMetric(float64(resident(b, p.cmd.Process.Pid))/1024, "MiB-resident")
}

// startSemantic measures from the start of the program to its first answer.
func startSemantic(b *testing.B, binary, dir string, asked map[string]any, cold bool) {
	params := research("sl_query", asked)
	cache := filepath.Join(dir, ".loam", "semantic")
	once := func() (took time.Duration, rss int) {
		started := time.Now()
		p := open(b, binary, dir)
		defer p.close()
		answer(b, p, params)
		return time.Since(started), resident(b, p.cmd.Process.Pid)
	}
	once() // leaves a cache
	var all []time.Duration
	var rss int
	for b.Loop() {
		if cold {
			if err := os.RemoveAll(cache); err != nil {
				b.Fatal(err)
			}
		}
		var took time.Duration
		took, rss = once()
		all = append(all, took)
	}
	b.ReportMetric(float64(median(all).Microseconds())/1000, "ms-p50")
	b.ReportMetric(float64(rss)/1024, "MiB-resident")
}
