package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/job"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/run"
)

var (
	//go:embed schema/scan_status.input.json
	scanStatusInput string
	//go:embed schema/scan_status.output.json
	scanStatusOutput string
)

type scanStatusInputs struct {
	RunID       string `json:"runId"`
	WaitSeconds int    `json:"waitSeconds"`
}

func scanStatus(c Config) tool.Definition[scanStatusInputs, job.Status] {
	return tool.Definition[scanStatusInputs, job.Status]{
		Name: "scan_status", Title: "Scan Status", Toolset: toolsetAdmin, Command: "loam runs show",
		Description: "Report how far a scan is.",
		Hints:       tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Unset, OpenWorld: tool.Unset},
		Input:       scanStatusInput, Output: scanStatusOutput,
		Example:  `{"runId":"R"}`,
		Deadline: runTime,
		Handle: func(ctx context.Context, in scanStatusInputs) (job.Status, error) {
			return c.Jobs.Status(ctx, followed(ctx, run.Scan, in.RunID, in.WaitSeconds))
		},
	}
}
