package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/e2e/testserver"
)

// tokenClient is a client with a token, which sends what the test writes.
type tokenClient struct {
	t                   *testing.T
	url, token, session string
}

// send makes a request and returns the status and what was answered.
func (c *tokenClient) send(ctx context.Context, method, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	if c.session != "" {
		req.Header.Set("Mcp-Session-Id", c.session)
	}
	return http.DefaultClient.Do(req)
}

func (c *tokenClient) ask(method, params string) (status int, text string) {
	c.t.Helper()
	resp, err := c.send(c.t.Context(), http.MethodPost, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params))
	if err != nil {
		c.t.Fatal(err)
	}
	answer, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		c.t.Fatal(err)
	}
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
		c.session = id
	}
	return resp.StatusCode, string(answer)
}

// tool calls a tool and returns its answer, be it an error.
func (c *tokenClient) tool(name, arguments string) string {
	c.t.Helper()
	status, text := c.ask("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, arguments))
	if status != http.StatusOK {
		c.t.Fatalf("%s: %d %s", name, status, text)
	}
	return text
}

// newTokenClient makes a token and a session with it.
func newTokenClient(t *testing.T, dir, url, name string, more ...string) *tokenClient {
	t.Helper()
	r := loam(t, dir, append([]string{"token", "add", name}, more...)...)
	if r.code != 0 || !strings.HasPrefix(r.stdout, "loam_") {
		t.Fatalf("token add: exit %d: %s%s", r.code, r.stdout, r.stderr)
	}
	h := &tokenClient{t: t, url: url, token: strings.TrimSpace(r.stdout)}
	if status, text := h.ask("initialize", initializeParams); status != http.StatusOK {
		t.Fatalf("initialize: %d %s", status, text)
	}
	return h
}

// TestNamedTokens: the first token closes the server, a name is in the history and
// in the log, and revoking a token ends what runs with it, without a restart.
func TestNamedTokens(t *testing.T) {
	t.Parallel()
	heavy(t, "tokens that expire, are revoked or narrowed")
	dir := demoProject(t)
	s := startDaemon(t, dir)
	open := &tokenClient{t: t, url: s.URL}
	if status, _ := open.ask("initialize", initializeParams); status != http.StatusOK {
		t.Fatalf("an open server: %d", status)
	}
	ada, bob := newTokenClient(t, dir, s.URL, "ada"), newTokenClient(t, dir, s.URL, "bob")
	eventually(t, settle, "the first token closes the server", func() bool {
		status, _ := (&tokenClient{t: t, url: s.URL}).ask("initialize", initializeParams)
		return status == http.StatusUnauthorized
	})
	if st := serverStatus(t, dir); !st.Token {
		eventually(t, settle, "status says so", func() bool { return serverStatus(t, dir).Token })
	}
	if status, text := (&tokenClient{t: t, url: s.URL, token: ada.token, session: bob.session}).ask("tools/list", `{}`); status != http.StatusNotFound {
		t.Errorf("in the session of another: %d %s", status, text)
	}
	if text := ada.tool("sql_execution", `{"connectionId":"shop","sql":"SELECT 41 + 1"}`); !strings.Contains(text, "42") {
		t.Fatal(text)
	}
	eventually(t, settle, "the history knows who called", func() bool {
		r := loam(t, dir, "history", "--json", "--principal", "ada")
		var h struct {
			Calls []struct{ Principal, Tool string } `json:"calls"`
		}
		unmarshal(t, []byte(r.stdout), &h)
		return len(h.Calls) == 1 && h.Calls[0].Principal == "ada"
	})
	if log := logged(dir); !strings.Contains(log, "principal=ada") || strings.Contains(log, ada.token) {
		t.Errorf("the log: %s", log)
	}

	ended := make(chan string, 2)
	for _, what := range []struct{ method, body string }{
		{http.MethodGet, ""},
		{http.MethodPost, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"sql_execution","arguments":{"connectionId":"shop","sql":"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"}}}`},
	} {
		go func() {
			resp, err := ada.send(t.Context(), what.method, what.body)
			if err != nil {
				ended <- what.method + " " + err.Error()
				return
			}
			text, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			ended <- fmt.Sprintf("%s %d %s %v", what.method, resp.StatusCode, text, err)
		}()
	}
	eventually(t, 2*settle, "a statement of ada's runs", func() bool {
		for _, c := range serverStatus(t, dir).Connections {
			if c.Calls == 1 {
				return true
			}
		}
		return false
	})
	wantOutput(t, dir, 0, "revoked: ada", "token", "revoke", "ada")
	if status, text := ada.ask("tools/list", `{}`); status != http.StatusUnauthorized {
		t.Errorf("the next request: %d %s", status, text)
	}
	for range 2 { // the test's time is the bound: neither ends by itself within a minute
		if how := <-ended; strings.HasPrefix(how, "POST") && (!strings.Contains(how, "revoked") || !strings.Contains(how, "unauthenticated")) {
			t.Errorf("what ran: %s", how)
		}
	}
	if text := bob.tool("sql_execution", `{"connectionId":"shop","sql":"SELECT 1"}`); strings.Contains(text, "isError\":true") {
		t.Errorf("another one's: %s", text)
	}
	wantOutput(t, dir, 0, "revoked: bob", "token", "revoke", "bob")
	if status, _ := (&tokenClient{t: t, url: s.URL}).ask("initialize", initializeParams); status != http.StatusUnauthorized {
		t.Errorf("the last token is revoked, and everybody is let in: %d", status)
	}
}

// TestTokenIsNamedInTheWarehouse: its own list of what runs says who asked.
func TestTokenIsNamedInTheWarehouse(t *testing.T) {
	heavy(t, "tokens that expire, are revoked or narrowed")
	t.Parallel()
	dir := warehouse(t, testserver.Postgres(t).Database(t, "SELECT"), testserver.PostgresReader)
	ada := newTokenClient(t, dir, startDaemon(t, dir).URL, "ada")
	text := ada.tool("sql_execution", `{"connectionId":"warehouse","sql":"SELECT application_name FROM pg_stat_activity WHERE pid = pg_backend_pid()"}`)
	if !strings.Contains(text, "loam principal=ada") {
		t.Error(text)
	}
}

// TestExpiry: a token ends by itself.
func TestExpiry(t *testing.T) {
	heavy(t, "tokens that expire, are revoked or narrowed")
	t.Parallel()
	dir := demoProject(t)
	s := startDaemon(t, dir)
	soon := newTokenClient(t, dir, s.URL, "soon", "--expires", "15s")
	stream, err := soon.send(t.Context(), http.MethodGet, "")
	if err != nil || stream.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", stream, err)
	}
	for lines := bufio.NewScanner(stream.Body); lines.Scan(); { // until it ends
	}
	_ = stream.Body.Close()
	eventually(t, settle, "it is told that it has expired", func() bool {
		status, text := soon.ask("tools/list", `{}`)
		return status == http.StatusUnauthorized && strings.Contains(text, "the token soon has expired")
	})
	wantOutput(t, dir, 0, "expired", "token", "list")
}

// TestTokensOnAnAddressForOthers: named tokens are as good there as the one token,
// and it goes on to work beside them.
func TestTokensOnAnAddressForOthers(t *testing.T) {
	heavy(t, "tokens that expire, are revoked or narrowed")
	t.Parallel()
	dir := demoProject(t)
	wantOutput(t, dir, 2, "loam token add", "mcp", "start", "--port", "0", "--host", "0.0.0.0")
	wantOutput(t, dir, 0, "ada", "token", "add", "ada")
	s := startDaemon(t, dir, "--host", "0.0.0.0")
	if status, _ := (&tokenClient{t: t, url: s.URL}).ask("initialize", initializeParams); status != http.StatusUnauthorized {
		t.Errorf("without a token: %d", status)
	}
	newTokenClient(t, dir, s.URL, "bob")
	wantOutput(t, dir, 0, "has ended", "mcp", "stop")
	wantOutput(t, dir, 0, "revoked", "token", "revoke", "ada", "bob")
	wantOutput(t, dir, 2, "loam token add", "mcp", "start", "--port", "0", "--host", "0.0.0.0") // of none, nobody could connect
	r := loamWith(t, dir, []string{"LOAM_MCP_TOKEN=s3cret"}, "mcp", "start", "--port", "0", "--json")
	var again started
	unmarshal(t, []byte(r.stdout), &again)
	newTokenClient(t, dir, again.URL, "carol")
	if status, _ := (&tokenClient{t: t, url: again.URL, token: "s3cret"}).ask("initialize", initializeParams); status != http.StatusOK {
		t.Errorf("the server's own token: %d", status)
	}
}

// TestNarrowedToken: what a token is not for does not exist for it, in no tool and
// no answer, be it an error.
func TestNarrowedToken(t *testing.T) {
	heavy(t, "tokens that expire, are revoked or narrowed")
	t.Parallel()
	dir := demoProject(t)
	for name, text := range map[string]string{
		"wiki/global/zanzibar.md":             "---\ntitle: Zanzibar tickets\nconnections: [crm]\n---\nZanzibar is what support calls a crm ticket.\n",
		"wiki/global/both.md":                 "---\ntitle: Both\nconnections: [shop, crm]\n---\nBoth know quokkas.\n",
		"wiki/global/broken.md":               "---\ntitle: [crm\n---\n",
		"semantic-layer/crm/ticket.yaml":      "name: ticket\nmeasures:\n  - name: zanzibar_count\n    expr: count(*)\n",
		"semantic-layer/crm/broken.yaml":      "name: [\n",
		"semantic-layer/shop/categories.yaml": "name: categories\nmeasures:\n  - name: wombats\n    expr: count(*)\n",
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	wantOutput(t, dir, 0, "snapshot", "scan", "shop", "crm")
	s := startDaemon(t, dir, "--rate", "0")
	narrow, wide := newTokenClient(t, dir, s.URL, "narrow", "--connections", "shop"), newTokenClient(t, dir, s.URL, "wide")
	for _, tt := range []struct{ tool, arguments, wide, narrow string }{
		{"connection_list", `{}`, "Support and subscriptions", `"shop"`},
		{"sql_execution", `{"connectionId":"crm","sql":"SELECT 1"}`, `"rows"`, "not_found"},
		{"sql_execution", `{"connectionId":"cmr","sql":"SELECT 1"}`, "crm", "not_found"},
		{"sql_execution", `{"connectionId":"shop","sql":"SELECT 4711"}`, "4711", "4711"},
		{"discover_data", `{"query":"ticket"}`, "ticket", "refs"},
		{"discover_data", `{"query":"zanzibar"}`, "anzibar", "Nothing was found"},
		{"discover_data", `{"query":"ticket","connectionId":"crm"}`, "ticket", "not_found"},
		{"discover_data", `{"query":"wombats"}`, "wombats", "wombats"},
		{"discover_data", `{"query":"quokkas","kinds":["wiki"]}`, "both", "both"},
		{"entity_details", `{"connectionId":"crm","entities":[{"table":"ticket"}]}`, "columns", "not_found"},
		{"entity_details", `{"connectionId":"shop","entities":[{"table":"ticket"}]}`, "errors", "errors"},
		{"dictionary_search", `{"values":["open"]}`, "crm", "searched"},
		{"dictionary_search", `{"values":["open"],"connectionId":"crm"}`, "crm", "not_found"},
		{"wiki_search", `{"query":"zanzibar"}`, "zanzibar", `"total":0`},
		{"wiki_search", `{"query":"quokkas"}`, `"total":1`, `"total":1`},
		{"wiki_read", `{"key":"zanzibar"}`, "what support calls", "not_found"},
		{"wiki_read", `{"key":"zanzibr"}`, "zanzibar", "not_found"},
		{"wiki_read", `{"key":"broken"}`, "broken", "not_found"},
		{"wiki_read", `{"key":"both"}`, "quokkas", "quokkas"},
		{"sl_read_source", `{"connectionId":"crm","source":"ticket"}`, "zanzibar_count", "not_found"},
		{"sl_read_source", `{"connectionId":"shop","source":"ticket"}`, "not_found", "not_found"},
		{"sl_query", `{"measures":["categories.wombats"]}`, `"rows"`, `"rows"`},
		{"sl_query", `{"connectionId":"crm","measures":["ticket.zanzibar_count"]}`, `"rows"`, "not_found"},
		{"sl_query", `{"measures":["ticket.zanzibar_count"]}`, `"rows"`, "unknown_member"},
	} {
		t.Run(tt.tool+" "+tt.arguments, func(t *testing.T) {
			if text := wide.tool(tt.tool, tt.arguments); !strings.Contains(text, tt.wide) {
				t.Errorf("with every connection: want %q in %s", tt.wide, text)
			}
			text := narrow.tool(tt.tool, tt.arguments)
			if !strings.Contains(text, tt.narrow) {
				t.Errorf("with one of them: want %q in %s", tt.narrow, text)
			}
			rest := strings.ToLower(text)
			for _, own := range []string{`\"crm\"`, "crm", "zanzibr", "zanzibar", "ticket", "cmr"} { // what the question says may be said again
				if strings.Contains(strings.ToLower(tt.arguments), own) {
					rest = strings.ReplaceAll(rest, own, "")
				}
			}
			for _, leak := range []string{"crm", "zanzibar", "subscription", "support", "broken.md"} {
				if strings.Contains(rest, leak) {
					t.Errorf("%q is told: %s", leak, text)
				}
			}
		})
	}
}

