package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

// everywhere runs one statement through the command line, stdio and HTTP, tests
// that all three give the same rows, and returns them.
func everywhere(t *testing.T, dir string, stdio, http *server, connection, text string) *answer {
	t.Helper()
	r := loam(t, dir, "sql", "-c", connection, "--json", text)
	if r.code != 0 {
		t.Fatalf("loam sql %q: exit %d: %s", text, r.code, r.stderr)
	}
	want := &answer{}
	unmarshal(t, []byte(r.stdout), want)
	for name, s := range map[string]*server{"stdio": stdio, "http": http} {
		got, failed := s.sql(t.Context(), t, connection, text, nil)
		if failed != nil {
			t.Fatalf("%s %q: %+v", name, text, failed)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s differs from the command line for %q (-cli +%s):\n%s", name, text, name, diff)
		}
	}
	return want
}

func TestSameRowsEverywhere(t *testing.T) {
	t.Parallel()
	dir := demoProject(t)
	stdio, http := stdioServer(t, dir), httpServer(t, dir)
	cases := []struct {
		name, sql string
		headers   []string
		rows      string
	}{
		{"integers beyond 2^53", "SELECT 9007199254740992 AS a, 9007199254740993 AS b, -9223372036854775808 AS c", []string{"a", "b", "c"}, `[[9007199254740992,"9007199254740993","-9223372036854775808"]]`},
		{"reals", "SELECT 1.5 AS a, 1e300 * 1e300 AS inf, -1e300 * 1e300 AS ninf", []string{"a", "inf", "ninf"}, `[[1.5,"Infinity","-Infinity"]]`},
		{"null and empty", "SELECT NULL AS a, '' AS b", []string{"a", "b"}, `[[null,""]]`},
		{"blob", "SELECT x'00ff10' AS b", []string{"b"}, `[["AP8Q"]]`},
		{"text", `SELECT 'Zürich "日本" 😀' AS t`, []string{"t"}, `[["Zürich \"日本\" 😀"]]`},
		{"duplicate names", "SELECT 1 AS x, 2 AS x, 3 AS \"\"", []string{"x", "x", ""}, `[[1,2,3]]`},
		{"zero rows", "SELECT id FROM orders WHERE 1 = 0", []string{"id"}, `[]`},
		{"declared types", "SELECT active FROM products WHERE id = 1", []string{"active"}, `[[true]]`},
		{"decimal", "SELECT rate_to_eur FROM exchange_rates WHERE currency = 'EUR' LIMIT 1", nil, ""},
		{"pragma as a table", "SELECT name FROM pragma_table_info('tags') ORDER BY cid", []string{"name"}, `[["id"],["name"]]`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := everywhere(t, dir, stdio, http, "shop", c.sql)
			if c.headers == nil {
				return
			}
			rows, err := json.Marshal(got.Rows)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.headers, got.Headers); diff != "" {
				t.Errorf("headers (-want +got):\n%s", diff)
			}
			if string(rows) != c.rows {
				t.Errorf("rows %s, want %s", rows, c.rows)
			}
		})
	}
}

func TestWideLongAndLarge(t *testing.T) {
	t.Parallel()
	heavy(t, "wide, long and large results")
	dir := demoProject(t)
	stdio, http := stdioServer(t, dir), httpServer(t, dir)

	wide := "SELECT " + strings.TrimSuffix(strings.Repeat("1,", 1000), ",")
	if got := everywhere(t, dir, stdio, http, "shop", wide); len(got.Headers) != 1000 || len(got.Rows[0]) != 1000 {
		t.Errorf("1,000 columns: %d headers, %d cells", len(got.Headers), len(got.Rows[0]))
	}

	// A cell of 1 MiB is whole on the command line, and more than an agent's
	// budget: there it is cut at the row, and said.
	mib := "SELECT 1 AS n, replace(hex(zeroblob(524288)), '0', 'x') AS t"
	var whole answer
	unmarshal(t, []byte(loam(t, dir, "sql", "-c", "shop", "--json", mib).stdout), &whole)
	if len(whole.Rows) != 1 || len(whole.Rows[0][1]) != 1<<20+2 {
		t.Errorf("1 MiB cell: %d rows", len(whole.Rows))
	}
	if got, failed := stdio.sql(t.Context(), t, "shop", mib, nil); failed != nil || !got.Truncated || got.TruncatedBy != "bytes" || got.RowCount != 0 {
		t.Errorf("1 MiB cell over MCP: %+v, %+v", got, failed)
	}

	// 100 MiB: cut by the byte budget, with flat memory on both sides.
	const n = 100 // MiB
	large := fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT i, hex(zeroblob(512)) FROM n", n<<10)
	for name, s := range map[string]*server{"stdio": stdio, "http": http} {
		got, failed := s.sql(t.Context(), t, "shop", large, map[string]any{"maxRows": 10000})
		if failed != nil || !got.Truncated || got.TruncatedBy != "bytes" || got.RowCount == 0 {
			t.Fatalf("%s: %+v, %+v", name, got, failed)
		}
		if peak := resident(t, s.cmd.Process.Pid, "VmHWM"); peak > 128<<10 {
			t.Errorf("%s: the host's peak is %d KiB", name, peak)
		}
	}
	if got := loam(t, dir, "sql", "-c", "shop", "--format", "csv", "--max-rows", "0", large); got.code != 0 || len(got.stdout) < n<<20 {
		t.Errorf("%d MiB on the command line: exit %d, %d bytes: %s", n, got.code, len(got.stdout), got.stderr)
	}
}

