package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/workspace"
)

var (
	//go:embed schema/checkpoint_save.input.json
	checkpointSaveInput string
	//go:embed schema/checkpoint_save.output.json
	checkpointSaveOutput string
)

type checkpointSaveInputs struct {
	Summary      string            `json:"summary"`
	Description  string            `json:"description"`
	ProjectPath  string            `json:"projectPath"`
	Context      map[string]string `json:"context"`
	Tags         []string          `json:"tags"`
	TokensBefore *int64            `json:"tokensBefore"`
	TokensAfter  *int64            `json:"tokensAfter"`
	Shared       bool              `json:"shared"`
	ClientID     string            `json:"clientId"`
}

func checkpointSave(c Config) tool.Definition[checkpointSaveInputs, *workspace.CheckpointSaved] {
	return tool.Definition[checkpointSaveInputs, *workspace.CheckpointSaved]{
		Name: "checkpoint_save", Title: "Checkpoint Save", Toolset: toolsetWorkspace, Command: "loam workspace checkpoint save",
		Description: "Save where your work stands, for a later session. Without secrets.",
		Hints:       tool.Hints{ReadOnly: tool.No, Destructive: tool.No, Idempotent: tool.No, OpenWorld: tool.No},
		Input:       checkpointSaveInput, Output: checkpointSaveOutput,
		Example:  `{"summary":"Revenue by month agrees with finance","tags":["revenue"]}`,
		Deadline: writeTime,
		Handle: func(ctx context.Context, in checkpointSaveInputs) (*workspace.CheckpointSaved, error) {
			return c.Workspace.SaveCheckpoint(ctx, workspace.CheckpointSave{
				Save:    workspace.Save{Context: in.Context, Tags: in.Tags, ProjectPath: in.ProjectPath, Shared: in.Shared, ClientID: in.ClientID, Actor: actorOf(ctx)},
				Summary: in.Summary, Description: in.Description, TokensBefore: in.TokensBefore, TokensAfter: in.TokensAfter,
			})
		},
	}
}
