// Command loam-connector-clickhouse is the connector for ClickHouse.
package main

import (
	"github.com/loam-data/loam/plugins/clickhouse"
	"github.com/loam-data/loam/sdk/serve"
)

func main() { serve.Main(clickhouse.Connector()) }
