package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The command line and the tools give the same answers, and following the cursor lists every table once.
func TestContextByToolAndCommand(t *testing.T) {
	t.Parallel()
	source, err := sample()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "demo")
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "loam.yaml")
	yaml, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, string(yaml)+"\nmcp: {toolsets: [context, legacy]}\n")
	s := stdioServer(t, dir)
	type args = map[string]any
	for _, tt := range []struct {
		command, tool string
		args          args
	}{
		{"context --depth domain", "get_context", args{"depth": "domain"}},
		{"context -c shop", "get_context", args{"connectionId": "shop"}},
		{"context -c shop", "get_ontology", args{"connectionId": "shop", "depth": "entities"}},
		{"context -c crm --depth columns --tables ticket", "get_schema", args{"connectionId": "crm", "tables": []string{"ticket"}}},
		{
			"context -c shop --depth columns --query refund --budget 900 --tables orders,refunds --no-relationships", "get_context",
			args{"connection_id": "shop", "depth": "columns", "query": "refund", "budget_tokens": 900, "tables": []string{"orders", "refunds"}, "include_relationships": false},
		},
		{"search --tables agent code", "search_schema", args{"query": "agent code"}},
		{"search --tables --limit 2 -c shop customer", "search_schema", args{"query": "customer", "limit": 2, "connectionId": "shop"}},
	} {
		var byTool, byCommand map[string]any
		if f := s.ask(t, tt.tool, tt.args, &byTool); f != nil {
			t.Fatalf("%s: %+v", tt.command, f)
		}
		r := loam(t, dir, append(strings.Fields(tt.command), "--json")...)
		if r.code != 0 {
			t.Fatalf("%s: %s", tt.command, r.stderr)
		}
		unmarshal(t, []byte(r.stdout), &byCommand)
		if diff := cmp.Diff(byTool, byCommand); diff != "" || len(byTool) == 0 {
			t.Errorf("%s (-tool +command):\n%s", tt.command, diff)
		}
	}

	listed := map[string]int{}
	in := args{"connectionId": "shop", "depth": "columns", "budgetTokens": 600}
	for pages := 0; in != nil && pages < 100; pages++ {
		var page struct {
			Columns    []struct{ Table string }
			Tokens     struct{ Estimated int }
			NextCursor *string
		}
		if f := s.ask(t, "get_context", in, &page); f != nil || page.Tokens.Estimated > 600 {
			t.Fatalf("%+v, %+v", f, page)
		}
		for _, c := range page.Columns {
			listed[c.Table]++
		}
		if in["cursor"] = page.NextCursor; page.NextCursor == nil {
			in = nil
		}
	}
	for table, times := range listed {
		if times != 1 {
			t.Errorf("%s is listed %d times", table, times)
		}
	}
	if len(listed) != 12 {
		t.Errorf("%d tables", len(listed))
	}
	if f := s.ask(t, "get_context", args{"depth": "tables"}, nil); f == nil || !strings.Contains(f.Hint, "crm, shop") {
		t.Errorf("without a connection: %+v", f)
	}
}
