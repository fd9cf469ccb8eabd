// Command loam is the host: an MCP server and a command line over warehouses.
package main

import (
	"os"

	"github.com/loam-data/loam/host"
)

var version = "dev"

func main() {
	os.Exit(host.Main(version, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
