package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/memory"
)

var (
	//go:embed schema/suggest_knowledge.input.json
	suggestKnowledgeInput string
	//go:embed schema/suggest_knowledge.output.json
	suggestKnowledgeOutput string
)

type suggestKnowledgeInputs struct {
	FactType     string `json:"factType"`
	Key          string `json:"key"`
	Value        string `json:"value"`
	Context      string `json:"context"`
	Confidence   string `json:"confidence"`
	ConnectionID string `json:"connectionId"`
	ClientID     string `json:"clientId"`
}

func suggestKnowledge(c Config) tool.Definition[suggestKnowledgeInputs, *memory.Suggested] {
	return tool.Definition[suggestKnowledgeInputs, *memory.Suggested]{
		Name: "suggest_knowledge", Title: "Suggest Knowledge", Toolset: toolsetContext, Command: "loam ingest text",
		Description: "Suggest a fact: what a term means, a rule, values of a column. It becomes a page, " +
			"an enumeration the column's values too. Prose: memory_ingest.",
		Hints: tool.Hints{ReadOnly: tool.No, Destructive: tool.No, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input: suggestKnowledgeInput, Output: suggestKnowledgeOutput,
		Example:  `{"factType":"terminology","key":"ARR","value":"annual recurring revenue","confidence":"high"}`,
		Deadline: writeTime,
		Handle: func(ctx context.Context, in suggestKnowledgeInputs) (*memory.Suggested, error) {
			return c.Writing.SuggestKnowledge(ctx, callOf(ctx, in.ConnectionID, in.ClientID), memory.Knowledge{
				FactType: in.FactType, Key: in.Key, Value: in.Value, Context: in.Context, Confidence: in.Confidence,
			})
		},
	}
}

// callOf says who makes a call that writes.
func callOf(ctx context.Context, connection, clientID string) memory.Call {
	return memory.Call{Actor: actorOf(ctx), Connection: connection, ClientID: clientID}
}
