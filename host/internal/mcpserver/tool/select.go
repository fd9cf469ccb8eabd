package tool

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Selection says which tools of a Set are switched on.
type Selection struct {
	// Toolsets are switched on as a whole, Tools one by one beside them.
	Toolsets, Tools []string
	// ExcludeTools are switched off again.
	ExcludeTools []string
	// ReadOnly switches off what is not marked as read-only, whatever else is said.
	ReadOnly bool
}

// Select switches tools on and all others off.
// Errors: KindInvalid for a toolset or a tool that does not exist, with those
// that do, and for a selection that leaves nothing.
func (s *Set) Select(chosen Selection) error {
	for _, asked := range []struct {
		what         string
		names, known []string
	}{
		{"toolset", chosen.Toolsets, s.offered((*entry).setName)},
		{"tool", chosen.Tools, s.offered((*entry).toolName)},
		{"tool", chosen.ExcludeTools, s.offered((*entry).toolName)},
	} {
		for _, name := range asked.names {
			if !slices.Contains(asked.known, name) && !s.hidden(name) {
				return unknownName(asked.what, name, asked.known)
			}
		}
	}
	s.chosen = chosen
	if len(s.List()) == 0 {
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "no tool is left: all of them are switched off").
			WithHint("switch a toolset on with --toolsets, or exclude fewer tools")
	}
	return nil
}

func unknownName(what, name string, known []string) error {
	err := sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there is no %s %q", what, name)
	if err.Candidates = sqlkit.Nearest(name, known); len(err.Candidates) > 0 {
		return err.WithHint("did you mean %q? There are: %s", err.Candidates[0], strings.Join(known, ", "))
	}
	err.Candidates = known
	return err.WithHint("choose from: %s", strings.Join(known, ", "))
}

func (e *entry) setName() string  { return e.toolset }
func (e *entry) toolName() string { return e.tool.Name }

// offered returns the names of what may be chosen.
func (s *Set) offered(name func(*entry) string) []string {
	names := map[string]bool{}
	for _, e := range s.tools {
		if !s.hidden(e.toolset) {
			names[name(e)] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func (s *Set) hidden(toolset string) bool { return slices.Contains(s.config.Hidden, toolset) }

// off returns why a tool is switched off, "" when it is on. It alone decides, for
// listing as for calling.
func (s *Set) off(e *entry) string {
	name, c := e.tool.Name, s.chosen
	readOnly := e.tool.Annotations.ReadOnlyHint
	switch {
	case c.ReadOnly && (readOnly == nil || !*readOnly):
		return "it does more than read, and the server was started with --read-only or has mcp.read_only in loam.yaml"
	case slices.Contains(c.ExcludeTools, name):
		return "the server was started with --exclude-tools or has mcp.exclude_tools in loam.yaml"
	case slices.Contains(c.Toolsets, e.toolset), slices.Contains(c.Tools, name):
		return ""
	default:
		return fmt.Sprintf("it belongs to the toolset %q, which the server must be started with: --toolsets %s",
			e.toolset, strings.Join(append(slices.Clone(c.Toolsets), e.toolset), ","))
	}
}

// Enabled reports whether a toolset is switched on as a whole.
func (s *Set) Enabled(toolset string) bool { return slices.Contains(s.chosen.Toolsets, toolset) }

// Install gives the library every tool that is switched on.
func (s *Set) Install(library *server.MCPServer) {
	for _, e := range s.on() {
		library.AddTool(e.tool, s.handler(e))
	}
}

// List returns the tools that are switched on, by name, as clients see them.
func (s *Set) List() []mcp.Tool {
	var list []mcp.Tool
	for _, e := range s.on() {
		list = append(list, e.tool)
	}
	return list
}

func (s *Set) on() (all []*entry) {
	for _, name := range slices.Sorted(maps.Keys(s.tools)) {
		if e := s.tools[name]; s.off(e) == "" {
			all = append(all, e)
		}
	}
	return all
}
