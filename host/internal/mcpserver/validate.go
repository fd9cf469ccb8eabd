package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/ask"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
)

var (
	//go:embed schema/validate.input.json
	validateInput string
	//go:embed schema/validate.output.json
	validateOutput string
)

// statementInputs are the arguments of validate and explain_query.
type statementInputs struct {
	ConnectionID connection.ID `json:"connectionId"`
	SQL          string        `json:"sql"`
	Parameters   ask.Values    `json:"parameters"`
}

func (in *statementInputs) statement() ask.Statement {
	return ask.Statement{Connection: in.ConnectionID, SQL: in.SQL, Parameters: in.Parameters}
}

func validateStatement(c Config) tool.Definition[statementInputs, *ask.Validation] {
	return tool.Definition[statementInputs, *ask.Validation]{
		Name: "validate", Title: "Validate", Toolset: toolsetQueries, Command: "loam sql --check",
		Description: "Check one SQL statement without running it: whether it only reads, whether the engine accepts it, its columns and tables. " +
			"findings say what is probably not meant, such as a value that the column lacks; they forbid nothing.",
		Hints: tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input: validateInput, Output: validateOutput,
		Example:  `{"connectionId":"warehouse","sql":"SELECT id FROM orders WHERE status = 'paid'"}`,
		Deadline: tool.OfConnection,
		Handle: func(ctx context.Context, in statementInputs) (*ask.Validation, error) {
			return c.Ask.Validate(ctx, in.statement())
		},
	}
}
