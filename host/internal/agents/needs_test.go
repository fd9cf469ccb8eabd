package agents

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
)

// A new reference to a variable makes the entries of clients outdated that name them,
// and of no other.
func TestNewVariable(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	request := SetupRequest{Targets: []Target{Codex, Gemini, ClaudeCode}, Scope: Project, Server: servers["stdio"]}
	f.setup(t, request)
	f.c.Variables = append(f.c.Variables, "CRM_PASSWORD")
	for target, want := range map[Target]State{Codex: Outdated, Gemini: Outdated, ClaudeCode: Installed} {
		if s := f.state(t, target, Project); s.State != want {
			t.Errorf("%s: %+v, want %s", target, s, want)
		}
	}
	f.setup(t, request)
	for target, want := range map[Target]string{Codex: `"CRM_PASSWORD"`, Gemini: `"CRM_PASSWORD": "${CRM_PASSWORD}"`} {
		if s := f.state(t, target, Project); s.State != Installed || !strings.Contains(read(t, s.File), want) {
			t.Errorf("%s, set up again: %+v\n%s", target, s, read(t, s.File))
		}
	}
}

// What a person has to do before a client works is said when it is set up, and when its
// entry is printed.
func TestNotes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		target Target
		scope  Scope
		server string
		says   []string
		silent []string
	}{
		{Codex, Project, "stdio", []string{"start `codex` in the folder once and trust it"}, []string{"desktop"}},
		{Codex, Global, "stdio", nil, []string{"trust it", "desktop"}},
		{ClaudeCode, Local, "stdio", nil, []string{"allow", "desktop"}},
		{ClaudeCode, Project, "stdio", []string{"allow the server"}, nil},
		{Cursor, Global, "stdio", []string{"desktop, does not know SHOP_PASSWORD of", "loam secret set"}, []string{"XDG_STATE_HOME"}},
		{Cursor, Global, "http", nil, []string{"desktop"}},
		{VSCode, Global, "token", []string{"desktop, does not know LOAM_MCP_TOKEN of"}, nil},
		{Zed, Global, "token", []string{"takes no token from a variable", "starts one by itself"}, nil},
		{Zed, Global, "http", nil, []string{"by itself"}},
		{ClaudeDesktop, Global, "http", []string{"reads no such entries"}, nil},
	} {
		for _, printed := range []bool{false, true} {
			f := newFixture(t)
			notes := strings.Join(f.setup(t, SetupRequest{Targets: []Target{c.target}, Scope: c.scope, Server: servers[c.server], Print: printed}).Notes, "\n")
			for _, want := range c.says {
				if !strings.Contains(notes, want) {
					t.Errorf("%s %s %s, printed %t: %q is not in %q", c.target, c.scope, c.server, printed, want, notes)
				}
			}
			for _, not := range c.silent {
				if strings.Contains(notes, not) {
					t.Errorf("%s %s %s, printed %t: %q is in %q", c.target, c.scope, c.server, printed, not, notes)
				}
			}
		}
	}
}

// Two projects stand beside each other under names, and each takes back its own.
func TestNames(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	other := fixtureAt(t, f.home, filepath.Join(f.home, "work", "crm"))
	before := f.tree(t)
	for fixture, name := range map[*fixture]string{&f: "", &other: "loam-crm"} {
		fixture.setup(t, SetupRequest{Targets: []Target{Cursor}, Scope: Global, Name: name, Server: servers["stdio"]})
	}
	text := read(t, f.state(t, Cursor, Global).File)
	if !strings.Contains(text, `"loam":`) || !strings.Contains(text, `"loam-crm":`) || !strings.Contains(text, f.project) || !strings.Contains(text, other.project) {
		t.Fatalf("not both are there:\n%s", text)
	}
	all, err := other.Status()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(all, func(s Status) bool { return s.Target == Cursor && strings.HasSuffix(s.Key, "loam-crm") })
	if i < 0 || all[i].State != Installed || all[i].Other {
		t.Errorf("status %+v", all)
	}
	if removed := other.remove(t, RemoveRequest{Name: "loam"}); len(removed.Changes) != 0 {
		t.Errorf("the entry of another project was taken back: %+v", removed.Changes)
	}
	other.remove(t, RemoveRequest{Name: "loam-crm"})
	if text := read(t, f.state(t, Cursor, Global).File); strings.Contains(text, "loam-crm") || !exists(f.state(t, Cursor, Global).Skill) {
		t.Errorf("after one was taken back:\n%s", text)
	}
	f.remove(t, RemoveRequest{})
	if len(f.tree(t)) != len(before) {
		t.Error("something is left")
	}
}

// A server elsewhere needs no project, and is set up everywhere alone.
func TestWithoutProject(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.c.Project = ""
	before := f.tree(t)
	report := f.setup(t, SetupRequest{Targets: []Target{ClaudeCode, Codex, Zed}, Server: servers["token"]})
	for _, target := range []Target{ClaudeCode, Codex} {
		s := f.state(t, target, Global)
		if s.State != Installed || s.URL != servers["token"].URL || !strings.Contains(read(t, s.File), s.URL) {
			t.Errorf("%s: %+v", target, s)
		}
	}
	if notes := strings.Join(report.Notes, "\n"); !strings.Contains(notes, "Zed cannot use a server elsewhere") {
		t.Errorf("notes %q", notes)
	}
	f.noLiteral(t)
	for _, r := range []SetupRequest{
		{Targets: []Target{ClaudeCode}, Scope: Project}, {Targets: []Target{ClaudeCode}, Scope: Local}, {Targets: []Target{Universal}},
	} {
		r.Server = servers["http"]
		if _, err := f.Setup(t.Context(), r); sdk.KindOf(err) != sdk.KindNotFound || sdk.AsError(err, "").Hint == "" {
			t.Errorf("%v %s: %v", r.Targets, r.Scope, err)
		}
	}
	f.remove(t, RemoveRequest{Scope: Global})
	if len(f.tree(t)) != len(before) {
		t.Errorf("left: %v", f.tree(t))
	}
}

// What is only shown is written nowhere, of any client.
func TestPrintOnly(t *testing.T) {
	t.Parallel()
	for _, c := range clients {
		f := newFixture(t)
		before := f.tree(t)
		report := f.setup(t, SetupRequest{Targets: []Target{c.target}, Name: "sales", Server: servers["http"], Print: true})
		if len(report.Changes) != 1 || report.Changes[0].Action != Printed || !strings.Contains(report.Changes[0].Snippet, "sales") || report.Diff != "" {
			t.Errorf("%s: %+v", c.target, report)
		}
		if len(f.tree(t)) != len(before) || exists(filepath.Join(f.c.State, "agents.json")) {
			t.Errorf("%s: something was written", c.target)
		}
	}
}
