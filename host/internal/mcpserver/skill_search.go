package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/skillset"
)

var (
	//go:embed schema/skill_search.input.json
	skillSearchInput string
	//go:embed schema/skill_list.output.json
	skillListOutput string
)

type skillSearchInputs struct {
	Query    string   `json:"query"`
	TopK     int      `json:"topK"`
	Category string   `json:"category"`
	Tags     []string `json:"tags"`
}

func skillSearch(c Config) tool.Definition[skillSearchInputs, *skillset.Found] {
	return tool.Definition[skillSearchInputs, *skillset.Found]{
		Name: "skill_search", Title: "Skill Search", Toolset: toolsetWorkspace, Command: "loam skills list",
		Description: "Find ways of working by words, without their texts. To read one: skill_apply.",
		Hints:       tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input:       skillSearchInput, Output: skillListOutput,
		Example:  `{"query":"close the month"}`,
		Deadline: listTime,
		Handle: func(ctx context.Context, in skillSearchInputs) (*skillset.Found, error) {
			return c.Skills.Search(ctx, skillset.SearchRequest{Query: in.Query, TopK: in.TopK, Category: in.Category, Tags: in.Tags})
		},
	}
}
