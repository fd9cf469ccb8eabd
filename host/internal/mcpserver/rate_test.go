package mcpserver

import (
	"strings"
	"testing"
	"time"

	sdkmcp "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loam-data/loam/host/internal/mcpserver/transport"
)

// A client that calls too often is told so in-band, and when to come again; its
// other tools are not touched.
func TestCallsAreHeldToARate(t *testing.T) {
	t.Parallel()
	for _, l := range lines {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			config := newWorld().config()
			config.Limits = transport.Limits{Rate: 1, Burst: 1} // the next call is a second away
			c := connect(t, l, config, nil)
			var refused *sdkmcp.CallToolResult
			for range 100 {
				if r := callTool(t, c, "connection_list", nil); r.IsError {
					refused = r
					break
				}
			}
			if refused == nil {
				t.Fatal("100 calls were answered")
			}
			content, _ := refused.StructuredContent.(map[string]any)
			details, _ := content["details"].(map[string]any)
			wait, _ := details["retryAfterMs"].(float64)
			if content["code"] != "rate_limited" || content["category"] != "caller" || content["retryable"] != true || wait < 1 || wait > 1000 {
				t.Errorf("refusal: %v", content)
			}
			if text := textOf(t, refused); !strings.Contains(text, "connection_list is called more than 1 times in a second") || !strings.Contains(text, "\nHint: wait ") {
				t.Errorf("text: %s", text)
			}
			if r := callTool(t, c, "sql_execution", sqlArgs("rows 1")); r.IsError {
				t.Errorf("another tool: %s", textOf(t, r))
			}
		})
	}
}

// Each session has its own rate; clients without one are told apart by name.
func TestRatesOfClientsAreApart(t *testing.T) {
	t.Parallel()
	config := newWorld().config()
	config.Limits = transport.Limits{Rate: 1, Burst: 1}
	url := startHTTP(t, config)
	call := func(meta string, header ...string) bool {
		resp, err := post(t.Context(), url, rawCall(1, "connection_list", `{}`, meta), header...)
		return strings.Contains(readAll(t, resp, err), "rate_limited")
	}
	modern := func(name string) string {
		return modernMeta + `,"io.modelcontextprotocol/clientInfo":{"name":"` + name + `","version":"1"}`
	}
	for range 3 {
		if call("", openSession(t, url)...) {
			t.Error("a new session was refused")
		}
	}
	for _, name := range []string{"one", "two"} {
		if call(modern(name), modernHeader("connection_list")...) {
			t.Errorf("the first call of client %s was refused", name)
		}
	}
	for range 100 {
		if call(modern("one"), modernHeader("connection_list")...) {
			return
		}
	}
	t.Error("the same client over new connections was never refused")
}

// By default a client may begin 20 calls of a tool that reads at once, 10 of one that writes and 5 of a costly one.
func TestToolsThatWriteHaveALowerRate(t *testing.T) {
	t.Parallel()
	c := newWorld().config()
	c.Limits, c.Workspace, c.SkillWriting = transport.Limits{}, &noted{}, skillWorld{newWorld()}
	c.Configured.Toolsets = []string{toolsetResearch, toolsetWorkspace}
	client := connect(t, lines[0], c, nil)
	for _, tt := range []struct {
		tool      string
		arguments map[string]any
		burst     int
		perSecond float64
	}{
		{"connection_list", nil, 20, 10},
		{"checkpoint_save", map[string]any{"summary": "s"}, 10, 2},
		{"troubleshoot", map[string]any{"errorMessage": "e"}, 5, 2},
		{"skill_create", map[string]any{"name": "a", "description": "d", "content": "c", "version": "1.0.0"}, 5, 2},
	} {
		answered, began := 0, time.Now()
		for range 30 {
			r := callTool(t, client, tt.tool, tt.arguments)
			if !r.IsError {
				answered++
				continue
			}
			if content, _ := r.StructuredContent.(map[string]any); content["code"] != "rate_limited" {
				t.Fatalf("%s: %v", tt.tool, content)
			}
		}
		if most := tt.burst + int(tt.perSecond*time.Since(began).Seconds()) + 1; answered < tt.burst || answered > most {
			t.Errorf("%s: %d of 30 calls were answered, want %d to %d", tt.tool, answered, tt.burst, most)
		}
	}
}
