package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/finding"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/sdk"
)

var (
	//go:embed schema/sql_execution.input.json
	sqlExecutionInput string
	//go:embed schema/sql_execution.output.json
	sqlExecutionOutput string
)

type sqlExecutionInputs struct {
	ConnectionID connection.ID `json:"connectionId"`
	SQL          string        `json:"sql"`
	MaxRows      int           `json:"maxRows"`
}

func sqlExecution(c Config) tool.Definition[sqlExecutionInputs, tool.Written] {
	return tool.Definition[sqlExecutionInputs, tool.Written]{
		Name: "sql_execution", Title: "SQL Execution", Toolset: toolsetResearch, Command: "loam sql",
		Description: "Run one read-only SQL statement and return its rows. One that could change anything is refused before it runs. " +
			"Rows beyond maxRows or the size limit are cut: truncated says so, notes say what to do. " +
			"Integers beyond 2^53, decimals, intervals, NaN and infinities are strings; timestamps are RFC 3339, without offset when the engine gives none; bytes are base64.",
		Hints: tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.No, OpenWorld: tool.No},
		Input: sqlExecutionInput, Output: sqlExecutionOutput,
		Example:  `{"connectionId":"warehouse","sql":"SELECT status, count(*) FROM orders GROUP BY status","maxRows":100}`,
		Deadline: tool.OfConnection,
		Handle: func(ctx context.Context, in sqlExecutionInputs) (tool.Written, error) {
			var a table
			summary, err := c.Query.Run(ctx, query.Request{
				Connection: in.ConnectionID, SQL: in.SQL, MaxRows: in.MaxRows, MaxBytes: c.AnswerSize,
				Progress: tool.Progress(ctx),
			}, &a)
			if err != nil {
				return tool.Written{}, discover.Offer(err, func() []string { return c.Discover.Statement(ctx, in.ConnectionID, in.SQL).Tables })
			}
			if summary.Nothing {
				summary.Notes = append(summary.Notes, finding.Notes(c.Findings.OfEmpty(ctx, in.ConnectionID, in.SQL))...)
			}
			return a.finish(summary)
		},
	}
}

// A finder compares a statement that returned nothing with what the project knows;
// *finding.Service implements it.
type finder interface {
	OfEmpty(ctx context.Context, id connection.ID, sql string) []finding.Finding
}

// table is the query.Sink that writes the tool's answer.
type table struct{ answer }

func (a *table) Columns(columns []sdk.Column) error {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	a.texts("headers", names)
	if types := query.HeaderTypes(columns); types != nil {
		a.texts("headerTypes", types)
	}
	a.begin(names)
	return nil
}

// extra is a member of an answer behind the rows.
type extra struct {
	name  string
	value any
}

func (a *table) finish(s query.Summary, more ...extra) (tool.Written, error) {
	if err := a.end(s.RowCount, s.Truncated, s.TruncatedBy, s.Elapsed); err != nil {
		return tool.Written{}, err
	}
	for _, m := range more {
		if err := a.member(m.name, m.value); err != nil {
			return tool.Written{}, err
		}
	}
	if len(s.Notes) > 0 {
		if err := a.member("notes", s.Notes); err != nil {
			return tool.Written{}, err
		}
	}
	a.appendNotes(s.RowCount, s.Notes)
	return a.close(), nil
}
