package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// caller is a raw MCP client over one connection that is kept open.
type caller struct {
	url, session string
	http         *http.Transport
}

// call makes a request and returns the JSON-RPC answer. reused tells whether it
// went over a connection that was open before.
func (c *caller) call(method, params string) (answer rpcAnswer, reused bool, err error) {
	trace := &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { reused = i.Reused }}
	// A body that cannot be read twice: the transport must not try again by itself.
	body := io.NopCloser(strings.NewReader(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)))
	req, err := http.NewRequest(http.MethodPost, c.url, body)
	if err != nil {
		return answer, false, err
	}
	req = req.WithContext(httptrace.WithClientTrace(req.Context(), trace))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
	}
	resp, err := c.http.RoundTrip(req)
	if err != nil {
		return answer, reused, err
	}
	text, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return answer, reused, err
	}
	if session := resp.Header.Get("Mcp-Session-Id"); session != "" {
		c.session = session
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		_, text, _ = bytes.Cut(text[max(0, bytes.LastIndex(text, []byte("event: message"))):], []byte("data: "))
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return answer, reused, fmt.Errorf("status %d: %.200s", resp.StatusCode, text)
	}
	return answer, reused, nil
}

type rpcAnswer struct {
	Result *struct {
		IsError           bool            `json:"isError"`
		StructuredContent json.RawMessage `json:"structuredContent"`
	} `json:"result"`
}

// outcome is "ok", the code of a tool's error, or "" for what is no answer.
func (a rpcAnswer) outcome() string {
	if a.Result == nil {
		return ""
	}
	if !a.Result.IsError {
		return "ok"
	}
	var f failure
	if json.Unmarshal(a.Result.StructuredContent, &f) != nil || f.Message == "" || !f.Retryable {
		return ""
	}
	return f.Code
}

const initializeParams = `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"e2e","version":"1"}}`

// sqlParams are those of a statement, whose answer is a stream when its progress
// is to be told.
func sqlParams(sql string, progress bool) string {
	params := map[string]any{"name": "sql_execution", "arguments": map[string]any{"connectionId": "shop", "sql": sql}}
	if progress {
		params["_meta"] = map[string]any{"progressToken": 1}
	}
	text, _ := json.Marshal(params)
	return string(text)
}

// The server is told to end while clients call: each call it was sent is
// answered or told why not, its connectors end, and it exits with 0.
func TestShutdownUnderLoad(t *testing.T) {
	heavy(t, "the end of a server under load")
	t.Parallel()
	for _, how := range []struct {
		name string
		end  func(t *testing.T, dir string, pid int)
	}{
		{"SIGTERM", func(t *testing.T, _ string, pid int) { signal(t, pid, syscall.SIGTERM) }},
		{"SIGINT", func(t *testing.T, _ string, pid int) { signal(t, pid, syscall.SIGINT) }},
		{"stop", func(t *testing.T, dir string, _ int) { wantOutput(t, dir, 0, "has ended", "mcp", "stop") }},
	} {
		t.Run(how.name, func(t *testing.T) {
			dir := demoProject(t)
			cmd, url := startHTTP(t, dir)
			l := &load{t: t, url: url}
			const stuck = 2
			for i := range 18 {
				sql := "SELECT count(*) FROM orders"
				if i < stuck {
					sql = endless
				}
				l.clients.Go(func() { l.run(sqlParams(sql, i%2 == 0)) })
			}
			eventually(t, settle, "calls are answered", func() bool { return l.answered.Load() > 20 })
			programs := connectors(t, cmd.Process.Pid)
			if len(programs) == 0 {
				t.Fatal("no connector runs")
			}
			how.end(t, dir, cmd.Process.Pid)
			l.clients.Wait()
			if err := cmd.Wait(); err != nil {
				t.Errorf("the server ended with %v", err)
			}
			for _, pid := range programs {
				if alive(pid) {
					t.Errorf("connector %d is still there", pid)
				}
			}
			if l.told.Load() < stuck {
				t.Errorf("%d calls were told that the server stops; %d had no other end", l.told.Load(), stuck)
			}
			t.Logf("%d calls answered, %d told that the server stops", l.answered.Load(), l.told.Load())
		})
	}
}

func signal(t *testing.T, pid int, s syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, s); err != nil {
		t.Fatal(err)
	}
}

type load struct {
	t              *testing.T
	url            string
	clients        sync.WaitGroup
	answered, told atomic.Int64
}

// run calls until nobody listens any more.
func (l *load) run(params string) {
	c := &caller{url: l.url, http: &http.Transport{MaxConnsPerHost: 1}}
	defer c.http.CloseIdleConnections()
	if _, _, err := c.call("initialize", initializeParams); err != nil {
		l.t.Errorf("initialize: %v", err)
		return
	}
	for {
		answer, reused, err := c.call("tools/call", params)
		if err != nil {
			if reused {
				l.t.Errorf("a call got no answer: %v", err)
			}
			return // nobody listens any more
		}
		switch answer.outcome() {
		case "ok":
			l.answered.Add(1)
		case "unavailable":
			l.told.Add(1)
		case "rate_limited": // and told so
		default:
			l.t.Errorf("neither an answer nor a reason to try again: %+v", answer.Result)
			return
		}
	}
}

// A client over stdio whose server is told to end gets its answer too.
func TestStdioShutdown(t *testing.T) {
	t.Parallel()
	heavy(t, "the end of a server over stdio")
	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(s.String(), func(t *testing.T) {
			if s != syscall.SIGTERM {
				heavy(t, "the same end by SIGINT")
			}
			t.Parallel()
			cmd := exec.Command(filepath.Join(bin, "loam"), "mcp", "stdio", "--project-dir", demoProject(t))
			cmd.Stderr = os.Stderr
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = cmd.Process.Kill() }()
			answers := bufio.NewReader(out)
			fmt.Fprintf(in, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":%s}`+"\n", initializeParams)
			if _, err := answers.ReadBytes('\n'); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(in, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":%s}`+"\n", sqlParams(endless, false))
			var programs []int
			eventually(t, settle, "the call runs", func() bool {
				programs = connectors(t, cmd.Process.Pid)
				return len(programs) == 1 && !idle(t, programs[0])
			})
			signal(t, cmd.Process.Pid, s)
			rest, err := io.ReadAll(answers)
			if err != nil {
				t.Fatal(err)
			}
			var answer rpcAnswer
			unmarshal(t, bytes.TrimSpace(rest), &answer)
			if answer.outcome() != "unavailable" {
				t.Errorf("the call was answered with %s", rest)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("the server ended with %v", err)
			}
			if alive(programs[0]) {
				t.Errorf("connector %d is still there", programs[0])
			}
		})
	}
}
