package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/mcpserver/transport"
)

// Check is the transport.Check of the set: a tools/call that names no tool that
// is switched on, or is malformed around its arguments, is a protocol error.
// The arguments themselves are not looked at.
func (s *Set) Check(ctx context.Context, params json.RawMessage) *transport.Error {
	var call struct {
		Name      json.RawMessage `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Meta      json.RawMessage `json:"_meta"`
		State     json.RawMessage `json:"requestState"`
		Responses json.RawMessage `json:"inputResponses"`
		Task      json.RawMessage `json:"task"`
	}
	var name string
	switch {
	case kindOf(params) != "object" || json.Unmarshal(params, &call) != nil:
		return malformed("params must be an object with name and arguments")
	case kindOf(call.Name) != "string" || json.Unmarshal(call.Name, &name) != nil:
		return malformed("name must be a string")
	case !slices.Contains([]string{"", "null", "object"}, kindOf(call.Arguments)):
		return malformed("arguments must be an object")
	case !slices.Contains([]string{"", "null", "object"}, kindOf(call.Meta)):
		return malformed("_meta must be an object")
	}
	e := s.tools[name]
	who := caller.Of(ctx)
	if e == nil {
		return s.unknown(who, name)
	}
	switch why := s.off(who, e); {
	case why != "" && s.hidden(e):
		return s.unknown(who, name)
	case why != "":
		return malformed("tool %q is switched off: %s", name, why)
	case !small(params), len(call.State)+len(call.Responses)+len(call.Task) != 0:
		// The library reads these too. It never fails at the rest, and is not asked
		// twice for it: that costs a twentieth of a small call.
		if json.Unmarshal(params, new(mcp.CallToolParams)) != nil {
			return malformed("a field beside name and arguments has the wrong type")
		}
	}
	if missing := e.missing(call.Meta); len(missing) > 0 {
		return &transport.Error{
			Code:    mcp.MISSING_REQUIRED_CLIENT_CAPABILITY,
			Message: fmt.Sprintf("tools/call: tool %q asks the client, which did not say that it can answer", name),
			Data:    map[string]any{"requiredCapabilities": missing},
		}
	}
	return s.checkState(who, name, call.Arguments, call.State)
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
	if near := connection.Nearest(name, known); len(near) > 0 {
		return malformed("there is no tool %q; did you mean %s?", name, strings.Join(near, " or "))
	}
	return malformed("there is no tool %q; there are: %s", name, strings.Join(known, ", "))
}

// small reports whether every number of a JSON text is one that a float64 holds
// for certain: one without an exponent, and not too long.
func small(text []byte) bool {
	quoted, digits := false, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case '0' <= c && c <= '9':
			digits++
			if digits > maxDigits {
				return false
			}
			continue
		case digits > 0 && (c == 'e' || c == 'E'):
			return false
		}
		digits = 0
	}
	return true
}

// maxDigits is how long a number may be that every float64 can come near to.
const maxDigits = 300

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
