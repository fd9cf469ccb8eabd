// Command loam-connector-duckdb is the connector for DuckDB database files and
// folders of CSV and Parquet files. It needs a C compiler to be built.
package main

import (
	"github.com/loam-data/loam/plugins/duckdb"
	"github.com/loam-data/loam/sdk/serve"
)

func main() { serve.Main(duckdb.Connector()) }
