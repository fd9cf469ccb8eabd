package agents

import (
	"path/filepath"
	"slices"

	"github.com/loam-data/loam/host/internal/agents/edit"
	"github.com/loam-data/loam/host/internal/agents/skill"
)

// Target is the name of a kind of client.
type Target string

const (
	ClaudeCode    Target = "claude-code"
	ClaudeDesktop Target = "claude-desktop"
	Cursor        Target = "cursor"
	Codex         Target = "codex"
	OpenCode      Target = "opencode"
	VSCode        Target = "vscode"
	Gemini        Target = "gemini"
	Windsurf      Target = "windsurf"
	Zed           Target = "zed"
	Universal     Target = "universal"
)

// Scope says for whom a client is set up.
type Scope string

const (
	Project Scope = "project" // everybody who works in the project folder
	Local   Scope = "local"   // this person, in the project folder
	Global  Scope = "global"  // this person, everywhere
)

// Scopes returns every scope, the default first.
func Scopes() []Scope { return []Scope{Project, Local, Global} }

// TokenVariable is the environment variable with the bearer token of the server. Entries
// contain its name, never its value.
const TokenVariable = "LOAM_MCP_TOKEN"

// DefaultName is the default name of the server in clients.
const DefaultName = "loam"

// Transport is how a client reaches the server.
type Transport string

const (
	HTTP  Transport = "http"
	Stdio Transport = "stdio"
)

// Server is the server that an entry describes.
type Server struct {
	Transport Transport `json:"transport"`
	// URL is the endpoint, for HTTP.
	URL string `json:"url,omitempty"`
	// Token says that requests need the bearer token in TokenVariable.
	Token bool `json:"token,omitempty"`
	// Command is the program that a client starts for stdio, Project its project folder.
	Command string `json:"command,omitempty"`
	Project string `json:"project,omitempty"`
	// Variables are the names of the environment variables that the server needs, for clients
	// that pass only named ones.
	Variables []string `json:"variables,omitempty"`
}

func (s Server) args() []string { return []string{"mcp", "stdio", "--project-dir", s.Project} }

// place is where a client reads its configuration in one scope.
type place struct {
	config string
	format edit.Format
	path   []string // the key of the entry; in the table clients, the key of all servers
	// skill is the path of the skill's file, or of its ZIP archive for clients that import one.
	skill string
}

// client describes a kind of client. To support another one, extend the table clients.
type client struct {
	target  Target
	title   string
	program string // found in PATH when it is installed, or ""
	scopes  []Scope
	// stdioOnly: it reads no HTTP entries. noToken: it cannot read a token from a variable.
	// printed: its entry is printed, and written only on request. archive: it imports the skill as
	// an archive. desktop: it is started from the desktop, without the variables of a shell.
	// fewVariables: it passes only variables that the entry names to a server.
	stdioOnly, noToken, printed, archive, desktop, fewVariables bool
	// check tells a person how to see that it works. allow tells what to do in the client before
	// it reads a project's file; "" = nothing.
	check, allow string
	place        func(m Machine, scope Scope, project string) place
	entry        func(s Server) edit.Entry
	// trace returns files and folders that exist when the client is installed.
	trace func(m Machine, project string) []string
}

// Targets returns every target.
func Targets() []Target {
	all := make([]Target, len(clients))
	for i, c := range clients {
		all[i] = c.target
	}
	return all
}

// Names returns every target as a string.
func Names() []string {
	all := make([]string, len(clients))
	for i, c := range clients {
		all[i] = string(c.target)
	}
	return all
}

func (c client) has(scope Scope) bool { return slices.Contains(c.scopes, scope) }

// named returns where a client reads the entry of the server with a name.
func (c client) named(m Machine, scope Scope, project, name string) place {
	p := c.place(m, scope, project)
	p.path = append(slices.Clone(p.path), name)
	return p
}

func base(m Machine, scope Scope, project string) string {
	if scope == Project {
		return project
	}
	return m.Home
}

func skillIn(dir string) string {
	return filepath.Join(dir, "skills", skill.Analytics().Name, skill.FileName)
}
