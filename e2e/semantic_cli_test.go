package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// semanticAnswer is what `loam sl query --json` prints.
type semanticAnswer struct {
	ConnectionID string
	Columns      []struct {
		Name, Type, NativeType, Unit, Format, Provenance string
		Member                                           *string
	}
	Headers     []string
	Rows        [][]any
	RowCount    int
	Truncated   bool
	TruncatedBy string
	ElapsedMs   int64
	Notes       []string
	SQL         string
	Plan        map[string]any
}

// slQuery runs loam sl query with --json and returns its document.
func slQuery(t testing.TB, dir string, args ...string) semanticAnswer {
	t.Helper()
	r := loam(t, dir, append([]string{"sl", "query", "--json"}, args...)...)
	if r.code != 0 || r.stderr != "" {
		t.Fatalf("loam sl query %q: exit %d\n%s", args, r.code, r.stderr)
	}
	var a semanticAnswer
	decoder := json.NewDecoder(strings.NewReader(r.stdout))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&a); err != nil {
		t.Fatalf("%v\n%s", err, r.stdout)
	}
	if a.RowCount != len(a.Rows) || len(a.Headers) != len(a.Columns) || a.Notes == nil {
		t.Errorf("%s", r.stdout)
	}
	return a
}

// TestSemanticFlags asks with every flag and tests the rows.
func TestSemanticFlags(t *testing.T) {
	t.Parallel()
	heavy(t, "every way to ask the semantic layer")
	dir := semanticProject(t)
	writeFile(t, filepath.Join(dir, "q.yaml"), "measures: [orders.revenue]\ndimensions: [{field: orders.created_at, granularity: month}]\nfilters: [\"orders.created_at >= '2025-02-01'\"]\n")
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"two dimensions", []string{"--measure", "orders.revenue", "--by", "customers.segment", "--by", "orders.created_at.month", "--where", "orders.status = 'paid'", "--order", "-revenue", "--limit", "10"}, `[["retail","2025-01-01",150],[null,"2025-02-01",30],[null,"2025-04-01",7]]`},
		{"dimensions alone", []string{"-b", "products.category"}, `[["food"],["kitchen"]]`},
		{"an aggregate", []string{"-m", "sum(orders.amount) as total"}, `[[210]]`},
		{"two conditions", []string{"-m", "orders.order_count", "-w", "orders.amount > 5", "-w", "orders.status <> 'paid'"}, `[[1]]`},
		{"a condition on groups", []string{"-m", "orders.revenue", "-b", "customers.segment", "-w", "orders.revenue > 100"}, `[["retail",170]]`},
		{"a structured condition", []string{"-m", "orders.order_count", "-w", `{"field": "customers.segment", "op": "not_equals", "values": ["retail"]}`}, `[[3]]`},
		{"a segment", []string{"-m", "orders.order_count", "--segment", "orders.completed"}, `[[4]]`},
		{"a range", []string{"-m", "orders.order_count", "--date-range", "orders.created_at=2025-01-31..2025-02-01"}, `[[2]]`},
		{"the default time", []string{"-m", "orders.order_count", "--date-range", "2025-02"}, `[[2]]`},
		{"upwards", []string{"-m", "orders.revenue", "-b", "orders.status", "--order", "revenue"}, `[["pending",3],["refunded",20],["paid",187]]`},
		{"a page", []string{"-m", "orders.revenue", "-b", "orders.status", "--order", "revenue", "--limit", "1", "--offset", "1"}, `[["refunded",20]]`},
		{"empty members", []string{"-m", "orders.order_count", "-b", "customers.segment", "--include-empty"}, `[["public",0],["retail",3],["trade",0],[null,3]]`},
		{"gaps", []string{"-m", "orders.order_count", "-b", "orders.created_at.month", "--fill-gaps"}, `[["2025-01-01",2],["2025-02-01",2],["2025-03-01",0],["2025-04-01",2]]`},
		{"a zone", []string{"-m", "orders.revenue", "-b", "orders.created_at.month", "--time-zone", "+01:00", "--limit", "1"}, `[["2025-01-01",100]]`},
		{"a finer dimension", []string{"-m", "orders.revenue", "-b", "products.category", "--fanout", "distinct"}, `[["food",170],["kitchen",137],[null,3]]`},
		{"the connection", []string{"-c", "shop", "-m", "refund_rate"}, `[[0.16666666666666666]]`},
		{"a file of JSON", []string{"--file", "q.json"}, `[["retail",150,9],[null,37,5]]`},
		{"a file of YAML", []string{"--file", "q.yaml"}, `[["2025-02-01",50],["2025-04-01",10]]`},
		{"a timeout", []string{"-m", "orders.revenue", "--timeout", "50s"}, `[[210]]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rows, err := json.Marshal(slQuery(t, dir, c.args...).Rows)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(rows)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			// The statement that is shown gives the same rows.
			statement := loam(t, dir, append([]string{"sl", "query", "--format", "sql"}, c.args...)...)
			direct := loam(t, dir, "sql", "-c", "shop", "--json", statement.stdout)
			var d struct{ Rows [][]any }
			unmarshal(t, []byte(direct.stdout), &d)
			again, err := json.Marshal(d.Rows)
			if err != nil {
				t.Fatal(err)
			}
			if string(again) != c.want {
				t.Errorf("the statement gives %s\n%s", again, statement.stdout)
			}
		})
	}
}

// TestSemanticDocument is what one document says of its columns, of a limit that
// was reached, and what include adds.
func TestSemanticDocument(t *testing.T) {
	t.Parallel()
	dir := semanticProject(t)
	out, err := shell(t, dir, "loam sl query --format json --file -", `{"metrics": "orders.revenue", "group_by": ["orders.status"], "limit": 1, "include": ["sql", "plan"]}`)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var a semanticAnswer
	unmarshal(t, []byte(out), &a)
	if a.SQL == "" || a.Plan["branches"] == nil || a.Truncated {
		t.Errorf("%s", out)
	}
	if len(a.Notes) < 3 || !slices.ContainsFunc(a.Notes, func(n string) bool { return strings.Contains(n, "limit of 1 rows was reached") }) {
		t.Errorf("notes %q", a.Notes)
	}
	if c := a.Columns[1]; c.Member == nil || *c.Member != "orders.revenue" || c.Type != "int64" || c.Unit != "EUR" || c.Format != "currency" || c.Provenance != "defined" {
		t.Errorf("%+v", c)
	}
}

// TestSemanticRefusals tests exit codes and messages, and that nothing is
// printed in place of rows.
func TestSemanticRefusals(t *testing.T) {
	heavy(t, "every way to ask the semantic layer")
	t.Parallel()
	dir := semanticProject(t)
	writeFile(t, filepath.Join(dir, "broken.json"), `{"measures": ["orders.revenue"`)
	writeFile(t, filepath.Join(dir, "twice.yaml"), "measures: [orders.revenue]\nlimit: 1\nlimit: 2\n")
	writeFile(t, filepath.Join(dir, "elsewhere.json"), `{"connection_id": "nowhere", "measures": ["orders.revenue"]}`)
	for _, c := range []struct {
		name string
		args []string
		code int
		says []string
	}{
		{"unknown measure", []string{"-m", "orders.revenu"}, 5, []string{"unknown_member", "Did you mean: orders.revenue"}},
		{"unknown connection", []string{"-c", "shpo", "-m", "orders.revenue"}, 5, []string{"shpo", "shop"}},
		{"unknown connection in a file", []string{"--file", "elsewhere.json"}, 5, []string{"nowhere", "shop"}},
		{"two connections", []string{"-c", "shop", "--file", "elsewhere.json"}, 2, []string{"once"}},
		{"unknown flag", []string{"--measures", "orders.revenue"}, 2, []string{"unknown flag", "loam sl query --help"}},
		{"file and flags", []string{"--file", "q.json", "-m", "orders.revenue"}, 2, []string{"--measure goes into the file"}},
		{"broken JSON", []string{"--file", "broken.json"}, 2, []string{"invalid_request", "ends too early"}},
		{"a key twice", []string{"--file", "twice.yaml"}, 2, []string{"limit", "twice"}},
		{"no such file", []string{"--file", "nowhere.json"}, 5, []string{"nowhere.json"}},
		{"a syntax error", []string{"-m", "orders.revenue", "-w", "orders.status == 'x'"}, 3, []string{"invalid_expression", "^"}},
		{"a statement", []string{"-m", "orders.revenue", "-w", "1 = 1; DROP TABLE orders"}, 4, []string{"semicolon"}},
		{"not reachable", []string{"-m", "stock.closing_stock", "-b", "customers.segment"}, 2, []string{"dimension_not_reachable", "products.category"}},
		{"fan-out", []string{"-m", "orders.revenue", "-b", "products.category", "--fanout", "error"}, 2, []string{"fanout", "order_items.units"}},
		{"not on this engine", []string{"-m", "orders.revenue", "-b", "orders.created_at.day", "--time-zone", "Europe/Berlin"}, 9, []string{"unsupported_on_dialect", "+02:00"}},
		{"hidden", []string{"-m", "orders.revenue", "-b", "customers.name"}, 2, []string{"hidden_member"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, format := range []string{"table", "sql", "plan"} {
				r := loam(t, dir, append([]string{"sl", "query", "--format", format}, c.args...)...)
				if r.code != c.code || r.stdout != "" {
					t.Errorf("--format %s: exit %d, want %d; stdout %q", format, r.code, c.code, r.stdout)
				}
				for _, want := range c.says {
					if !strings.Contains(r.stderr, want) {
						t.Errorf("--format %s does not say %q: %s", format, want, r.stderr)
					}
				}
			}
			r := loam(t, dir, append([]string{"sl", "query", "--json"}, c.args...)...)
			var failed struct {
				Error struct{ Kind, Message string }
			}
			unmarshal(t, []byte(r.stderr), &failed)
			if r.code != c.code || r.stdout != "" || failed.Error.Message == "" {
				t.Errorf("--json: exit %d, stdout %q, stderr %s", r.code, r.stdout, r.stderr)
			}
		})
	}
}

// Without its database a connection can be listed, shown, checked, and compiled
// for; it cannot be asked.
func TestSemanticStartsNothing(t *testing.T) {
	heavy(t, "every way to ask the semantic layer")
	t.Parallel()
	dir := semanticProject(t)
	if err := os.Remove(filepath.Join(dir, "warehouse.db")); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"sl list", "sl list --all", "sl show orders", "sl validate", "sl query -m orders.revenue --format sql", "sl query -m orders.revenue --format plan"} {
		if r := loam(t, dir, strings.Fields(line)...); r.code != 0 || r.stdout == "" {
			t.Errorf("loam %s: exit %d: %s", line, r.code, r.stderr)
		}
	}
	if r := loam(t, dir, "sl", "query", "-m", "orders.revenue"); r.code != 5 || !strings.Contains(r.stderr, "warehouse.db") {
		t.Errorf("exit %d: %s", r.code, r.stderr)
	}
}

// An edit counts at the next call; a broken file says why and takes nothing else
// down.
func TestSemanticEdits(t *testing.T) {
	heavy(t, "every way to ask the semantic layer")
	t.Parallel()
	dir := semanticProject(t)
	writeFile(t, filepath.Join(dir, "semantic-layer/shop/products.yaml"), "name: products\nmeasures: [{name: goods, agg: count}]\n")
	if rows := slQuery(t, dir, "-m", "products.goods").Rows; fmt.Sprint(rows) != "[[3]]" {
		t.Errorf("%v", rows)
	}
	writeFile(t, filepath.Join(dir, "semantic-layer/shop/products.yaml"), "name: products\nmeasures: [{name: goods, agg: count\n")
	if r := loam(t, dir, "sl", "query", "-m", "products.goods"); r.code != 2 || !strings.Contains(r.stderr, "broken_definition") {
		t.Errorf("exit %d: %s", r.code, r.stderr)
	}
	if r := loam(t, dir, "sl", "list"); r.code != 0 || !strings.Contains(r.stderr, "is not valid and has no part") {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	if rows := slQuery(t, dir, "-m", "orders.revenue").Rows; fmt.Sprint(rows) != "[[210]]" {
		t.Errorf("%v", rows)
	}
}

// TestSemanticPipe: a reader that has enough ends a long answer without a word.
func TestSemanticPipe(t *testing.T) {
	heavy(t, "every way to ask the semantic layer")
	t.Parallel()
	dir := sqliteProject(t, "CREATE TABLE numbers (n INTEGER PRIMARY KEY, word TEXT);"+
		"WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 200000) INSERT INTO numbers SELECT n, 'word ' || n FROM c")
	scan(t, dir, "--mode", "structural")
	for _, format := range []string{"table", "json"} {
		cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "loam"), "sl", "query", "-b", "numbers.n", "-b", "numbers.word", "--limit", "200000", "--format", format)
		cmd.Dir = dir
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line == "" {
			t.Errorf("%q, %v", line, err)
		}
		if err := out.Close(); err != nil {
			t.Error(err)
		}
		exit, _ := errors.AsType[*exec.ExitError](cmd.Wait())
		if exit == nil || exit.ExitCode() != 141 || stderr.Len() > 0 {
			t.Errorf("--format %s: %v, stderr %q", format, exit, stderr.String())
		}
	}
	if a := slQuery(t, dir, "-b", "numbers.n"); a.RowCount != 1000 || !a.Truncated || a.TruncatedBy != "rows" {
		t.Errorf("%d rows, truncated %v by %q", a.RowCount, a.Truncated, a.TruncatedBy)
	}
	if r := loam(t, dir, "sl", "query", "-b", "numbers.n", "--limit", "200000"); strings.Count(r.stdout, "\n") != 200_001 {
		t.Errorf("%d lines: %s", strings.Count(r.stdout, "\n"), r.stderr)
	}
}

// endlessSource is a source whose rows never end.
const endlessSource = "name: endless\nsql: WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT n FROM c\nmeasures: [{name: rows, agg: count}]\n"

// TestSemanticEnds: a query ends at its timeout and when it is cancelled, and the
// connector with it.
func TestSemanticEnds(t *testing.T) {
	heavy(t, "every way to ask the semantic layer")
	t.Parallel()
	dir := semanticProject(t)
	writeFile(t, filepath.Join(dir, "semantic-layer/shop/endless.yaml"), endlessSource)
	if r := loam(t, dir, "sl", "query", "-m", "endless.rows", "--timeout", "1s"); r.code != 12 || r.stdout != "" || !strings.Contains(r.stderr, "error: ") {
		t.Errorf("exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "loam"), "sl", "query", "-m", "endless.rows", "--verbose")
	cmd.Dir = dir
	logs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(logs)
	for lines.Scan() && !strings.Contains(lines.Text(), "connector started") {
	}
	running := connectors(t, cmd.Process.Pid)
	if len(running) != 1 {
		t.Errorf("%d connectors run", len(running))
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	for lines.Scan() {
		said.WriteString(lines.Text() + "\n")
	}
	if err := lines.Err(); err != nil {
		t.Error(err)
	}
	exit, _ := errors.AsType[*exec.ExitError](cmd.Wait())
	if exit == nil || exit.ExitCode() != 130 || !strings.Contains(said.String(), "cancel") {
		t.Errorf("%v: %s", exit, said.String())
	}
	for _, pid := range running {
		if alive(pid) {
			t.Errorf("connector %d is still there", pid)
		}
	}
}

// The document of the command line is the answer of the MCP tool.
func TestSemanticDocumentIsTheTools(t *testing.T) {
	heavy(t, "every way to ask the semantic layer")
	t.Parallel()
	dir := semanticProject(t)
	s := stdioServer(t, dir)
	for _, request := range []string{
		`{"connection_id": "shop", "measures": ["orders.revenue", "sum(orders.amount) as total"], "dimensions": ["products.category"], "include": ["sql", "plan"]}`,
		`{"connection_id": "shop", "measures": ["orders.order_count"], "dimensions": ["orders.created_at__month"], "limit": 2}`,
	} {
		var arguments map[string]any
		unmarshal(t, []byte(request), &arguments)
		r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "sl_query", Arguments: arguments})
		if err != nil || r.IsError {
			t.Fatalf("%v %+v", err, r)
		}
		want := r.StructuredContent.(map[string]any)
		out, err := shell(t, dir, "loam sl query --json -", request)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		var got map[string]any
		unmarshal(t, []byte(out), &got)
		delete(want, "elapsedMs")
		delete(got, "elapsedMs")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-tool +command):\n%s", request, diff)
		}
	}
}

// Several connections: lists have all of them, a query needs one, and one that is
// broken does not keep the others from being checked.
func TestSemanticConnections(t *testing.T) {
	heavy(t, "every way to ask the semantic layer")
	t.Parallel()
	dir := semanticProject(t)
	writeFile(t, filepath.Join(dir, "loam.yaml"), "version: 1\nconnections:\n  shop: {connector: sqlite, config: {path: warehouse.db}}\n  gone: {connector: sqlite, config: {path: gone.db}}\n")
	writeFile(t, filepath.Join(dir, "semantic-layer/gone/things.yaml"), "name: things\ntable: things\nprimary_key: [id]\nmeasures: [{name: thing_count, agg: count}]\n")
	r := loam(t, dir, "sl", "list", "--json")
	var listed struct {
		Connections []struct {
			ConnectionID string
			Sources      []struct{ Name string }
		}
	}
	unmarshal(t, []byte(r.stdout), &listed)
	if len(listed.Connections) != 2 || len(listed.Connections[0].Sources)+len(listed.Connections[1].Sources) != 7 {
		t.Errorf("%s", r.stdout)
	}
	// The only one that has what is asked for is meant where none is named.
	if rows := slQuery(t, dir, "-m", "orders.revenue").Rows; fmt.Sprint(rows) != "[[210]]" {
		t.Errorf("%v", rows)
	}
	if r := loam(t, dir, "sl", "query", "--file", "q.json"); r.code != 0 {
		t.Errorf("exit %d: %s", r.code, r.stderr)
	}
	if r := loam(t, dir, "sl", "query", "-m", "things.thing_count"); r.code != 5 || !strings.Contains(r.stderr, "gone.db") {
		t.Errorf("exit %d: %s", r.code, r.stderr)
	}
	if r := loam(t, dir, "sl", "query", "-c", "gone", "-m", "things.thing_count"); r.code != 5 || !strings.Contains(r.stderr, "gone.db") {
		t.Errorf("exit %d: %s", r.code, r.stderr)
	}
	doc := validate(t, dir, 2, "--data")
	if len(doc.Connections) != 2 || doc.Errors == 0 {
		t.Fatalf("%+v", doc)
	}
	for _, c := range doc.Connections {
		if c.ConnectionID == "shop" && len(c.Checks) == 0 {
			t.Errorf("shop was not checked: %+v", c)
		}
	}
}
