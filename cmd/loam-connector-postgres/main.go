// Command loam-connector-postgres is the connector for PostgreSQL.
package main

import (
	"github.com/loam-data/loam/plugins/postgres"
	"github.com/loam-data/loam/sdk/serve"
)

func main() { serve.Main(postgres.Connector()) }
