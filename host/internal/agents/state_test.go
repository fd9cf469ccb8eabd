package agents

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

func TestStatus(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	all, err := f.Status()
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, s := range all {
		rows = append(rows, string(s.Target)+" "+string(s.Scope))
		if s.State != NoClient || s.File == "" || s.Key == "" || s.Skill == "" {
			t.Errorf("%+v", s)
		}
	}
	want := []string{
		"claude-code project", "claude-code local", "claude-code global", "cursor project", "cursor global", "claude-desktop global",
		"codex project", "codex global", "opencode project", "opencode global", "vscode project", "vscode global", "gemini project", "gemini global", "windsurf global", "zed project", "zed global", "universal project",
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	f.setup(t, SetupRequest{Targets: []Target{ClaudeCode, OpenCode, Cursor}, Server: servers["stdio"]})
	if s := f.state(t, OpenCode, Project); s.State != Absent || !strings.Contains(s.Why, "shown") {
		t.Errorf("printed: %+v", s)
	}
	f.write(t, filepath.Join(f.project, ".mcp.json"), "{}")
	if s := f.state(t, ClaudeCode, Project); s.State != Absent || !strings.Contains(s.Why, "somebody") {
		t.Errorf("entry removed: %+v", s)
	}
	f.setup(t, SetupRequest{Targets: []Target{ClaudeCode}, Server: servers["stdio"]})
	f.write(t, filepath.Join(f.project, ".mcp.json"), "{,}")
	if s := f.state(t, ClaudeCode, Project); s.State != Broken || !strings.Contains(s.Why, ".mcp.json:1:2") {
		t.Errorf("broken: %+v", s)
	}
	if err := os.Remove(f.state(t, Cursor, Project).Skill); err != nil {
		t.Fatal(err)
	}
	if s := f.state(t, Cursor, Project); s.State != Outdated || !strings.Contains(s.Why, "gone") {
		t.Errorf("no skill: %+v", s)
	}
}

// Another program path makes entries outdated; setup mends them in place.
func TestOutdated(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, filepath.Join(f.project, ".mcp.json"), "{\"mcpServers\": {}}")
	before := f.tree(t)
	request := SetupRequest{Targets: []Target{ClaudeCode}, Server: servers["stdio"]}
	f.setup(t, request)
	path := filepath.Join(f.project, ".mcp.json")
	edited := strings.Replace(read(t, path), "}}}", "}, \"x\": {}}}", 1)
	if err := os.WriteFile(path, []byte(edited), 0o640); err != nil {
		t.Fatal(err)
	}
	f.c.Command = "/usr/bin/loam"
	if s := f.state(t, ClaudeCode, Project); s.State != Outdated {
		t.Errorf("status %+v", s)
	}
	f.setup(t, request)
	if want := strings.Replace(edited, "/opt/loam/bin/loam", "/usr/bin/loam", 1); read(t, path) != want {
		t.Errorf("%s, want %s", read(t, path), want)
	}
	f.remove(t, RemoveRequest{})
	if got := read(t, path); got != "{\"mcpServers\": {\"x\": {}}}" {
		t.Errorf("after remove %s; before setup %s", got, before[path])
	}
}

// An entry that says the same by hand is left to whoever wrote it.
func TestSameByHand(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, filepath.Join(f.project, ".mcp.json"), `{"mcpServers": {"loam": {"url": "http://127.0.0.1:7878/mcp", "type": "http"}}}`)
	before := f.tree(t)
	report := f.setup(t, SetupRequest{Targets: []Target{ClaudeCode}, Server: servers["http"]})
	if report.Changes[0].Action != Unchanged || !strings.Contains(report.Changes[0].Note, "yours") {
		t.Errorf("%+v", report.Changes)
	}
	f.remove(t, RemoveRequest{})
	if diff := cmp.Diff(before, f.tree(t)); diff != "" {
		t.Errorf("after remove (-before +after):\n%s", diff)
	}
}

// What is set up everywhere belongs to one project; another one takes it only
// when told to.
func TestGlobalOfAnotherProject(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	other := fixtureAt(t, f.home, filepath.Join(f.home, "work", "other"))
	tree := f.tree(t)
	request := SetupRequest{Targets: []Target{Cursor}, Scope: Global, Server: servers["stdio"]}
	f.setup(t, request)
	before := f.tree(t)
	_, err := other.Setup(t.Context(), request)
	f.wantUntouched(t, before, err, sdk.KindConflict, f.project, "--force")
	if report := other.remove(t, RemoveRequest{}); len(report.Changes) > 0 {
		t.Errorf("removed of another project: %+v", report.Changes)
	}
	if s := other.state(t, Cursor, Global); s.State != Installed || !strings.Contains(s.Why, f.project) {
		t.Errorf("%+v", s)
	}
	request.Force = true
	other.setup(t, request)
	if text := read(t, filepath.Join(f.home, ".cursor", "mcp.json")); !strings.Contains(text, other.project) {
		t.Error(text)
	}
	f.remove(t, RemoveRequest{Scope: Global})
	if diff := cmp.Diff(tree, f.tree(t)); diff != "" {
		t.Errorf("after remove (-before +after):\n%s", diff)
	}
}

