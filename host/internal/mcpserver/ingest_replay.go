package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/job"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/run"
)

var (
	//go:embed schema/ingest_replay.input.json
	ingestReplayInput string
	//go:embed schema/ingest_replay.output.json
	ingestReplayOutput string
)

type ingestReplayInputs struct {
	RunID       string `json:"runId"`
	WaitSeconds int    `json:"waitSeconds"`
}

func ingestReplay(c Config) tool.Definition[ingestReplayInputs, job.Status] {
	return tool.Definition[ingestReplayInputs, job.Status]{
		Name: "ingest_replay", Title: "Ingest Replay", Toolset: toolsetAdmin, Command: "loam runs replay",
		Description: "Run an ended ingest again from its stored text.",
		Hints:       tool.Hints{ReadOnly: tool.No, Destructive: tool.No, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input:       ingestReplayInput, Output: ingestReplayOutput,
		Example:  `{"runId":"R"}`,
		Deadline: runTime,
		Handle: func(ctx context.Context, in ingestReplayInputs) (job.Status, error) {
			if _, err := c.Jobs.Status(ctx, job.Follow{RunID: in.RunID, Kind: run.Ingest}); err != nil {
				return job.Status{}, err
			}
			s, err := c.Jobs.Replay(ctx, jobCaller(ctx, "ingest_replay"), in.RunID)
			return c.awaited(ctx, s, in.WaitSeconds, err)
		},
	}
}
