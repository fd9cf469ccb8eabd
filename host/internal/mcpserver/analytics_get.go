package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/usage"
)

var (
	//go:embed schema/analytics_get.input.json
	analyticsGetInput string
	//go:embed schema/analytics_get.output.json
	analyticsGetOutput string
)

type analyticsGetInputs struct {
	Period string `json:"period"`
	Start  string `json:"start"`
	End    string `json:"end"`
}

func analyticsGet(c Config) tool.Definition[analyticsGetInputs, *usage.Report] {
	return tool.Definition[analyticsGetInputs, *usage.Report]{
		Name: "analytics_get", Title: "Analytics Get", Toolset: toolsetAdmin, Command: "loam stats",
		Description: "Count calls, outcomes, durations and bytes per tool.",
		Hints:       tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Unset, OpenWorld: tool.No},
		Input:       analyticsGetInput, Output: analyticsGetOutput,
		Example:  `{"start":"7d"}`,
		Deadline: listTime,
		Handle: func(ctx context.Context, in analyticsGetInputs) (*usage.Report, error) {
			return c.Admin.Usage.Report(ctx, usage.Request{Period: in.Period, Start: in.Start, End: in.End})
		},
	}
}