// TestTokenOfAToolset: a token sees the tools of its toolsets alone, and can call
// no other.
func TestTokenOfAToolset(t *testing.T) {
	heavy(t, "tokens that expire, are revoked or narrowed")
	t.Parallel()
	dir := demoProject(t)
	s := startDaemon(t, dir, "--toolsets", "research,conformance")
	all, some := newTokenClient(t, dir, s.URL, "all"), newTokenClient(t, dir, s.URL, "some", "--toolsets", "research")
	list := func(h *tokenClient) map[string]bool {
		_, text := h.ask("tools/list", `{}`)
		var a struct {
			Result struct{ Tools []struct{ Name string } }
		}
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		names := map[string]bool{}
		for _, tool := range a.Result.Tools {
			names[tool.Name] = true
		}
		return names
	}
	every, open := list(all), list(some)
	if len(open) == 0 || len(every) <= len(open) {
		t.Fatalf("%d of %d tools are listed", len(open), len(every))
	}
	for name := range every {
		status, text := some.ask("tools/call", fmt.Sprintf(`{"name":%q,"arguments":{}}`, name))
		if refused := strings.Contains(text, "-32602"); refused == open[name] || status != http.StatusOK {
			t.Errorf("%s is listed: %v, refused: %v: %d %s", name, open[name], refused, status, text)
		}
	}
	wantOutput(t, dir, 5, "research", "token", "add", "typo", "--toolsets", "reserach")
}

// Two that add tokens at once, one of which is killed, leave a file that is whole.
func TestTokensSurviveKill(t *testing.T) {
	heavy(t, "tokens that expire, are revoked or narrowed")
	t.Parallel()
	dir := demoProject(t)
	for i := range 8 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(10+5*i)*time.Millisecond)
		cmd := exec.CommandContext(ctx, filepath.Join(bin, "loam"), "token", "add", fmt.Sprint("killed", i))
		cmd.Dir = dir
		_ = cmd.Run() // killed by the end of ctx, or not
		cancel()
	}
	wantOutput(t, dir, 0, "after", "token", "add", "after")
	wantOutput(t, dir, 0, "after", "token", "list")
}
