package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type object = map[string]any

func condition(column, op string, values ...any) []any {
	return []any{object{"column": column, "op": op, "values": values}}
}

// statementCalls are calls of the tools that look at statements, and the command lines that answer the same.
var statementCalls = []struct {
	tool    string
	args    object
	command []string
}{
	{"validate", object{"connectionId": "shop", "sql": "SELECT id, 1 AS id FROM orders WHERE id = ? -- )", "parameters": []any{7}},
		[]string{"sql", "-c", "shop", "--check", "--parameters", "[7]", "SELECT id, 1 AS id FROM orders WHERE id = ? -- )"}},
	{"validate", object{"connectionId": "shop", "sql": "SELECT 1; DELETE FROM orders"}, []string{"sql", "-c", "shop", "--check", "SELECT 1; DELETE FROM orders"}},
	{"validate", object{"connectionId": "shop", "sql": "SELECT total FROM orders"}, []string{"sql", "-c", "shop", "--check", "SELECT total FROM orders"}},
	{"explain_query", object{"connectionId": "shop", "sql": "SELECT * FROM orders WHERE id = ?", "parameters": []any{7}},
		[]string{"sql", "-c", "shop", "--explain", "--parameters", "[7]", "SELECT * FROM orders WHERE id = ?"}},
	{"sample", object{"connectionId": "shop", "table": "customers", "limit": 2}, []string{"catalog", "sample", "-c", "shop", "customers", "--limit", "2"}},
	{"sample", object{"connectionId": "shop", "table": "orders", "columns": []any{"status", "id"}, "where": condition("status", "in", "paid", "shipped")},
		[]string{"catalog", "sample", "-c", "shop", "orders", "--columns", "status,id", "--where", `{"column":"status","op":"in","values":["paid","shipped"]}`}},
	{"get_query_history", object{"connectionId": "shop", "tables": []any{"orders"}, "since": "1h", "outcome": "ok", "limit": 5},
		[]string{"queries", "history", "-c", "shop", "--table", "orders", "--since", "1h", "--outcome", "ok", "--limit", "5"}},
}

// scannedDemo returns a copy of the sample project with a scan, and without any history.
func scannedDemo(t *testing.T) string {
	t.Helper()
	dir := demoProject(t)
	if r := loam(t, dir, "scan", "shop"); r.code != 0 {
		t.Fatalf("scan: exit %d: %s", r.code, r.stderr)
	}
	return dir
}

// toolsServer starts `loam mcp stdio` with toolsets.
func toolsServer(t testing.TB, dir, toolsets string) *server {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, "loam"), "mcp", "stdio", "--rate", "0", "--toolsets", toolsets, "--project-dir", dir)
	cmd.Stderr = os.Stderr
	s := client(t, &mcp.CommandTransport{Command: cmd, TerminateDuration: 10 * time.Second})
	s.cmd = cmd
	return s
}

// recorded runs two statements and waits for the history of calls, which is written asynchronously.
func (s *server) recorded(t *testing.T) {
	t.Helper()
	for _, text := range []string{"SELECT id FROM orders WHERE id = 3", "SELECT id FROM orders WHERE id = 4", "SELECT x FROM regions"} {
		s.sql(t.Context(), t, "shop", text, nil)
	}
	eventually(t, settle, "the calls are in the history", func() bool {
		var past struct{ Total int }
		if failed := s.ask(t, "get_query_history", object{}, &past); failed != nil {
			t.Fatalf("%+v", failed)
		}
		return past.Total == 2
	})
}

