package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// courier is a text that the sample project was told before.
const courier = "A courier means a person who brings parcels. Source: operations."

// everyTool is a call of each tool that works on the sample project; memory_ingest_status needs
// the run of a text.
var everyTool = map[string]map[string]any{
	"connection_list":   {},
	"discover_data":     {"query": "revenue by customer segment"},
	"entity_details":    {"connectionId": "shop", "entities": []any{map[string]any{"table": "orders"}, map[string]any{"table": "ordrs"}}},
	"dictionary_search": {"values": []string{"shipped", "nobody's value"}},
	"wiki_search":       {"query": "revenue"},
	"wiki_read":         {"key": "revenue"},
	"sl_read_source":    {"connectionId": "shop", "source": "orders"},
	"sl_query":          {"connectionId": "shop", "measures": []string{"orders.order_count"}, "dimensions": []string{"orders.status"}},
	"sql_execution":     {"connectionId": "shop", "sql": "SELECT status, count(*) FROM orders GROUP BY 1"},
	"memory_ingest":     {"content": courier},
}

// TestEveryToolEverywhere: each listed tool answers a client of another library
// over both transports and in both eras, with what its listed schema says; and
// the answers are the same.
func TestEveryToolEverywhere(t *testing.T) {
	t.Parallel()
	source, err := sample()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "demo")
	if err := os.CopyFS(dir, os.DirFS(source)); err != nil {
		t.Fatal(err)
	}
	_, url := startHTTP(t, dir)
	var run struct{ RunID string }
	unmarshal(t, []byte(loam(t, dir, "ingest", "text", "--json", courier).stdout), &run)
	calls := maps.Clone(everyTool)
	calls["memory_ingest_status"] = map[string]any{"runId": run.RunID}
	first := map[string]string{} // answers
	for _, era := range []string{"2025-11-25", "2026-07-28"} {
		stdio := exec.Command(filepath.Join(bin, "loam"), "mcp", "stdio", "--project-dir", dir)
		stdio.Stderr = os.Stderr
		lines := map[string]mcp.Transport{
			"stdio": &mcp.CommandTransport{Command: stdio},
			"http":  &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{}},
		}
		for name, line := range lines {
			t.Run(name+" "+era, func(t *testing.T) {
				s := ofEra(t, line, era)
				list, err := s.ListTools(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				if len(list.Tools) != len(calls) {
					t.Errorf("%d tools are listed, %d are called", len(list.Tools), len(calls))
				}
				for _, listed := range list.Tools {
					var answer map[string]any
					if failed := s.ask(t, listed.Name, calls[listed.Name], &answer); failed != nil {
						t.Errorf("%s: %+v", listed.Name, failed)
					}
					noEmpty(t, listed.Name, answer)
					delete(answer, "elapsedMs")
					text, err := json.Marshal(answer)
					if err != nil {
						t.Fatal(err)
					}
					if first[listed.Name] == "" {
						first[listed.Name] = string(text)
					}
					if listed.Name != "connection_list" && string(text) != first[listed.Name] { // it says what is running
						t.Errorf("%s answers %.500s, over another line %.500s", listed.Name, text, first[listed.Name])
					}
				}
			})
		}
	}
}

// ofEra connects a client that speaks one version of the protocol.
func ofEra(t *testing.T, line mcp.Transport, era string) *server {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, nil)
	session, err := c.Connect(t.Context(), line, &mcp.ClientSessionOptions{ProtocolVersion: era})
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	t.Cleanup(func() { _ = session.Close() })
	if got := session.InitializeResult().ProtocolVersion; got != era {
		t.Fatalf("the server speaks %s", got)
	}
	return &server{ClientSession: session}
}

// noEmpty checks that no member of an answer is null or empty: an agent would pay for a
// key that says nothing. The rows of an answer are data, and an empty list of them is one.
func noEmpty(t *testing.T, path string, value any) {
	t.Helper()
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			at := path + "." + name
			if name == "rows" {
				continue
			}
			empty := member == nil || member == ""
			switch m := member.(type) {
			case []any:
				empty = len(m) == 0
			case map[string]any:
				empty = len(m) == 0
			}
			if empty {
				t.Errorf("%s is %#v", at, member)
			}
			noEmpty(t, at, member)
		}
	case []any:
		for i, item := range value {
			noEmpty(t, fmt.Sprintf("%s[%d]", path, i), item)
		}
	}
}
