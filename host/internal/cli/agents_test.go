package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/agents"
	"github.com/loam-data/loam/host/internal/cli/mcp"
	"github.com/loam-data/loam/host/internal/project"
)

// newClients is a project of a person with Cursor and Codex.
func newClients(t *testing.T) (f *folder, home string) {
	t.Helper()
	f, home = newFolder(t), t.TempDir()
	for _, dir := range []string{".cursor", ".codex"} {
		if err := os.Mkdir(filepath.Join(home, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	f.agents = func() (*agents.Agents, error) {
		return agents.New(agents.Config{
			Machine: agents.Machine{
				OS: "linux", Home: home, Getenv: func(string) string { return "" },
				LookPath: func(string) (string, error) { return "", errors.New("not found") },
			},
			Project: f.dir, State: string(project.StateFolder(f.dir)), Command: "/opt/loam", Now: time.Now,
		}), nil
	}
	return f, home
}

func TestAgents(t *testing.T) {
	t.Parallel()
	f, home := newClients(t)
	code, stdout, stderr := f.loam(t, "agents", "setup", "--dry-run")
	if code != 0 || !strings.Contains(stdout, "+[mcp_servers.loam]\n") || !strings.Contains(stderr, "found codex: "+home) {
		t.Errorf("dry run: exit %d, %s, %s", code, stdout, stderr)
	}
	var status struct {
		Clients []agents.Status
	}
	state := func(target agents.Target) agents.Status {
		t.Helper()
		f.decode(t, &status, "agents", "status", "--json")
		for _, s := range status.Clients {
			if s.Target == target && s.Scope == agents.Project {
				return s
			}
		}
		t.Fatalf("no status of %s", target)
		return agents.Status{}
	}
	if s := state(agents.Codex); s.State != agents.Absent {
		t.Errorf("after a dry run: %+v", s)
	}

	code, stdout, stderr = f.loam(t, "agents", "setup")
	if code != 0 || strings.Count(stdout, " created ") != 4 || !strings.Contains(stderr, "names paths of this machine") || !strings.Contains(stderr, "no server needs to be started") {
		t.Errorf("setup: exit %d, %s, %s", code, stdout, stderr)
	}
	if s := state(agents.Codex); s.State != agents.Installed || s.Transport != agents.Stdio {
		t.Errorf("after setup: %+v", s)
	}
	if code, stdout, stderr = f.loam(t, "agents", "setup"); code != 0 || strings.Count(stdout, " unchanged ") != 4 {
		t.Errorf("setup again: exit %d, %s, %s", code, stdout, stderr)
	}
	if code, stdout, stderr = f.loam(t, "agents", "status"); code != 0 || strings.Count(stdout, " installed ") != 2 || !strings.Contains(stderr, "codex mcp list") {
		t.Errorf("status: exit %d, %s, %s", code, stdout, stderr)
	}

	var report struct {
		Transport string
		Found     []agents.Found
		Changes   []agents.Change
		Notes     []string
		DryRun    bool
		Diff      *string
		Next      string
	}
	f.decode(t, &report, "agents", "setup", "--json", "--target", "cursor", "--transport", "http", "--token", "--shared", "write")
	text, err := os.ReadFile(filepath.Join(f.dir, ".cursor", "mcp.json"))
	if err != nil || report.Transport != "http" || len(report.Changes) != 2 || report.Changes[0].Action != agents.Changed || report.Diff != nil ||
		!strings.Contains(report.Next, "loam mcp start") || !strings.Contains(string(text), "Bearer ${env:LOAM_MCP_TOKEN}") || !strings.Contains(string(text), mcp.DefaultURL) {
		t.Errorf("http: %+v, %s, %v", report, text, err)
	}
	if code, _, stderr = f.loam(t, "agents", "setup", "--target", "claude-code", "--url", "https://loam.example.com/mcp", "--token", "--shared", "skip"); code != 0 || !strings.Contains(stderr, "was skipped") {
		t.Errorf("skipped: exit %d, %s", code, stderr)
	}
	if code, stdout, stderr = f.loam(t, "agents", "setup", "--target", "opencode"); code != 0 || !strings.Contains(stdout, `"type": "local"`) || !strings.Contains(stderr, "--write") {
		t.Errorf("printed: exit %d, %s, %s", code, stdout, stderr)
	}

	if code, stdout, stderr = f.loam(t, "agents", "remove"); code != 0 || strings.Count(stdout, " removed ") != 5 {
		t.Errorf("remove: exit %d, %s, %s", code, stdout, stderr)
	}
	if code, stdout, stderr = f.loam(t, "agents", "remove"); code != 0 || stdout != "" || !strings.Contains(stderr, "nothing to take back") {
		t.Errorf("remove again: exit %d, %s, %s", code, stdout, stderr)
	}
	entries, err := os.ReadDir(f.dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("left in the project: %v, %v; want .loam and loam.yaml", entries, err)
	}
}

func TestAgentsUsage(t *testing.T) {
	t.Parallel()
	f, _ := newClients(t)
	for _, c := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"transport", words("setup --transport sse"), 2, "http or stdio"},
		{"shared", words("setup --shared maybe"), 2, "ask, write or skip"},
		{"url of stdio", words("setup --transport stdio --url http://a/mcp"), 2, "--transport http"},
		{"no address", words("setup --url localhost:1"), 2, mcp.DefaultURL},
		{"password", words("setup --url http://a:hunter2@b/mcp"), 2, "no user, password"},
		{"parameters", words("setup --url http://b/mcp?token=hunter2"), 2, "parameters"},
		{"target", words("setup --target curser"), 2, "use one of: claude-code, cursor"},
		{"target to remove", words("remove --target curser"), 2, "use one of: claude-code, cursor"},
		{"scope to remove", words("remove --scope team"), 2, "project, local, global"},
		{"scope", words("setup --target codex --scope local"), 2, "--scope project or global"},
		{"argument", words("status codex"), 2, "0 expected"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, stdout, stderr := f.loam(t, append([]string{"agents"}, c.args...)...)
			if code != c.code || stdout != "" || !strings.Contains(stderr, c.says) || strings.Contains(stderr, "hunter2") {
				t.Errorf("exit %d, want %d; stdout %q; stderr %q should say %q", code, c.code, stdout, stderr, c.says)
			}
		})
	}
	if code, _, stderr := run(t, "agents", "setup"); code != 5 || !strings.Contains(stderr, "loam init") {
		t.Errorf("without a project: exit %d, %s", code, stderr)
	}
}
