package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/memory"
)

var (
	//go:embed schema/wiki_write.input.json
	wikiWriteInput string
	//go:embed schema/wiki_write.output.json
	wikiWriteOutput string
)

type wikiWriteInputs struct {
	Key         string `json:"key"`
	Content     string `json:"content"`
	BaseVersion string `json:"baseVersion"`
	ClientID    string `json:"clientId"`
}

func wikiWrite(c Config) tool.Definition[wikiWriteInputs, *memory.Suggested] {
	return tool.Definition[wikiWriteInputs, *memory.Suggested]{
		Name: "wiki_write", Title: "Wiki Write", Toolset: toolsetAdmin, Command: "loam wiki write",
		Description: "Write a page of the wiki as a whole. A person's page waits for a person; of another version it is a conflict that names both.",
		Hints:       tool.Hints{ReadOnly: tool.No, Destructive: tool.Yes, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input:       wikiWriteInput, Output: wikiWriteOutput,
		Example:  `{"key":"metrics/arr","content":"# ARR\n\nAnnual recurring revenue."}`,
		Deadline: writeTime,
		Handle: func(ctx context.Context, in wikiWriteInputs) (*memory.Suggested, error) {
			return c.Writing.ReplacePage(ctx, callOf(ctx, "", in.ClientID), memory.PageWrite{Key: in.Key, Content: in.Content, Base: in.BaseVersion})
		},
	}
}
