package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/job"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/run"
)

var (
	//go:embed schema/ingest_trigger.input.json
	ingestTriggerInput string
	//go:embed schema/ingest_trigger.output.json
	ingestTriggerOutput string
)

type ingestTriggerInputs struct {
	Content      string `json:"content"`
	Source       string `json:"source"`
	ConnectionID string `json:"connectionId"`
	WaitSeconds  int    `json:"waitSeconds"`
}

func ingestTrigger(c Config) tool.Definition[ingestTriggerInputs, job.Status] {
	return tool.Definition[ingestTriggerInputs, job.Status]{
		Name: "ingest_trigger", Title: "Ingest Trigger", Toolset: toolsetAdmin, Command: "loam ingest text",
		Description: "Learn from a text, in the background: memory_ingest with waiting.",
		Hints:       tool.Hints{ReadOnly: tool.No, Destructive: tool.No, Idempotent: tool.No, OpenWorld: tool.No},
		Input:       ingestTriggerInput, Output: ingestTriggerOutput, Aliases: contentAliases,
		Example:  `{"content":"ARR means revenue."}`,
		Deadline: runTime,
		Handle: func(ctx context.Context, in ingestTriggerInputs) (job.Status, error) {
			accepted, err := c.Memory.Accept(ctx, memory.Input{Content: in.Content, Connection: in.ConnectionID, Source: in.Source, Actor: actorOf(ctx)})
			if err != nil {
				return job.Status{}, err
			}
			return c.Jobs.Status(ctx, followed(ctx, run.Ingest, string(accepted.RunID), in.WaitSeconds))
		},
	}
}
