package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// headers are sent with every request of a client.
type headers map[string]string

func (h headers) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range h {
		r.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// What setup writes is what a client needs to reach the server: it is followed
// here as a client follows it, variables and all.
func TestWrittenEntriesWork(t *testing.T) {
	t.Parallel()
	heavy(t, "agents' own clients")
	const token = "token-of-the-test"
	dir, home := t.TempDir(), t.TempDir()
	loam := func(args ...string) {
		t.Helper()
		cmd := exec.Command(filepath.Join(bin, "loam"), append(args, "--project-dir", dir)...)
		cmd.Env = append(os.Environ(), "HOME="+home, "LOAM_MCP_TOKEN="+token)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("loam %v: %v\n%s", args, err, out)
		}
	}
	loam("init", dir)
	type entry struct {
		Command string
		Args    []string
		URL     string
		Headers map[string]string
	}
	written := func() entry {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, ".mcp.json"))
		if err != nil {
			t.Fatal(err)
		}
		var file struct{ MCPServers map[string]entry }
		if err := json.Unmarshal(text, &file); err != nil {
			t.Fatal(err)
		}
		return file.MCPServers["loam"]
	}
	answers := func(s *server) {
		t.Helper()
		tools, err := s.ListTools(t.Context(), nil)
		if err != nil || len(tools.Tools) == 0 {
			t.Errorf("tools: %v, %v", tools, err)
		}
	}

	loam("agents", "setup", "--target", "claude-code")
	stdio := written()
	answers(client(t, &mcp.CommandTransport{Command: exec.Command(stdio.Command, stdio.Args...), TerminateDuration: 10 * time.Second}))

	startHTTP(t, dir, "--token", token)
	loam("agents", "setup", "--target", "claude-code", "--shared", "write")
	over := written()
	expanded := headers{}
	for name, value := range over.Headers {
		expanded[name] = os.Expand(value, func(name string) string { return map[string]string{"LOAM_MCP_TOKEN": token}[name] })
	}
	if over.URL == "" || len(expanded) != 1 {
		t.Fatalf("while the server runs: %+v", over)
	}
	answers(client(t, &mcp.StreamableClientTransport{Endpoint: over.URL, HTTPClient: &http.Client{Transport: expanded}}))
}
