package mcpserver

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// listBytes bounds the whole list: every agent pays for it in each session.
const listBytes = 12_288

// toolsetBytes bounds the lists of the other toolsets. docs/adr/0023 says why admin has more than the others.
var toolsetBytes = map[string]int{toolsetContext: 6_500, toolsetQueries: 9_000, toolsetWorkspace: 13_000, toolsetSources: 3_000, toolsetAdmin: 16_500, toolsetLegacy: 2_500}

// allBytes bounds the list of all toolsets but legacy. Source: spec of toolsets, section 1.
const allBytes = 60_000

// toolBytes bounds one tool; toolsRoom are those that need more. docs/adr/0023 says why admin has more than the others.
const toolBytes = 1_400

var toolsRoom = map[string]int{"sl_query": 3_000, "entity_details": 1_900}

// One file per tool, as tools/list shows it; a change to any byte is reviewed.
func TestToolsAreAsReviewed(t *testing.T) {
	t.Parallel()
	listed := map[string]bool{}
	if bytes := listTools(t, newWorld().config(), listed); bytes > listBytes {
		t.Errorf("tools/list has %d bytes, the limit is %d", bytes, listBytes)
	}
	listTools(t, newWorld().everything(), listed)
	all := newWorld().config()
	all.Configured.Toolsets = []string{allToolsets}
	if bytes := listTools(t, all, listed); bytes > allBytes {
		t.Errorf("tools/list of all toolsets has %d bytes, the limit is %d", bytes, allBytes)
	}
	for toolset, most := range toolsetBytes {
		c := newWorld().config()
		c.Configured.Toolsets = []string{toolset}
		if bytes := listTools(t, c, listed); bytes > most {
			t.Errorf("tools/list of %s has %d bytes, the limit is %d", toolset, bytes, most)
		}
	}
	files, err := filepath.Glob(filepath.Join("testdata", "tools", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !listed[filepath.Base(f)] {
			t.Errorf("%s belongs to no tool", f)
		}
	}
}

// listTools compares the tools of a server with their golden files, and returns the length
// of the list.
func listTools(t *testing.T, c Config, listed map[string]bool) int {
	t.Helper()
	url := startHTTP(t, c)
	resp, err := post(t.Context(), url, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, openSession(t, url)...)
	body := readAll(t, resp, err)
	t.Logf("tools/list: %d bytes", len(body))
	var list struct {
		Result struct{ Tools []json.RawMessage }
	}
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		t.Fatal(err)
	}
	for _, raw := range list.Result.Tools {
		var tool struct{ Name string }
		var text bytes.Buffer
		if err := json.Unmarshal(raw, &tool); err != nil {
			t.Fatal(err)
		}
		if err := json.Indent(&text, raw, "", "  "); err != nil {
			t.Fatal(err)
		}
		if most := cmp.Or(toolsRoom[tool.Name], toolBytes); len(raw) > most {
			t.Errorf("%s has %d bytes in tools/list, the limit is %d", tool.Name, len(raw), most)
		}
		listed[tool.Name+".json"] = true
		checkGolden(t, filepath.Join("testdata", "tools", tool.Name+".json"), text.String()+"\n")
	}
	return len(body)
}

func checkGolden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: run go test -update and review the file", err)
	}
	if diff := gocmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func TestDocs(t *testing.T) {
	t.Parallel()
	docs, err := Docs(Selection{}, Selection{})
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, d := range docs {
		names = append(names, d.Name)
		if d.Default != (d.Toolset == toolsetResearch) || d.Title == "" || d.Description == "" || !json.Valid(d.Input) || !json.Valid(d.Output) {
			t.Errorf("%s is not described: %+v", d.Name, d)
		}
	}
	if diff := gocmp.Diff([]string{
		"connection_list", "dictionary_search", "discover_data", "entity_details", "memory_ingest", "memory_ingest_status",
		"sl_query", "sl_read_source", "sql_execution", "wiki_read", "wiki_search",
		"analytics_get", "change_approve", "change_get", "change_list", "change_reject", "connection_test", "echo", "health",
		"ingest_replay", "ingest_report", "ingest_status", "ingest_trigger", "scan_list_artifacts", "scan_read_artifact", "scan_report", "scan_status", "scan_trigger",
		"sl_list_sources", "sl_validate", "sl_write_source", "status", "wiki_write",
		"enhance_entity", "enhance_relationship", "get_context", "search_schema", "suggest_knowledge",
		"get_glossary", "get_ontology", "get_schema", "query",
		"execute_approved_query", "explain_query", "get_query_history", "list_approved_queries", "recommend_query", "sample", "validate",
		"index_repository", "ingest_source_files",
		"checkpoint_list", "checkpoint_save", "checkpoint_search", "list_patterns", "remediation_save", "remediation_search",
		"skill_apply", "skill_create", "skill_delete", "skill_list", "skill_search", "skill_update", "troubleshoot",
	}, names); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}
