package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/memory"
)

var (
	//go:embed schema/enhance_relationship.input.json
	enhanceRelationshipInput string
	//go:embed schema/enhance_relationship.output.json
	enhanceRelationshipOutput string
)

type enhanceRelationshipInputs struct {
	ConnectionID string `json:"connectionId"`
	FromEntity   string `json:"fromEntity"`
	ToEntity     string `json:"toEntity"`
	Association  string `json:"association"`
	Description  string `json:"description"`
	ClientID     string `json:"clientId"`
}

func enhanceRelationship(c Config) tool.Definition[enhanceRelationshipInputs, *memory.Suggested] {
	return tool.Definition[enhanceRelationshipInputs, *memory.Suggested]{
		Name: "enhance_relationship", Title: "Enhance Relationship", Toolset: toolsetContext, Command: "loam ingest text",
		Description: "Say what the join of two tables means: a label, and a sentence. It waits for a person. " +
			"A join that is not there yet: memory_ingest.",
		Hints: tool.Hints{ReadOnly: tool.No, Destructive: tool.No, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input: enhanceRelationshipInput, Output: enhanceRelationshipOutput,
		Example:  `{"connectionId":"shop","fromEntity":"orders","toEntity":"customer","association":"is placed by"}`,
		Deadline: writeTime,
		Handle: func(ctx context.Context, in enhanceRelationshipInputs) (*memory.Suggested, error) {
			return c.Writing.EnhanceRelationship(ctx, callOf(ctx, in.ConnectionID, in.ClientID), memory.Edge{
				From: in.FromEntity, To: in.ToEntity, Association: in.Association, Description: in.Description,
			})
		},
	}
}
