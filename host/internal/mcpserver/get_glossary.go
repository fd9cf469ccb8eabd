package mcpserver

import (
	"context"
	_ "embed" // for the schema

	"github.com/loam-data/loam/host/internal/assemble"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
)

//go:embed schema/get_glossary.input.json
var getGlossaryInput string

type getGlossaryInputs struct {
	ConnectionID connection.ID `json:"connectionId"`
}

// getGlossary is the glossary of get_context alone.
func getGlossary(c Config) tool.Definition[getGlossaryInputs, *assemble.ContextAnswer] {
	return tool.Definition[getGlossaryInputs, *assemble.ContextAnswer]{
		Name: "get_glossary", Title: "Get Glossary", Toolset: toolsetLegacy, Command: "loam context",
		Description: "Use get_context with depth domain, or wiki_search for one word: this is its glossary alone.",
		Hints:       tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input:       getGlossaryInput, Output: contextAnswer,
		Example:  `{}`,
		Deadline: listTime,
		Handle: func(ctx context.Context, in getGlossaryInputs) (*assemble.ContextAnswer, error) {
			return c.Assemble.Glossary(ctx, in.ConnectionID)
		},
	}
}
