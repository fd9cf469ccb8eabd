package agents

import (
	"path/filepath"
	"slices"

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
	VSCode        Target = "vscode"
	Gemini        Target = "gemini"
	Windsurf      Target = "windsurf"
	Zed           Target = "zed"
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

// DefaultName is what the server is called in clients unless asked otherwise.
const DefaultName = "loam"

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
	// Variables are those of the environment that the server needs, by name, for
	// clients that give a server few of theirs.
	Variables []string `json:"variables,omitempty"`
}

func (s Server) args() []string { return []string{"mcp", "stdio", "--project-dir", s.Project} }

// place is where a client looks in one scope.
type place struct {
	config string
	format edit.Format
	path   []string // of the entry; in the table of clients, of the servers
	// skill is the file of the skill, an archive of it for clients that import one.
	skill string
}

// client is what is known of a kind of client; clients is the table to extend.
type client struct {
	target  Target
	title   string
	program string // found in PATH when it is installed, or ""
	scopes  []Scope
	// stdioOnly: it reads no HTTP entries; noToken: it can take no token from a
	// variable; printed: its entry is shown, and written only when asked; archive: it
	// imports the skill; desktop: it is started from the desktop, where no variable of a
	// shell is known; fewVariables: a server gets only those that its entry names.
	stdioOnly, noToken, printed, archive, desktop, fewVariables bool
	// check is how a person sees that it works, and allow what the client has to be told
	// before it reads a project's file, or "".
	check, allow string
	place        func(m Machine, scope Scope, project string) place
	entry        func(s Server) edit.Entry
	// trace is a file or folder that an installed client leaves.
	trace func(m Machine, project string) []string
}

// Targets lists every target.
func Targets() []Target {
	all := make([]Target, len(clients))
	for i, c := range clients {
		all[i] = c.target
	}
	return all
}

// Names lists the names of every target.
func Names() []string {
	all := make([]string, len(clients))
	for i, c := range clients {
		all[i] = string(c.target)
	}
	return all
}

func (c client) has(scope Scope) bool { return slices.Contains(c.scopes, scope) }

// named returns where a client looks for the server of a name.
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
