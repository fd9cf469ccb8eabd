package bench

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // makes the warehouses
)

var (
	things   = []string{"customer", "order", "invoice", "payment", "product", "shipment", "supplier", "ticket", "contract", "campaign"}
	sorts    = []string{"item", "header", "history", "status", "address", "price", "event", "summary", "line", "document"}
	prefixes = []string{"stg", "dim", "fct", "raw", "mart"}
)

// warehouse makes a project with a database of so many tables of 20 columns and
// so many wiki pages, and scans it; scan is how long that took.
func warehouse(b testing.TB, tables, pages int) (binary, dir string, scan time.Duration) {
	b.Helper()
	binary, err := filepath.Abs("../../bin/loam")
	if err != nil {
		b.Fatal(err)
	}
	dir = b.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	write("loam.yaml", "version: 1\nconnections:\n  big:\n    connector: sqlite\n    config: {path: big.db}\n")
	for i := range pages {
		write(fmt.Sprintf("wiki/global/page-%d.md", i), fmt.Sprintf("---\nsummary: How %s %s is counted, part %d\n---\n# %s %s %d\n\n%s",
			things[i%10], sorts[i/10%10], i, things[i%10], sorts[i/10%10], i, strings.Repeat("Rows without a customer are left out. ", 20)))
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "big.db")+"?_pragma=journal_mode(OFF)&_pragma=synchronous(OFF)")
	if err != nil {
		b.Fatal(err)
	}
	for i := range tables {
		var columns []string
		for c := range 18 {
			columns = append(columns, fmt.Sprintf("%s_%s_%d TEXT", things[(i+c)%10], sorts[(i/7+c)%10], c))
		}
		name := fmt.Sprintf("%s_%s_%s_%d", prefixes[i%5], things[i/5%10], sorts[i/50%10], i)
		statement := fmt.Sprintf("CREATE TABLE %s (id INTEGER PRIMARY KEY, code TEXT, %s); INSERT INTO %s (id, code) VALUES (1, 'Acme %d'), (2, 'Borealis %d')",
			name, strings.Join(columns, ", "), name, i, i)
		if _, err := db.Exec(statement); err != nil {
			b.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	started := time.Now()
	if out, err := exec.Command(binary, "scan", "--project-dir", dir, "--quiet").CombinedOutput(); err != nil {
		b.Fatalf("loam scan: %v\n%s", err, out)
	}
	return binary, dir, time.Since(started)
}

// layer writes so many files of the semantic layer of a project's warehouse, each
// of four measures and four dimensions.
func layer(b testing.TB, dir string, files int) {
	b.Helper()
	folder := filepath.Join(dir, "semantic-layer", "big")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		b.Fatal(err)
	}
	long := time.Now().Add(-time.Hour)
	for i := range files {
		var text strings.Builder
		table := fmt.Sprintf("%s_%s_%s_%d", prefixes[i%5], things[i/5%10], sorts[i/50%10], i)
		fmt.Fprintf(&text, "name: source_%d\ntable: %s\ndescription: What is counted of each %s\ndimensions:\n", i, table, things[i/5%10])
		for c := range 4 {
			fmt.Fprintf(&text, "  - {name: %s_%s, type: string, expr: code, synonyms: [%s of the %s]}\n", things[(i+c)%10], sorts[c], sorts[c], things[(i+c)%10])
		}
		text.WriteString("measures:\n")
		for c := range 4 {
			fmt.Fprintf(&text, "  - {name: %s_total_%d, agg: count, filter: \"code <> 'x'\", description: How many of each %s}\n", things[(i+c)%10], i, sorts[i%10])
		}
		path := filepath.Join(folder, fmt.Sprintf("source_%d.yaml", i))
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			b.Fatal(err)
		}
		if err := os.Chtimes(path, long, long); err != nil {
			b.Fatal(err)
		}
	}
}

func research(name string, arguments map[string]any) string {
	text, _ := json.Marshal(map[string]any{"name": name, "arguments": arguments})
	return string(text)
}

// BenchmarkResearch measures the tools that say what exists, through the
// product over stdio: a thousand tables of 20 columns, a thousand pages and a
// semantic layer of 200 files.
func BenchmarkResearch(b *testing.B) {
	binary, dir, _ := warehouse(b, 1000, 1000)
	layer(b, dir, 200)
	for name, params := range map[string]string{
		"discover_measures": research("discover_data", map[string]any{"query": "total of invoices by status", "kinds": []string{"sl_measure", "sl_dimension"}}),
		"discover_data":     research("discover_data", map[string]any{"query": "supplier invoice history"}),
		"entity_details":    research("entity_details", map[string]any{"connectionId": "big", "entities": []any{map[string]any{"table": "stg_customer_item_0"}}}),
		"dictionary_search": research("dictionary_search", map[string]any{"values": []string{"borealis 99"}}),
		"wiki_search":       research("wiki_search", map[string]any{"query": "invoice history"}),
		"wiki_read":         research("wiki_read", map[string]any{"key": "page-7"}),
	} {
		b.Run(name, func(b *testing.B) {
			p := open(b, binary, dir)
			defer p.close()
			answers := func() {
				if line := p.call(b, "tools/call", params); strings.Contains(line, `"isError":true`) || !strings.Contains(line, "structuredContent") {
					b.Fatalf("answer: %.300s", line)
				}
			}
			first := timed(answers)
			var took []time.Duration
			for b.Loop() {
				took = append(took, timed(answers))
			}
			b.ReportMetric(float64(first.Microseconds())/1000, "ms-first")
			b.ReportMetric(float64(median(took).Microseconds())/1000, "ms-p50")
			b.ReportMetric(float64(quantile(took, 0.99).Microseconds())/1000, "ms-p99")
			b.ReportMetric(float64(resident(b, p.cmd.Process.Pid))/1024, "MiB-resident")
		})
	}
}

// BenchmarkStartScanned measures from the start of the program to its first
// answer about what exists, with an index on disk: 5,000 tables.
func BenchmarkStartScanned(b *testing.B) {
	binary, dir, scan := warehouse(b, 5000, 0)
	params := research("discover_data", map[string]any{"query": "supplier invoice history"})
	var took []time.Duration
	var rss int
	for b.Loop() {
		started := time.Now()
		p := open(b, binary, dir)
		if line := p.call(b, "tools/call", params); strings.Contains(line, `"isError":true`) {
			b.Fatalf("answer: %.300s", line)
		}
		took = append(took, time.Since(started))
		rss = resident(b, p.cmd.Process.Pid)
		p.close()
	}
	b.ReportMetric(float64(median(took).Microseconds())/1000, "ms-p50")
	b.ReportMetric(float64(rss)/1024, "MiB-resident")
	b.ReportMetric(scan.Seconds(), "s-scan")
}
