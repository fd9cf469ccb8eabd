package clickhouse

import (
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/network"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// version of the connector; it moves with Loam's.
const version = sdk.SDKVersion

var life = sqlkit.Lifecycle[config]{Problems: (*config).problems, New: newSession}

// Connector returns the connector for ClickHouse.
func Connector() *sdk.Connector {
	return life.Warehouse(sdk.Connector{
		ID:             "clickhouse",
		Version:        version,
		DisplayName:    "ClickHouse",
		License:        "Apache-2.0",
		Capabilities:   sdk.Capabilities{ReadOnly: sdk.ReadOnlySession, IncrementalScan: true},
		Dialects:       Dialects(),
		Config:         sdk.ConfigOf[config]("clickhouse").Means(urlMeanings...).Reader(makeReader("<database>")...),
		EnvPassthrough: network.ProxyVariables,
	})
}
