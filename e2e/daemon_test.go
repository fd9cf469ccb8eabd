package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// started is what `loam mcp start --json` prints.
type started struct {
	URL            string   `json:"url"`
	PID            int      `json:"pid"`
	Log            string   `json:"log"`
	AlreadyRunning bool     `json:"alreadyRunning"`
	Restart        []string `json:"restart"`
}

// startDaemon starts the server of a project on a free port; it is ended with
// the test.
func startDaemon(t *testing.T, dir string, args ...string) started {
	t.Helper()
	endDaemon(t, dir)
	return startAgain(t, dir, append([]string{"--port", "0"}, args...)...)
}

// endDaemon ends the server of a project with the test.
func endDaemon(t *testing.T, dir string) {
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // the test's own is over
		defer cancel()
		stop := exec.CommandContext(ctx, filepath.Join(bin, "loam"), "mcp", "stop", "--project-dir", dir)
		if out, err := stop.CombinedOutput(); err != nil {
			t.Errorf("stop: %v: %s", err, out)
		}
		if t.Failed() {
			t.Logf("its log:\n%s", logged(dir))
		}
	})
}

func startAgain(t *testing.T, dir string, args ...string) started {
	t.Helper()
	r := loam(t, dir, append([]string{"mcp", "start", "--json"}, args...)...)
	if r.code != 0 {
		t.Fatalf("start: exit %d: %s%s", r.code, r.stderr, logged(dir))
	}
	var s started
	unmarshal(t, []byte(r.stdout), &s)
	return s
}

// logged is the log of a project's server.
func logged(dir string) string {
	text, _ := os.ReadFile(filepath.Join(dir, ".loam/logs/mcp.log"))
	return string(text)
}

// serving is what `loam mcp status --json` prints.
type serving struct {
	State       string `json:"state"`
	Answers     bool   `json:"answers"`
	PID         int    `json:"pid"`
	Port        int    `json:"port"`
	URL         string `json:"url"`
	Token       bool   `json:"token"`
	Foreground  bool   `json:"foreground"`
	Sessions    int    `json:"sessions"`
	Connections []struct {
		ID             string `json:"id"`
		State          string `json:"state"`
		Open           bool   `json:"open"`
		PID            int    `json:"pid"`
		Calls, Waiting int
	} `json:"connections"`
	Problems []struct{ Problem, Mend string } `json:"problems"`
}

func serverStatus(t *testing.T, dir string) serving {
	t.Helper()
	r := loam(t, dir, "mcp", "status", "--json")
	if r.code != 0 {
		t.Fatalf("status: exit %d: %s", r.code, r.stderr)
	}
	var s serving
	unmarshal(t, []byte(r.stdout), &s)
	return s
}

// wantOutput runs a command and tests its exit code and that its output, in any stream,
// contains a text.
func wantOutput(t *testing.T, dir string, code int, want string, args ...string) {
	t.Helper()
	r := loam(t, dir, args...)
	if r.code != code || !strings.Contains(r.stdout+r.stderr, want) {
		t.Errorf("loam %v: exit %d, want %d and %q in:\n%s%s", args, r.code, code, want, r.stdout, r.stderr)
	}
}

