package mcpserver

import (
	"context"
	_ "embed" // for the schema

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/mcpserver/transport"
)

// noInput is the schema of a tool without arguments.
const noInput = `{"type":"object","additionalProperties":false}`

//go:embed schema/health.output.json
var healthOutput string

// healthTool answers as the path /health of the HTTP server does.
func healthTool(c Config) tool.Definition[struct{}, transport.Alive] {
	alive := transport.NewLiveness(c.Version)
	return tool.Definition[struct{}, transport.Alive]{
		Name: "health", Title: "Health", Toolset: toolsetAdmin,
		Description: "Report that the server answers, its version and its uptime. Asks no warehouse.",
		Hints:       tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Unset, OpenWorld: tool.No},
		Input:       noInput, Output: healthOutput,
		Example:  `{}`,
		Deadline: listTime,
		Handle:   func(context.Context, struct{}) (transport.Alive, error) { return alive.Now(), nil },
	}
}
