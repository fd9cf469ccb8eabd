package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/memory"
)

//go:embed schema/skill_update.input.json
var skillUpdateInput string

type skillUpdateInputs struct {
	Name            string            `json:"name"`
	BaseVersion     string            `json:"baseVersion"`
	Description     *string           `json:"description"`
	Content         *string           `json:"content"`
	Version         *string           `json:"version"`
	Author          *string           `json:"author"`
	Category        *string           `json:"category"`
	Prerequisites   []string          `json:"prerequisites"`
	ExpectedOutcome *string           `json:"expectedOutcome"`
	Tags            []string          `json:"tags"`
	Metadata        map[string]string `json:"metadata"`
	ClientID        string            `json:"clientId"`
}

func skillUpdate(c Config) tool.Definition[skillUpdateInputs, *memory.SkillWritten] {
	return tool.Definition[skillUpdateInputs, *memory.SkillWritten]{
		Name: "skill_update", Title: "Skill Update", Toolset: toolsetWorkspace, Command: "loam skills edit",
		Description: "Propose another text of a skill; what is left out stays. A person decides.",
		Hints:       tool.Hints{ReadOnly: tool.No, Destructive: tool.Yes, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input:       skillUpdateInput, Output: skillWrittenOutput,
		Example:  `{"name":"close-month","baseVersion":"1.0.0","content":"# Close\n\n1. …"}`,
		Deadline: writeTime,
		Handle: func(ctx context.Context, in skillUpdateInputs) (*memory.SkillWritten, error) {
			return c.SkillWriting.UpdateSkill(ctx, callOf(ctx, "", in.ClientID), memory.SkillEdit{
				Name: in.Name, Base: in.BaseVersion, Description: in.Description, Content: in.Content, Version: in.Version, Author: in.Author,
				Category: in.Category, ExpectedOutcome: in.ExpectedOutcome, Prerequisites: in.Prerequisites, Tags: in.Tags, Metadata: in.Metadata,
			})
		},
	}
}
