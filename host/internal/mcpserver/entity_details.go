package mcpserver

import (
	"context"
	_ "embed" // for the schemas
	"encoding/json"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/discover"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/sdk"
)

var (
	//go:embed schema/entity_details.input.json
	entityDetailsInput string
	//go:embed schema/entity_details.output.json
	entityDetailsOutput string
)

type entityDetailsInputs struct {
	ConnectionID connection.ID `json:"connectionId"`
	Entities     []struct {
		Table   tableInput `json:"table"`
		Columns []string   `json:"columns"`
	} `json:"entities"`
	Schema  string       `json:"schema"`
	Between []tableInput `json:"between"`
	Sample  int          `json:"sample"`
	Offset  int          `json:"offset"`
}

// tableInput is a table as one string or by its parts.
type tableInput struct {
	display string
	ref     sdk.TableRef
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *tableInput) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		return json.Unmarshal(text, &t.display)
	}
	var parts struct{ Catalog, DB, Name string }
	err := json.Unmarshal(text, &parts)
	t.ref = sdk.TableRef{Catalog: parts.Catalog, Schema: parts.DB, Name: parts.Name}
	return err
}

func entityDetails(c Config) tool.Definition[entityDetailsInputs, *discover.EntitiesAnswer] {
	return tool.Definition[entityDetailsInputs, *discover.EntitiesAnswer]{
		Name: "entity_details", Title: "Entity Details", Toolset: toolsetResearch, Command: "loam catalog show",
		Description: "Describe up to 20 tables as last scanned, before you write SQL. One line per column: type, key, NULLs, distinct values, " +
			"range or values with counts, meaning; one per join. Or list the tables of a schema, or the ways between two tables. " +
			"errors: what is not found or ambiguous, with candidates.",
		Hints: tool.Hints{ReadOnly: tool.Yes, Destructive: tool.Unset, Idempotent: tool.Yes, OpenWorld: tool.No},
		Input: entityDetailsInput, Output: entityDetailsOutput, Aliases: entityAliases,
		Example:  `{"connectionId":"warehouse","entities":[{"table":"public.orders","columns":["id"]}]}`,
		Deadline: listTime,
		Handle: func(ctx context.Context, in entityDetailsInputs) (*discover.EntitiesAnswer, error) {
			if len(in.Entities) == 0 && in.Schema == "" && in.Between == nil {
				return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "entities, schema and between are all left out").
					WithHint("name tables in entities, a schema to list in schema, or two tables in between")
			}
			r := discover.EntitiesRequest{Connection: in.ConnectionID, Schema: in.Schema, Sample: in.Sample, Offset: in.Offset, MaxChars: c.AnswerSize}
			for _, e := range in.Entities {
				r.Entities = append(r.Entities, discover.EntityQuery{Display: e.Table.display, Ref: e.Table.ref, Columns: e.Columns})
			}
			for _, t := range in.Between {
				r.Between = append(r.Between, discover.EntityQuery{Display: t.display, Ref: t.ref})
			}
			return c.Discover.Entities(ctx, r)
		},
	}
}

// entityAliases accepts what models write for an entity: the table alone, and
// {schema, table} for its parts.
func entityAliases(arguments map[string]any) (changed bool) {
	entities, _ := arguments["entities"].([]any)
	for i, e := range entities {
		if name, ok := e.(string); ok {
			entities[i] = map[string]any{"table": name}
			changed = true
			continue
		}
		entity, _ := e.(map[string]any)
		parts, _ := entity["table"].(map[string]any)
		for alias, name := range map[string]string{"schema": "db", "table": "name"} {
			value, given := parts[alias]
			if _, twice := parts[name]; given && !twice {
				delete(parts, alias)
				parts[name] = value
				changed = true
			}
		}
	}
	return changed
}
