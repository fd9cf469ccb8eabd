package agents

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/loam-data/loam/host/internal/agents/edit"
	"github.com/loam-data/loam/host/internal/agents/skill"
)

// Target is a kind of client.
type Target string

const (
	ClaudeCode    Target = "claude-code"
	ClaudeDesktop Target = "claude-desktop"
	Cursor        Target = "cursor"
	Codex         Target = "codex"
	OpenCode      Target = "opencode"
	Universal     Target = "universal"
)

// Scope is for whom a client is set up.
type Scope string

const (
	Project Scope = "project" // everybody who works in the project folder
	Local   Scope = "local"   // this person, in the project folder
	Global  Scope = "global"  // this person, everywhere
)

// Scopes lists every scope, the default first.
func Scopes() []Scope { return []Scope{Project, Local, Global} }

// TokenVariable names the environment variable with the bearer token of the
// server. Only its name is ever written.
const TokenVariable = "LOAM_MCP_TOKEN"

// key is what the server is called in every client.
const key = "loam"

// Transport is how a client reaches the server.
type Transport string

const (
	HTTP  Transport = "http"
	Stdio Transport = "stdio"
)

// Server is what an entry says of the server.
type Server struct {
	Transport Transport `json:"transport"`
	// URL is where the server answers over HTTP.
	URL string `json:"url,omitempty"`
	// Token: requests carry the bearer token that TokenVariable holds.
	Token bool `json:"token,omitempty"`
	// Command and Project are what a client starts for stdio.
	Command string `json:"command,omitempty"`
	Project string `json:"project,omitempty"`
}

func (s Server) args() []string { return []string{"mcp", "stdio", "--project-dir", s.Project} }

// place is where a client looks in one scope.
type place struct {
	config string
	format edit.Format
	path   []string
	// skill is the file of the skill, an archive of it for clients that import one.
	skill string
}

// client is what is known of a kind of client; this is the table to extend.
type client struct {
	target  Target
	title   string
	program string // found in PATH when it is installed, or ""
	scopes  []Scope
	// stdioOnly: it reads no HTTP entries; printed: its entry is shown, and
	// written only when asked; archive: it imports the skill.
	stdioOnly, printed, archive bool
	// check is how a person sees that it works.
	check string
	place func(m Machine, scope Scope, project string) place
	entry func(s Server) edit.Entry
	// trace is a file or folder that an installed client leaves.
	trace func(m Machine, project string) []string
}

