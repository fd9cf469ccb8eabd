// Command loam-connector-snowflake is the connector for Snowflake.
package main

import (
	"github.com/loam-data/loam/plugins/snowflake"
	"github.com/loam-data/loam/sdk/serve"
)

func main() { serve.Main(snowflake.Connector()) }
