package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/assemble"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
)

var (
	//go:embed schema/get_context.input.json
	getContextInput string
	//go:embed schema/get_context.output.json
	getContextOutput string
)

type getContextInputs struct {
	Depth                assemble.Depth `json:"depth"`
	ConnectionID         connection.ID  `json:"connectionId"`
	Tables               []string       `json:"tables"`
	Query                string         `json:"query"`
	IncludeRelationships *bool          `json:"includeRelationships"`
	BudgetTokens         int            `json:"budgetTokens"`
	Cursor               string         `json:"cursor"`
}

func getContext(c Config) tool.Definition[getContextInputs, *assemble.ContextAnswer] {
	return tool.Definition[getContextInputs, *assemble.ContextAnswer]{
		Name: "get_context", Title: "Get Context", Toolset: toolsetContext, Command: "loam context",
		Description: "What the project is about, within budgetTokens: areas, conventions, glossary, approved queries, tables by relevance. " +
			"omitted counts what is left, nextCursor goes on. What has trust agent or imported nobody reviewed.",
		Hints: tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input: getContextInput, Output: getContextOutput,
		Example:  `{"depth":"columns","connectionId":"warehouse","query":"revenue by customer"}`,
		Deadline: listTime,
		Handle: func(ctx context.Context, in getContextInputs) (*assemble.ContextAnswer, error) {
			return c.Assemble.Context(ctx, assemble.ContextRequest{
				Depth: in.Depth, Connection: in.ConnectionID, Tables: in.Tables, Query: in.Query, Budget: in.BudgetTokens, Cursor: in.Cursor,
				WithoutRelationships: in.IncludeRelationships != nil && !*in.IncludeRelationships,
			})
		},
	}
}
