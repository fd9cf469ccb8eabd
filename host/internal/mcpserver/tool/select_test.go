package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/mcpserver/transport"
	"github.com/loam-data/loam/sdk"
)

// newChoice is a set with tools of three toolsets, one of them hidden:
//
//	social    greet (reads)
//	gestures  wave (reads), push (writes)
//	backstage sign (reads)
func newChoice(t testing.TB) *Set {
	t.Helper()
	s := New(Config{Hidden: []string{"backstage"}})
	wave, push := greet(hello), greet(hello)
	wave.Name, wave.Toolset = "wave", "gestures"
	push.Name, push.Toolset, push.Hints.ReadOnly = "push", "gestures", No
	yes := true
	sign := Native{
		Tool:    mcp.Tool{Name: "sign", Description: "Signs.", Annotations: mcp.ToolAnnotation{ReadOnlyHint: &yes}},
		Toolset: "backstage", Deadline: 1, Handle: answers("signed"),
	}
	for _, err := range []error{Register(s, greet(hello)), Register(s, wave), Register(s, push), RegisterNative(s, sign)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// subsets returns every choice among names.
func subsets(names ...string) [][]string {
	all := [][]string{nil}
	for _, name := range names {
		for _, s := range slices.Clone(all) {
			all = append(all, append(slices.Clone(s), name))
		}
	}
	return all
}

// What is listed can be called, and nothing else, for every selection there is.
func TestListedIsCallable(t *testing.T) {
	t.Parallel()
	s := newChoice(t)
	selections := 0
	for _, toolsets := range subsets("social", "gestures", "backstage") {
		for _, tools := range subsets("greet", "push", "sign") {
			for _, excluded := range subsets("greet", "wave", "push") {
				for _, readOnly := range []bool{false, true} {
					chosen := Selection{Toolsets: toolsets, Tools: tools, ExcludeTools: excluded, ReadOnly: readOnly}
					selections++
					want := meant(chosen)
					if err := s.Select(chosen); (err != nil) != (len(want) == 0) {
						t.Fatalf("%+v: %v, want the tools %v", chosen, err, want)
					}
					compareSelection(t, s, chosen, want)
				}
			}
		}
	}
	if selections != 8*8*8*2 {
		t.Errorf("%d selections", selections)
	}
}

// meant says what a selection means, tool by tool.
func meant(c Selection) (on []string) {
	for _, tool := range []struct{ name, toolset string }{{"greet", "social"}, {"push", "gestures"}, {"sign", "backstage"}, {"wave", "gestures"}} {
		wanted := slices.Contains(c.Toolsets, tool.toolset) || slices.Contains(c.Tools, tool.name)
		if wanted && !slices.Contains(c.ExcludeTools, tool.name) && (tool.name != "push" || !c.ReadOnly) {
			on = append(on, tool.name)
		}
	}
	return on
}

func compareSelection(t *testing.T, s *Set, chosen Selection, want []string) {
	t.Helper()
	library := server.NewMCPServer("x", "1")
	s.Install(library)
	var listed, installed, callable []string
	for _, tool := range s.List() {
		listed = append(listed, tool.Name)
	}
	for name := range library.ListTools() {
		installed = append(installed, name)
	}
	for name := range s.tools {
		if s.check(t.Context(), json.RawMessage(`{"name":"`+name+`"}`)) == nil {
			callable = append(callable, name)
		}
	}
	slices.Sort(installed)
	slices.Sort(callable)
	for what, got := range map[string][]string{"listed": listed, "installed": installed, "callable": callable} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%+v: %s (-want +got):\n%s", chosen, what, diff)
		}
	}
}

// What is listed to a caller is what they can call, whatever their token is for;
// a tool of another registry stays in the list.
func TestListedToACaller(t *testing.T) {
	t.Parallel()
	s := newChoice(t)
	if err := s.Select(Selection{Toolsets: []string{"social", "gestures"}}); err != nil {
		t.Fatal(err)
	}
	offered := append(s.List(), mcp.Tool{Name: "elsewhere"})
	for _, tt := range []struct {
		toolsets, want []string
	}{
		{nil, []string{"greet", "push", "wave"}},
		{[]string{"social"}, []string{"greet"}},
		{[]string{"gestures"}, []string{"push", "wave"}},
		{[]string{"backstage"}, nil},
	} {
		ctx := caller.With(t.Context(), &caller.Caller{Grant: caller.Grant{Toolsets: tt.toolsets}})
		var listed, callable []string
		for _, tool := range s.Listed(ctx, offered) {
			listed = append(listed, tool.Name)
		}
		for name := range s.tools {
			if s.check(ctx, json.RawMessage(`{"name":"`+name+`"}`)) == nil {
				callable = append(callable, name)
			}
		}
		slices.Sort(callable)
		if diff := cmp.Diff(append(slices.Clone(tt.want), "elsewhere"), listed); diff != "" {
			t.Errorf("%v: listed (-want +got):\n%s", tt.toolsets, diff)
		}
		if diff := cmp.Diff(tt.want, callable); diff != "" {
			t.Errorf("%v: callable (-want +got):\n%s", tt.toolsets, diff)
		}
	}
}

