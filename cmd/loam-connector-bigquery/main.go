// Command loam-connector-bigquery is the connector for BigQuery.
package main

import (
	"github.com/loam-data/loam/plugins/bigquery"
	"github.com/loam-data/loam/sdk/serve"
)

func main() { serve.Main(bigquery.Connector()) }
