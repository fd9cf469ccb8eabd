package mcp

import (
	"github.com/spf13/pflag"

	"github.com/loam-data/loam/host/internal/mcpserver"
)

// toolFlags adds the flags that say which tools an MCP server has. They come
// before what loam.yaml says under mcp.
func toolFlags(flags *pflag.FlagSet, s *mcpserver.Selection) {
	flags.StringSliceVar(&s.Toolsets, "toolsets", nil, "serve these toolsets (default research)")
	flags.StringSliceVar(&s.Tools, "tools", nil, "serve these tools, beside any --toolsets")
	flags.StringSliceVar(&s.ExcludeTools, "exclude-tools", nil, "do not serve these tools")
	flags.BoolVar(&s.ReadOnly, "read-only", false, "serve only read-only tools, whatever the other flags select")
}
