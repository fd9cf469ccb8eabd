package mcpserver

import (
	_ "embed" // for the schema

	"github.com/loam-data/loam/host/internal/mcpserver/tool"
)

//go:embed schema/query.input.json
var queryInput string

// legacyQuery is sql_execution under another name.
func legacyQuery(c Config) tool.Definition[sqlExecutionInputs, tool.Written] {
	d := sqlExecution(c)
	d.Name, d.Title, d.Toolset = "query", "Query", toolsetLegacy
	d.Description = "Use sql_execution: this is that call."
	d.Input, d.Output = queryInput, `{"type":"object","required":["rows"]}`
	d.Example = `{"connectionId":"warehouse","sql":"SELECT 1"}`
	return d
}
