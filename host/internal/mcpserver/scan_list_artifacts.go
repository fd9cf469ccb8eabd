package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/job"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
)

var (
	//go:embed schema/scan_list_artifacts.input.json
	scanListArtifactsInput string
	//go:embed schema/scan_list_artifacts.output.json
	scanListArtifactsOutput string
)

type scanListArtifactsInputs struct {
	RunID        string        `json:"runId"`
	ConnectionID connection.ID `json:"connectionId"`
}

func scanListArtifacts(c Config) tool.Definition[scanListArtifactsInputs, *job.Artifacts] {
	return tool.Definition[scanListArtifactsInputs, *job.Artifacts]{
		Name: "scan_list_artifacts", Title: "Scan List Artifacts", Toolset: toolsetAdmin, Command: "loam runs artifacts",
		Description: "List what a scan made: report, tables, snapshot, diff.",
		Hints:       tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Unset, OpenWorld: tool.Unset},
		Input:       scanListArtifactsInput, Output: scanListArtifactsOutput,
		Example:  `{"connectionId":"c"}`,
		Deadline: listTime,
		Handle: func(ctx context.Context, in scanListArtifactsInputs) (*job.Artifacts, error) {
			return c.Jobs.ListArtifacts(ctx, job.ArtifactsRequest{RunID: in.RunID, Connection: in.ConnectionID})
		},
	}
}
