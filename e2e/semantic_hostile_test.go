package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// nested is YAML whose aliases stand for 9^18 values.
func nested() string {
	var s strings.Builder
	s.WriteString("name: laughs\ntable: main.Genre\nmeta:\n  a: &a [x, x, x, x, x, x, x, x, x]\n")
	for c := 'b'; c < 't'; c++ {
		fmt.Fprintf(&s, "  %c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c, ", c-1), 9), ", "))
	}
	return s.String()
}

func repeated(head, each string, n int) string {
	var s strings.Builder
	s.WriteString(head)
	for i := range n {
		fmt.Fprintf(&s, each+"\n", i)
	}
	return s.String()
}

// Whatever lies in the folder is told by its name or is of use, in a moment, and
// costs no other file anything.
func TestSemanticLayerHostileFiles(t *testing.T) {
	heavy(t, "hostile files of a semantic layer")
	t.Parallel()
	dir := chinookProject(t)
	s := stdioServer(t, dir)
	const table = "name: odd\ntable: main.Genre\n"
	text := func(content string) func(*testing.T, string) {
		return func(t *testing.T, path string) { writeFile(t, path, content) }
	}
	link := func(to string) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			if err := os.Symlink(to, path); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, tt := range []struct {
		name, file string
		make       func(t *testing.T, path string)
		want       string // what validate says of it, "" = nothing is wrong
	}{
		{"aliases without end", "odd.yaml", text(nested()), ""},
		{"20,000 brackets", "odd.yaml", text(table + "meta: " + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)), "exceeded max depth"},
		{"100 MB", "odd.yaml", text(table + "description: " + strings.Repeat("x", 100_000_000)), "has more than"},
		{"NUL", "odd.yaml", text("name: o\x00dd\n"), "1:8: error: there is a NUL"},
		{"UTF-16", "odd.yaml", text("\xff\xfen\x00a\x00m\x00e\x00:\x00"), "not UTF-8"},
		{"Latin 1", "odd.yaml", text("name: caf\xe9\n"), "1:10: error: is not UTF-8"},
		{"byte order mark", "odd.yaml", text("\xef\xbb\xbf" + table), ""},
		{"carriage returns", "odd.yaml", text(strings.ReplaceAll(table, "\n", "\r\n") + "measures:\r\n  - {name: odd_rows, agg: count}\r\n"), ""},
		{"tabs", "odd.yaml", text("name: odd\n\ttable: main.Genre\n"), "2:1: error: a tab"},
		{"a key twice", "odd.yaml", text("name: odd\n" + table), "2:1: error: name: is there twice"},
		{"a measure twice", "odd.yaml", text(table + "measures:\n  - {name: a, agg: count}\n  - {name: a, agg: count}\n"), "two measures of this name"},
		{"two documents", "odd.yaml", text(table + "---\n" + table), "3:1: error: there is a second document"},
		{"nothing", "odd.yaml", text(""), "is empty"},
		{"a number", "odd.yaml", text("42\n"), "must be a mapping"},
		{"a circle", "odd.yaml", text(table + "measures:\n  - {name: a, type: derived, expr: b + 1}\n  - {name: b, type: derived, expr: a + 1}\n"), "in a circle"},
		{"5,000 parentheses", "odd.yaml", text(table + "measures:\n  - {name: a, expr: \"sum(" + strings.Repeat("(", 5000) + "GenreId" + strings.Repeat(")", 5000) + ")\"}\n"), "deeper than"},
		{"odd names", "odd.yaml", text("name: \"do.t \\\"q 😀\"\ntable: main.Genre\nmeasures:\n  - {name: \"x.y\", agg: count}\n  - {name: \"" + strings.Repeat("n", 300) + "\", agg: count}\n"), ""},
		{"1,000 measures", "odd.yaml", text(repeated(table+"measures:\n", `  - {name: m%[1]d, agg: sum, expr: "GenreId + %[1]d"}`, 1000)), ""},
		{"3,000 dimensions", "odd.yaml", text(repeated(table+"dimensions:\n", `  - {name: d%[1]d, type: number, expr: "GenreId + %[1]d"}`, 3000)), ""},
		{"a folder", "odd.yaml", func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o755); err != nil {
				t.Fatal(err)
			}
		}, ""},
		{"a pipe", "odd.yaml", func(t *testing.T, path string) {
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
		}, "is no file"},
		{"a link to itself", "odd.yaml", link("odd.yaml"), "cannot be read"},
		{"a link to nothing", "odd.yaml", link("nowhere.yaml"), "cannot be read"},
		{"a link out", "odd.yaml", link("/etc/passwd"), "cannot be read"},
		{"a link without end", "odd.yaml", link("/dev/zero"), "cannot be read"},
		{"a folder in itself", "odd", link("."), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := semanticFile(dir, tt.file)
			tt.make(t, path)
			if diff := cmp.Diff([]string{"2328.6"}, s.rows(t, `{"measures": ["Invoice.invoiced"]}`)); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			r := loam(t, dir, "sl", "validate")
			said := slices.ContainsFunc(strings.Split(r.stdout+r.stderr, "\n"), func(line string) bool {
				return strings.Contains(line, tt.file) && strings.Contains(line, tt.want)
			})
			if tt.want == "" && r.code != 0 || tt.want != "" && (r.code == 0 || !said) {
				t.Errorf("loam sl validate: exit %d, no %q: %.2000s%s", r.code, tt.want, r.stdout, r.stderr)
			}
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
		})
	}
	t.Logf("the host held up to %d MiB", resident(t, s.cmd.Process.Pid, "VmHWM")>>10)
}

