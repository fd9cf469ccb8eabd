package mcpserver

import (
	"cmp"
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/ask"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/query"
)

var (
	//go:embed schema/explain_query.input.json
	explainQueryInput string
	//go:embed schema/explain_query.output.json
	explainQueryOutput string
)

func explainQuery(c Config) tool.Definition[statementInputs, *ask.Plan] {
	return tool.Definition[statementInputs, *ask.Plan]{
		Name: "explain_query", Title: "Explain Query", Toolset: toolsetQueries, Command: "loam sql --explain",
		Description: "Return the engine's plan of one SQL statement, and its estimates where it has any. The statement is not run, " +
			"so there are no measured times. findings are those of validate.",
		Hints: tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input: explainQueryInput, Output: explainQueryOutput,
		Example:  `{"connectionId":"warehouse","sql":"SELECT count(*) FROM orders WHERE id > 100"}`,
		Deadline: tool.OfConnection,
		Handle: func(ctx context.Context, in statementInputs) (*ask.Plan, error) {
			return c.Ask.Explain(ctx, in.statement(), cmp.Or(c.AnswerSize, query.DefaultMaxBytes))
		},
	}
}
