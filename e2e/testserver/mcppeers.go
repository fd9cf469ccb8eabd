package testserver

import "path/filepath"

// MCPPeers is the folder of the other servers of the MCP that this one is measured
// beside; scripts/setup peers fills it.
func MCPPeers() (string, error) {
	tools, err := toolsFolder()
	return filepath.Join(tools, "mcp-peers-dbhub-1.4.0-toolbox-1.12.0"), err
}
