package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/mcpserver/transport"
)

// reads are the methods beside tools/call that answer with what the server has, each
// with its parameters and what the history keeps of them.
var reads = []struct{ method, params, kept string }{
	{"prompts/get", `{"name":"riding"}`, `{"name":"riding"}`},
	{"resources/read", `{"uri":"` + skillURI + `"}`, `{"uri":"` + skillURI + `"}`},
	{"skills/list", `{}`, `{}`},
	{"skills/get", `{"uri":"` + skillURI + `"}`, `{"uri":"` + skillURI + `"}`},
}

// asking sends requests of one method in one session and returns what each was answered.
func asking(t *testing.T, url string, modern bool) func(method, params string) (result, refusal string) {
	t.Helper()
	session := openSession(t, url)
	return func(method, params string) (string, string) {
		header := session
		if modern {
			header = []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", method}
			var named struct{ Name, URI string }
			if err := json.Unmarshal([]byte(params), &named); err != nil {
				t.Fatal(err)
			}
			switch method {
			case "prompts/get":
				header = append(header, "Mcp-Name", named.Name)
			case "resources/read":
				header = append(header, "Mcp-Name", named.URI)
			}
			params = strings.Replace(`{"_meta":{`+modernMeta+`},`+params[1:], ",}", "}", 1)
		}
		resp, err := post(t.Context(), url, `{"jsonrpc":"2.0","id":7,"method":"`+method+`","params":`+params+`}`, header...)
		body := readAll(t, resp, err)
		var answer struct {
			ID            int
			Result, Error json.RawMessage
		}
		if err := json.Unmarshal([]byte(body), &answer); err != nil || answer.ID != 7 {
			t.Fatalf("%s: %v: %d %s", method, err, resp.StatusCode, body)
		}
		if strings.Contains(string(answer.Error), `"code":-326`) && modern != (resp.StatusCode != http.StatusOK) {
			t.Errorf("%s: status %d: %s", method, resp.StatusCode, body)
		}
		return string(answer.Result), string(answer.Error)
	}
}

// recorded returns a configuration, and what it has recorded so far.
func recorded() (Config, func() []tool.Record) {
	var mu sync.Mutex
	var all []tool.Record
	c := newWorld().config()
	c.Audit = func(_ context.Context, r tool.Record) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, r)
	}
	return c, func() []tool.Record {
		mu.Lock()
		defer mu.Unlock()
		defer func() { all = nil }()
		return all
	}
}

// Every method that answers with what the server has is held to a rate, and each of its
// requests is in the history, those that were refused as well.
func TestAdmissionOfAllMethods(t *testing.T) {
	t.Parallel()
	for _, modern := range []bool{false, true} {
		t.Run(fmt.Sprintf("modern %v", modern), func(t *testing.T) {
			t.Parallel()
			c, records := recorded()
			c.Limits = transport.Limits{Rate: 1, Burst: 3}
			ask := asking(t, startHTTP(t, c), modern)
			for _, tt := range reads {
				answered, refused, began := 0, "", time.Now()
				for range 40 {
					result, refusal := ask(tt.method, tt.params)
					if refusal == "" && result != "" {
						answered++
						continue
					}
					refused = refusal
				}
				if answered < 3 || answered > 4+int(time.Since(began).Seconds()) { // three at once, then one a second
					t.Errorf("%s: %d of 40 were answered", tt.method, answered)
				}
				if !strings.Contains(refused, `"code":-32000`) || !strings.Contains(refused, `"code":"rate_limited"`) || !strings.Contains(refused, `"retryAfterMs":`) ||
					!strings.Contains(refused, tt.method+" is called more than 1 times in a second") {
					t.Errorf("%s: refusal %s", tt.method, refused)
				}
				outcomes := map[string]int{}
				for _, r := range records() {
					outcomes[r.Tool+" "+r.Outcome]++
					if string(r.Arguments) != tt.kept || r.Call == nil || r.Caller.Transport == "" || r.Bytes == 0 {
						t.Fatalf("%s: record %+v with %s", tt.method, r, r.Arguments)
					}
				}
				if outcomes[tt.method+" ok"] != answered || outcomes[tt.method+" rate_limited"] != 40-answered || len(outcomes) != 2 {
					t.Errorf("%s: the history has %v", tt.method, outcomes)
				}
			}
		})
	}
}

// A request for what is not there is recorded as what it was answered.
func TestRequestsForNothingAreRecorded(t *testing.T) {
	t.Parallel()
	for _, modern := range []bool{false, true} {
		c, records := recorded()
		ask := asking(t, startHTTP(t, c), modern)
		for _, tt := range []struct{ method, params, outcome string }{
			{"prompts/get", `{"name":"swimming"}`, "invalid"},
			{"resources/read", `{"uri":"skill://swimming/SKILL.md"}`, "invalid"},
			{"skills/get", `{"uri":"skill://swimming/SKILL.md"}`, "invalid"},
			{"prompts/get", `{"name":"riding","arguments":7}`, "invalid"},
			{"completion/complete", `{"ref":{"type":"ref/resource","uri":"loam://table/{connection}/{name}"},"argument":{"name":"name","value":""},"context":{"arguments":{"connection":"nowhere"}}}`, "not_found"},
		} {
			result, refusal := ask(tt.method, tt.params)
			got := records()
			if refusal == "" || result != "" || len(got) != 1 || got[0].Tool != tt.method || got[0].Outcome != tt.outcome {
				t.Errorf("modern %v: %s %s: %s%s, recorded as %+v", modern, tt.method, tt.params, result, refusal, got)
			}
		}
	}
}

// No answer of any method has a secret in it, nor has what is recorded of the request.
func TestRedactionOfAllMethods(t *testing.T) {
	t.Parallel()
	c, records := recorded()
	c.Redact = func(text string) string {
		return strings.NewReplacer("Sit up", "[secret]", "swimming", "[hidden]").Replace(text)
	}
	url := startHTTP(t, c)
	ask := asking(t, url, false)
	for _, tt := range reads[:2] {
		if result, refusal := ask(tt.method, tt.params); !strings.Contains(result, "[secret]") || strings.Contains(result, "Sit up") {
			t.Errorf("%s: %s%s", tt.method, result, refusal)
		}
	}
	records()
	_, refusal := ask("prompts/get", `{"name":"swimming"}`)
	if got := records(); strings.Contains(refusal, "swimming") || len(got) != 1 || strings.Contains(string(got[0].Arguments), "swimming") {
		t.Errorf("%s, recorded as %+v", refusal, got)
	}
}

// The same holds for a client on a pipe, whose rate is unlimited unless configured.
func TestAdmissionOverStdio(t *testing.T) {
	t.Parallel()
	c, records := recorded()
	c.Limits = transport.Limits{Rate: 1, Burst: 2}
	in, out := startStdio(t, c)
	lines := json.NewDecoder(out)
	for _, tt := range reads {
		var last string
		for i := range 10 {
			if _, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", i, tt.method, tt.params); err != nil {
				t.Fatal(err)
			}
			var line json.RawMessage
			if err := lines.Decode(&line); err != nil {
				t.Fatal(err)
			}
			last = string(line)
		}
		if !strings.Contains(last, `"code":"rate_limited"`) || !strings.Contains(last, `"id":9`) {
			t.Errorf("%s: %s", tt.method, last)
		}
		if got := records(); len(got) != 10 || got[0].Outcome != "ok" || got[9].Outcome != "rate_limited" || got[9].Caller.Transport != "stdio" {
			t.Errorf("%s: the history has %+v", tt.method, got)
		}
	}
}
