package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// startWithConnector starts a daemon and has it start a connector.
func startWithConnector(t *testing.T, dir string) (s started, connector int) {
	t.Helper()
	s = startDaemon(t, dir)
	c := client(t, &mcp.StreamableClientTransport{Endpoint: s.URL, HTTPClient: &http.Client{}, DisableStandaloneSSE: true, MaxRetries: -1})
	if _, failed := c.sql(t.Context(), t, "shop", "SELECT 1", nil); failed != nil {
		t.Fatal(failed)
	}
	running := connectors(t, s.PID)
	if len(running) != 1 {
		t.Fatalf("connectors: %v", running)
	}
	return s, running[0]
}

func TestDaemonIsKilled(t *testing.T) {
	heavy(t, "servers that hang or are killed")
	t.Parallel()
	dir := demoProject(t)
	s, connector := startWithConnector(t, dir)
	kill := func(pid int) {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		eventually(t, settle, "the server is gone", func() bool { return !alive(pid) })
	}
	kill(s.PID)
	eventually(t, settle, "the connector ends by itself", func() bool { return !alive(connector) })
	wantOutput(t, dir, 0, "stale", "mcp", "status")
	wantOutput(t, dir, 0, "loam mcp start", "status")
	wantOutput(t, dir, 0, "its process is gone", "doctor")

	next := startAgain(t, dir, "--port", "0")
	if next.AlreadyRunning || next.PID == s.PID {
		t.Errorf("started over a stale state: %+v", next)
	}
	if st := serverStatus(t, dir); st.State != "running" || st.PID != next.PID {
		t.Errorf("status: %+v", st)
	}
	kill(next.PID)
	wantOutput(t, dir, 0, "its state file was removed", "mcp", "stop")
	wantOutput(t, dir, 0, "stopped", "mcp", "status")
}

// A server that does not end is killed, and its connectors with it.
func TestDaemonHangs(t *testing.T) {
	heavy(t, "servers that hang or are killed")
	t.Parallel()
	dir := demoProject(t)
	s, connector := startWithConnector(t, dir)
	eventually(t, settle, "the state file knows the connector", func() bool { return serverStatus(t, dir).Connections[0].PID == connector })
	for _, pid := range []int{s.PID, connector} {
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
	}
	st := serverStatus(t, dir)
	if st.State != "running" || st.Answers || len(st.Problems) != 1 || !strings.Contains(st.Problems[0].Problem, "does not answer") {
		t.Errorf("status of a server that hangs: %+v", st)
	}
	wantOutput(t, dir, 0, "and was killed", "mcp", "stop", "--timeout", "300ms")
	for _, pid := range []int{s.PID, connector} {
		if alive(pid) {
			t.Errorf("process %d is still there", pid)
		}
	}
	wantOutput(t, dir, 0, "stopped", "mcp", "status")
}

// A state file that was left behind may name the id of another program by now:
// nobody signals it.
func TestDaemonIDIsReused(t *testing.T) {
	heavy(t, "servers that hang or are killed")
	t.Parallel()
	dir := demoProject(t)
	other := exec.Command("sleep", "600")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = other.Process.Kill()
		_ = other.Wait()
	}()
	leave := func() {
		text, err := json.Marshal(map[string]any{"pid": other.Process.Pid, "process": "an earlier one", "host": "127.0.0.1", "port": 7878, "connectors": []any{map[string]any{"name": "x", "pid": other.Process.Pid, "process": "another"}}})
		if err == nil {
			err = os.MkdirAll(filepath.Join(dir, ".loam"), 0o700)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, ".loam/mcp.json"), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	leave()
	wantOutput(t, dir, 0, "stale", "mcp", "status")
	wantOutput(t, dir, 0, "its state file was removed", "mcp", "stop")
	leave()
	s := startDaemon(t, dir)
	if s.AlreadyRunning || s.PID == other.Process.Pid {
		t.Errorf("started: %+v", s)
	}
	if !alive(other.Process.Pid) {
		t.Error("another program was ended")
	}
}

func TestDaemonLogs(t *testing.T) {
	heavy(t, "servers that hang or are killed")
	t.Parallel()
	dir := demoProject(t)
	log := filepath.Join(dir, ".loam/logs/mcp.log")
	// A log that is nearly as large as one becomes.
	line := strings.Repeat("x", 1023) + "\n"
	if err := os.MkdirAll(filepath.Dir(log), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(log, []byte(strings.Repeat(line, 10<<10-2)), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startDaemon(t, dir)
	follow := exec.Command(filepath.Join(bin, "loam"), "mcp", "logs", "--follow", "--lines", "1")
	follow.Dir = dir
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	follow.Stdout = out
	if err := follow.Start(); err != nil {
		t.Fatal(err)
	}
	followed := func(what string) int {
		text, err := os.ReadFile(out.Name())
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(text), what)
	}
	eventually(t, settle, "the last line is shown", func() bool { return followed("mcp server started") == 1 })
	const refused = 30
	for range refused {
		if got := statusOf(t, strings.Replace(s.URL, "/mcp", "/elsewhere", 1), ""); got != http.StatusNotFound {
			t.Fatalf("status %d", got)
		}
	}
	eventually(t, settle, "every line is shown", func() bool { return followed("path=/elsewhere") >= refused })
	if _, err := os.Stat(log + ".1"); err != nil {
		t.Errorf("the log was not rotated: %v", err)
	}
	if n := followed("path=/elsewhere"); n != refused {
		t.Errorf("%d lines are shown, of %d", n, refused)
	}
	if err := follow.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := follow.Wait(); err != nil {
		t.Errorf("after Ctrl-C: %v", err)
	}
	var shown struct {
		File  string   `json:"file"`
		Lines []string `json:"lines"`
	}
	unmarshal(t, []byte(loam(t, dir, "mcp", "logs", "--json", "--lines", "32").stdout), &shown)
	if shown.File != log || len(shown.Lines) != 32 || !strings.Contains(shown.Lines[1], "mcp server started") || !strings.HasPrefix(shown.Lines[0], "xxx") {
		t.Errorf("the last lines, of two files: %.300v", shown)
	}
}
