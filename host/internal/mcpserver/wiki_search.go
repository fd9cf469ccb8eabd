package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
)

var (
	//go:embed schema/wiki_search.input.json
	wikiSearchInput string
	//go:embed schema/wiki_search.output.json
	wikiSearchOutput string
)

type wikiSearchInputs struct {
	Query string `json:"query"`
	Limit int    `json:"limit"`
}

func wikiSearch(c Config) tool.Definition[wikiSearchInputs, *discover.WikiAnswer] {
	return tool.Definition[wikiSearchInputs, *discover.WikiAnswer]{
		Name: "wiki_search", Title: "Wiki Search", Toolset: toolsetResearch, Command: "loam wiki search",
		Description: "Search the wiki: what words mean in this business, and the traps of its data. Read a page with wiki_read.",
		Hints:       tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input:       wikiSearchInput, Output: wikiSearchOutput,
		Example:  `{"query":"definition of churn"}`,
		Deadline: listTime,
		Handle: func(ctx context.Context, in wikiSearchInputs) (*discover.WikiAnswer, error) {
			return c.Discover.SearchWiki(ctx, in.Query, in.Limit)
		},
	}
}