func TestRefusalsAreInBand(t *testing.T) {
	t.Parallel()
	s := stdioServer(t, demoProject(t))
	for _, c := range []struct{ name, connection, sql, code, says string }{
		{"write", "shop", "DELETE FROM orders", "not_read_only", "DELETE"},
		{"two statements", "shop", "SELECT 1; DROP TABLE orders", "not_read_only", "statement"},
		{"syntax", "shop", "SELECT 1 FROM WHERE", "syntax", "WHERE"},
		{"no such table", "shop", "SELECT * FROM nowhere", "not_found", "nowhere"},
		{"no such connection", "shopp", "SELECT 1", "not_found", "shop"},
	} {
		got, failed := s.sql(t.Context(), t, c.connection, c.sql, nil)
		if failed == nil {
			t.Errorf("%s: answered %+v", c.name, got)
			continue
		}
		if failed.Code != c.code || !strings.Contains(failed.Message+failed.Hint, c.says) {
			t.Errorf("%s: %+v, want code %s naming %s", c.name, failed, c.code, c.says)
		}
	}
}

func TestProgressAndCancel(t *testing.T) {
	t.Parallel()
	dir := demoProject(t)
	for name, s := range map[string]*server{"stdio": stdioServer(t, dir), "http": httpServer(t, dir)} {
		t.Run(name, func(t *testing.T) {
			params := &mcp.CallToolParams{Name: "sql_execution", Arguments: map[string]any{"connectionId": "shop", "sql": "SELECT count(*) FROM orders"}}
			params.SetProgressToken("p1")
			if _, err := s.CallTool(t.Context(), params); err != nil {
				t.Fatal(err)
			}
			var seen []string
			eventually(t, settle, "progress", func() bool {
				select {
				case p := <-s.progress:
					seen = append(seen, p.Message)
				default:
				}
				return len(seen) > 0 && strings.HasPrefix(seen[len(seen)-1], "Fetched 1 row")
			})
			if seen[0] != "Validating SQL" {
				t.Errorf("progress: %q", seen)
			}

			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "sql_execution", Arguments: map[string]any{"connectionId": "shop", "sql": endless}})
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("the endless query ended with %v", err)
			}
			child := connectors(t, s.cmd.Process.Pid)
			if len(child) != 1 {
				t.Fatalf("connectors: %v", child)
			}
			took := eventually(t, settle, "the engine stops", func() bool { return idle(t, child[0]) })
			t.Logf("stopped after %v", took)
			if _, failed := s.sql(t.Context(), t, "shop", "SELECT 1", nil); failed != nil {
				t.Errorf("after the cancel: %+v", failed)
			}
		})
	}
}

// idle reports whether a process used no processor time for a tick or two.
func idle(t testing.TB, pid int) bool {
	t.Helper()
	before := cpuTicks(t, pid)
	deadline := time.NewTimer(60 * time.Millisecond)
	<-deadline.C
	return cpuTicks(t, pid)-before <= 1
}

func cpuTicks(t testing.TB, pid int) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", itoa(pid), "stat"))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	return atoi(t, fields[11]) + atoi(t, fields[12])
}