var clients = []client{
	{
		target: ClaudeCode, title: "Claude Code", program: "claude", scopes: Scopes(),
		check: "run `claude mcp get loam` in the project folder, or /mcp in a session",
		place: claudeCodePlace,
		entry: func(s Server) edit.Entry { return typed(s, "${"+TokenVariable+"}") },
		trace: func(m Machine, _ string) []string { return []string{claudeCodeConfig(m), claudeCodeFolder(m)} },
	},
	{
		target: Cursor, title: "Cursor", program: "cursor", scopes: []Scope{Project, Global},
		check: "see Settings → MCP: loam shows its tools",
		place: func(m Machine, scope Scope, project string) place {
			dir := filepath.Join(base(m, scope, project), ".cursor")
			return place{config: filepath.Join(dir, "mcp.json"), format: edit.JSON, path: []string{"mcpServers", key}, skill: skillIn(dir)}
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
		target: ClaudeDesktop, title: "Claude Desktop", scopes: []Scope{Global}, stdioOnly: true, archive: true,
		check: "restart it and look for loam under the tools of a chat",
		place: func(m Machine, _ Scope, _ string) place {
			return place{
				config: filepath.Join(claudeDesktopFolder(m), "claude_desktop_config.json"), format: edit.JSON,
				path: []string{"mcpServers", key}, skill: filepath.Join(m.state(), skill.Analytics().Name+".zip"),
			}
		},
		entry: func(s Server) edit.Entry {
			return edit.Entry{{Name: "command", Value: s.Command}, {Name: "args", Value: s.args()}}
		},
		trace: func(m Machine, _ string) []string { return []string{claudeDesktopFolder(m)} },
	},
	{
		target: Codex, title: "Codex", program: "codex", scopes: []Scope{Project, Global},
		check: "run `codex mcp list` in the project folder, or /mcp in a session; Codex reads a project's file once the project is trusted",
		place: func(m Machine, scope Scope, project string) place {
			dir := filepath.Join(project, ".codex")
			if scope == Global {
				dir = m.folder("CODEX_HOME", ".codex")
			}
			return place{
				config: filepath.Join(dir, "config.toml"), format: edit.TOML, path: []string{"mcp_servers", key},
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
		target: Universal, title: "other clients that read .agents", scopes: []Scope{Project},
		check: "ask the client for its MCP servers",
		place: func(_ Machine, _ Scope, project string) place {
			dir := filepath.Join(project, ".agents")
			return place{config: filepath.Join(dir, "mcp.json"), format: edit.JSON, path: []string{"mcpServers", key}, skill: skillIn(dir)}
		},
		entry: func(s Server) edit.Entry { return typed(s, "${"+TokenVariable+"}") },
		trace: func(_ Machine, project string) []string {
			return []string{filepath.Join(project, ".agents", "mcp.json")}
		},
	},
}

// Targets lists every target.
func Targets() []Target {
	all := make([]Target, len(clients))
	for i, c := range clients {
		all[i] = c.target
	}
	return all
}

func (c client) has(scope Scope) bool { return slices.Contains(c.scopes, scope) }

func base(m Machine, scope Scope, project string) string {
	if scope == Project {
		return project
	}
	return m.Home
}

func skillIn(dir string) string {
	return filepath.Join(dir, "skills", skill.Analytics().Name, skill.FileName)
}

func claudeCodeFolder(m Machine) string { return m.folder("CLAUDE_CONFIG_DIR", ".claude") }

func claudeCodeConfig(m Machine) string {
	return filepath.Join(m.folder("CLAUDE_CONFIG_DIR"), ".claude.json")
}

func claudeCodePlace(m Machine, scope Scope, project string) place {
	p := place{config: claudeCodeConfig(m), format: edit.JSON, path: []string{"mcpServers", key}, skill: skillIn(claudeCodeFolder(m))}
	switch scope {
	case Project:
		p.config, p.skill = filepath.Join(project, ".mcp.json"), skillIn(filepath.Join(project, ".claude"))
	case Local:
		if m.OS == "windows" { // its keys have forward slashes there
			project = strings.ReplaceAll(project, `\`, "/")
		}
		p.path = append([]string{"projects", project}, p.path...)
	}
	return p
}

func claudeDesktopFolder(m Machine) string {
	switch m.OS {
	case "darwin":
		return filepath.Join(m.Home, "Library", "Application Support", "Claude")
	case "windows":
		return filepath.Join(m.folder("APPDATA", "AppData", "Roaming"), "Claude")
	}
	return filepath.Join(m.folder("XDG_CONFIG_HOME", ".config"), "Claude")
}

func openCodeFolder(m Machine) string {
	return filepath.Join(m.folder("XDG_CONFIG_HOME", ".config"), "opencode")
}

// openCodePlace prefers the file with comments where a person has one.
func openCodePlace(m Machine, scope Scope, project string) place {
	dir, skills := project, filepath.Join(project, ".opencode")
	if scope == Global {
		dir = openCodeFolder(m)
		skills = dir
	}
	config := filepath.Join(dir, "opencode.json")
	if exists(config + "c") {
		config += "c"
	}
	return place{config: config, format: edit.JSON, path: []string{"mcp", key}, skill: skillIn(skills)}
}

// typed is an entry that says its transport.
func typed(s Server, token string) edit.Entry {
	if s.Transport == HTTP {
		return withHeader(edit.Entry{{Name: "type", Value: "http"}, {Name: "url", Value: s.URL}}, s, token)
	}
	return edit.Entry{{Name: "type", Value: "stdio"}, {Name: "command", Value: s.Command}, {Name: "args", Value: s.args()}}
}

func withHeader(e edit.Entry, s Server, token string) edit.Entry {
	if !s.Token {
		return e
	}
	return append(e, edit.Field{Name: "headers", Value: edit.Entry{{Name: "Authorization", Value: "Bearer " + token}}})
}

func codexEntry(s Server) edit.Entry {
	if s.Transport == Stdio {
		return edit.Entry{{Name: "command", Value: s.Command}, {Name: "args", Value: s.args()}}
	}
	e := edit.Entry{{Name: "url", Value: s.URL}}
	if s.Token {
		e = append(e, edit.Field{Name: "bearer_token_env_var", Value: TokenVariable})
	}
	return e
}

// openCodeEntry turns off opencode's own sign-in where a token is sent.
func openCodeEntry(s Server) edit.Entry {
	on := edit.Field{Name: "enabled", Value: true}
	if s.Transport == Stdio {
		return edit.Entry{{Name: "type", Value: "local"}, {Name: "command", Value: append([]string{s.Command}, s.args()...)}, on}
	}
	e := withHeader(edit.Entry{{Name: "type", Value: "remote"}, {Name: "url", Value: s.URL}}, s, "{env:"+TokenVariable+"}")
	if s.Token {
		e = append(e, edit.Field{Name: "oauth", Value: false})
	}
	return append(e, on)
}
