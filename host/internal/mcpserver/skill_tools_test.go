package mcpserver

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/skill"
	"github.com/loam-data/loam/host/internal/skillset"
	"github.com/loam-data/loam/sdk"
)

// skillWorld keeps what the tools for skills ask.
type skillWorld struct{ *world }

func (w skillWorld) List(_ context.Context, r skillset.ListRequest) (*skillset.Listing, error) {
	if r.Cursor == "old" {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the cursor is old").WithHint("leave cursor out to begin anew")
	}
	return keep(w.world, any(r), &skillset.Listing{Found: skillset.Found{Skills: []skillset.Listed{{Name: "close", Tags: []string{}, Trust: skill.TrustAgent}}, Total: 1}})
}

func (w skillWorld) Search(_ context.Context, r skillset.SearchRequest) (*skillset.Found, error) {
	return keep(w.world, any(r), &skillset.Found{Skills: []skillset.Listed{}, Total: 0})
}

func (w skillWorld) Apply(_ context.Context, r skillset.ApplyRequest) (*skillset.Applied, error) {
	if r.Name == "missing" {
		return nil, sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no skill missing").WithHint("call skill_list for the names")
	}
	id := "01KDVR0C000000000000000000"
	return keep(w.world, any(r), &skillset.Applied{Name: r.Name, UseID: &id})
}

func (w skillWorld) written(c memory.Call, what any) (*memory.SkillWritten, error) {
	out, err := w.suggested(c, what)
	if err != nil {
		return nil, err
	}
	return &memory.SkillWritten{Name: "close", Version: "1.0.0", Suggested: *out}, nil
}

func (w skillWorld) CreateSkill(_ context.Context, c memory.Call, s skill.Skill) (*memory.SkillWritten, error) {
	return w.written(c, s)
}

func (w skillWorld) UpdateSkill(_ context.Context, c memory.Call, e memory.SkillEdit) (*memory.SkillWritten, error) {
	return w.written(c, e)
}

func (w skillWorld) DeleteSkill(_ context.Context, c memory.Call, name, base string) (*memory.SkillWritten, error) {
	return w.written(c, [2]string{name, base})
}

func (w skillWorld) config() Config {
	c := w.world.config()
	c.Skills, c.SkillWriting = w, w
	c.Configured.Toolsets = []string{toolsetWorkspace}
	return c
}

