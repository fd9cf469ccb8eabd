package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestTrustOfWhatAnAgentTold follows one sentence: an agent tells it, a person approves it, and another
// statement contradicts it.
func TestTrustOfWhatAnAgentTold(t *testing.T) {
	heavy(t, "what an agent told, from ingest to a contradiction")
	t.Parallel()
	source, err := sample()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "demo")
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	s := stdioServer(t, dir)
	call := func(tool string, args map[string]any, into any) {
		t.Helper()
		result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil || result.IsError {
			t.Fatalf("%s: %v %+v", tool, err, result)
		}
		text, err := json.Marshal(result.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		unmarshal(t, text, into)
	}
	type run struct {
		RunID, Status string
		Captured      struct {
			Wiki    []string
			Pending []struct{ ID string }
		}
	}
	ingest := func(content string) (r run) {
		t.Helper()
		call("memory_ingest", map[string]any{"content": content, "connectionId": "shop"}, &r)
		id := r.RunID
		for r.Status != "done" && r.Status != "error" {
			call("memory_ingest_status", map[string]any{"runId": id}, &r)
		}
		return r
	}
	type standing struct {
		ID, Key, Kind, Trust string
		Flags                []string
	}
	found := func(query string) standing {
		t.Helper()
		var a struct{ Refs []standing }
		call("discover_data", map[string]any{"query": query, "kinds": []string{"wiki"}}, &a)
		if len(a.Refs) == 0 {
			t.Fatalf("%s: nothing was found", query)
		}
		return a.Refs[0]
	}

	first := ingest("Dormant customer means a customer without an order in the last 90 days. Source: finance, 2026-11-20")
	if len(first.Captured.Wiki) != 1 {
		t.Fatalf("%+v", first)
	}
	key := first.Captured.Wiki[0]
	if got := found("dormant customer"); got.ID != key || got.Trust != "agent" || len(got.Flags) > 0 {
		t.Errorf("when it was told: %+v", got)
	}

	var drafts struct{ Changes []struct{ ID, Target string } }
	unmarshal(t, []byte(loam(t, dir, "review", "list", "--state", "draft", "--json").stdout), &drafts)
	if len(drafts.Changes) == 0 {
		t.Fatal("nothing is to be reviewed")
	}
	for _, c := range drafts.Changes {
		if r := loam(t, dir, "review", "approve", c.ID); r.code != 0 {
			t.Fatalf("%+v", r)
		}
	}
	if got := found("dormant customer"); got.ID != key || got.Trust != "reviewed" {
		t.Errorf("when it was approved: %+v", got)
	}

	second := ingest("Dormant customer means a customer without an order in the last 30 days. Source: marketing, 2026-11-21")
	if len(second.Captured.Pending) == 0 {
		t.Fatalf("the contradiction does not wait: %+v", second)
	}
	if got := found("dormant customer"); strings.Join(got.Flags, " ") != "conflict" {
		t.Errorf("when it was contradicted: %+v", got)
	}
	type side struct{ Says, By, At, ChangeID string }
	var page struct {
		Trust, Body string
		Conflicts   []struct {
			side
			Contradicts side
		}
	}
	call("wiki_read", map[string]any{"key": key}, &page)
	if len(page.Conflicts) != 1 {
		t.Fatalf("%+v", page)
	}
	c := page.Conflicts[0]
	if !strings.Contains(c.Says, "30 days") || !strings.Contains(c.Contradicts.Says, "90 days") || c.At == "" || c.Contradicts.At == "" || c.ChangeID != second.Captured.Pending[0].ID {
		t.Errorf("the two sides: %+v", c)
	}
	if page.Trust != "reviewed" || strings.Contains(page.Body, "30 days") {
		t.Errorf("the page: %+v", page)
	}
	if r := loam(t, dir, "review", "show", c.ChangeID); r.code != 0 {
		t.Errorf("what the answer names cannot be shown: %+v", r)
	}
}
