package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/semanticquery"
)

var (
	//go:embed schema/sl_list_sources.input.json
	slListSourcesInput string
	//go:embed schema/sl_list_sources.output.json
	slListSourcesOutput string
)

type slListSourcesInputs struct {
	ConnectionID connection.ID `json:"connectionId"`
	Query        string        `json:"query"`
	All          bool          `json:"all"`
	Limit        int           `json:"limit"`
	Cursor       string        `json:"cursor"`
}

func slListSources(c Config) tool.Definition[slListSourcesInputs, *semanticquery.Listings] {
	return tool.Definition[slListSourcesInputs, *semanticquery.Listings]{
		Name: "sl_list_sources", Title: "SL List Sources", Toolset: toolsetAdmin, Command: "loam sl list",
		Description: "List the sources of the semantic layer with their measures and problems.",
		Hints:       tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Unset, OpenWorld: tool.No},
		Input:       slListSourcesInput, Output: slListSourcesOutput,
		Example:  `{}`,
		Deadline: listTime,
		Handle: func(ctx context.Context, in slListSourcesInputs) (*semanticquery.Listings, error) {
			return c.Admin.Sources.Listings(ctx, semanticquery.ListingsRequest{Connection: in.ConnectionID, Text: in.Query, All: in.All, Limit: in.Limit, Cursor: in.Cursor})
		},
	}
}
