package console

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// agent is a client of the MCP server.
type agent struct {
	*person
	session string
}

// agent connects a client with a name.
func (s *site) agent(t testing.TB, name string) *agent {
	t.Helper()
	a := &agent{person: s.stranger(t)}
	client, _ := json.Marshal(name)
	if status, text := a.call("initialize", fmt.Sprintf(`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":%s,"version":"1"}}`, client)); status != http.StatusOK {
		t.Fatalf("initialize: %d %s", status, text)
	}
	return a
}

// call sends a request of the protocol.
func (a *agent) call(method, params string) (int, string) {
	a.t.Helper()
	r := a.send(http.MethodPost, "/mcp", nil, func(r *http.Request) {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if a.session != "" {
			r.Header.Set("Mcp-Session-Id", a.session)
		}
		r.Body, r.ContentLength = body(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params))
	})
	if id := r.header.Get("Mcp-Session-Id"); id != "" {
		a.session = id
	}
	return r.status, r.body
}

// tool calls a tool and returns its answer, be it an error.
func (a *agent) tool(name string, arguments map[string]any) string {
	a.t.Helper()
	params, err := json.Marshal(map[string]any{"name": name, "arguments": arguments})
	if err != nil {
		a.t.Fatal(err)
	}
	status, text := a.call("tools/call", string(params))
	if status != http.StatusOK {
		a.t.Fatalf("%s: %d %.500s", name, status, text)
	}
	return text
}

// teach tells the memory a text, and waits until it was read.
func (a *agent) teach(text, connection string) {
	a.t.Helper()
	arguments := map[string]any{"content": text}
	if connection != "" {
		arguments["connectionId"] = connection
	}
	answer := a.tool("memory_ingest", arguments)
	_, rest, ok := strings.Cut(strings.ReplaceAll(answer, `\"`, `"`), `"runId":"`)
	run, _, _ := strings.Cut(strings.TrimPrefix(rest, " "), `"`)
	if !ok || run == "" {
		a.t.Fatalf("memory_ingest: %.800s", answer)
	}
	eventually(a.t, "the text was read", func() bool {
		return strings.Contains(strings.ReplaceAll(a.tool("memory_ingest_status", map[string]any{"runId": run}), `\"`, `"`), `"done":true`)
	})
}
