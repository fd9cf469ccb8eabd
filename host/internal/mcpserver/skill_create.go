package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/skill"
)

var (
	//go:embed schema/skill_create.input.json
	skillCreateInput string
	//go:embed schema/skill_written.output.json
	skillWrittenOutput string
)

type skillCreateInputs struct {
	Name            string            `json:"name"`
	Description     string            `json:"description"`
	Content         string            `json:"content"`
	Version         string            `json:"version"`
	Author          string            `json:"author"`
	Category        string            `json:"category"`
	Prerequisites   []string          `json:"prerequisites"`
	ExpectedOutcome string            `json:"expectedOutcome"`
	Tags            []string          `json:"tags"`
	Metadata        map[string]string `json:"metadata"`
	ClientID        string            `json:"clientId"`
}

func skillCreate(c Config) tool.Definition[skillCreateInputs, *memory.SkillWritten] {
	return tool.Definition[skillCreateInputs, *memory.SkillWritten]{
		Name: "skill_create", Title: "Skill Create", Toolset: toolsetWorkspace, Command: "loam skills add",
		Description: "Propose a way of working that others can follow; a person decides.",
		Hints:       tool.Hints{ReadOnly: tool.No, Destructive: tool.No, Idempotent: tool.No, OpenWorld: tool.No},
		Costly:      true,
		Input:       skillCreateInput, Output: skillWrittenOutput,
		Example:  `{"name":"close-month","description":"Close the books.","content":"# Close\n\n1. …","version":"1.0.0"}`,
		Deadline: writeTime,
		Handle: func(ctx context.Context, in skillCreateInputs) (*memory.SkillWritten, error) {
			return c.SkillWriting.CreateSkill(ctx, callOf(ctx, "", in.ClientID), skill.Skill{
				Name: in.Name, Description: in.Description, Body: in.Content, Version: in.Version, Author: in.Author, Category: in.Category,
				Prerequisites: in.Prerequisites, ExpectedOutcome: in.ExpectedOutcome, Tags: in.Tags, Metadata: in.Metadata,
			})
		},
	}
}
