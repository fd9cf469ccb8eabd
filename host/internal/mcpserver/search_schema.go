package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/assemble"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
)

var (
	//go:embed schema/search_schema.input.json
	searchSchemaInput string
	//go:embed schema/search_schema.output.json
	searchSchemaOutput string
)

type searchSchemaInputs struct {
	Query        string        `json:"query"`
	ConnectionID connection.ID `json:"connectionId"`
	Limit        int           `json:"limit"`
	Cursor       string        `json:"cursor"`
}

func searchSchema(c Config) tool.Definition[searchSchemaInputs, *assemble.SchemaAnswer] {
	return tool.Definition[searchSchemaInputs, *assemble.SchemaAnswer]{
		Name: "search_schema", Title: "Search Schema", Toolset: toolsetContext, Command: "loam search --tables",
		Description: "Which tables are about this? Tables whose names, comments, columns or values match, best first, with the columns that match and the tables they join. " +
			"The words need not stand together. Pages and measures too: discover_data.",
		Hints: tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input: searchSchemaInput, Output: searchSchemaOutput,
		Example:  `{"query":"shipped country","limit":10}`,
		Deadline: listTime,
		Handle: func(ctx context.Context, in searchSchemaInputs) (*assemble.SchemaAnswer, error) {
			return c.Assemble.Schema(ctx, assemble.SchemaRequest{Query: in.Query, Connection: in.ConnectionID, Limit: in.Limit, Cursor: in.Cursor})
		},
	}
}
