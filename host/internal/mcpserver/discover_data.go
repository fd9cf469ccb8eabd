package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
)

var (
	//go:embed schema/discover_data.input.json
	discoverDataInput string
	//go:embed schema/discover_data.output.json
	discoverDataOutput string
)

type discoverDataInputs struct {
	Query        string        `json:"query"`
	ConnectionID connection.ID `json:"connectionId"`
	Kinds        []string      `json:"kinds"`
	Limit        int           `json:"limit"`
}

func discoverData(c Config) tool.Definition[discoverDataInputs, *discover.SearchAnswer] {
	return tool.Definition[discoverDataInputs, *discover.SearchAnswer]{
		Name: "discover_data", Title: "Discover Data", Toolset: toolsetResearch, Command: "loam search",
		Description: "Find what exists for a question: one ranked search over wiki pages, semantic sources, measures and dimensions, tables and columns, " +
			"by names, descriptions and sampled values; abbreviations and typos are found. " +
			"Read a wiki id with wiki_read, an sl_source with sl_read_source, a table with entity_details.",
		Hints: tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input: discoverDataInput, Output: discoverDataOutput,
		Example:  `{"query":"revenue by customer","kinds":["wiki","table"],"limit":10}`,
		Deadline: listTime,
		Handle: func(ctx context.Context, in discoverDataInputs) (*discover.SearchAnswer, error) {
			return c.Discover.Search(ctx, discover.SearchRequest{Query: in.Query, Connection: in.ConnectionID, Kinds: in.Kinds, Limit: in.Limit})
		},
	}
}
