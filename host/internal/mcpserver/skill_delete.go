package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/memory"
)

//go:embed schema/skill_delete.input.json
var skillDeleteInput string

type skillDeleteInputs struct {
	Name        string `json:"name"`
	BaseVersion string `json:"baseVersion"`
	ClientID    string `json:"clientId"`
}

func skillDelete(c Config) tool.Definition[skillDeleteInputs, *memory.SkillWritten] {
	return tool.Definition[skillDeleteInputs, *memory.SkillWritten]{
		Name: "skill_delete", Title: "Skill Delete", Toolset: toolsetWorkspace, Command: "loam skills remove",
		Description: "Propose to remove a skill; a person decides, and can restore it.",
		Hints:       tool.Hints{ReadOnly: tool.No, Destructive: tool.Yes, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input:       skillDeleteInput, Output: skillWrittenOutput,
		Example:  `{"name":"close-month","baseVersion":"1.0.0"}`,
		Deadline: writeTime,
		Handle: func(ctx context.Context, in skillDeleteInputs) (*memory.SkillWritten, error) {
			return c.SkillWriting.DeleteSkill(ctx, callOf(ctx, "", in.ClientID), in.Name, in.BaseVersion)
		},
	}
}
