package tool

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Selection selects the tools of a Set that are switched on.
type Selection = project.Selection

// Select switches tools on and all others off.
// Errors: KindInvalid for a toolset or a tool that does not exist, with the existing
// ones, and for an empty selection.
func (s *Set) Select(chosen Selection) error {
	for _, asked := range []struct {
		what, where string
		names       []string
		of          func(*entry) string
	}{
		{"toolset", "--toolsets, or mcp.toolsets in loam.yaml,", chosen.Toolsets, (*entry).setName},
		{"tool", "--tools, or mcp.tools in loam.yaml,", chosen.Tools, (*entry).toolName},
		{"tool", "--exclude-tools, or mcp.exclude_tools in loam.yaml,", chosen.ExcludeTools, (*entry).toolName},
	} {
		for _, name := range asked.names {
			if !slices.Contains(s.names(asked.of, true), name) {
				return unknownName(asked.what, asked.where, name, s.names(asked.of, false))
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

func unknownName(what, where, name string, known []string) error {
	err := sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there is no %s %q", what, name).
		WithHint("choose for %s from: %s", where, strings.Join(known, ", "))
	err.Candidates = sqlkit.Nearest(name, known)
	return err
}

func (e *entry) setName() string  { return e.toolset }
func (e *entry) toolName() string { return e.tool.Name }

// names returns one name of every tool, each once.
func (s *Set) names(of func(*entry) string, hidden bool) []string {
	names := map[string]bool{}
	for _, e := range s.tools {
		if hidden || !s.hidden(e) {
			names[of(e)] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// hidden reports whether a tool is kept from those who do not know it.
func (s *Set) hidden(e *entry) bool { return slices.Contains(s.config.Hidden, e.toolset) }

// off returns why a tool is switched off for a caller, "" when it is on; see decide.
func (s *Set) off(who *caller.Caller, e *entry) string {
	readOnly := e.tool.Annotations.ReadOnlyHint
	return decide(s.chosen, who.Grant, subject{name: e.tool.Name, toolset: e.toolset, readOnly: readOnly != nil && *readOnly})
}

// Toolsets lists all toolsets.
func (s *Set) Toolsets() []string { return s.names((*entry).setName, false) }

// Enabled reports whether a toolset is switched on as a whole.
func (s *Set) Enabled(toolset string) bool { return slices.Contains(s.chosen.Toolsets, toolset) }

// Available reports whether the caller of ctx may call a tool.
func (s *Set) Available(ctx context.Context, name string) bool {
	e := s.tools[name]
	return e != nil && s.off(caller.Of(ctx), e) == ""
}

// Install adds every tool that is switched on to the library.
func (s *Set) Install(library *server.MCPServer) {
	for _, e := range s.on(everybody) {
		library.AddTool(e.tool, e.handle)
	}
}

// everybody is a caller to whom all is open.
var everybody = &caller.Caller{}

// Listed removes the tools from a list that the caller of ctx may not use.
func (s *Set) Listed(ctx context.Context, list []mcp.Tool) []mcp.Tool {
	who := caller.Of(ctx)
	return slices.DeleteFunc(slices.Clone(list), func(t mcp.Tool) bool {
		e := s.tools[t.Name]
		return e != nil && s.off(who, e) != ""
	})
}

// List returns the tools that are switched on, by name.
func (s *Set) List() []mcp.Tool {
	var list []mcp.Tool
	for _, e := range s.on(everybody) {
		list = append(list, e.tool)
	}
	return list
}

// Described is a tool, and why it is switched off, "" = it is on.
type Described struct {
	mcp.Tool
	Toolset, Command, Off string
}

// All describes the tools that are not hidden, by name, whatever is switched on.
func (s *Set) All() (all []Described) {
	for _, name := range s.names((*entry).toolName, false) {
		e := s.tools[name]
		all = append(all, Described{e.tool, e.toolset, e.command, s.off(everybody, e)})
	}
	return all
}

func (s *Set) on(who *caller.Caller) (all []*entry) {
	for _, name := range s.names((*entry).toolName, true) {
		if e := s.tools[name]; s.off(who, e) == "" {
			all = append(all, e)
		}
	}
	return all
}
