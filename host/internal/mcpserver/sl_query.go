package mcpserver

import (
	"context"
	_ "embed" // for the schemas
	"encoding/json"
	"errors"
	"fmt"

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semanticquery"
	"github.com/loam-data/loam/sdk"
)

var (
	//go:embed schema/sl_query.input.json
	slQueryInput string
	//go:embed schema/sl_query.output.json
	slQueryOutput string
)

func slQuery(c Config) tool.Definition[json.RawMessage, tool.Written] {
	return tool.Definition[json.RawMessage, tool.Written]{
		Name: "sl_query", Title: "Semantic Layer Query", Toolset: toolsetResearch, Command: "loam sl query",
		Description: "Ask for approved metrics before you write SQL: measures by dimensions. Joins never multiply rows; " +
			"what has no certain meaning is refused with the choices. Names: discover_data, sl_read_source. Pass on what notes say.",
		Hints: tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input: slQueryInput, Output: slQueryOutput,
		// A request has more shapes than a schema: whoever answers it reads it.
		Read: func(raw json.RawMessage) (json.RawMessage, error) { return raw, nil },
		Example: `{"measures":["orders.revenue"],"dimensions":[{"field":"orders.created_at","granularity":"month"}],` +
			`"filters":["orders.status = 'paid'"],"order_by":[{"field":"orders.revenue","direction":"desc"}]}`,
		Deadline: tool.OfConnection,
		Handle: func(ctx context.Context, body json.RawMessage) (tool.Written, error) {
			var a measured
			compiled, outcome, err := c.Semantic.Run(ctx, semanticquery.Request{
				Body: body, Chosen: chosenIn(ctx), MaxBytes: c.AnswerSize, Progress: tool.Progress(ctx),
			}, &a)
			if err != nil {
				return tool.Written{}, askable(refused(err), body)
			}
			return a.finish(compiled, outcome)
		},
	}
}

// measured is the semanticquery.Sink that writes the tool's answer.
type measured struct {
	answer
	// about lists the units of columns, and the columns that the model does not define.
	about []string
}

func (a *measured) Columns(c *semanticquery.Compiled, engine []sdk.Column) error {
	columns := c.Columns(engine)
	names := make([]string, len(columns))
	for i, column := range columns {
		names[i] = column.Name
		if column.Unit != "" {
			a.about = append(a.about, fmt.Sprintf("%s is in %s", column.Name, column.Unit))
		}
		if column.Provenance != semanticquery.Defined {
			a.about = append(a.about, fmt.Sprintf("%s is %s", column.Name, column.Provenance))
		}
	}
	err := errors.Join(
		a.member("connectionId", c.Connection),
		a.member("columns", columns))
	a.texts("headers", names)
	a.begin(names)
	return err
}

func (a *measured) finish(c *semanticquery.Compiled, o query.Summary) (tool.Written, error) {
	notes := append(append([]string{}, c.Notes...), o.Notes...)
	err := a.end(o.RowCount, o.Truncated, o.TruncatedBy, o.Elapsed)
	if len(notes) > 0 {
		err = errors.Join(err, a.member("notes", notes))
	}
	a.appendNotes(o.RowCount, append(a.about, notes...))
	if c.IncludeSQL {
		err = errors.Join(err, a.member("sql", c.Query.SQL))
		a.lines = append(append(a.lines, "\nsql: "...), c.Query.SQL...)
	}
	if c.IncludePlan {
		before := len(a.text)
		err = errors.Join(err, a.member("plan", c.Query.Plan))
		a.lines = append(append(a.lines, '\n'), a.text[min(before+1, len(a.text)):]...)
	}
	return a.close(), err
}

type semanticError = refusal.Error

// detailed is a tool.Detailed: the choices of a refusal have places of their own.
type detailed struct{ *semanticError }

var _ tool.Detailed = detailed{}

// refused makes a refusal of the semantic layer one; other errors stay.
func refused(err error) error {
	if e, ok := errors.AsType[*refusal.Error](err); ok {
		return detailed{e}
	}
	return err
}

// Details implements tool.Detailed.
func (d detailed) Details() any { return semanticquery.NewRefusal(d.semanticError) }
