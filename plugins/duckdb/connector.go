package duckdb

import (
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// version of the connector; it moves with Loam's.
const version = sdk.SDKVersion

// defaultMemory is what a database may use for its work: nothing spills to disk.
const defaultMemory = 2 << 30

// config is a connection's configuration. Two connections of one process that
// have equal ones share a database.
type config struct {
	Path    string   `json:"path" doc:"The database file; a relative path starts at the project folder." format:"path" url:"file" extensions:".duckdb|.ddb" begins:"DUCK" beginsAt:"8"`
	Folders []string `json:"folders" doc:"Folders whose CSV and Parquet files are served as tables; relative ones start at the project folder." format:"path" url:"folder" extensions:".csv|.tsv|.parquet"`
	Threads int      `json:"threads" doc:"How many threads work on the statements of the connection together." default:"4" min:"1" max:"256" harmless:"true"`
}

// Connector returns the connector for DuckDB.
func Connector() *sdk.Connector {
	return &sdk.Connector{
		ID: "duckdb", Version: version, DisplayName: "DuckDB", License: "Apache-2.0",
		Capabilities: sdk.Capabilities{
			ReadOnly: sdk.ReadOnlyEngine, ServerCancel: true, Params: true,
			Explain: true, Validate: true, Profile: true,
			MemoryBytes: defaultMemory,
		},
		Dialects:       Dialects(),
		Config:         sdk.ConfigOf[config]("duckdb"),
		ValidateConfig: sqlkit.Lifecycle[config]{Problems: problems}.ValidateConfig,
		Open:           open,
		Test:           test,
	}
}

func problems(c *config) []sdk.Diagnostic {
	var found []sdk.Diagnostic
	wrong := func(path, summary, detail string) {
		found = append(found, sdk.Diagnostic{Severity: sdk.SeverityError, Path: path, Summary: summary, Detail: detail})
	}
	if c.Path == "" && len(c.Folders) == 0 {
		wrong("path", "neither path nor folders is given", "point path at a DuckDB file, or list folders of CSV and Parquet files")
	}
	for _, folder := range c.Folders {
		if folder == "" {
			wrong("folders", "has an empty name", "take it out, or name the folder")
		}
	}
	return found
}
