package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/mcpserver/transport"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Check is the transport.Check of the set: a tools/call that is malformed, or
// names no tool that is switched on, is a protocol error. It does not check the
// arguments. The library only runs a Native.
func (s *Set) Check(ctx context.Context, p transport.Params) (server.ToolHandlerFunc, *transport.Error) {
	switch {
	case kindOf(p.Text) != "object":
		return nil, malformed("params must be an object with name and arguments")
	case kindOf(p.Name) != "string":
		return nil, malformed("name must be a string")
	case !slices.Contains([]string{"", "null", "object"}, kindOf(p.Arguments)):
		return nil, malformed("arguments must be an object")
	case !slices.Contains([]string{"", "null", "object"}, kindOf(p.Meta)):
		return nil, malformed("_meta must be an object")
	}
	name := transport.Text(p.Name)
	e := s.tools[name]
	who := caller.Of(ctx)
	if e == nil {
		return nil, s.unknown(who, name)
	}
	switch why := s.off(who, e); {
	case why != "" && s.hidden(e):
		return nil, s.unknown(who, name)
	case why != "":
		return nil, malformed("tool %q is switched off: %s", name, why)
	case !p.Readable(), (e.native || len(p.State)+len(p.Responses)+len(p.Task) != 0) && json.Unmarshal(p.Text, new(mcp.CallToolParams)) != nil:
		return nil, malformed("a field beside name and arguments has the wrong type")
	}
	if missing := e.missing(p.Meta); len(missing) > 0 {
		return nil, &transport.Error{
			Code:    mcp.MISSING_REQUIRED_CLIENT_CAPABILITY,
			Message: fmt.Sprintf("tools/call: tool %q asks the client, which did not say that it can answer", name),
			Data:    map[string]any{"requiredCapabilities": missing},
		}
	}
	if refusal := s.checkState(who, name, p.Arguments, p.State); refusal != nil || e.native {
		return nil, refusal
	}
	return e.handle, nil
}

// checkState refuses a state that no question of this call came with.
func (s *Set) checkState(who *caller.Caller, name string, arguments, raw json.RawMessage) *transport.Error {
	var state string
	if len(raw) == 0 || json.Unmarshal(raw, &state) != nil {
		return nil
	}
	var req mcp.CallToolRequest
	req.Params.RawArguments = arguments
	if _, err := s.states.open(boundTo(who, name, argumentsOf(req)), state); err != nil {
		return malformed("requestState: %v", err)
	}
	return nil
}

func (s *Set) unknown(who *caller.Caller, name string) *transport.Error {
	var known []string
	for _, e := range s.on(who) {
		known = append(known, e.tool.Name)
	}
	if instead := s.config.Instead[name]; instead != "" {
		return malformed("there is no tool %q; call %s", name, instead)
	}
	if near := sqlkit.Nearest(name, known); len(near) > 0 {
		return malformed("there is no tool %q; did you mean %s?", name, strings.Join(near, " or "))
	}
	return malformed("there is no tool %q; there are: %s", name, strings.Join(known, ", "))
}

func malformed(format string, args ...any) *transport.Error {
	return &transport.Error{Code: mcp.INVALID_PARAMS, Message: "tools/call: " + fmt.Sprintf(format, args...)}
}

// kindOf names the JSON type of a value, "" for none.
func kindOf(value json.RawMessage) string {
	if len(value) == 0 {
		return ""
	}
	switch value[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	default:
		return "number"
	}
}