// TestStatementToolsEverywhere: the tools that look at statements answer a client of another library over both
// transports and in both eras, with what their listed schemas say, and the command line prints the same JSON.
func TestStatementToolsEverywhere(t *testing.T) {
	t.Parallel()
	dir := scannedDemo(t)
	_, url := startHTTP(t, dir, "--toolsets", "research,queries")
	toolsServer(t, dir, "research,queries").recorded(t)
	var printed []string
	for _, c := range statementCalls {
		r := loam(t, dir, append([]string{"--json"}, c.command...)...)
		var document map[string]any
		unmarshal(t, []byte(r.stdout), &document)
		printed = append(printed, timeless(t, document))
	}
	for _, era := range []string{"2025-11-25", "2026-07-28"} {
		stdio := exec.Command(filepath.Join(bin, "loam"), "mcp", "stdio", "--toolsets", "research,queries", "--project-dir", dir)
		stdio.Stderr = os.Stderr
		for name, line := range map[string]mcp.Transport{
			"stdio": &mcp.CommandTransport{Command: stdio},
			"http":  &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{}},
		} {
			t.Run(name+" "+era, func(t *testing.T) {
				s := ofEra(t, line, era)
				for i, c := range statementCalls {
					var answer map[string]any
					if failed := s.ask(t, c.tool, c.args, &answer); failed != nil {
						t.Errorf("%s: %+v", c.tool, failed)
						continue
					}
					if name == "http" && c.tool == "get_query_history" { // another line's calls are not its own
						continue
					}
					if diff := cmp.Diff(printed[i], timeless(t, answer)); diff != "" {
						t.Errorf("%s differs from loam %s (-cli +mcp):\n%s", c.tool, strings.Join(c.command, " "), diff)
					}
				}
			})
		}
	}
}

// timeless returns an answer as JSON without its time, and without the words for whose calls it lists.
func timeless(t *testing.T, answer map[string]any) string {
	t.Helper()
	delete(answer, "elapsedMs")
	delete(answer, "own")
	text, err := json.MarshalIndent(answer, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestEveryInputOfStatementTools: each argument changes the answer, in camel case and in snake case.
func TestEveryInputOfStatementTools(t *testing.T) {
	t.Parallel()
	dir := scannedDemo(t)
	s := toolsServer(t, dir, "research,queries")
	s.recorded(t)
	statement := object{"connectionId": "shop", "sql": "SELECT id FROM orders WHERE id = ?", "parameters": []any{7}}
	rows := object{"connectionId": "shop", "table": "orders", "columns": []any{"id"}, "where": condition("id", "gt", 5), "limit": 3}
	for _, tt := range []struct {
		tool, input string
		args        object
		value       any // another one; nil = it is left out
	}{
		{"validate", "connectionId", statement, "crm"},
		{"validate", "sql", statement, "SELECT id, status FROM orders WHERE id = ?"},
		{"validate", "parameters", statement, []any{7, 8}},
		{"explain_query", "connectionId", statement, "crm"},
		{"explain_query", "sql", statement, "SELECT id FROM orders WHERE status = ?"},
		{"explain_query", "parameters", statement, []any{7, 8}},
		{"sample", "connectionId", rows, "crm"},
		{"sample", "table", rows, "order_items"},
		{"sample", "columns", rows, nil},
		{"sample", "where", rows, nil},
		{"sample", "where", rows, condition("customer_id", "gt", 700)},
		{"sample", "where", rows, condition("id", "lt", 5)},
		{"sample", "where", rows, condition("id", "gt", 6)},
		{"sample", "limit", rows, 2},
		{"get_query_history", "since", object{}, "2100-01-01T00:00:00Z"},
		{"get_query_history", "tables", object{}, []any{"regions"}},
		{"get_query_history", "connectionId", object{}, "crm"},
		{"get_query_history", "outcome", object{}, "error"},
		{"get_query_history", "limit", object{}, 1},
	} {
		ask := func(args object) string {
			result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tt.tool, Arguments: args})
			if err != nil {
				t.Fatalf("%s: %v", tt.tool, err)
			}
			return timeless(t, result.StructuredContent.(map[string]any))
		}
		other := object{}
		for name, value := range tt.args {
			if name != tt.input {
				other[name] = value
			}
		}
		if tt.value != nil {
			other[tt.input] = tt.value
		}
		before, after := ask(tt.args), ask(other)
		if before == after {
			t.Errorf("%s: %s = %v changes nothing: %s", tt.tool, tt.input, tt.value, after)
		}
		if value, ok := other["connectionId"]; ok {
			delete(other, "connectionId")
			other["connection_id"] = value
			if snake := ask(other); snake != after {
				t.Errorf("%s: in snake case %s, else %s", tt.tool, snake, after)
			}
		}
	}
}

