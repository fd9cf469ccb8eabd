package mcpserver

import (
	"context"
	_ "embed" // for the schema

	"github.com/loam-data/loam/host/internal/assemble"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
)

//go:embed schema/get_schema.input.json
var getSchemaInput string

// contextAnswer is the schema of the answers of the tools that are a fixed call of get_context.
const contextAnswer = `{"type":"object","required":["tokens"]}`

type getSchemaInputs struct {
	ConnectionID connection.ID `json:"connectionId"`
	Tables       []string      `json:"tables"`
	Cursor       string        `json:"cursor"`
}

// getSchema is get_context at depth columns for named tables, else at depth tables.
func getSchema(c Config) tool.Definition[getSchemaInputs, *assemble.ContextAnswer] {
	return tool.Definition[getSchemaInputs, *assemble.ContextAnswer]{
		Name: "get_schema", Title: "Get Schema", Toolset: toolsetLegacy, Command: "loam context",
		Description: "Use get_context with depth tables, or columns for named tables: this is that call.",
		Hints:       tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input:       getSchemaInput, Output: contextAnswer,
		Example:  `{"connectionId":"warehouse","tables":["public.orders"]}`,
		Deadline: listTime,
		Handle: func(ctx context.Context, in getSchemaInputs) (*assemble.ContextAnswer, error) {
			depth := assemble.Tables
			if len(in.Tables) > 0 {
				depth = assemble.Columns
			}
			return c.Assemble.Context(ctx, assemble.ContextRequest{Depth: depth, Connection: in.ConnectionID, Tables: in.Tables, Cursor: in.Cursor})
		},
	}
}
