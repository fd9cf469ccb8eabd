package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/semanticquery/validation"
)

var (
	//go:embed schema/sl_validate.input.json
	slValidateInput string
	//go:embed schema/sl_validate.output.json
	slValidateOutput string
)

type slValidateInputs struct {
	ConnectionID connection.ID `json:"connectionId"`
	Data         bool          `json:"data"`
}

func slValidate(c Config) tool.Definition[slValidateInputs, *validation.Report] {
	return tool.Definition[slValidateInputs, *validation.Report]{
		Name: "sl_validate", Title: "SL Validate", Toolset: toolsetAdmin, Command: "loam sl validate",
		Description: "Check the files of the semantic layer; with data also the keys and joins that they declare.",
		Hints:       tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Unset, OpenWorld: tool.No},
		Input:       slValidateInput, Output: slValidateOutput,
		Example:  `{}`,
		Deadline: validateTime,
		Handle: func(ctx context.Context, in slValidateInputs) (*validation.Report, error) {
			return c.Admin.Sources.Validate(ctx, validation.Request{Connection: in.ConnectionID, Data: in.Data, Progress: tool.Progress(ctx)})
		},
	}
}
