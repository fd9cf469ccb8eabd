package agents

import (
	"path/filepath"

	"github.com/loam-data/loam/host/internal/agents/edit"
	"github.com/loam-data/loam/host/internal/agents/skill"
)

// clients are the supported clients, in the order in which they are listed.
var clients = []client{
	{
		target: ClaudeCode, title: "Claude Code", program: "claude", scopes: Scopes(),
		check: "run `claude mcp get loam` in the project folder, or /mcp in a session",
		allow: "start `claude` in the folder once and allow the server there",
		place: claudeCodePlace,
		entry: func(s Server) edit.Entry { return typed(s, "${"+TokenVariable+"}") },
		trace: func(m Machine, _ string) []string { return []string{claudeCodeConfig(m), claudeCodeFolder(m)} },
	},
	{
		target: Cursor, title: "Cursor", program: "cursor", scopes: []Scope{Project, Global}, desktop: true,
		check: "see Settings → MCP: loam shows its tools",
		place: func(m Machine, scope Scope, project string) place {
			dir := filepath.Join(base(m, scope, project), ".cursor")
			return place{config: filepath.Join(dir, "mcp.json"), format: edit.JSON, path: []string{"mcpServers"}, skill: skillIn(dir)}
		},
		entry: func(s Server) edit.Entry {
			if s.Transport == HTTP {
				return withHeader(edit.Entry{{Name: "url", Value: s.URL}}, s, "${env:"+TokenVariable+"}")
			}
			return typed(s, "")
		},
		trace: func(m Machine, _ string) []string { return []string{filepath.Join(m.Home, ".cursor")} },
	},
	{
		target: ClaudeDesktop, title: "Claude Desktop", scopes: []Scope{Global}, stdioOnly: true, archive: true, desktop: true,
		check: "restart it and look for loam under the tools of a chat",
		place: func(m Machine, _ Scope, _ string) place {
			return place{
				config: filepath.Join(claudeDesktopFolder(m), "claude_desktop_config.json"), format: edit.JSON,
				path: []string{"mcpServers"}, skill: filepath.Join(m.state(), skill.Analytics().Name+".zip"),
			}
		},
		entry: untyped,
		trace: func(m Machine, _ string) []string { return []string{claudeDesktopFolder(m)} },
	},
	{
		target: Codex, title: "Codex", program: "codex", scopes: []Scope{Project, Global}, fewVariables: true,
		check: "run `codex mcp list` in the project folder, or /mcp in a session",
		allow: "start `codex` in the folder once and trust it",
		place: func(m Machine, scope Scope, project string) place {
			dir := filepath.Join(project, ".codex")
			if scope == Global {
				dir = m.folder("CODEX_HOME", ".codex")
			}
			return place{
				config: filepath.Join(dir, "config.toml"), format: edit.TOML, path: []string{"mcp_servers"},
				skill: skillIn(filepath.Join(base(m, scope, project), ".agents")),
			}
		},
		entry: codexEntry,
		trace: func(m Machine, _ string) []string { return []string{m.folder("CODEX_HOME", ".codex")} },
	},
	{
		target: OpenCode, title: "opencode", program: "opencode", scopes: []Scope{Project, Global}, printed: true,
		check: "run `opencode mcp list` in the project folder",
		place: openCodePlace,
		entry: openCodeEntry,
		trace: func(m Machine, _ string) []string { return []string{openCodeFolder(m)} },
	},
	{
		target: VSCode, title: "VS Code", program: "code", scopes: []Scope{Project, Global}, desktop: true,
		check: "run `MCP: List Servers` in the command palette",
		allow: "open the folder, trust it, and allow the server when VS Code asks",
		place: func(m Machine, scope Scope, project string) place {
			dir := filepath.Join(project, ".vscode")
			if scope == Global {
				dir = filepath.Join(vsCodeFolder(m), "User")
			}
			return place{
				config: filepath.Join(dir, "mcp.json"), format: edit.JSON, path: []string{"servers"},
				skill: skillIn(filepath.Join(base(m, scope, project), ".agents")),
			}
		},
		entry: func(s Server) edit.Entry { return typed(s, "${env:"+TokenVariable+"}") },
		trace: func(m Machine, _ string) []string { return []string{vsCodeFolder(m)} },
	},
	{
		target: Gemini, title: "Gemini CLI", program: "gemini", scopes: []Scope{Project, Global}, fewVariables: true,
		check: "run `gemini mcp list` in the project folder, or /mcp in a session",
		allow: "start `gemini` in the folder once and trust it",
		place: func(m Machine, scope Scope, project string) place {
			at := base(m, scope, project)
			return place{
				config: filepath.Join(at, ".gemini", "settings.json"), format: edit.JSON, path: []string{"mcpServers"},
				skill: skillIn(filepath.Join(at, ".agents")),
			}
		},
		entry: geminiEntry,
		trace: func(m Machine, _ string) []string { return []string{filepath.Join(m.Home, ".gemini")} },
	},
	{
		target: Windsurf, title: "Windsurf", program: "windsurf", scopes: []Scope{Global}, desktop: true,
		check: "see Settings → Cascade → MCP Servers: loam shows its tools",
		place: func(m Machine, _ Scope, _ string) place {
			dir := filepath.Join(m.Home, ".codeium", "windsurf")
			return place{config: filepath.Join(dir, "mcp_config.json"), format: edit.JSON, path: []string{"mcpServers"}, skill: skillIn(dir)}
		},
		entry: func(s Server) edit.Entry {
			if s.Transport == HTTP {
				return withHeader(edit.Entry{{Name: "serverUrl", Value: s.URL}}, s, "${env:"+TokenVariable+"}")
			}
			return untyped(s)
		},
		trace: func(m Machine, _ string) []string { return []string{filepath.Join(m.Home, ".codeium", "windsurf")} },
	},
	{
		target: Zed, title: "Zed", program: "zed", scopes: []Scope{Project, Global}, noToken: true, desktop: true,
		check: "see the settings of the agent panel: loam has a green dot",
		allow: "open the folder and trust it",
		place: func(m Machine, scope Scope, project string) place {
			dir := filepath.Join(project, ".zed")
			if scope == Global {
				dir = zedFolder(m)
			}
			return place{
				config: filepath.Join(dir, "settings.json"), format: edit.JSON, path: []string{"context_servers"},
				skill: skillIn(filepath.Join(base(m, scope, project), ".agents")),
			}
		},
		entry: func(s Server) edit.Entry {
			if s.Transport == HTTP {
				return edit.Entry{{Name: "url", Value: s.URL}}
			}
			return untyped(s)
		},
		trace: func(m Machine, _ string) []string { return []string{zedFolder(m)} },
	},
	{
		target: Universal, title: "other clients that read .agents", scopes: []Scope{Project},
		check: "ask the client for its MCP servers",
		place: func(_ Machine, _ Scope, project string) place {
			dir := filepath.Join(project, ".agents")
			return place{config: filepath.Join(dir, "mcp.json"), format: edit.JSON, path: []string{"mcpServers"}, skill: skillIn(dir)}
		},
		entry: func(s Server) edit.Entry { return typed(s, "${"+TokenVariable+"}") },
		trace: func(_ Machine, project string) []string {
			return []string{filepath.Join(project, ".agents", "mcp.json")}
		},
	},
}
