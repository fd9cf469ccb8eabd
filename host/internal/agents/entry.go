package agents

import (
	"path/filepath"
	"strings"

	"github.com/loam-data/loam/host/internal/agents/edit"
)

func claudeCodeFolder(m Machine) string { return m.folder("CLAUDE_CONFIG_DIR", ".claude") }

func claudeCodeConfig(m Machine) string {
	return filepath.Join(m.folder("CLAUDE_CONFIG_DIR"), ".claude.json")
}

func claudeCodePlace(m Machine, scope Scope, project string) place {
	p := place{config: claudeCodeConfig(m), format: edit.JSON, path: []string{"mcpServers"}, skill: skillIn(claudeCodeFolder(m))}
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

func openCodeFolder(m Machine) string {
	return filepath.Join(m.folder("XDG_CONFIG_HOME", ".config"), "opencode")
}

// openCodePlace prefers opencode.jsonc if it exists.
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
	return place{config: config, format: edit.JSON, path: []string{"mcp"}, skill: skillIn(skills)}
}

// settings returns the folder with the settings of desktop programs.
func settings(m Machine) string {
	switch m.OS {
	case "darwin":
		return filepath.Join(m.Home, "Library", "Application Support")
	case "windows":
		return m.folder("APPDATA", "AppData", "Roaming")
	}
	return m.folder("XDG_CONFIG_HOME", ".config")
}

func claudeDesktopFolder(m Machine) string { return filepath.Join(settings(m), "Claude") }

func vsCodeFolder(m Machine) string { return filepath.Join(settings(m), "Code") }

func zedFolder(m Machine) string {
	if m.OS == "windows" {
		return filepath.Join(settings(m), "Zed")
	}
	return filepath.Join(m.folder("XDG_CONFIG_HOME", ".config"), "zed")
}

// typed returns an entry with the transport as "type".
func typed(s Server, token string) edit.Entry {
	if s.Transport == HTTP {
		return withHeader(edit.Entry{{Name: "type", Value: "http"}, {Name: "url", Value: s.URL}}, s, token)
	}
	return append(edit.Entry{{Name: "type", Value: "stdio"}}, untyped(s)...)
}

// untyped returns an entry for stdio without "type".
func untyped(s Server) edit.Entry {
	return edit.Entry{{Name: "command", Value: s.Command}, {Name: "args", Value: s.args()}}
}

func withHeader(e edit.Entry, s Server, token string) edit.Entry {
	if !s.Token {
		return e
	}
	return append(e, edit.Field{Name: "headers", Value: edit.Entry{{Name: "Authorization", Value: "Bearer " + token}}})
}

func codexEntry(s Server) edit.Entry {
	if s.Transport == Stdio {
		e := untyped(s)
		if len(s.Variables) > 0 {
			e = append(e, edit.Field{Name: "env_vars", Value: s.Variables})
		}
		return e
	}
	e := edit.Entry{{Name: "url", Value: s.URL}}
	if s.Token {
		e = append(e, edit.Field{Name: "bearer_token_env_var", Value: TokenVariable})
	}
	return e
}

// geminiEntry lists the variables: otherwise Gemini does not pass those whose names look like
// secrets.
func geminiEntry(s Server) edit.Entry {
	if s.Transport == HTTP {
		return withHeader(edit.Entry{{Name: "httpUrl", Value: s.URL}}, s, "${"+TokenVariable+"}")
	}
	e := untyped(s)
	var env edit.Entry
	for _, name := range s.Variables {
		env = append(env, edit.Field{Name: name, Value: "${" + name + "}"})
	}
	if len(env) > 0 {
		e = append(e, edit.Field{Name: "env", Value: env})
	}
	return e
}

// openCodeEntry disables opencode's OAuth sign-in if a token is sent.
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
