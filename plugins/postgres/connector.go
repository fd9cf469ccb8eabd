package postgres

import (
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// version of the connector; it moves with Loam's.
const version = sdk.SDKVersion

// Connector returns the connector for PostgreSQL.
func Connector() *sdk.Connector {
	memory := &remembered{}
	life := sqlkit.Lifecycle[config]{Problems: (*config).problems, New: func(cfg *config, req sdk.OpenRequest) (*sqlkit.Stages, error) {
		return newSession(cfg, req, memory)
	}}
	return life.Warehouse(sdk.Connector{
		ID:           "postgres",
		Version:      version,
		DisplayName:  "PostgreSQL",
		License:      "Apache-2.0",
		Capabilities: sdk.Capabilities{ReadOnly: sdk.ReadOnlySession, IncrementalScan: true},
		Dialects:     Dialects(),
		Config:       sdk.ConfigOf[config]("postgres", "postgresql").Reader(newReader("<database>", "<schema>")...),
	})
}