// A project that was moved still finds and takes back what is in it.
func TestMovedProject(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.setup(t, SetupRequest{Targets: []Target{ClaudeCode, Universal}, Server: servers["http"]})
	moved := filepath.Join(f.home, "moved")
	if err := os.Rename(f.project, moved); err != nil {
		t.Fatal(err)
	}
	now := fixtureAt(t, f.home, moved)
	if s := now.state(t, ClaudeCode, Project); s.State != Installed {
		t.Errorf("%+v", s)
	}
	now.remove(t, RemoveRequest{})
	entries, err := os.ReadDir(moved)
	if err != nil || len(entries) != 1 || entries[0].Name() != ".loam" {
		t.Errorf("left: %v, %v", entries, err)
	}
}

func TestFound(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, filepath.Join(f.home, ".config", "opencode", "opencode.jsonc"), "{} // mine\n")
	f.write(t, filepath.Join(f.home, ".config", "Claude", "x"), "")
	f.c.Machine.LookPath = func(program string) (string, error) {
		if program == "claude" {
			return "/usr/bin/claude", nil
		}
		return "", errors.New("not found")
	}
	want := []Found{
		{ClaudeCode, "/usr/bin/claude is in PATH"},
		{ClaudeDesktop, filepath.Join(f.home, ".config", "Claude") + " exists"},
		{OpenCode, filepath.Join(f.home, ".config", "opencode") + " exists"},
	}
	if diff := cmp.Diff(want, f.Found()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	report := f.setup(t, SetupRequest{Scope: Project, Server: servers["stdio"]})
	if !strings.Contains(strings.Join(report.Notes, "\n"), "Claude Desktop has no scope") {
		t.Errorf("%v", report.Notes)
	}
	report = f.setup(t, SetupRequest{Targets: []Target{OpenCode}, Scope: Global, Server: servers["stdio"], Write: true})
	if report.Changes[0].File != filepath.Join(f.home, ".config", "opencode", "opencode.jsonc") {
		t.Errorf("the file with comments was not chosen: %+v", report.Changes[0])
	}
}

// What a setup made does not make the next one find another client.
func TestFoundAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, filepath.Join(f.home, ".codex", "config.toml"), "")
	f.setup(t, SetupRequest{Server: servers["stdio"]})
	before := f.tree(t)
	if report := f.setup(t, SetupRequest{Server: servers["stdio"]}); report.Diff != "" || len(report.Changes) != 2 {
		t.Errorf("%+v", report)
	}
	if diff := cmp.Diff(before, f.tree(t)); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

// The name in PATH outlives an upgrade; it is used when it is this program.
func TestCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program, link, other := filepath.Join(dir, "loam-1.2"), filepath.Join(dir, "loam"), filepath.Join(dir, "other")
	for _, path := range []string{program, other} {
		if err := os.WriteFile(path, nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(program, link); err != nil {
		t.Fatal(err)
	}
	for found, want := range map[string]string{link: link, other: program, "loam": program, "": program} {
		m := Machine{LookPath: func(string) (string, error) {
			if found == "" {
				return "", errors.New("not found")
			}
			return found, nil
		}}
		if got := m.Command(program); got != want {
			t.Errorf("PATH has %q: %s, want %s", found, got, want)
		}
	}
}

// The client looks elsewhere by now: what stands in the old place goes.
func TestMovedConfig(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	old := filepath.Join(f.project, "opencode.json")
	f.write(t, old, "{}")
	request := SetupRequest{Targets: []Target{OpenCode}, Server: servers["stdio"], Write: true}
	f.setup(t, request)
	f.write(t, old+"c", "{ /* now here */ }")
	f.setup(t, request)
	if now := read(t, old+"c"); read(t, old) != "{}" || !strings.Contains(now, "/* now here */") || !strings.Contains(now, `"loam"`) {
		t.Errorf("old %s, new %s", read(t, old), now)
	}
	f.remove(t, RemoveRequest{})
	if now := read(t, old+"c"); now != "{ /* now here */ }" {
		t.Errorf("after remove: %s", now)
	}
}

// In a project that is the home folder, two scopes share files.
func TestProjectAtHome(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f = fixtureAt(t, f.home, f.home)
	tree := f.tree(t)
	for _, target := range []Target{ClaudeCode, Cursor, Codex} {
		for _, scope := range []Scope{Project, Global} {
			f.setup(t, SetupRequest{Targets: []Target{target}, Scope: scope, Server: servers["http"]})
		}
	}
	f.remove(t, RemoveRequest{Scope: Global})
	if s := f.state(t, ClaudeCode, Project); s.State != Installed {
		t.Errorf("the other scope's: %+v", s)
	}
	f.remove(t, RemoveRequest{})
	if diff := cmp.Diff(tree, f.tree(t)); diff != "" {
		t.Errorf("after remove (-before +after):\n%s", diff)
	}
}

func TestPrinted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, filepath.Join(f.project, "opencode.json"), "{}")
	report := f.setup(t, SetupRequest{Targets: []Target{OpenCode}, Server: servers["http"]})
	c := report.Changes[0]
	want := "{\n  \"mcp\": {\n    \"loam\": {\n      \"type\": \"remote\",\n      \"url\": \"http://127.0.0.1:7878/mcp\",\n      \"enabled\": true\n    }\n  }\n}\n"
	if c.Action != Printed || c.Snippet != want || read(t, c.File) != "{}" {
		t.Errorf("%+v", c)
	}
	f.write(t, filepath.Join(f.project, "opencode.json"), c.Snippet)
	if s := f.state(t, OpenCode, Project); s.State != Installed {
		t.Errorf("after it was put in by hand: %+v", s)
	}
	f.remove(t, RemoveRequest{})
	if read(t, c.File) != want {
		t.Error("what a person put in was removed")
	}
}

