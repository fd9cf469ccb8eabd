//go:build linux

package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/e2e/testserver"
)

// desk is a person with the real clients, and a project that they set up for them.
type desk struct {
	testserver.MCPClients
	home, dir string
	env       []string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	heavy(t, "agents' own clients")
	d := &desk{MCPClients: testserver.RequireMCPClients(t), home: t.TempDir(), dir: t.TempDir()}
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "XDG_") && !strings.HasPrefix(entry, "LOAM_") {
			d.env = append(d.env, entry)
		}
	}
	d.env = append(d.env, "HOME="+d.home, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "SHOP_PASSWORD=sesame")
	d.run(t, d.dir, filepath.Join(bin, "loam"), "demo", filepath.Join(d.dir, "shop"), "--quiet")
	d.dir = filepath.Join(d.dir, "shop")
	d.loam(t, "connection", "add", "pg", "postgres", "host=127.0.0.1", "port=1", "database=d", "user=u", "password=env:SHOP_PASSWORD")
	return d
}

// run runs a program in a folder and returns what it says.
func (d *desk) run(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, d.env, 10*time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", filepath.Base(program), args, err, out)
	}
	return string(out)
}

func (d *desk) loam(t *testing.T, args ...string) string {
	t.Helper()
	return d.run(t, d.dir, filepath.Join(bin, "loam"), args...)
}

// The real clients reach the server by what setup wrote, in the folder that they were
// told to trust, as setup says that they must be.
func TestRealClients(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.loam(t, "agents", "setup", "--target", "claude-code", "--scope", "local")
	d.loam(t, "agents", "setup", "--target", "opencode", "--write")
	said := d.loam(t, "agents", "setup", "--target", "gemini")
	if !strings.Contains(said, "start `gemini` in the folder once and trust it") {
		t.Errorf("setup says nothing about trust:\n%s", said)
	}
	gemini := func() string { return d.run(t, d.dir, d.Node, d.Gemini, "mcp", "list") }
	if out := gemini(); !strings.Contains(out, "untrusted") {
		t.Errorf("Gemini CLI reads the file of a folder that it does not trust:\n%s", out)
	}
	writeFile(t, filepath.Join(d.home, ".gemini", "trustedFolders.json"), fmt.Sprintf("{%q: \"TRUST_FOLDER\"}", d.dir))
	for name, out := range map[string]string{
		"Claude Code": d.run(t, d.dir, d.ClaudeCode, "mcp", "get", "loam"),
		"opencode":    d.run(t, d.dir, d.OpenCode, "mcp", "list"),
		"Gemini CLI":  gemini(),
	} {
		if !strings.Contains(strings.ToLower(out), "connected") || strings.Contains(strings.ToLower(out), "disconnected") {
			t.Errorf("%s is not connected:\n%s", name, out)
		}
	}
	out := d.run(t, d.dir, d.Node, d.Inspector, "--cli", filepath.Join(bin, "loam"), "mcp", "stdio", "--project-dir", d.dir, "--method", "tools/list")
	if !strings.Contains(out, `"sl_query"`) {
		t.Errorf("the Inspector lists no tools:\n%s", out)
	}
}

// Claude Code asks about a project's file before it starts what is in it, as setup says.
func TestRealClaudeCodeAsks(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	said := d.loam(t, "agents", "setup", "--target", "claude-code")
	if out := d.run(t, d.dir, d.ClaudeCode, "mcp", "get", "loam"); !strings.Contains(out, "Pending approval") || !strings.Contains(said, "allow the server there") {
		t.Errorf("setup says:\n%s\nClaude Code says:\n%s", said, out)
	}
}

// Codex starts a server with few variables: those that the project's secrets refer to
// are among them, because the entry names them.
func TestRealCodex(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.loam(t, "agents", "setup", "--target", "codex", "--scope", "global")
	if answer := d.codex(t, d.env); !strings.Contains(answer, "connection refused") {
		t.Errorf("with the variable: %s", answer)
	}
	var without []string
	for _, entry := range d.env {
		if !strings.HasPrefix(entry, "SHOP_PASSWORD=") {
			without = append(without, entry)
		}
	}
	if answer := d.codex(t, without); !strings.Contains(answer, "SHOP_PASSWORD is not set") {
		t.Errorf("without it: %s", answer)
	}
}

// codex has Codex call sql_execution, without a model, and returns the answer.
func (d *desk) codex(t *testing.T, env []string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, d.Codex, "app-server")
	cmd.Dir, cmd.Env, cmd.WaitDelay = d.dir, env, 10*time.Second
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
	defer func() {
		cancel()
		_ = cmd.Wait() // it was killed
	}()
	lines := bufio.NewReader(out)
	request := func(id int, method string, params any) json.RawMessage {
		t.Helper()
		text, err := json.Marshal(map[string]any{"id": id, "method": method, "params": params})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.Write(append(text, '\n')); err != nil {
			t.Fatal(err)
		}
		return answerOf(t, lines, id)
	}
	request(1, "initialize", map[string]any{"clientInfo": map[string]string{"name": "loam", "title": "loam", "version": "1"}})
	if _, err := io.WriteString(in, `{"method":"initialized"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	var started struct{ Thread struct{ ID string } }
	if err := json.Unmarshal(request(2, "thread/start", map[string]any{"cwd": d.dir, "ephemeral": true}), &started); err != nil {
		t.Fatal(err)
	}
	return string(request(3, "mcpServer/tool/call", map[string]any{
		"threadId": started.Thread.ID, "server": "loam", "tool": "sql_execution", "arguments": map[string]string{"connectionId": "pg", "sql": "select 1"},
	}))
}

// answerOf reads up to the answer to a request.
func answerOf(t *testing.T, lines *bufio.Reader, id int) json.RawMessage {
	t.Helper()
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			t.Fatalf("no answer to request %d: %v", id, err)
		}
		var message struct {
			ID     *int
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.Unmarshal(line, &message); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if message.ID == nil || *message.ID != id {
			continue
		}
		if message.Error != nil {
			t.Fatalf("request %d: %s", id, message.Error)
		}
		return message.Result
	}
}