func TestCrashIsContained(t *testing.T) {
	t.Parallel()
	dir := demoProject(t)
	yaml, err := os.ReadFile(filepath.Join(dir, "loam.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	// Two processes: one per connection.
	if err := os.WriteFile(filepath.Join(dir, "loam.yaml"), []byte(strings.ReplaceAll(string(yaml), "connector: sqlite", "connector: sqlite\n    isolation: connection")), 0o644); err != nil {
		t.Fatal(err)
	}
	s := stdioServer(t, dir)
	if _, failed := s.sql(t.Context(), t, "shop", "SELECT 1", nil); failed != nil {
		t.Fatal(failed)
	}
	victim := connectors(t, s.cmd.Process.Pid)
	if len(victim) != 1 {
		t.Fatalf("connectors: %v", victim)
	}

	type outcome struct {
		answer *answer
		failed *failure
	}
	broken, healthy := make(chan outcome, 1), make(chan outcome, 1)
	go func() {
		a, f := s.sql(t.Context(), t, "shop", endless, nil)
		broken <- outcome{a, f}
	}()
	go func() {
		a, f := s.sql(t.Context(), t, "crm", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT count(*) FROM n", nil)
		healthy <- outcome{a, f}
	}()
	eventually(t, 2*time.Minute, "the endless query runs", func() bool { return !idle(t, victim[0]) })
	if err := syscall.Kill(victim[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if got := <-broken; got.failed == nil || got.failed.Code != "unavailable" || !got.failed.Retryable {
		t.Errorf("the killed query: %+v, %+v", got.answer, got.failed)
	}
	if _, failed := s.sql(t.Context(), t, "shop", "SELECT 1", nil); failed != nil {
		t.Errorf("the next call: %+v", failed)
	}
	if got := <-healthy; got.failed != nil || string(got.answer.Rows[0][0]) != "3000000" {
		t.Errorf("the other connection noticed: %+v", got.failed)
	}
}

func TestNoOrphans(t *testing.T) {
	t.Parallel()
	heavy(t, "what a connector leaves behind")
	dir := demoProject(t)
	for _, end := range []struct {
		name string
		do   func(*server)
	}{
		{"SIGKILL", func(s *server) { _ = s.cmd.Process.Kill() }},
		{"SIGTERM", func(s *server) { _ = s.cmd.Process.Signal(syscall.SIGTERM) }},
		{"end of input", func(s *server) { _ = s.Close() }},
	} {
		t.Run(end.name, func(t *testing.T) {
			s := stdioServer(t, dir)
			if _, failed := s.sql(t.Context(), t, "shop", "SELECT 1", nil); failed != nil {
				t.Fatal(failed)
			}
			children := connectors(t, s.cmd.Process.Pid)
			if len(children) == 0 {
				t.Fatal("no connector runs")
			}
			end.do(s)
			eventually(t, settle, "every connector ends", func() bool {
				for _, pid := range children {
					if alive(pid) {
						return false
					}
				}
				return true
			})
		})
	}
}

func TestStartIsLight(t *testing.T) {
	t.Parallel()
	s := stdioServer(t, demoProject(t))
	if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "connection_list", Arguments: map[string]any{}}); err != nil {
		t.Fatal(err)
	}
	if running := connectors(t, s.cmd.Process.Pid); len(running) != 0 {
		t.Errorf("connection_list started connectors: %v", running)
	}
	t.Logf("resident after connection_list: %d KiB", resident(t, s.cmd.Process.Pid, "VmRSS"))
}

func TestOutputPipeCloses(t *testing.T) {
	t.Parallel()
	heavy(t, "a pipe that closes")
	dir := demoProject(t)
	// A reader that goes away ends the command, and nothing stays behind.
	out, err := exec.CommandContext(t.Context(), "sh", "-c", filepath.Join(bin, "loam")+` sql --project-dir "$0" -c shop --format csv --max-rows 0 "`+strings.ReplaceAll(endless, "count(*)", "i")+`" | head -n 2`, dir).Output()
	if err != nil || string(out) != "i\r\n1\r\n" {
		t.Errorf("head: %q, %v", out, err)
	}
}

// TestEditIsPickedUp: a running server sees a changed loam.yaml on the next call.
func TestEditIsPickedUp(t *testing.T) {
	t.Parallel()
	dir := demoProject(t)
	s := stdioServer(t, dir)
	if _, failed := s.sql(t.Context(), t, "more", "SELECT 1", nil); failed == nil || failed.Code != "not_found" {
		t.Fatalf("before: %+v", failed)
	}
	if r := loam(t, dir, "connection", "add", "more", "sqlite", "path=data/crm.db"); r.code != 0 {
		t.Fatal(r.stderr)
	}
	if _, failed := s.sql(t.Context(), t, "more", "SELECT count(*) FROM ticket", nil); failed != nil {
		t.Errorf("after: %+v", failed)
	}
}