// Where clients look on other systems.
func TestPlaces(t *testing.T) {
	t.Parallel()
	env := map[string]string{}
	for _, c := range []struct {
		os, variable, value string
		target              Target
		scope               Scope
		config              string
	}{
		{"darwin", "", "", ClaudeDesktop, Global, "/home/a/Library/Application Support/Claude/claude_desktop_config.json"},
		{"windows", "", "", ClaudeDesktop, Global, "/home/a/AppData/Roaming/Claude/claude_desktop_config.json"},
		{"windows", "APPDATA", "/roaming", ClaudeDesktop, Global, "/roaming/Claude/claude_desktop_config.json"},
		{"linux", "XDG_CONFIG_HOME", "/config", ClaudeDesktop, Global, "/config/Claude/claude_desktop_config.json"},
		{"linux", "XDG_CONFIG_HOME", "relative", OpenCode, Global, "/home/a/.config/opencode/opencode.json"},
		{"linux", "CLAUDE_CONFIG_DIR", "/claude", ClaudeCode, Global, "/claude/.claude.json"},
		{"linux", "CODEX_HOME", "/codex", Codex, Global, "/codex/config.toml"},
		{"linux", "", "", VSCode, Global, "/home/a/.config/Code/User/mcp.json"},
		{"darwin", "", "", VSCode, Global, "/home/a/Library/Application Support/Code/User/mcp.json"},
		{"windows", "APPDATA", "/roaming", VSCode, Global, "/roaming/Code/User/mcp.json"},
		{"darwin", "", "", Zed, Global, "/home/a/.config/zed/settings.json"},
		{"windows", "APPDATA", "/roaming", Zed, Global, "/roaming/Zed/settings.json"},
		{"linux", "XDG_CONFIG_HOME", "/config", Zed, Global, "/config/zed/settings.json"},
		{"linux", "", "", Windsurf, Global, "/home/a/.codeium/windsurf/mcp_config.json"},
		{"linux", "CODEX_HOME", "/codex", Codex, Project, "/p/.codex/config.toml"},
	} {
		m := Machine{OS: c.os, Home: filepath.FromSlash("/home/a"), Getenv: func(name string) string {
			if name == c.variable {
				return filepath.FromSlash(c.value)
			}
			return env[name]
		}}
		known, err := clientOf(c.target)
		if err != nil {
			t.Fatal(err)
		}
		if got := filepath.ToSlash(known.place(m, c.scope, "/p").config); got != c.config {
			t.Errorf("%s on %s: %s, want %s", c.target, c.os, got, c.config)
		}
	}
	windows := Machine{OS: "windows", Home: `C:\Users\a`, Getenv: func(string) string { return "" }}
	if got := claudeCodePlace(windows, Local, `C:\work\shop`).path[1]; got != "C:/work/shop" {
		t.Errorf("Claude Code's name of a project on Windows: %s", got)
	}
	for os, want := range map[string]string{
		"linux": "/home/a/.local/state/loam", "darwin": "/home/a/Library/Application Support/loam", "windows": "/home/a/AppData/Local/loam",
	} {
		m := Machine{OS: os, Home: filepath.FromSlash("/home/a"), Getenv: func(string) string { return "" }}
		if got := filepath.ToSlash(m.state()); got != want {
			t.Errorf("state on %s: %s, want %s", os, got, want)
		}
	}
}
