package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/host/internal/semanticquery"
)

var (
	//go:embed schema/sl_read_source.input.json
	slReadSourceInput string
	//go:embed schema/sl_read_source.output.json
	slReadSourceOutput string
)

type slReadSourceInputs struct {
	ConnectionID connection.ID `json:"connectionId"`
	Source       string        `json:"source"`
	Dimensions   []string      `json:"dimensions"`
}

func slReadSource(c Config) tool.Definition[slReadSourceInputs, *semanticquery.SourceAnswer] {
	return tool.Definition[slReadSourceInputs, *semanticquery.SourceAnswer]{
		Name: "sl_read_source", Title: "Semantic Layer Read Source", Toolset: toolsetResearch, Command: "loam sl show",
		Description: "Read what a source of the semantic layer offers to sl_query now: measures, segments, dimensions, joins, sources in reach, " +
			"and what is broken, and why. Every scanned table is a source.",
		Hints: tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input: slReadSourceInput, Output: slReadSourceOutput, Aliases: sourceAliases,
		Example:  `{"connectionId":"warehouse","source":"orders"}`,
		Deadline: listTime,
		Handle: func(ctx context.Context, in slReadSourceInputs) (*semanticquery.SourceAnswer, error) {
			return c.Semantic.ReadSource(ctx, semanticquery.SourceRequest{
				Connection: in.ConnectionID, Name: in.Source, Dimensions: in.Dimensions, MaxChars: c.AnswerSize,
			})
		},
	}
}

// sourceAliases accepts what models write for a source, and one dimension for a
// list of it.
func sourceAliases(arguments map[string]any) (changed bool) {
	for _, alias := range []string{"sourceName", "source_name", "name"} {
		value, given := arguments[alias]
		if _, twice := arguments["source"]; given && !twice {
			delete(arguments, alias)
			arguments["source"] = value
			changed = true
		}
	}
	if one, ok := arguments["dimensions"].(string); ok {
		arguments["dimensions"] = []any{one}
		changed = true
	}
	return changed
}
