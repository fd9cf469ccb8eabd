package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/job"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/run"
)

var (
	//go:embed schema/ingest_status.input.json
	ingestStatusInput string
	//go:embed schema/ingest_status.output.json
	ingestStatusOutput string
)

type ingestStatusInputs struct {
	RunID       string `json:"runId"`
	WaitSeconds int    `json:"waitSeconds"`
}

func ingestStatus(c Config) tool.Definition[ingestStatusInputs, job.Status] {
	return tool.Definition[ingestStatusInputs, job.Status]{
		Name: "ingest_status", Title: "Ingest Status", Toolset: toolsetAdmin, Command: "loam runs show",
		Description: "Report how far an ingest is.",
		Hints:       tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Unset, OpenWorld: tool.Unset},
		Input:       ingestStatusInput, Output: ingestStatusOutput,
		Example:  `{"runId":"R"}`,
		Deadline: runTime,
		Handle: func(ctx context.Context, in ingestStatusInputs) (job.Status, error) {
			return c.Jobs.Status(ctx, followed(ctx, run.Ingest, in.RunID, in.WaitSeconds))
		},
	}
}
