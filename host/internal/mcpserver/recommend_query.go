package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/memory"
)

var (
	//go:embed schema/recommend_query.input.json
	recommendQueryInput string
	//go:embed schema/recommend_query.output.json
	recommendQueryOutput string
)

type recommendQueryInputs struct {
	Name         string         `json:"name"`
	Title        string         `json:"title"`
	Description  string         `json:"description"`
	SQL          string         `json:"sql"`
	ConnectionID string         `json:"connectionId"`
	Parameters   []any          `json:"parameters"`
	Output       []any          `json:"output"`
	Constraints  string         `json:"constraints"`
	ExampleUsage map[string]any `json:"exampleUsage"`
	Replaces     string         `json:"replaces"`
	ClientID     string         `json:"clientId"`
}

func recommendQuery(c Config) tool.Definition[recommendQueryInputs, *memory.SuggestedQuery] {
	return tool.Definition[recommendQueryInputs, *memory.SuggestedQuery]{
		Name: "recommend_query", Title: "Recommend Query", Toolset: toolsetQueries, Command: "loam queries add",
		Description: "Propose a query to keep: checked, not run; a person decides.",
		Hints:       tool.Hints{ReadOnly: tool.No, Destructive: tool.No, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input:       recommendQueryInput, Output: recommendQueryOutput,
		Example:  `{"name":"due","description":"Due bills.","sql":"SELECT id FROM bills WHERE due = {{day}}","connectionId":"shop","parameters":[{"name":"day","type":"date"}]}`,
		Deadline: writeTime,
		Handle: func(ctx context.Context, in recommendQueryInputs) (*memory.SuggestedQuery, error) {
			return c.Writing.RecommendQuery(ctx, callOf(ctx, in.ConnectionID, in.ClientID), memory.QuerySuggestion{
				Name: in.Name, Title: in.Title, Description: in.Description, SQL: in.SQL, Parameters: in.Parameters, Output: in.Output,
				Constraints: in.Constraints, Example: in.ExampleUsage, Replaces: in.Replaces,
			})
		},
	}
}