// Two files that mean one source: neither is chosen, others go on.
func TestSemanticLayerOneNameTwice(t *testing.T) {
	heavy(t, "hostile files of a semantic layer")
	t.Parallel()
	dir := chinookProject(t)
	s := stdioServer(t, dir)
	writeFile(t, semanticFile(dir, "other.yaml"), "name: Invoice\nmeasures:\n  - {name: invoiced, agg: count}\n")
	s.refuses(t, `{"measures": ["Invoice.invoiced"]}`, "broken_definition", "Invoice.yaml", "other.yaml")
	if got := s.rows(t, `{"measures": ["Track.tracks"]}`); !slices.Equal(got, []string{"3503"}) {
		t.Errorf("tracks %q", got)
	}
	if err := os.Remove(filepath.Join(dir, "semantic-layer", "warehouse", "other.yaml")); err != nil {
		t.Fatal(err)
	}
	if got := s.rows(t, `{"measures": ["Invoice.invoiced"]}`); !slices.Equal(got, []string{"2328.6"}) {
		t.Errorf("invoiced %q", got)
	}
}

// The shapes that models write for one request have one answer, and say what
// was changed; what is no request is refused with its place.
func TestSemanticLayerSpellings(t *testing.T) {
	t.Parallel()
	heavy(t, "spellings of a request")
	dir := chinookProject(t)
	s := stdioServer(t, dir)
	const canonical = `{"measures": ["Invoice.invoiced"], "dimensions": [{"field": "Invoice.InvoiceDate", "granularity": "year"}], "filters": ["Customer.Country = 'Chile'"], "order_by": [{"field": "Invoice.invoiced", "direction": "desc"}], "limit": 9}`
	want := s.semantic(t, canonical)
	if len(want.Rows) < 2 || len(want.Notes) != 0 {
		t.Fatalf("answer: %+v", want)
	}
	for name, request := range map[string]string{
		"dots and a minus":             `{"measures": ["Invoice.invoiced"], "dimensions": ["Invoice.InvoiceDate.year"], "filters": ["Customer.Country = 'Chile'"], "order_by": ["-invoiced"], "limit": 9}`,
		"underscores and a word":       `{"measures": ["Invoice.invoiced"], "dimensions": ["Invoice.InvoiceDate__year"], "filters": ["Customer.Country = 'Chile'"], "order_by": ["invoiced desc"], "limit": 9}`,
		"dimension and granularity":    `{"measures": ["Invoice.invoiced"], "dimensions": [{"dimension": "Invoice.InvoiceDate", "granularity": "year"}], "filters": ["Customer.Country = 'Chile'"], "order_by": [["invoiced", "desc"]], "limit": 9}`,
		"single texts":                 `{"measures": "Invoice.invoiced", "dimensions": "Invoice.InvoiceDate.year", "filters": "Customer.Country = 'Chile'", "order_by": "-invoiced", "limit": "9"}`,
		"lists in texts":               `{"measures": "[\"Invoice.invoiced\"]", "dimensions": "[\"Invoice.InvoiceDate.year\"]", "filters": "[\"Customer.Country = 'Chile'\"]", "order_by": "[\"-invoiced\"]", "limit": 9}`,
		"id and desc, camel case":      `{"connectionId": "warehouse", "measures": ["Invoice.invoiced"], "dimensions": ["Invoice.InvoiceDate.year"], "filters": ["Customer.Country = 'Chile'"], "orderBy": [{"id": "Invoice.invoiced", "desc": true}], "limit": 9}`,
		"as other layers have filters": `{"measures": ["Invoice.invoiced"], "timeDimensions": [{"dimension": "Invoice.InvoiceDate", "granularity": "year"}], "filters": [{"member": "Customer.Country", "operator": "equals", "values": ["Chile"]}], "order": {"Invoice.invoiced": "desc"}, "limit": 9}`,
		"as other layers have metrics": `{"metrics": ["Invoice.invoiced"], "group_by": ["Invoice.InvoiceDate__year"], "where": "Customer.Country = 'Chile'", "order_by": "-invoiced", "limit": 9}`,
	} {
		t.Run(name, func(t *testing.T) {
			got := s.semantic(t, request)
			if diff := cmp.Diff(plainCells(t, want.Rows), plainCells(t, got.Rows)); diff != "" || len(got.Notes) == 0 {
				t.Errorf("notes %q, rows (-want +got):\n%s", got.Notes, diff)
			}
		})
	}
	one := func(rest string) string { return `{"measures": ["Invoice.invoiced"], ` + rest + `}` }
	for _, tt := range []struct{ name, request, code, says string }{
		{"a typo", `{"measures": ["Invoice.invoicd"]}`, "unknown_member", "Invoice.invoiced"},
		{"the right name in another source", one(`"dimensions": ["Invoice.Country"]`), "unknown_member", "Customer.Country"},
		{"an unknown key", one(`"limits": 5`), "invalid_request", "limit"},
		{"a negative limit", one(`"limit": -1`), "invalid_request", "limit"},
		{"no such zone", one(`"dimensions": ["Invoice.InvoiceDate.day"], "time_zone": "Europe/Berln"`), "invalid_request", "Europe/Berln"},
		{"a zone that is a statement", one(`"dimensions": ["Invoice.InvoiceDate.day"], "time_zone": "UTC'; DROP TABLE Invoice"`), "invalid_request", "time_zone"},
		{"no such day", one(`"filters": ["Invoice.InvoiceDate >= '2022-02-30'"]`), "invalid_expression", "2022-02-30"},
		{"a number for a time", one(`"filters": [{"field": "Invoice.InvoiceDate", "op": "gt", "values": [20220101]}]`), "invalid_request", "20220101"},
		{"two statements", one(`"filters": ["Customer.Country = 'x'; DROP TABLE Invoice"]`), "invalid_expression", "second statement"},
		{"a query in a filter", one(`"filters": ["Customer.Country IN (SELECT Country FROM Customer)"]`), "invalid_expression", "SELECT"},
		{"a comment", one(`"filters": ["Customer.Country = 'x' --"]`), "invalid_expression", "comment"},
		{"NUL", one(`"filters": ["Customer.Country = 'a\u0000b'"]`), "invalid_expression", "NUL"},
		{"rows or measures", one(`"dimensions": ["Customer.Country"], "filters": ["Customer.Country = 'Chile' OR Invoice.invoiced > 3"]`), "mixed_row_and_aggregate_or", "OR"},
		{"1 MiB", one(`"filters": ["Customer.Country = '` + strings.Repeat("x", 1<<20) + `'"]`), "invalid_request", "1048576"},
		{"300 parentheses", one(`"filters": ["` + strings.Repeat("(", 300) + "Invoice.Total > 1" + strings.Repeat(")", 300) + `"]`), "invalid_expression", "nests deeper"},
		{"60,000 values", one(`"filters": [{"field": "Customer.Country", "op": "in", "values": [` + strings.TrimSuffix(strings.Repeat(`"x",`, 60_000), ",") + `]}]`), "invalid_request", "10000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if failed := s.refuses(t, tt.request, tt.code, tt.says); failed.Hint == "" || len(failed.Message) > 2000 {
				t.Errorf("failure: %.500s", fmt.Sprintf("%+v", failed))
			}
		})
	}
}
