// Command connector serves the made-up rows, for the seam benchmark.
package main

import (
	"github.com/loam-data/loam/e2e/bench/rows"
	"github.com/loam-data/loam/sdk/serve"
)

func main() { serve.Main(rows.Connector()) }