// A tool that is switched off says what would switch it on, unless nobody is to
// know that it is there.
func TestSwitchedOff(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		chosen Selection
		tool   string
		want   []string
	}{
		{"another toolset", Selection{Toolsets: []string{"social"}}, "wave", []string{`toolset "gestures"`, "--toolsets social,gestures"}},
		{"not among the tools", Selection{Tools: []string{"wave"}}, "greet", []string{`toolset "social"`, "--toolsets social"}},
		{"excluded", Selection{Toolsets: []string{"social", "gestures"}, ExcludeTools: []string{"wave"}}, "wave", []string{"--exclude-tools", "mcp.exclude_tools"}},
		{"excluded, though named", Selection{Tools: []string{"greet", "wave"}, ExcludeTools: []string{"wave"}}, "wave", []string{"--exclude-tools"}},
		{"writes", Selection{Toolsets: []string{"gestures"}, ReadOnly: true}, "push", []string{"--read-only", "mcp.read_only"}},
		{"writes, though named", Selection{Tools: []string{"push", "greet"}, ReadOnly: true}, "push", []string{"--read-only"}},
		{"writes, and is excluded", Selection{Toolsets: []string{"gestures"}, ExcludeTools: []string{"push"}, ReadOnly: true}, "push", []string{"--read-only"}},
		{"hidden", Selection{Toolsets: []string{"social"}}, "sign", []string{`there is no tool "sign"`, "there are: greet"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newChoice(t)
			if err := s.Select(tt.chosen); err != nil {
				t.Fatal(err)
			}
			refusal := s.check(t.Context(), json.RawMessage(fmt.Sprintf(`{"name":%q,"arguments":{}}`, tt.tool)))
			if refusal == nil || refusal.Code != mcp.INVALID_PARAMS {
				t.Fatalf("refusal: %+v", refusal)
			}
			for _, part := range tt.want {
				if !strings.Contains(refusal.Message, part) {
					t.Errorf("message %q lacks %q", refusal.Message, part)
				}
			}
		})
	}
}

func TestSelectRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		chosen  Selection
		msg     string
		hint    string
		nearest []string
	}{
		{"unknown toolset", Selection{Toolsets: []string{"something"}}, `no toolset "something"`, "choose for --toolsets, or mcp.toolsets in loam.yaml, from: gestures, social", nil},
		{"misspelt toolset", Selection{Toolsets: []string{"social", "gesture"}}, `no toolset "gesture"`, "choose for --toolsets, or mcp.toolsets in loam.yaml, from: gestures, social", []string{"gestures"}},
		{"no name", Selection{Toolsets: []string{""}}, `no toolset ""`, "gestures, social", nil},
		{"a tool as toolset", Selection{Toolsets: []string{"wave"}}, `no toolset "wave"`, "gestures, social", nil},
		{"misspelt tool", Selection{Tools: []string{"wvae"}}, `no tool "wvae"`, "choose for --tools, or mcp.tools in loam.yaml, from: greet, push, wave", []string{"wave"}},
		{"misspelt exclusion", Selection{Toolsets: []string{"social"}, ExcludeTools: []string{"grete"}}, `no tool "grete"`, "greet, push, wave", []string{"greet"}},
		{"nothing chosen", Selection{}, "no tool is left", "--toolsets", nil},
		{"everything excluded", Selection{Toolsets: []string{"social"}, ExcludeTools: []string{"greet"}}, "no tool is left", "exclude fewer", nil},
		{"only what writes", Selection{Tools: []string{"push"}, ReadOnly: true}, "no tool is left", "--toolsets", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := sdk.AsError(newChoice(t).Select(tt.chosen), sdk.SourceHost)
			if e == nil || e.Kind != sdk.KindInvalid || !strings.Contains(e.Msg, tt.msg) || !strings.Contains(e.Hint, tt.hint) {
				t.Fatalf("error: %+v", e)
			}
			if diff := cmp.Diff(tt.nearest, e.Candidates); diff != "" {
				t.Errorf("candidates (-want +got):\n%s", diff)
			}
			if strings.Contains(e.Error()+e.Hint, "backstage") || strings.Contains(e.Hint, "sign") {
				t.Errorf("it tells of what is hidden: %v", e)
			}
		})
	}
}

// check asks whether a call may be made.
func (s *Set) check(ctx context.Context, params json.RawMessage) *transport.Error {
	_, refusal := s.Check(ctx, transport.ReadParams(params))
	return refusal
}