// TestErrorsOfStatementTools provokes the errors that the tools document, and tests that each says what to do.
func TestErrorsOfStatementTools(t *testing.T) {
	t.Parallel()
	dir := scannedDemo(t)
	s := toolsServer(t, dir, "research,queries")
	statement := func(connection, sql string, parameters ...any) object {
		args := object{"connectionId": connection, "sql": sql}
		if parameters != nil {
			args["parameters"] = parameters
		}
		return args
	}
	rows := func(table string, more ...any) object {
		args := object{"connectionId": "shop", "table": table}
		for i := 0; i < len(more); i += 2 {
			args[more[i].(string)] = more[i+1]
		}
		return args
	}
	for _, tt := range []struct {
		tool       string
		args       object
		code, says string
	}{
		{"validate", statement("nowhere", "SELECT 1"), "not_found", "shop"},
		{"validate", statement("shop", "SELECT ?", []any{1}), "invalid", "parameters[0] is a list"},
		{"explain_query", statement("nowhere", "SELECT 1"), "not_found", "shop"},
		{"explain_query", statement("shop", "SELECT 1; DELETE FROM orders"), "not_read_only", "one statement"},
		{"explain_query", statement("shop", "SELECT 'a"), "syntax", "no end"},
		{"explain_query", statement("shop", "SELECT * FROM ordrs"), "not_found", "orders"},
		{"explain_query", statement("shop", "SELECT ?", 1, 2), "invalid", "takes 1 values"},
		{"sample", object{"connectionId": "crm", "table": "tickets"}, "not_found", "loam scan"},
		{"sample", rows("ordes"), "not_found", "main.orders"},
		{"sample", rows("orders", "columns", []any{"statu"}), "not_found", "status"},
		{"sample", rows("orders", "where", condition("statu", "is_null")), "not_found", "status"},
		{"sample", rows("customers", "columns", []any{"name", "email"}), "denied", "other columns"},
		{"sample", rows("customers", "where", condition("email", "starts_with", "a")), "denied", "another column"},
		{"sample", rows("orders", "where", condition("id", "like", 1)), "invalid", "between, contains"},
		{"sample", rows("orders", "where", condition("id", "between", 1)), "invalid", "[1, 9]"},
		{"sample", rows("orders", "where", condition("id", "equals", "a")), "invalid", "without quotes"},
		{"sample", rows("orders", "limit", 101), "invalid", "at most 100"},
		{"get_query_history", object{"connectionId": "nowhere"}, "not_found", "shop"},
		{"get_query_history", object{"since": "8d"}, "invalid", "7d or less"},
		{"get_query_history", object{"since": "last week"}, "invalid", "90m"},
		{"get_query_history", object{"outcome": "good"}, "invalid", "timeout"},
		{"get_query_history", object{"limit": 101}, "invalid", "at most 100"},
	} {
		var answer map[string]any
		failed := s.ask(t, tt.tool, tt.args, &answer)
		if failed == nil || failed.Code != tt.code || failed.Hint == "" && !strings.Contains(failed.Message, "did you mean") || !strings.Contains(failed.Message+failed.Hint+string(failed.Details), tt.says) {
			t.Errorf("%s %v: %+v, answered %v", tt.tool, tt.args, failed, answer)
		}
	}
	for says, history := range map[string]string{"history: off": "off", "history.arguments": "{arguments: none}"} {
		without := demoProject(t)
		appendTo(t, filepath.Join(without, "loam.yaml"), "history: "+history+"\n")
		var answer map[string]any
		failed := toolsServer(t, without, "queries").ask(t, "get_query_history", object{}, &answer)
		if failed == nil || failed.Code != "unsupported" || !strings.Contains(failed.Hint, says) {
			t.Errorf("history: %s: %+v, answered %v", history, failed, answer)
		}
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, slices.Concat(before, []byte(text)), 0o644); err != nil {
		t.Fatal(err)
	}
}
