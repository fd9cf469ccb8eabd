package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/approved"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
)

var (
	//go:embed schema/list_approved_queries.input.json
	listApprovedQueriesInput string
	//go:embed schema/list_approved_queries.output.json
	listApprovedQueriesOutput string
)

type listApprovedQueriesInputs struct {
	ConnectionID connection.ID `json:"connectionId"`
	Query        string        `json:"query"`
	Tags         []string      `json:"tags"`
	Limit        int           `json:"limit"`
	Cursor       string        `json:"cursor"`
}

func listApprovedQueries(c Config) tool.Definition[listApprovedQueriesInputs, *approved.Listing] {
	return tool.Definition[listApprovedQueriesInputs, *approved.Listing]{
		Name: "list_approved_queries", Title: "List Approved Queries", Toolset: toolsetQueries, Command: "loam queries list",
		Description: "List the saved queries that a person reviewed, with parameters, caveats and usage. To run one: execute_approved_query.",
		Hints:       tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input:       listApprovedQueriesInput, Output: listApprovedQueriesOutput,
		Example:  `{"query":"revenue by host","limit":10}`,
		Deadline: listTime,
		Handle: func(ctx context.Context, in listApprovedQueriesInputs) (*approved.Listing, error) {
			return c.Approved.List(ctx, approved.ListRequest{Connection: in.ConnectionID, Query: in.Query, Tags: in.Tags, Limit: in.Limit, Cursor: in.Cursor})
		},
	}
}
