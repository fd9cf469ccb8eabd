package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/workspace"
)

var (
	//go:embed schema/list_patterns.input.json
	listPatternsInput string
	//go:embed schema/list_patterns.output.json
	listPatternsOutput string
)

type listPatternsInputs struct {
	Category       string   `json:"category"`
	Severity       string   `json:"severity"`
	MinSuccessRate *float64 `json:"minSuccessRate"`
	Limit          int      `json:"limit"`
}

func listPatterns(c Config) tool.Definition[listPatternsInputs, *workspace.Patterns] {
	return tool.Definition[listPatternsInputs, *workspace.Patterns]{
		Name: "list_patterns", Title: "List Patterns", Toolset: toolsetWorkspace, Command: "loam workspace pattern list",
		Description: "List errors that came three times or more, with the best solution.",
		Hints:       tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input:       listPatternsInput, Output: listPatternsOutput,
		Example:  `{"category":"timeout"}`,
		Deadline: listTime,
		Handle: func(ctx context.Context, in listPatternsInputs) (*workspace.Patterns, error) {
			return c.Workspace.ListPatterns(ctx, workspace.PatternList{Category: in.Category, Severity: in.Severity, MinSuccessRate: in.MinSuccessRate, Limit: in.Limit})
		},
	}
}
