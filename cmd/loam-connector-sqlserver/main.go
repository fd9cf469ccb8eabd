// Command loam-connector-sqlserver is the connector for SQL Server.
package main

import (
	"github.com/loam-data/loam/plugins/sqlserver"
	"github.com/loam-data/loam/sdk/serve"
)

func main() { serve.Main(sqlserver.Connector()) }
