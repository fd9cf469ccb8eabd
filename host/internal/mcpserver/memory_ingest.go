package mcpserver

import (
	"context"
	_ "embed" // for the schemas
	"time"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/memory"
)

var (
	//go:embed schema/memory_ingest.input.json
	memoryIngestInput string
	//go:embed schema/memory_ingest.output.json
	memoryIngestOutput string
)

// writeTime bounds a call that stores something.
const writeTime = 30 * time.Second

type memoryIngestInputs struct {
	Content      string `json:"content"`
	ConnectionID string `json:"connectionId"`
}

func memoryIngest(c Config) tool.Definition[memoryIngestInputs, memory.Accepted] {
	return tool.Definition[memoryIngestInputs, memory.Accepted]{
		Name: "memory_ingest", Title: "Memory Ingest", Toolset: toolsetResearch, Command: "loam ingest text",
		Description: "Remember what holds beyond this question: what a word means, how a number is computed, a trap of the data, " +
			"what the user asks you to remember. Whole sentences that name tables and columns, and the source. " +
			"Answers at once; memory_ingest_status says what became of it.",
		Hints: tool.Hints{ReadOnly: tool.No, Destructive: tool.No, Idempotent: tool.No, OpenWorld: tool.No},
		Input: memoryIngestInput, Output: memoryIngestOutput, Aliases: contentAliases,
		Example:  `{"connectionId":"shop","content":"ARR is the sum of amount in billing.subscription. Source: finance"}`,
		Deadline: writeTime,
		Handle: func(ctx context.Context, in memoryIngestInputs) (memory.Accepted, error) {
			return c.Memory.Accept(ctx, memory.Input{Content: in.Content, Connection: in.ConnectionID, Actor: actorOf(ctx)})
		},
	}
}

// contentAliases accepts text and markdown for content.
func contentAliases(arguments map[string]any) (changed bool) {
	for _, alias := range []string{"text", "markdown"} {
		value, given := arguments[alias]
		if _, twice := arguments["content"]; given && !twice {
			delete(arguments, alias)
			arguments["content"] = value
			changed = true
		}
	}
	return changed
}

// actorOf returns who makes a call, as the transport knows them.
func actorOf(ctx context.Context) change.Actor {
	who := tool.CallerOf(ctx)
	actor := change.Actor{Channel: change.MCP, Client: who.Client, Version: who.Version, Session: who.Session}
	if who.Principal != caller.None {
		actor.Principal = who.Principal
	}
	return actor
}
