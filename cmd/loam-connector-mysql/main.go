// Command loam-connector-mysql is the connector for MySQL and MariaDB.
package main

import (
	"github.com/loam-data/loam/plugins/mysql"
	"github.com/loam-data/loam/sdk/serve"
)

func main() { serve.Main(mysql.Connector()) }
