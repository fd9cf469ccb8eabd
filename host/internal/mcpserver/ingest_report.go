package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/memory"
)

var (
	//go:embed schema/ingest_report.input.json
	ingestReportInput string
	//go:embed schema/ingest_report.output.json
	ingestReportOutput string
)

type ingestReportInputs struct {
	RunID memory.RunID `json:"runId"`
}

func ingestReport(c Config) tool.Definition[ingestReportInputs, *memory.Run] {
	return tool.Definition[ingestReportInputs, *memory.Run]{
		Name: "ingest_report", Title: "Ingest Report", Toolset: toolsetAdmin, Command: "loam ingest status",
		Description: "Report what became of a text: what is kept, what waits, questions.",
		Hints:       tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Unset, OpenWorld: tool.Unset},
		Input:       ingestReportInput, Output: ingestReportOutput,
		Example:  `{"runId":"R"}`,
		Deadline: listTime,
		Handle: func(ctx context.Context, in ingestReportInputs) (*memory.Run, error) {
			return c.Memory.Status(ctx, in.RunID)
		},
	}
}
