package tool

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/mcpserver/transport"
)

// Check is the transport.Check of the set: a tools/call that names no tool that
// is switched on, or is malformed around its arguments, is a protocol error.
// The arguments themselves are not looked at.
func (s *Set) Check(params json.RawMessage) *transport.Error {
	var call struct {
		Name      json.RawMessage `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Meta      json.RawMessage `json:"_meta"`
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
	if e == nil {
		return s.unknown(name)
	}
	if !s.enabled(e) {
		return malformed("tool %q is switched off: it belongs to the toolset %q, which the server must be started with", name, e.toolset)
	}
	if json.Unmarshal(params, new(mcp.CallToolParams)) != nil {
		return malformed("a field beside name and arguments has the wrong type")
	}
	return nil
}

func (s *Set) unknown(name string) *transport.Error {
	var known []string
	for _, t := range s.List() {
		known = append(known, t.Name)
	}
	if near := connection.Nearest(name, known); len(near) > 0 {
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
