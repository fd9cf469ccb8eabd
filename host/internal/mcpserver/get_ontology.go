package mcpserver

import (
	"context"
	_ "embed" // for the schema

	"github.com/loam-data/loam/host/internal/assemble"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
)

//go:embed schema/get_ontology.input.json
var getOntologyInput string

type getOntologyInputs struct {
	Depth        assemble.Depth `json:"depth"`
	ConnectionID connection.ID  `json:"connectionId"`
	Cursor       string         `json:"cursor"`
}

// getOntology is get_context at the same depth.
func getOntology(c Config) tool.Definition[getOntologyInputs, *assemble.ContextAnswer] {
	return tool.Definition[getOntologyInputs, *assemble.ContextAnswer]{
		Name: "get_ontology", Title: "Get Ontology", Toolset: toolsetLegacy, Command: "loam context",
		Description: "Use get_context with the same depth: this is that call.",
		Hints:       tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input:       getOntologyInput, Output: contextAnswer,
		Example:  `{"depth":"domain"}`,
		Deadline: listTime,
		Handle: func(ctx context.Context, in getOntologyInputs) (*assemble.ContextAnswer, error) {
			return c.Assemble.Context(ctx, assemble.ContextRequest{Depth: in.Depth, Connection: in.ConnectionID, Cursor: in.Cursor})
		},
	}
}
