// Command loam-connector-sqlite is the connector for SQLite database files.
package main

import (
	"github.com/loam-data/loam/plugins/sqlite"
	"github.com/loam-data/loam/sdk/serve"
)

func main() { serve.Main(sqlite.Connector()) }
