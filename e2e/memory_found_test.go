package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestDoneIsFoundByAnotherProcess: what one process says is done, the very next call of another one finds. A server that
// nobody told anything has opened nothing of the memory.
func TestDoneIsFoundByAnotherProcess(t *testing.T) {
	t.Parallel()
	source, err := sample()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "project")
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	lock := filepath.Join(dir, ".loam", "memory.lock")
	if err := os.Remove(lock); err != nil { // of the tour
		t.Fatal(err)
	}
	_, url := startHTTP(t, dir)
	s := client(t, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{}})
	call := func(tool string, args map[string]any) string {
		t.Helper()
		r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil || r.IsError {
			t.Fatalf("%s: %+v, %v", tool, r, err)
		}
		text, err := json.Marshal(r.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	found := func(question string) string { return call("discover_data", map[string]any{"query": question}) }
	if strings.Contains(found("wombat boxes"), "wombat-boxes") {
		t.Fatal("it is known before it is told")
	}
	if _, err := os.Stat(lock); err == nil {
		t.Error("a server that only answers took the lock of the memory")
	}
	for i, text := range []string{"Wombat boxes means parcels that came back.", "Wombat volume is the sum of amount_cents in refunds where reason = 'late'."} {
		if r := loam(t, dir, "ingest", "text", "-c", "shop", text); r.code != 0 {
			t.Fatal(r.stderr)
		}
		if got := found([]string{"wombat boxes", "wombat volume"}[i]); !strings.Contains(got, []string{"wombat-boxes", "refunds.wombat_volume"}[i]) {
			t.Errorf("the server does not find what the command remembered: %s", got)
		}
	}
	var run struct{ RunID string }
	unmarshal(t, []byte(call("memory_ingest", map[string]any{"content": "Quokka crates means parcels that were lost.", "connectionId": "shop"})), &run)
	eventually(t, time.Minute, "the run to be done", func() bool {
		var status struct {
			Done   bool
			Status string
		}
		unmarshal(t, []byte(call("memory_ingest_status", map[string]any{"runId": run.RunID})), &status)
		if status.Done && status.Status != "done" {
			t.Fatalf("%+v", status)
		}
		return status.Done
	})
	if r := loam(t, dir, "search", "quokka crates", "--json"); !strings.Contains(r.stdout, "quokka-crates") {
		t.Errorf("the command does not find what the server remembered: %s%s", r.stdout, r.stderr)
	}
}
