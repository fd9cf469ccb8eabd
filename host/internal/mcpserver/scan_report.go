package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/job"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/run"
)

var (
	//go:embed schema/scan_report.input.json
	scanReportInput string
	//go:embed schema/scan_report.output.json
	scanReportOutput string
)

type scanReportInputs struct {
	RunID string `json:"runId"`
}

func scanReport(c Config) tool.Definition[scanReportInputs, job.Status] {
	return tool.Definition[scanReportInputs, job.Status]{
		Name: "scan_report", Title: "Scan Report", Toolset: toolsetAdmin, Command: "loam runs show",
		Description: "Report what a scan found: counts, warnings, the diff to the scan before.",
		Hints:       tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Unset, OpenWorld: tool.Unset},
		Input:       scanReportInput, Output: scanReportOutput,
		Example:  `{"runId":"R"}`,
		Deadline: listTime,
		Handle: func(ctx context.Context, in scanReportInputs) (job.Status, error) {
			return c.Jobs.Report(ctx, job.Follow{RunID: in.RunID, Kind: run.Scan})
		},
	}
}
