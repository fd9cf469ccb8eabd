package sqlserver

import (
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

var life = sqlkit.Lifecycle[config]{Problems: (*config).problems, New: newSession}

// Connector returns the connector for SQL Server and Azure SQL.
func Connector() *sdk.Connector {
	return life.Warehouse(sdk.Connector{
		ID:             "sqlserver",
		Version:        sdk.SDKVersion, // it moves with Loam's
		DisplayName:    "SQL Server and Azure SQL",
		License:        "Apache-2.0",
		EnvPassthrough: []string{"KRB5_CONFIG", "KRB5CCNAME", "KRB5_KTNAME"},
		Capabilities:   sdk.Capabilities{ReadOnly: sdk.ReadOnlySession},
		Dialects:       Dialects(),
		Config:         sdk.ConfigOf[config]("sqlserver", "mssql").Means(urlMeanings...).Reader(newReader("<database>")...),
	})
}