func TestDaemon(t *testing.T) {
	t.Parallel()
	dir := demoProject(t)
	wantOutput(t, dir, 0, "stopped", "mcp", "status")
	wantOutput(t, dir, 0, "no MCP server of this project runs", "mcp", "stop")
	wantOutput(t, dir, 5, "loam mcp start", "mcp", "logs")
	s := startDaemon(t, dir)
	if s.AlreadyRunning || !alive(s.PID) {
		t.Fatalf("started: %+v", s)
	}
	if sid := sessionOf(t, s.PID); sid != s.PID {
		t.Errorf("the server is of session %d, not of one of its own: a terminal that closes ends it", sid)
	}
	if info, err := os.Stat(filepath.Join(dir, ".loam/mcp.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("state file: %v, %v", info, err)
	}
	st := serverStatus(t, dir)
	if st.State != "running" || !st.Answers || st.PID != s.PID || st.URL != s.URL || st.Token || st.Foreground || len(st.Problems) > 0 {
		t.Errorf("status: %+v", st)
	}
	if len(st.Connections) != 2 || st.Connections[0].State != "absent" || st.Connections[0].PID != 0 {
		t.Errorf("connections before a call: %+v", st.Connections)
	}

	c := client(t, &mcp.StreamableClientTransport{Endpoint: s.URL, HTTPClient: &http.Client{}})
	if _, failed := c.sql(t.Context(), t, "shop", "SELECT 1", nil); failed != nil {
		t.Fatal(failed)
	}
	legacy := &caller{url: s.URL, http: &http.Transport{}}
	defer legacy.http.CloseIdleConnections()
	if _, _, err := legacy.call("initialize", initializeParams); err != nil {
		t.Fatal(err)
	}
	var programs []int
	eventually(t, settle, "status knows of the connector and the session", func() bool {
		st = serverStatus(t, dir)
		programs = connectors(t, s.PID)
		return st.Sessions == 1 && st.Connections[0].State == "ready" && st.Connections[0].Open && !st.Connections[1].Open && slices.Equal(programs, []int{st.Connections[0].PID})
	})

	again := startAgain(t, dir)
	if !again.AlreadyRunning || again.PID != s.PID || again.URL != s.URL || len(again.Restart) > 0 {
		t.Errorf("started again: %+v", again)
	}
	wantOutput(t, dir, 0, "already serving MCP at "+s.URL, "mcp", "start")
	wantOutput(t, dir, 0, "restart it: loam mcp stop", "mcp", "start", "--allowed-host", "loam.internal")
	wantOutput(t, dir, 0, "it runs with --port "+strconv.Itoa(st.Port)+", asked for is 1", "mcp", "start", "--port", "1")
	wantOutput(t, dir, 6, "loam mcp stop", "mcp", "start", "--foreground")
	wantOutput(t, dir, 0, "running at "+s.URL, "status")
	wantOutput(t, dir, 0, "mcp server started", "mcp", "logs")
	wantOutput(t, dir, 0, "mcp server: running at "+s.URL, "doctor")

	wantOutput(t, dir, 0, "has ended", "mcp", "stop")
	for _, pid := range append(programs, s.PID) {
		if alive(pid) {
			t.Errorf("process %d is still there", pid)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, ".loam/mcp.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the state file is still there: %v", err)
	}
	if text := logged(dir); !strings.HasSuffix(strings.TrimSpace(text), `msg="mcp server stopped"`) {
		t.Errorf("the log does not end with the end: %s", text)
	}
	wantOutput(t, dir, 0, "stopped", "mcp", "status")
}

func sessionOf(t *testing.T, pid int) int {
	t.Helper()
	sid, _, errno := syscall.Syscall(syscall.SYS_GETSID, uintptr(pid), 0, 0)
	if errno != 0 {
		t.Fatal(errno)
	}
	return int(sid)
}

// Of starts that race, one starts the server and the others find it.
func TestDaemonStartsRace(t *testing.T) {
	t.Parallel()
	heavy(t, "errors of a server in the background")
	dir := demoProject(t)
	endDaemon(t, dir)
	results := make([]result, 4)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() { results[i] = loam(t, dir, "mcp", "start", "--json", "--port", "0") })
	}
	wg.Wait()
	first := 0
	pids := map[int]bool{}
	for _, r := range results {
		if r.code != 0 {
			t.Fatalf("exit %d: %s", r.code, r.stderr)
		}
		var s started
		unmarshal(t, []byte(r.stdout), &s)
		pids[s.PID] = true
		if !s.AlreadyRunning {
			first++
		}
	}
	if first != 1 || len(pids) != 1 {
		t.Errorf("%d have started it, processes %v", first, pids)
	}
}

