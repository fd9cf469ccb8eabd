package mcpserver

import (
	"context"
	_ "embed" // for the schema

	"github.com/loam-data/loam/host/internal/health"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
)

//go:embed schema/status.output.json
var statusOutput string

func status(c Config) tool.Definition[struct{}, *health.Status] {
	return tool.Definition[struct{}, *health.Status]{
		Name: "status", Title: "Status", Toolset: toolsetAdmin, Command: "loam status",
		Description: "Report the state of every part as last known: connections, scans, index, runs, store. Asks no warehouse.",
		Hints:       tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Unset, OpenWorld: tool.No},
		Input:       noInput, Output: statusOutput,
		Example:  `{}`,
		Deadline: listTime,
		Handle:   func(ctx context.Context, _ struct{}) (*health.Status, error) { return c.Admin.Health.Status(ctx) },
	}
}
