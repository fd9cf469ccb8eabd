package mcpserver

import (
	"bytes"
	"context"
	_ "embed" // for the schemas
	"encoding/json"
	"strconv"
	"time"

	"github.com/loam-data/loam/host/internal/connection"
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

// sqlMargin is what a call may take beyond the connection's timeout, so that
// the statement's own clock, which can say more, strikes first.
const sqlMargin = 5 * time.Second

type sqlExecutionInputs struct {
	ConnectionID connection.ID `json:"connectionId"`
	SQL          string        `json:"sql"`
	MaxRows      int           `json:"maxRows"`
}

func sqlExecution(c Config) tool.Definition[sqlExecutionInputs, tool.Encoded] {
	return tool.Definition[sqlExecutionInputs, tool.Encoded]{
		Name: "sql_execution", Title: "SQL Execution", Toolset: toolsetResearch,
		Description: "Run one read-only SQL statement and return its rows. A statement that could change anything is refused before it runs. " +
			"Rows beyond maxRows or the size limit are cut: truncated says so, notes say what to do. " +
			"Integers beyond 2^53, decimals, intervals, NaN and infinities are strings; timestamps are RFC 3339, without offset when the engine gives none; bytes are base64.",
		Hints: tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.No, OpenWorld: tool.No},
		Input: sqlExecutionInput, Output: sqlExecutionOutput,
		Example: `{"connectionId":"warehouse","sql":"SELECT status, count(*) AS orders FROM orders GROUP BY status","maxRows":100}`,
		Deadline: func(ctx context.Context, in sqlExecutionInputs) time.Duration {
			return c.timeout(ctx, in.ConnectionID) + sqlMargin
		},
		Handle: func(ctx context.Context, in sqlExecutionInputs) (tool.Encoded, error) {
			var a answer
			summary, err := c.Query.Run(ctx, query.Request{
				Connection: in.ConnectionID, SQL: in.SQL, MaxRows: in.MaxRows, MaxBytes: c.AnswerSize,
				Progress: tool.Progress(ctx),
			}, &a)
			if err != nil {
				return nil, err
			}
			return a.finish(summary)
		},
	}
}

// timeout is that of the connection; for one that does not exist it does not
// matter.
func (c Config) timeout(ctx context.Context, id connection.ID) time.Duration {
	if registry, err := c.Connections(ctx); err == nil {
		if found, err := registry.Get(id); err == nil {
			return found.Limits.OrDefault().Timeout
		}
	}
	return connection.DefaultTimeout
}

// answer is the query.Sink that writes the tool's answer as the rows come, from
// cells that are JSON already.
type answer struct{ text []byte }

func (a *answer) Columns(columns []sdk.Column) error {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	if err := a.member(`{"headers":`, names); err != nil {
		return err
	}
	if types := query.HeaderTypes(columns); types != nil {
		if err := a.member(`,"headerTypes":`, types); err != nil {
			return err
		}
	}
	a.text = append(a.text, `,"rows":[`...)
	return nil
}

func (a *answer) Row(cells [][]byte) error {
	if a.text[len(a.text)-1] == ']' {
		a.text = append(a.text, ',')
	}
	a.text = append(a.text, '[')
	for i, cell := range cells {
		if i > 0 {
			a.text = append(a.text, ',')
		}
		a.text = append(a.text, cell...)
	}
	a.text = append(a.text, ']')
	return nil
}

func (a *answer) finish(s query.Summary) (tool.Encoded, error) {
	a.text = append(a.text, `],"rowCount":`...)
	a.text = strconv.AppendInt(a.text, int64(s.RowCount), 10)
	a.text = append(a.text, `,"truncated":`...)
	a.text = strconv.AppendBool(a.text, s.Truncated)
	if s.TruncatedBy != sdk.TruncatedNot {
		if err := a.member(`,"truncatedBy":`, s.TruncatedBy); err != nil {
			return nil, err
		}
	}
	a.text = append(a.text, `,"elapsedMs":`...)
	a.text = strconv.AppendInt(a.text, s.Elapsed.Milliseconds(), 10)
	if len(s.Notes) > 0 {
		if err := a.member(`,"notes":`, s.Notes); err != nil {
			return nil, err
		}
	}
	return append(a.text, '}'), nil
}

// member appends a value; < and > stay readable in the text that clients show.
func (a *answer) member(name string, value any) error {
	buf := bytes.NewBuffer(append(a.text, name...))
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(value)
	a.text = bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
	return err
}
