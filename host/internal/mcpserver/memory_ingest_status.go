package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/memory"
)

var (
	//go:embed schema/memory_ingest_status.input.json
	memoryIngestStatusInput string
	//go:embed schema/memory_ingest_status.output.json
	memoryIngestStatusOutput string
)

type memoryIngestStatusInputs struct {
	RunID memory.RunID `json:"runId"`
}

func memoryIngestStatus(c Config) tool.Definition[memoryIngestStatusInputs, *memory.Run] {
	return tool.Definition[memoryIngestStatusInputs, *memory.Run]{
		Name: "memory_ingest_status", Title: "Memory Ingest Status", Toolset: toolsetResearch, Command: "loam ingest status",
		Description: "What became of a memory_ingest: what is kept, what waits for a person, and questions: answer them by ingesting a clearer sentence.",
		Hints:       tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Unset, OpenWorld: tool.No},
		Input:       memoryIngestStatusInput, Output: memoryIngestStatusOutput,
		Example:  `{"runId":"4ZQ5LJ2XH7KWM"}`,
		Deadline: listTime,
		Handle: func(ctx context.Context, in memoryIngestStatusInputs) (*memory.Run, error) {
			return c.Memory.Status(ctx, in.RunID)
		},
	}
}
