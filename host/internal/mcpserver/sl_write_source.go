package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/memory"
)

var (
	//go:embed schema/sl_write_source.input.json
	slWriteSourceInput string
	//go:embed schema/sl_write_source.output.json
	slWriteSourceOutput string
)

type slWriteSourceInputs struct {
	ConnectionID string `json:"connectionId"`
	Name         string `json:"name"`
	Content      string `json:"content"`
	BaseVersion  string `json:"baseVersion"`
	ClientID     string `json:"clientId"`
}

func slWriteSource(c Config) tool.Definition[slWriteSourceInputs, *memory.Suggested] {
	return tool.Definition[slWriteSourceInputs, *memory.Suggested]{
		Name: "sl_write_source", Title: "Semantic Layer Write Source", Toolset: toolsetAdmin,
		Description: "Write a file of the semantic layer as a whole. It waits for a person unless Loam wrote the file; of another version it is a " +
			"conflict that names both.",
		Hints: tool.Hints{ReadOnly: tool.No, Destructive: tool.Yes, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input: slWriteSourceInput, Output: slWriteSourceOutput,
		Example:  `{"connectionId":"shop","name":"orders","content":"name: orders\ntable: orders\n"}`,
		Deadline: writeTime,
		Handle: func(ctx context.Context, in slWriteSourceInputs) (*memory.Suggested, error) {
			return c.Writing.ReplaceSource(ctx, callOf(ctx, in.ConnectionID, in.ClientID), memory.SourceWrite{Name: in.Name, Content: in.Content, Base: in.BaseVersion})
		},
	}
}
