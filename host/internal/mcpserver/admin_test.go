package mcpserver

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	sdkmcp "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/health"
	"github.com/loam-data/loam/host/internal/mcpserver/transport"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/host/internal/semanticquery/validation"
	"github.com/loam-data/loam/host/internal/usage"
	"github.com/loam-data/loam/sdk"
)

// caretaker is the use cases of the toolset admin; asked is the last request.
type caretaker struct {
	mu    sync.Mutex
	asked any
}

func (c *caretaker) take() (asked any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	asked, c.asked = c.asked, nil
	return asked
}

func (c *caretaker) ask(what any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked = what
}

func (c *caretaker) Status(context.Context) (*health.Status, error) {
	c.ask("status")
	return &health.Status{Status: health.Degraded, Components: []health.Component{{Name: "index", Status: health.Degraded}}}, nil
}

func (c *caretaker) TestConnection(_ context.Context, id connection.ID, resume bool, report func(sdk.TestStep)) (*health.Tested, error) {
	if id == "nowhere" {
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no connection nowhere").WithHint("known: shop")
	}
	c.ask([]any{id, resume})
	steps := []sdk.TestStep{{Name: "tcp", Detail: "connected"}, {Name: "login", Err: sdk.Errorf(sdk.KindUnauthenticated, sdk.SourceWarehouse, "wrong password")}}
	for _, s := range steps {
		report(s)
	}
	return &health.Tested{Connection: id, Steps: health.NewSteps(steps)}, nil
}

func (c *caretaker) Report(_ context.Context, r usage.Request) (*usage.Report, error) {
	c.ask(r)
	if r.Period == "hourly" {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "period is hourly").WithHint("choose daily")
	}
	return &usage.Report{Period: "all", Tools: []usage.Tool{}, Periods: []usage.Period{}}, nil
}

func (c *caretaker) Listings(_ context.Context, r semanticquery.ListingsRequest) (*semanticquery.Listings, error) {
	c.ask(r)
	return &semanticquery.Listings{Connections: []*semanticquery.ListAnswer{}, Total: 3}, nil
}

func (c *caretaker) Validate(_ context.Context, r validation.Request) (*validation.Report, error) {
	if r.Progress != nil {
		r.Progress(0.5, "halfway")
	}
	r.Progress = nil
	c.ask(r)
	return &validation.Report{Connections: []validation.ConnectionReport{}, Strangers: []string{}, Errors: 2}, nil
}

func (c *caretaker) config() Config {
	config := newWorld().everything()
	config.Admin = Admin{Health: c, Usage: c, Sources: c}
	return config
}

// Every argument of the tools reaches the use case, in both spellings.
func TestAdminTools(t *testing.T) {
	t.Parallel()
	c := &caretaker{}
	client := connect(t, lines[0], c.config(), nil)
	for _, tt := range []struct {
		tool, args string
		want       any
		answer     string
	}{
		{"health", `{}`, nil, `,"version":"1.2.3"}`},
		{"status", `{}`, "status", `"components":[{"detail":"","name":"index","status":"degraded"}]`},
		{"echo", `{"message":"hi ä"}`, nil, `{"message":"hi ä","principal":"none","transport":"http"}`},
		{"analytics_get", `{"period":"daily","start":"7d","end":"2026-05-01"}`, usage.Request{Period: "daily", Start: "7d", End: "2026-05-01"}, `"tokenReduction":null`},
		{"analytics_get", `{}`, usage.Request{}, `"savedQueries":null`},
		{"connection_test", `{"connection_id":"shop"}`, []any{connection.ID("shop"), false}, `"error":{"kind":"unauthenticated","message":"wrong password","retryable":false,"source":"warehouse"}`},
		{
			"sl_list_sources", `{"connectionId":"shop","query":"rev","all":true,"limit":3,"cursor":"c"}`,
			semanticquery.ListingsRequest{Connection: "shop", Text: "rev", All: true, Limit: 3, Cursor: "c"}, `"nextCursor":null,"total":3`,
		},
		{"sl_validate", `{"connection_id":"shop","data":true}`, validation.Request{Connection: "shop", Data: true}, `"errors":2`},
		{"sl_validate", `{}`, validation.Request{}, `"strangers":[]`},
	} {
		result := checked(t, client, tt.tool, object(t, tt.args))
		if said := compact(t, result.StructuredContent); result.IsError || !strings.Contains(said, tt.answer) {
			t.Errorf("%s %s: %s", tt.tool, tt.args, said)
		}
		if diff := cmp.Diff(tt.want, c.take()); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", tt.tool, tt.args, diff)
		}
	}
}

