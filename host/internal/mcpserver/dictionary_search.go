package mcpserver

import (
	"context"
	_ "embed" // for the schemas

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
)

var (
	//go:embed schema/dictionary_search.input.json
	dictionarySearchInput string
	//go:embed schema/dictionary_search.output.json
	dictionarySearchOutput string
)

type dictionarySearchInputs struct {
	Values       []string      `json:"values"`
	ConnectionID connection.ID `json:"connectionId"`
}

func dictionarySearch(c Config) tool.Definition[dictionarySearchInputs, *discover.FoundValues] {
	return tool.Definition[dictionarySearchInputs, *discover.FoundValues]{
		Name: "dictionary_search", Title: "Dictionary Search", Toolset: toolsetResearch, Command: "loam search --value",
		Description: "Find which connection, table and column holds a literal, such as a name or code, before you filter by it: " +
			"parts of sampled values, in any case, exact matches first. " +
			"A hit proves that the column holds it; a miss proves nothing, and names columns that may hold it, their values withheld.",
		Hints: tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input: dictionarySearchInput, Output: dictionarySearchOutput,
		Example:  `{"values":["Acme Corp"]}`,
		Deadline: listTime,
		Handle: func(ctx context.Context, in dictionarySearchInputs) (*discover.FoundValues, error) {
			answer, err := c.Discover.Values(ctx, discover.ValuesRequest{Values: in.Values, Connection: in.ConnectionID})
			if err != nil {
				return nil, err
			}
			return answer.Found(), nil
		},
	}
}
