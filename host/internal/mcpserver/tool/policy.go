package tool

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/caller"
)

// subject is what a decision about a tool depends on.
type subject struct {
	name, toolset string
	readOnly      bool // it only reads
}

// decide returns why a tool is not there for a caller, "" when it is. It alone
// decides, for listing as for calling: first what the server offers, then what of
// it is open to the caller.
func decide(chosen Selection, grant caller.Grant, t subject) string {
	switch {
	case chosen.ReadOnly && !t.readOnly:
		return "it does more than read, and the server was started with --read-only or has mcp.read_only in loam.yaml"
	case slices.Contains(chosen.ExcludeTools, t.name):
		return "the server was started with --exclude-tools or has mcp.exclude_tools in loam.yaml"
	case !slices.Contains(chosen.Toolsets, t.toolset) && !slices.Contains(chosen.Tools, t.name):
		return fmt.Sprintf("it belongs to the toolset %q, which the server must be started with: --toolsets %s",
			t.toolset, strings.Join(append(slices.Clone(chosen.Toolsets), t.toolset), ","))
	case !grant.AllowsToolset(t.toolset):
		return fmt.Sprintf("it belongs to the toolset %q, and the token is for %s alone", t.toolset, strings.Join(grant.Toolsets, ", "))
	default:
		return ""
	}
}
