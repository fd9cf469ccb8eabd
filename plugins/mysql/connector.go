package mysql

import (
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// version of the connector; it moves with Loam's.
const version = sdk.SDKVersion

var life = sqlkit.Lifecycle[config]{Problems: (*config).problems, New: newSession}

// Connector returns the connector for MySQL and MariaDB.
func Connector() *sdk.Connector {
	return life.Warehouse(sdk.Connector{
		ID:           "mysql",
		Version:      version,
		DisplayName:  "MySQL and MariaDB",
		License:      "Apache-2.0",
		Capabilities: sdk.Capabilities{ReadOnly: sdk.ReadOnlySession},
		Dialects:     Dialects(),
		Config:       sdk.ConfigOf[config]("mysql", "mariadb").Means(urlMeanings...).Reader(newReader("<database>")...),
	})
}
