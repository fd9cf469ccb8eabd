package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
)

var (
	//go:embed schema/wiki_read.input.json
	wikiReadInput string
	//go:embed schema/wiki_read.output.json
	wikiReadOutput string
)

type wikiReadInputs struct {
	Key string `json:"key"`
}

func wikiRead(c Config) tool.Definition[wikiReadInputs, *discover.WikiPage] {
	return tool.Definition[wikiReadInputs, *discover.WikiPage]{
		Name: "wiki_read", Title: "Wiki Read", Toolset: toolsetResearch, Command: "loam wiki read",
		Description: "Read a page of the wiki as it is now, and where it comes from.",
		Hints:       tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input:       wikiReadInput, Output: wikiReadOutput,
		Example:  `{"key":"churn"}`,
		Deadline: listTime,
		Handle: func(ctx context.Context, in wikiReadInputs) (*discover.WikiPage, error) {
			return c.Discover.ReadWiki(ctx, in.Key)
		},
	}
}
