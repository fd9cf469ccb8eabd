package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/skillset"
)

//go:embed schema/skill_list.input.json
var skillListInput string

type skillListInputs struct {
	Category string   `json:"category"`
	Tags     []string `json:"tags"`
	SortBy   string   `json:"sortBy"`
	Limit    int      `json:"limit"`
	Cursor   string   `json:"cursor"`
}

func skillList(c Config) tool.Definition[skillListInputs, *skillset.Listing] {
	return tool.Definition[skillListInputs, *skillset.Listing]{
		Name: "skill_list", Title: "Skill List", Toolset: toolsetWorkspace, Command: "loam skills list",
		Description: "List the ways of working, without their texts.",
		Hints:       tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input:       skillListInput, Output: skillListOutput,
		Example:  `{"sortBy":"usageCount"}`,
		Deadline: listTime,
		Handle: func(ctx context.Context, in skillListInputs) (*skillset.Listing, error) {
			return c.Skills.List(ctx, skillset.ListRequest{Category: in.Category, Tags: in.Tags, SortBy: in.SortBy, Limit: in.Limit, Cursor: in.Cursor})
		},
	}
}
