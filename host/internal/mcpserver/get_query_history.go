package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/ask"
	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
)

var (
	//go:embed schema/get_query_history.input.json
	getQueryHistoryInput string
	//go:embed schema/get_query_history.output.json
	getQueryHistoryOutput string
)

type getQueryHistoryInputs struct {
	Since        string        `json:"since"`
	Tables       []string      `json:"tables"`
	ConnectionID connection.ID `json:"connectionId"`
	Outcome      string        `json:"outcome"`
	Limit        int           `json:"limit"`
}

func getQueryHistory(c Config) tool.Definition[getQueryHistoryInputs, *ask.History] {
	return tool.Definition[getQueryHistoryInputs, *ask.History]{
		Name: "get_query_history", Title: "Get Query History", Toolset: toolsetQueries, Command: "loam queries history",
		Description: "List the SQL statements that you ran lately, each once with its runs and how the last one ended. Literals are ? by default.",
		Hints:       tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input:       getQueryHistoryInput, Output: getQueryHistoryOutput,
		Example:  `{"since":"7d","tables":["orders"],"outcome":"ok"}`,
		Deadline: listTime,
		Handle: func(ctx context.Context, in getQueryHistoryInputs) (*ask.History, error) {
			own := tool.CallerOf(ctx)
			return c.Ask.QueryHistory(ctx, ask.HistoryRequest{
				Since: in.Since, Tables: in.Tables, Connection: in.ConnectionID, Outcome: in.Outcome, Limit: in.Limit,
				Own: &own, Named: caller.Of(ctx).Named,
			})
		},
	}
}
