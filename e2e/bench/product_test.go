package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/plugins/sqlite"
	"github.com/loam-data/loam/sdk"
)

// smallSQL is a query whose own work is negligible.
const smallSQL = "SELECT id, name, country_code FROM regions WHERE id = 3"

// product builds the sample project with the binaries of `make build`.
func product(b testing.TB) (binary, dir string) {
	b.Helper()
	binary, err := filepath.Abs("../../bin/loam")
	if err != nil {
		b.Fatal(err)
	}
	if _, err := os.Stat(binary); err != nil {
		b.Fatal("run `make build` first")
	}
	dir = filepath.Join(b.TempDir(), "demo")
	if out, err := exec.Command(binary, "demo", dir).CombinedOutput(); err != nil {
		b.Fatalf("loam demo: %v\n%s", err, out)
	}
	return binary, dir
}

// pipe is a raw MCP client on `loam mcp stdio`: what is measured is the
// server, not a client library.
type pipe struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	id  int
}

func open(b testing.TB, binary, dir string) *pipe {
	b.Helper()
	p := &pipe{cmd: exec.Command(binary, "mcp", "stdio", "--rate", "0", "--project-dir", dir)}
	p.cmd.Stderr = os.Stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	p.in, p.out = in, bufio.NewReaderSize(out, 1<<20)
	if err := p.cmd.Start(); err != nil {
		b.Fatal(err)
	}
	p.call(b, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`)
	return p
}

func (p *pipe) close() {
	_ = p.in.Close()
	_ = p.cmd.Wait()
}

func request(id int, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
}

func (p *pipe) call(b testing.TB, method, params string) string {
	p.id++
	if _, err := io.WriteString(p.in, request(p.id, method, params)+"\n"); err != nil {
		b.Fatal(err)
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return line
}

func toolCall(sql string, maxRows int) string {
	text, _ := json.Marshal(map[string]any{"name": "sql_execution", "arguments": map[string]any{"connectionId": "shop", "sql": sql, "maxRows": maxRows}})
	return string(text)
}

func mustAnswer(b testing.TB, line string) {
	if !strings.Contains(line, `"rowCount"`) || strings.Contains(line, `"isError":true`) {
		b.Fatalf("answer: %.300s", line)
	}
}

// BenchmarkStart measures start to the answer of initialize, and what the host
// then holds in memory.
func BenchmarkStart(b *testing.B) {
	binary, dir := product(b)
	var took []time.Duration
	var rss int
	for b.Loop() {
		started := time.Now()
		p := open(b, binary, dir)
		took = append(took, time.Since(started))
		rss = resident(b, p.cmd.Process.Pid)
		p.close()
	}
	b.ReportMetric(float64(median(took).Microseconds())/1000, "ms-p50")
	b.ReportMetric(float64(rss)/1024, "MiB-resident")
}

// BenchmarkQueryStdio runs the small query through the product and, in the same
// run, through the connector's code in this process.
func BenchmarkQueryStdio(b *testing.B) {
	binary, dir := product(b)
	p := open(b, binary, dir)
	defer p.close()
	here := sqliteSession(b, dir)
	params := toolCall(smallSQL, 100)
	mustAnswer(b, p.call(b, "tools/call", params))
	var with, without []time.Duration
	for b.Loop() {
		without = append(without, timed(func() { inProcess(b, here, smallSQL) }))
		with = append(with, timed(func() { mustAnswer(b, p.call(b, "tools/call", params)) }))
	}
	report(b, with, without)
}

// BenchmarkQueryHTTP is the same over Streamable HTTP.
func BenchmarkQueryHTTP(b *testing.B) {
	binary, dir := product(b)
	h := serveHTTP(b, binary, dir)
	here := sqliteSession(b, dir)
	params := toolCall(smallSQL, 100)
	mustAnswer(b, h.call(b, "tools/call", params))
	var with, without []time.Duration
	for b.Loop() {
		without = append(without, timed(func() { inProcess(b, here, smallSQL) }))
		with = append(with, timed(func() { mustAnswer(b, h.call(b, "tools/call", params)) }))
	}
	report(b, with, without)
}

// BenchmarkThousandRowsHTTP fetches an answer of 1,000 short rows.
func BenchmarkThousandRowsHTTP(b *testing.B) {
	binary, dir := product(b)
	h := serveHTTP(b, binary, dir)
	params := toolCall("SELECT id, status, currency FROM orders LIMIT 1000", 1000)
	var took []time.Duration
	for b.Loop() {
		took = append(took, timed(func() { mustAnswer(b, h.call(b, "tools/call", params)) }))
	}
	b.ReportMetric(float64(median(took).Microseconds())/1000, "ms-p50")
}

func report(b *testing.B, with, without []time.Duration) {
	b.ReportMetric(float64(median(with).Microseconds()), "µs-p50")
	b.ReportMetric(float64(quantile(with, 0.99).Microseconds()), "µs-p99")
	b.ReportMetric(float64(median(without).Microseconds()), "µs-in-process-p50")
}

func sqliteSession(b testing.TB, dir string) sdk.Session {
	b.Helper()
	config, err := json.Marshal(map[string]string{"path": filepath.Join(dir, "data", "shop.db")})
	if err != nil {
		b.Fatal(err)
	}
	session, err := sqlite.Connector().Open(b.Context(), sdk.OpenRequest{ConnectionID: "shop", Config: sdk.Config{JSON: config}})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = session.Close(b.Context()) })
	return session
}

func inProcess(b testing.TB, s sdk.Session, sql string) {
	w := sdk.NewRowWriter(&discard{}, sdk.Limits{MaxRows: 100})
	if err := s.Execute(b.Context(), sdk.ExecuteRequest{SQL: sql}, w); err != nil {
		b.Fatal(err)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}

func resident(b testing.TB, pid int) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Skipf("no /proc: %v", err)
	}
	found := regexp.MustCompile(`VmRSS:\s+(\d+)`).FindSubmatch(text)
	kib, err := strconv.Atoi(string(found[1]))
	if err != nil {
		b.Fatal(err)
	}
	return kib
}

// post is a raw MCP client on `loam mcp start`.
type post struct {
	url, session string
	id           int
}

func serveHTTP(b testing.TB, binary, dir string) *post {
	b.Helper()
	cmd := exec.Command(binary, "mcp", "start", "--foreground", "--port", "0", "--rate", "0", "--project-dir", dir)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	lines := bufio.NewReader(stderr)
	h := &post{}
	for h.url == "" {
		line, err := lines.ReadString('\n')
		if err != nil {
			b.Fatal(err)
		}
		h.url = regexp.MustCompile(`http://\S+/mcp`).FindString(line)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }() // ends with the process
	h.call(b, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`)
	return h
}

func (h *post) call(b testing.TB, method, params string) string {
	h.id++
	req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, h.url, strings.NewReader(request(h.id, method, params)))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if h.session != "" {
		req.Header.Set("Mcp-Session-Id", h.session)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		h.session = id
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		b.Fatal(err)
	}
	return string(text)
}