func TestAdminToolsRefuse(t *testing.T) {
	t.Parallel()
	client := connect(t, lines[3], (&caretaker{}).config(), nil)
	for _, tt := range []struct{ tool, args, code, says string }{
		{"echo", `{}`, "invalid", "message"},
		{"echo", `{"message":"` + strings.Repeat("x", 1001) + `"}`, "invalid", "1000"},
		{"connection_test", `{}`, "invalid", "connectionId"},
		{"connection_test", `{"connectionId":"nowhere"}`, "not_found", "shop"},
		{"analytics_get", `{"period":"hourly"}`, "invalid", "daily"},
		{"analytics_get", `{"period":1}`, "invalid", "period"},
		{"sl_list_sources", `{"limit":0}`, "invalid", "limit"},
		{"sl_validate", `{"data":"yes"}`, "invalid", "data"},
	} {
		result := checked(t, client, tt.tool, object(t, tt.args))
		if said := compact(t, result.StructuredContent); !result.IsError || !strings.Contains(said, `"code":"`+tt.code+`"`) || !strings.Contains(said, tt.says) {
			t.Errorf("%s: %s", tt.tool, said)
		}
	}
}

// The steps of a test are progress, and their outcomes with them.
func TestConnectionTestReportsSteps(t *testing.T) {
	t.Parallel()
	steps := make(chan *sdkmcp.ProgressNotificationParams, 8)
	client := connect(t, lines[1], (&caretaker{}).config(), &sdkmcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdkmcp.ProgressNotificationClientRequest) { steps <- r.Params },
	})
	params := &sdkmcp.CallToolParams{Name: "connection_test", Arguments: map[string]any{"connectionId": "shop"}}
	params.SetProgressToken("p")
	if _, err := client.CallTool(t.Context(), params); err != nil {
		t.Fatal(err)
	}
	first, second := receive(t, steps), receive(t, steps)
	if first.Message != "tcp: ok" || second.Message != "login: failed" || second.Progress <= first.Progress || second.Progress >= second.Total {
		t.Errorf("%+v, %+v", first, second)
	}
}

// A token without the toolset admin neither lists nor calls its tools, even where the server has it.
func TestAdminNeedsItsToolset(t *testing.T) {
	t.Parallel()
	set, err := register((&caretaker{}).config())
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Select(Selection{Toolsets: []string{toolsetAdmin, toolsetResearch}}); err != nil {
		t.Fatal(err)
	}
	agent := caller.With(t.Context(), &caller.Caller{Grant: caller.Grant{Toolsets: []string{toolsetResearch}}})
	var names []string
	for _, tool := range set.Listed(agent, set.List()) {
		names = append(names, tool.Name)
	}
	for name, args := range map[string]string{
		"health": `{}`, "status": `{}`, "echo": `{"message":"a"}`, "analytics_get": `{}`, "connection_test": `{"connectionId":"shop"}`, "sl_list_sources": `{}`, "sl_validate": `{}`,
	} {
		call := transport.ReadParams(json.RawMessage(`{"name":"` + name + `","arguments":` + args + `}`))
		if _, refusal := set.Check(t.Context(), call); refusal != nil {
			t.Errorf("%s is refused to everybody: %+v", name, refusal)
		}
		if _, refusal := set.Check(agent, call); refusal == nil || !strings.Contains(refusal.Message, `toolset "admin"`) || slices.Contains(names, name) {
			t.Errorf("%s: %+v; listed: %v", name, refusal, names)
		}
	}
	docs, err := Docs(Selection{}, Selection{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range docs {
		if d.Toolset == toolsetAdmin && d.Off == "" {
			t.Errorf("%s is on without a configuration", d.Name)
		}
	}
}
