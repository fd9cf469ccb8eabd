package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/ask"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
)

var (
	//go:embed schema/sample.input.json
	sampleInput string
	//go:embed schema/sample.output.json
	sampleOutput string
)

type sampleInputs struct {
	ConnectionID connection.ID   `json:"connectionId"`
	Table        string          `json:"table"`
	Columns      []string        `json:"columns"`
	Where        []ask.Condition `json:"where"`
	Limit        int             `json:"limit"`
}

func sample(c Config) tool.Definition[sampleInputs, tool.Written] {
	return tool.Definition[sampleInputs, tool.Written]{
		Name: "sample", Title: "Sample", Toolset: toolsetQueries, Command: "loam catalog sample",
		Description: "Read some rows of a scanned table, in no order: neither count nor add them. " +
			"withheld names the columns that are not shown.",
		Hints: tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.No, OpenWorld: tool.No},
		Input: sampleInput, Output: sampleOutput,
		Example:  `{"connectionId":"shop","table":"orders","where":[{"column":"status","op":"equals","values":["paid"]}]}`,
		Deadline: tool.OfConnection,
		Handle: func(ctx context.Context, in sampleInputs) (tool.Written, error) {
			var a table
			out, err := c.Ask.Sample(ctx, ask.SampleRequest{
				Connection: in.ConnectionID, Table: in.Table, Columns: in.Columns, Where: in.Where, Limit: in.Limit,
				MaxBytes: c.AnswerSize, Progress: tool.Progress(ctx),
			}, &a)
			if err != nil {
				return tool.Written{}, err
			}
			return a.finish(out.Summary, extra{"withheld", out.Withheld})
		},
	}
}
