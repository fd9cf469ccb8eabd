package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/memory"
)

var (
	//go:embed schema/change_get.input.json
	changeGetInput string
	//go:embed schema/change_get.output.json
	changeGetOutput string
)

type changeGetInputs struct {
	ID string `json:"id"`
}

func changeGet(c Config) tool.Definition[changeGetInputs, *memory.Detail] {
	return tool.Definition[changeGetInputs, *memory.Detail]{
		Name: "change_get", Title: "Change Get", Toolset: toolsetAdmin, Command: "loam review show",
		Description: "One change with all that a person needs to decide: the diff of its file, the quote that it comes from, who said it, " +
			"how well a measure is known to work, what contradicts it, what refers to it.",
		Hints: tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input: changeGetInput, Output: changeGetOutput,
		Example:  `{"id":"3fa2c81b07"}`,
		Deadline: listTime,
		Handle: func(ctx context.Context, in changeGetInputs) (*memory.Detail, error) {
			return c.Changes.Change(ctx, in.ID)
		},
	}
}