// Every argument reaches the use case, in both spellings, and who calls comes from the transport.
func TestSkillTools(t *testing.T) {
	t.Parallel()
	call := memory.Call{Actor: tester, ClientID: "a1"}
	text, yes := func(s string) *string { return &s }, true
	const fields = `"description":"d","content":"c","version":"1.0.0","author":"a","category":"k","prerequisites":["p"],"expectedOutcome":"o","tags":["t"],"metadata":{"m":"n"}`
	made := skill.Skill{
		Name: "close", Description: "d", Body: "c", Version: "1.0.0", Author: "a", Category: "k", Prerequisites: []string{"p"}, ExpectedOutcome: "o",
		Tags: []string{"t"}, Metadata: map[string]string{"m": "n"},
	}
	edited := memory.SkillEdit{
		Name: "close", Base: "0.9.0", Description: text("d"), Content: text("c"), Version: text("1.0.0"), Author: text("a"), Category: text("k"),
		Prerequisites: []string{"p"}, ExpectedOutcome: text("o"), Tags: []string{"t"}, Metadata: map[string]string{"m": "n"},
	}
	for _, tt := range []struct {
		name, tool, args string
		want             any
	}{
		{"a skill", "skill_create", `{"name":"close",` + fields + `,"clientId":"a1"}`, written{call, made}},
		{"in snake case", "skill_create", `{"name":"close",` + strings.Replace(fields, "expectedOutcome", "expected_outcome", 1) + `,"client_id":"a1"}`, written{call, made}},
		{"an edit", "skill_update", `{"name":"close","base_version":"0.9.0",` + fields + `,"clientId":"a1"}`, written{call, edited}},
		{"an empty list", "skill_update", `{"name":"close","baseVersion":"1","tags":[],"clientId":"a1"}`, written{call, memory.SkillEdit{Name: "close", Base: "1", Tags: []string{}}}},
		{"a removal", "skill_delete", `{"name":"close","baseVersion":"1.0.0","clientId":"a1"}`, written{call, [2]string{"close", "1.0.0"}}},
		{"a search", "skill_search", `{"query":"q","topK":7,"category":"k","tags":["t"]}`, skillset.SearchRequest{Query: "q", TopK: 7, Category: "k", Tags: []string{"t"}}},
		{"a search with defaults", "skill_search", `{"query":"q","top_k":1}`, skillset.SearchRequest{Query: "q", TopK: 1}},
		{
			"a list", "skill_list", `{"category":"k","tags":["t"],"sort_by":"usageCount","limit":7,"cursor":"c"}`,
			skillset.ListRequest{Category: "k", Tags: []string{"t"}, SortBy: "usageCount", Limit: 7, Cursor: "c"},
		},
		{"a use", "skill_apply", `{"name":"close","version":"1.0.0","clientId":"a1"}`, skillset.ApplyRequest{Name: "close", Version: "1.0.0", Actor: tester, ClientID: "a1"}},
		{"a report", "skill_apply", `{"name":"close","success":true}`, skillset.ApplyRequest{Name: "close", Success: &yes, Actor: tester}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := skillWorld{newWorld()}
			c := connect(t, line{"stdio", "2025-11-25"}, w.config(), nil)
			if result := checked(t, c, tt.tool, object(t, tt.args)); result.IsError {
				t.Fatalf("answered: %s", textOf(t, result))
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			if diff := cmp.Diff(tt.want, w.looked, cmpopts.IgnoreFields(change.Actor{}, "Session")); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSkillToolsRefuse(t *testing.T) {
	t.Parallel()
	c := connect(t, line{"stdio", "2025-11-25"}, skillWorld{newWorld()}.config(), nil)
	for _, tt := range []struct{ tool, args, code, says string }{
		{"skill_create", `{"name":"a","description":"b","content":"c"}`, "invalid", "version"},
		{"skill_create", `{"name":"a","description":"b","content":"c","version":"1.0.0","reviewed":true}`, "invalid", "reviewed"},
		{"skill_create", `{"name":"a","description":"b","content":"c","version":"1.0.0","metadata":{"a":1}}`, "invalid", "metadata"},
		{"skill_create", `{"name":"a","description":"b","content":"c","version":"1.0.0","clientId":"taken"}`, "conflict", "clientId"},
		{"skill_update", `{"name":"a"}`, "invalid", "baseVersion"},
		{"skill_delete", `{"name":"a"}`, "invalid", "baseVersion"},
		{"skill_search", `{}`, "invalid", "query"},
		{"skill_search", `{"query":"a","topK":101}`, "invalid", "100"},
		{"skill_list", `{"sortBy":"name"}`, "invalid", "usageCount"},
		{"skill_list", `{"limit":101}`, "invalid", "100"},
		{"skill_list", `{"cursor":"old"}`, "invalid", "cursor"},
		{"skill_apply", `{"name":"missing"}`, "not_found", "skill_list"},
		{"skill_apply", `{"name":"a","success":"yes"}`, "invalid", "success"},
	} {
		result := callTool(t, c, tt.tool, object(t, tt.args))
		if said := compact(t, result.StructuredContent); !result.IsError || !strings.Contains(said, `"code":"`+tt.code+`"`) || !strings.Contains(said, tt.says) {
			t.Errorf("%s %s: %s", tt.tool, tt.args, said)
		}
	}
}

// The tools for skills leave room for the others of their toolset.
func TestSkillToolsAreShort(t *testing.T) {
	t.Parallel()
	docs, err := Docs(Selection{}, Selection{})
	if err != nil {
		t.Fatal(err)
	}
	bytes := 0
	for _, d := range docs {
		if strings.HasPrefix(d.Name, "skill_") {
			bytes += d.Bytes
		}
	}
	if bytes > 5_800 {
		t.Errorf("%d bytes of tools/list, the limit is 5,800", bytes)
	}
}
