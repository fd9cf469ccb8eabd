package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/workspace"
)

var (
	//go:embed schema/checkpoint_list.input.json
	checkpointListInput string
	//go:embed schema/checkpoint_list.output.json
	checkpointListOutput string
)

type checkpointListInputs struct {
	Limit       int    `json:"limit"`
	Offset      int    `json:"offset"`
	Cursor      string `json:"cursor"`
	ProjectPath string `json:"projectPath"`
	SortBy      string `json:"sortBy"`
}

func checkpointList(c Config) tool.Definition[checkpointListInputs, *workspace.CheckpointPage] {
	return tool.Definition[checkpointListInputs, *workspace.CheckpointPage]{
		Name: "checkpoint_list", Title: "Checkpoint List", Toolset: toolsetWorkspace, Command: "loam workspace checkpoint list",
		Description: "List saved checkpoints, the newest first.",
		Hints:       tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input:       checkpointListInput, Output: checkpointListOutput,
		Example:  `{"limit":5}`,
		Deadline: listTime,
		Handle: func(ctx context.Context, in checkpointListInputs) (*workspace.CheckpointPage, error) {
			return c.Workspace.ListCheckpoints(ctx, workspace.CheckpointList{Limit: in.Limit, Offset: in.Offset, Cursor: in.Cursor, ProjectPath: in.ProjectPath, SortBy: in.SortBy})
		},
	}
}
