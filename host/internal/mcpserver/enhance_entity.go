package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/memory"
)

var (
	//go:embed schema/enhance_entity.input.json
	enhanceEntityInput string
	//go:embed schema/enhance_entity.output.json
	enhanceEntityOutput string
)

type enhanceEntityInputs struct {
	ConnectionID    string   `json:"connectionId"`
	EntityName      string   `json:"entityName"`
	EnhancementType string   `json:"enhancementType"`
	Value           []string `json:"value"`
	ClientID        string   `json:"clientId"`
}

func enhanceEntity(c Config) tool.Definition[enhanceEntityInputs, *memory.Suggested] {
	return tool.Definition[enhanceEntityInputs, *memory.Suggested]{
		Name: "enhance_entity", Title: "Enhance Entity", Toolset: toolsetContext, Command: "loam ingest text",
		Description: "Add other names, a description or key columns to a table of the semantic layer. " +
			"A description that is there, and key columns, wait for a person.",
		Hints: tool.Hints{ReadOnly: tool.No, Destructive: tool.No, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input: enhanceEntityInput, Output: enhanceEntityOutput,
		Aliases:  valueAliases,
		Example:  `{"connectionId":"shop","entityName":"orders","enhancementType":"alias","value":["purchases"]}`,
		Deadline: writeTime,
		Handle: func(ctx context.Context, in enhanceEntityInputs) (*memory.Suggested, error) {
			return c.Writing.EnhanceEntity(ctx, callOf(ctx, in.ConnectionID, in.ClientID), memory.Enhancement{
				Entity: in.EntityName, Type: in.EnhancementType, Values: in.Value,
			})
		},
	}
}

// valueAliases accepts a string for a list of one.
func valueAliases(arguments map[string]any) (changed bool) {
	text, ok := arguments["value"].(string)
	if ok {
		arguments["value"] = []any{text}
	}
	return ok
}
