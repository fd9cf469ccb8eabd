package mcpserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/mcpserver/transport"
)

// What is listed to a caller is what they can call, for every choice of toolsets, read-only tools, an excluded tool and
// a token; a tool that is off because of its toolset names it.
func TestListedToolsAreCallable(t *testing.T) {
	t.Parallel()
	toolsets, err := Toolsets()
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, on := range combinations(toolsets) {
		for _, excluded := range [][]string{nil, {"validate"}, {"sql_execution"}} {
			for _, readOnly := range []bool{false, true} {
				checked += compareListed(t, Selection{Toolsets: on, ExcludeTools: excluded, ReadOnly: readOnly}, append([]string{""}, toolsets...))
			}
		}
	}
	if checked == 0 {
		t.Error("nothing was compared")
	}
}

// combinations are single toolsets, pairs, all, and all but one: whether a tool is on depends on its own toolset alone.
func combinations(toolsets []string) (all [][]string) {
	for i, a := range toolsets {
		all = append(all, []string{a}, slices.Delete(slices.Clone(toolsets), i, i+1))
		for _, b := range toolsets[i+1:] {
			all = append(all, []string{a, b})
		}
	}
	return append(all, toolsets)
}

// compareListed compares the tools that are listed to callers, whose tokens are for one toolset each ("" = for all), with
// those that the callers can call.
func compareListed(t *testing.T, selection Selection, grants []string) (tools int) {
	t.Helper()
	set, err := register(Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Select(selection); err != nil {
		return 0 // no tool is left
	}
	for _, grant := range grants {
		who := &caller.Caller{}
		if grant != "" {
			who.Grant.Toolsets = []string{grant}
		}
		ctx := caller.With(t.Context(), who)
		var listed, callable []string
		for _, tool := range set.Listed(ctx, set.List()) {
			listed = append(listed, tool.Name)
		}
		for _, tool := range set.All() {
			_, refusal := set.Check(ctx, transport.ReadParams(json.RawMessage(fmt.Sprintf(`{"name":%q,"arguments":{}}`, tool.Name))))
			switch {
			case refusal == nil:
				callable = append(callable, tool.Name)
			case refusal.Code != -32602:
				t.Errorf("%+v, token for %q: %s is refused with %d", selection, grant, tool.Name, refusal.Code)
			case !slices.Contains(selection.Toolsets, tool.Toolset) && !slices.Contains(selection.ExcludeTools, tool.Name) &&
				!(selection.ReadOnly && !*tool.Annotations.ReadOnlyHint) && !strings.Contains(refusal.Message, fmt.Sprintf("toolset %q", tool.Toolset)):
				t.Errorf("%+v, token for %q: %s is off, without its toolset: %s", selection, grant, tool.Name, refusal.Message)
			}
		}
		if diff := cmp.Diff(listed, callable); diff != "" {
			t.Errorf("%+v, token for %q: (-listed +callable):\n%s", selection, grant, diff)
		}
	}
	return len(set.All())
}
