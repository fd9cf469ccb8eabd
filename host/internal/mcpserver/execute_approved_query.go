package mcpserver

import (
	"bytes"
	"context"
	_ "embed" // for the schemas
	"encoding/json"

	"github.com/loam-data/loam/host/internal/approved"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
)

var (
	//go:embed schema/execute_approved_query.input.json
	executeApprovedQueryInput string
	//go:embed schema/execute_approved_query.output.json
	executeApprovedQueryOutput string
)

type executeApprovedQueryInputs struct {
	Name         string          `json:"name"`
	ConnectionID connection.ID   `json:"connectionId"`
	Parameters   json.RawMessage `json:"parameters"`
	MaxRows      int             `json:"maxRows"`
}

func executeApprovedQuery(c Config) tool.Definition[executeApprovedQueryInputs, tool.Written] {
	return tool.Definition[executeApprovedQueryInputs, tool.Written]{
		Name: "execute_approved_query", Title: "Execute Approved Query", Toolset: toolsetQueries, Command: "loam queries run",
		Description: "Run a saved query of list_approved_queries, read-only, with bound parameters. The rows are as in sql_execution; bound has the values used.",
		Hints:       tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.No, OpenWorld: tool.No},
		Input:       executeApprovedQueryInput, Output: executeApprovedQueryOutput,
		Example:  `{"name":"top-hosts-by-revenue","parameters":{"start_date":"2024-01-01","statuses":["paid"]}}`,
		Deadline: tool.OfConnection,
		Handle: func(ctx context.Context, in executeApprovedQueryInputs) (tool.Written, error) {
			run := approved.Run{Name: in.Name, Connection: in.ConnectionID, MaxRows: in.MaxRows, MaxBytes: c.AnswerSize, Progress: tool.Progress(ctx)}
			if in.Parameters != nil {
				decoder := json.NewDecoder(bytes.NewReader(in.Parameters))
				decoder.UseNumber()
				if err := decoder.Decode(&run.Parameters); err != nil {
					return tool.Written{}, err
				}
			}
			var a table
			r, err := c.Approved.Execute(ctx, run, &a)
			if err != nil {
				return tool.Written{}, err
			}
			return a.finish(r.Summary, extra{"query", r.Query}, extra{"bound", r.Bound})
		},
	}
}
