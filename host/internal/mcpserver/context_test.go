package mcpserver

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdkmcp "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/loam-data/loam/host/internal/assemble"
	"github.com/loam-data/loam/host/internal/connection"
)

// assembler answers with one term and keeps what it was asked.
type assembler struct {
	mu    sync.Mutex
	asked any
}

func (a *assembler) ask(what any) *assemble.ContextAnswer {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = what
	return &assemble.ContextAnswer{
		Depth: assemble.Domain, OntologyStatus: "none", Glossary: []assemble.Term{{Term: "ARR", Definition: "a < b", Trust: "agent"}},
		Tokens: assemble.Spent{Budget: 500, Estimated: 40},
	}
}

func (a *assembler) Context(_ context.Context, r assemble.ContextRequest) (*assemble.ContextAnswer, error) {
	return a.ask(r), nil
}

func (a *assembler) Glossary(_ context.Context, id connection.ID) (*assemble.ContextAnswer, error) {
	return a.ask(id), nil
}

func (a *assembler) Schema(_ context.Context, r assemble.SchemaRequest) (*assemble.SchemaAnswer, error) {
	a.ask(r)
	return &assemble.SchemaAnswer{Results: []assemble.FoundTable{}}, nil
}

// Every argument reaches the use case, in both spellings; the tools of legacy are fixed calls of others.
func TestContextTools(t *testing.T) {
	t.Parallel()
	type args = map[string]any
	yes := true
	for _, l := range []line{lines[1], lines[2], lines[3]} {
		a := &assembler{}
		w := newWorld()
		c := w.everything()
		c.Assemble = a
		client := connect(t, l, c, nil)
		for _, tt := range []struct {
			tool string
			args args
			want any
		}{
			{"get_context", nil, assemble.ContextRequest{}},
			{
				"get_context", args{"depth": "columns", "connectionId": "lake", "tables": []string{"a.b"}, "query": "x", "includeRelationships": false, "budgetTokens": 900, "cursor": "1"},
				assemble.ContextRequest{Depth: assemble.Columns, Connection: "lake", Tables: []string{"a.b"}, Query: "x", WithoutRelationships: true, Budget: 900, Cursor: "1"},
			},
			{
				"get_context", args{"connection_id": "lake", "include_relationships": yes, "budget_tokens": 900},
				assemble.ContextRequest{Connection: "lake", Budget: 900},
			},
			{"search_schema", args{"query": "x", "connection_id": "lake", "limit": 3, "cursor": "2"}, assemble.SchemaRequest{Query: "x", Connection: "lake", Limit: 3, Cursor: "2"}},
			{"get_schema", args{"connectionId": "lake"}, assemble.ContextRequest{Depth: assemble.Tables, Connection: "lake"}},
			{"get_schema", args{"tables": []string{"a"}, "cursor": "3"}, assemble.ContextRequest{Depth: assemble.Columns, Tables: []string{"a"}, Cursor: "3"}},
			{"get_ontology", args{"depth": "entities", "connectionId": "lake", "cursor": "4"}, assemble.ContextRequest{Depth: assemble.Entities, Connection: "lake", Cursor: "4"}},
			{"get_glossary", args{"connectionId": "lake"}, connection.ID("lake")},
		} {
			a.asked = nil
			if result := checked(t, client, tt.tool, tt.args); result.IsError {
				t.Errorf("%s %v: %s", tt.tool, tt.args, textOf(t, result))
			}
			if diff := cmp.Diff(tt.want, a.asked); diff != "" {
				t.Errorf("%s %v (-want +got):\n%s", tt.tool, tt.args, diff)
			}
		}
		want := `{"depth":"domain","hasOntology":false,"ontologyStatus":"none","glossary":[{"term":"ARR","definition":"a < b","trust":"agent"}],"tokens":{"budget":500,"estimated":40},"nextCursor":null}`
		if got := textOf(t, checked(t, client, "get_context", nil)); got != want {
			t.Errorf("text: %s", got)
		}
		result := checked(t, client, "query", args{"connectionId": "warehouse", "sql": "rows 2", "maxRows": 1})
		if result.IsError || w.last.SQL != "rows 2" || w.last.MaxRows != 1 || w.last.Connection != "warehouse" {
			t.Errorf("query: %+v, %s", w.last, textOf(t, result))
		}
	}
}

// The toolset legacy is on only where it is named, and each of its tools names the tool to use.
func TestLegacyIsNoPartOfAll(t *testing.T) {
	t.Parallel()
	toolsets := func(given []string) (names []string) {
		docs, err := Docs(Selection{Toolsets: given}, Selection{})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range docs {
			if d.Off == "" && !slices.Contains(names, d.Toolset) {
				names = append(names, d.Toolset)
			}
			if d.Toolset == toolsetLegacy && !strings.HasPrefix(d.Description, "Use ") {
				t.Errorf("%s: %s", d.Name, d.Description)
			}
		}
		return names
	}
	all, err := Toolsets()
	if err != nil {
		t.Fatal(err)
	}
	without := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return name == toolsetLegacy })
	got := toolsets([]string{"all"})
	slices.Sort(got)
	if diff := cmp.Diff(without, got); diff != "" {
		t.Errorf("all (-want +got):\n%s", diff)
	}
	got = toolsets([]string{"all", "legacy"})
	slices.Sort(got)
	if diff := cmp.Diff(all, got); diff != "" {
		t.Errorf("all and legacy (-want +got):\n%s", diff)
	}
	c := newWorld().config()
	c.Selection.Toolsets = []string{"all"}
	s, err := New(c)
	if err != nil || slices.Contains(s.Toolsets(), toolsetLegacy) || !slices.Contains(s.Toolsets(), toolsetContext) {
		t.Errorf("a server of all: %v, %v", s, err)
	}
}

// A name of other servers is refused with the tool to call, which exists.
func TestInstead(t *testing.T) {
	t.Parallel()
	client := connect(t, lines[0], newWorld().config(), nil)
	list, err := client.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, call := range instead {
		_, err := client.CallTool(t.Context(), &sdkmcp.CallToolParams{Name: name})
		tool, _, _ := strings.Cut(call, ",")
		var wire *jsonrpc.Error
		if !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInvalidParams || !strings.Contains(wire.Message, "; call "+call) {
			t.Errorf("%s: %v", name, err)
		}
		if !slices.ContainsFunc(list.Tools, func(one *sdkmcp.Tool) bool { return one.Name == tool }) {
			t.Errorf("%s: there is no tool %s", name, tool)
		}
	}
}