func TestDaemonPortInUse(t *testing.T) {
	t.Parallel()
	heavy(t, "errors of a server in the background")
	one, other := demoProject(t), demoProject(t)
	startDaemon(t, one)
	port := strconv.Itoa(serverStatus(t, one).Port)
	for _, how := range [][]string{nil, {"--foreground"}} {
		args := append([]string{"mcp", "start", "--port", port}, how...)
		wantOutput(t, other, 6, "another Loam has it", args...)
		wantOutput(t, other, 6, "--port 0", args...)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ = net.SplitHostPort(l.Addr().String())
	if r := loam(t, other, "mcp", "start", "--port", port); r.code != 6 || !strings.Contains(r.stderr, "--port 0") || strings.Contains(r.stderr, "another Loam") {
		t.Errorf("a stranger has the port: exit %d: %s", r.code, r.stderr)
	}
	if st := serverStatus(t, other); st.State != "stopped" {
		t.Errorf("a server that did not start is %s", st.State)
	}
}

// What the server refuses is what start says, with its exit code.
func TestDaemonDoesNotStart(t *testing.T) {
	t.Parallel()
	heavy(t, "errors of a server in the background")
	dir := demoProject(t)
	for _, c := range []struct {
		name, says string
		code       int
		args       []string
	}{
		{"no such address", "--host", 2, []string{"--host", "192.0.2.1", "--token", "x"}},
		{"open to others", "LOAM_MCP_TOKEN", 2, []string{"--host", "0.0.0.0"}},
		{"no origin", "--allowed-origin", 2, []string{"--allowed-origin", "example.com"}},
		{"no port", "no port 70000", 2, []string{"--port", "70000"}},
	} {
		wantOutput(t, dir, c.code, c.says, append([]string{"mcp", "start", "--port", "0"}, c.args...)...)
	}
	wantOutput(t, t.TempDir(), 5, "loam init", "mcp", "start")
	var failure struct{ Error struct{ Kind, Hint string } }
	r := loam(t, dir, "mcp", "start", "--json", "--host", "0.0.0.0")
	unmarshal(t, []byte(r.stderr), &failure)
	if failure.Error.Kind != "invalid" || !strings.Contains(failure.Error.Hint, "LOAM_MCP_TOKEN") {
		t.Errorf("as JSON: %+v", failure)
	}
}

// run runs the command line with more of an environment.
func loamWith(t *testing.T, dir string, env []string, args ...string) result {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "loam"), args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// The token is asked for, and is in no file and on no command line that lasts.
func TestDaemonToken(t *testing.T) {
	t.Parallel()
	heavy(t, "errors of a server in the background")
	const token = "s3cret-tok3n"
	for name, start := range map[string]func(*testing.T, string) int{
		"flag": func(t *testing.T, dir string) int { return startDaemon(t, dir, "--token", token).PID },
		"environment": func(t *testing.T, dir string) int {
			endDaemon(t, dir)
			if r := loamWith(t, dir, []string{"LOAM_MCP_TOKEN=" + token}, "mcp", "start", "--port", "0"); r.code != 0 || strings.Contains(r.stderr, token) || !strings.Contains(r.stderr, "${LOAM_MCP_TOKEN}") {
				t.Fatalf("exit %d: %s", r.code, r.stderr)
			}
			return serverStatus(t, dir).PID
		},
		"flag in the foreground": func(t *testing.T, dir string) int {
			cmd, _ := startHTTP(t, dir, "--token", token)
			return cmd.Process.Pid
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := demoProject(t)
			pid := start(t, dir)
			st := serverStatus(t, dir)
			if st.PID != pid || !st.Token || !st.Answers {
				t.Fatalf("status: %+v", st)
			}
			for header, want := range map[string]int{"": http.StatusUnauthorized, "Bearer no": http.StatusUnauthorized, "Bearer " + token: http.StatusBadRequest} {
				if got := statusOf(t, st.URL, header); got != want {
					t.Errorf("GET with %q: %d, want %d", header, got, want)
				}
			}
			if text := statusBody(t, strings.TrimSuffix(st.URL, "mcp")+"health"); strings.Contains(text, dir) {
				t.Errorf("anybody is told of the project: %s", text)
			}
			wantOutput(t, dir, 0, "another token", "mcp", "start", "--token", "another")
			if r := loam(t, dir, "mcp", "start", "--token", token); strings.Contains(r.stderr, "restart") {
				t.Errorf("the same token: %s", r.stderr)
			}
			checkNowhere(t, dir, pid, token)
		})
	}
}

func statusOf(t *testing.T, url, authorization string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", authorization)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return resp.StatusCode
}

func statusBody(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(text) {
		t.Errorf("%s: %s", url, text)
	}
	return string(text)
}

// checkNowhere tests that a secret is in no file of the project and not on the
// command line of the process.
func checkNowhere(t *testing.T, dir string, pid int, secret string) {
	t.Helper()
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(line, []byte(secret)) {
		t.Errorf("the command line has the token: %q", line)
	}
	err = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte(secret)) {
			t.Errorf("%s has the token", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
