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
	for chosen := 1; chosen < 1<<len(toolsets); chosen++ {
		var on []string
		for i, name := range toolsets {
			if chosen&(1<<i) != 0 {
				on = append(on, name)
			}
		}
		for _, excluded := range [][]string{nil, {"validate"}, {"sql_execution"}} {
			for _, readOnly := range []bool{false, true} {
				selection := Selection{Toolsets: on, ExcludeTools: excluded, ReadOnly: readOnly}
				for _, grant := range append([]string{""}, toolsets...) {
					checked += compareListed(t, selection, grant)
				}
			}
		}
	}
	if checked == 0 {
		t.Error("nothing was compared")
	}
}

// compareListed compares the tools that are listed to a caller, whose token is for one toolset ("" = for all), with those
// that the caller can call.
func compareListed(t *testing.T, selection Selection, grant string) (tools int) {
	t.Helper()
	set, err := register(Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := set.Select(selection); err != nil {
		return 0 // no tool is left
	}
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
	return len(set.All())
}
