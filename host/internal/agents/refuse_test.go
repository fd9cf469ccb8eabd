package agents

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// wantUntouched fails when an error is not of a kind and does not say what it
// should, or anything in the fixture was changed.
func (f fixture) wantUntouched(t *testing.T, before map[string]string, err error, kind sdk.Kind, says ...string) {
	t.Helper()
	e := sdk.AsError(err, sdk.SourceHost)
	if err == nil || e.Kind != kind {
		t.Fatalf("error %v, want one of kind %s", err, kind)
	}
	for _, text := range says {
		if !strings.Contains(err.Error()+"\n"+e.Hint, text) {
			t.Errorf("%q, hint %q: it should say %q", err, e.Hint, text)
		}
	}
	if e.Hint == "" {
		t.Errorf("%q has no hint", err)
	}
	if diff := cmp.Diff(before, f.tree(t)); diff != "" {
		t.Errorf("something was changed (-before +after):\n%s", diff)
	}
}

// A file that cannot be edited stays as it is, and so does every other one of
// the same command.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		arrange func(t *testing.T, f fixture)
		request SetupRequest
		kind    sdk.Kind
		says    []string
	}{
		{
			"broken JSON", func(t *testing.T, f fixture) {
				f.write(t, filepath.Join(f.project, ".mcp.json"), "{\n  \"mcpServers\": {\n    \"x\": hunter2\n  }\n}\n")
			}, SetupRequest{Targets: []Target{Cursor, ClaudeCode}}, sdk.KindInvalid, []string{".mcp.json:3:10: it is no valid JSON", "left alone", `"loam": {`},
		},
		{
			"broken TOML", func(t *testing.T, f fixture) {
				f.write(t, filepath.Join(f.project, ".codex", "config.toml"), "model = \"o\"\n[tui\n")
			}, SetupRequest{Targets: []Target{Cursor, Codex}}, sdk.KindInvalid, []string{"config.toml:2:", "[mcp_servers.loam]"},
		},
		{
			"inline tables", func(t *testing.T, f fixture) {
				f.write(t, filepath.Join(f.project, ".codex", "config.toml"), "mcp_servers = { x = { url = \"u\" } }\n")
			}, SetupRequest{Targets: []Target{Codex}}, sdk.KindUnsupported, []string{"cannot be edited in place", "add this by hand", "[mcp_servers.loam]"},
		},
		{
			"an entry by hand", func(t *testing.T, f fixture) {
				f.write(t, filepath.Join(f.project, ".mcp.json"), `{"mcpServers": {"loam": {"command": "mine"}}}`)
			}, SetupRequest{Targets: []Target{Cursor, ClaudeCode}}, sdk.KindConflict, []string{"mcpServers.loam was not written by loam", "--force", "--target claude-code"},
		},
		{
			"a skill by hand", func(t *testing.T, f fixture) {
				f.write(t, filepath.Join(f.project, ".claude/skills/loam-analytics/SKILL.md"), "mine")
			}, SetupRequest{Targets: []Target{ClaudeCode}}, sdk.KindConflict, []string{"SKILL.md is not as loam writes it", "--force"},
		},
		{
			"read-only", func(t *testing.T, f fixture) {
				path := filepath.Join(f.project, ".mcp.json")
				f.write(t, path, "{}")
				if err := os.Chmod(path, 0o444); err != nil {
					t.Fatal(err)
				}
			}, SetupRequest{Targets: []Target{Cursor, ClaudeCode}}, sdk.KindDenied, []string{".mcp.json is read-only", "writable"},
		},
		{
			"a file where a folder should be", func(t *testing.T, f fixture) {
				f.write(t, filepath.Join(f.project, ".claude"), "")
			}, SetupRequest{Targets: []Target{Cursor, ClaudeCode}}, sdk.KindConflict, []string{".claude is a file, not a folder"},
		},
		{
			"a folder where the file should be", func(t *testing.T, f fixture) {
				f.write(t, filepath.Join(f.project, ".mcp.json", "x"), "")
			}, SetupRequest{Targets: []Target{ClaudeCode}}, sdk.KindInvalid, []string{".mcp.json is no regular file"},
		},
		{
			"a link to nowhere", func(t *testing.T, f fixture) {
				if err := os.Symlink("nowhere", filepath.Join(f.project, ".mcp.json")); err != nil {
					t.Fatal(err)
				}
			}, SetupRequest{Targets: []Target{ClaudeCode}}, sdk.KindConflict, []string{"leads nowhere"},
		},
		{
			"a token in the address", nil,
			SetupRequest{Targets: []Target{Cursor}, Server: Server{Transport: HTTP, URL: "http://a/" + literal}},
			sdk.KindInvalid,
			[]string{TokenVariable},
		},
		{"unknown target", nil, SetupRequest{Targets: []Target{"claude-cod"}}, sdk.KindInvalid, []string{"claude-code"}},
		{"unknown scope", nil, SetupRequest{Scope: "team"}, sdk.KindInvalid, []string{"project, local, global"}},
		{"no such scope", nil, SetupRequest{Targets: []Target{Cursor}, Scope: Local}, sdk.KindInvalid, []string{"--scope project or global"}},
		{"a name that tools cannot begin with", nil, SetupRequest{Targets: []Target{Cursor}, Name: "my loam"}, sdk.KindInvalid, []string{"my loam", "loam-sales"}},
		{"no client", nil, SetupRequest{}, sdk.KindNotFound, []string{"--target", "opencode"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			if c.arrange != nil {
				c.arrange(t, f)
			}
			before := f.tree(t)
			if c.request.Server.Transport == "" {
				c.request.Server = servers["stdio"]
			}
			_, err := f.Setup(t.Context(), c.request)
			f.wantUntouched(t, before, err, c.kind, c.says...)
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error quotes a secret: %v", err)
			}
			if exists(filepath.Join(f.c.State, "agents.json")) {
				t.Error("a list of what was not done was written")
			}
		})
	}
}

// What somebody wrote is replaced only with force, and comes back.
func TestForce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, filepath.Join(f.project, ".mcp.json"), "{\"mcpServers\": {\"loam\": {\"command\": \"mine\"} /* c */}}")
	f.write(t, filepath.Join(f.project, ".claude/skills/loam-analytics/SKILL.md"), "mine")
	before := f.tree(t)
	if s := f.state(t, ClaudeCode, Project); s.State != ByHand {
		t.Errorf("status %+v", s)
	}
	request := SetupRequest{Targets: []Target{ClaudeCode}, Server: servers["stdio"], Force: true}
	report := f.setup(t, request)
	for _, c := range report.Changes {
		if c.Action != Changed || !exists(c.Backups) {
			t.Errorf("change %+v", c)
		}
	}
	backups, err := filepath.Glob(filepath.Join(f.c.State, "backups", "*"))
	if err != nil || len(backups) != 2 {
		t.Errorf("backups %v, %v", backups, err)
	}
	for range keptBackups {
		f.setup(t, SetupRequest{Targets: []Target{ClaudeCode}, Server: servers["http"], Force: true})
		f.setup(t, request)
	}
	if backups, err = filepath.Glob(filepath.Join(f.c.State, "backups", ".mcp.json.*")); err != nil || len(backups) != keptBackups {
		t.Errorf("backups %v, %v", backups, err)
	}
	f.remove(t, RemoveRequest{})
	if diff := cmp.Diff(before, f.tree(t)); diff != "" {
		t.Errorf("after remove (-before +after):\n%s", diff)
	}
}

// An entry or a skill that was edited since is not taken without force.
func TestEditedSince(t *testing.T) {
	t.Parallel()
	for _, edited := range []string{"entry", "skill"} {
		t.Run(edited, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			tree := f.tree(t)
			request := SetupRequest{Targets: []Target{Codex}, Server: servers["stdio"]}
			f.setup(t, request)
			path := filepath.Join(f.project, ".codex", "config.toml")
			if edited == "skill" {
				path = filepath.Join(f.project, ".agents/skills/loam-analytics/SKILL.md")
			}
			if err := os.WriteFile(path, []byte(read(t, path)+"startup_timeout_sec = 20\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if s := f.state(t, Codex, Project); s.State != Edited {
				t.Errorf("status %+v", s)
			}
			before := f.tree(t)
			_, err := f.Setup(t.Context(), request)
			f.wantUntouched(t, before, err, sdk.KindConflict, "--force")
			_, err = f.Remove(t.Context(), RemoveRequest{})
			f.wantUntouched(t, before, err, sdk.KindConflict, "edited since", "--force")
			f.remove(t, RemoveRequest{Force: true})
			if diff := cmp.Diff(tree, f.tree(t)); diff != "" {
				t.Errorf("after remove (-before +after):\n%s", diff)
			}
		})
	}
}

// A file that was broken since is not touched, nor is anything else.
func TestBrokenSince(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.setup(t, SetupRequest{Targets: []Target{Cursor, ClaudeCode}, Server: servers["stdio"]})
	path := filepath.Join(f.project, ".mcp.json")
	text := read(t, path)
	f.write(t, path, text+"}")
	before := f.tree(t)
	_, err := f.Remove(t.Context(), RemoveRequest{})
	f.wantUntouched(t, before, err, sdk.KindInvalid, ".mcp.json:", "mend it")
	f.write(t, path, text)
	if report := f.remove(t, RemoveRequest{}); len(report.Changes) != 4 {
		t.Errorf("after it was mended: %+v", report.Changes)
	}
	f.write(t, filepath.Join(f.c.State, "agents.json"), "{")
	before = f.tree(t)
	_, err = f.Setup(t.Context(), SetupRequest{Targets: []Target{Cursor}, Server: servers["stdio"]})
	f.wantUntouched(t, before, err, sdk.KindInvalid, "agents.json", "move it away")
}

// The file behind a link is changed, and the link stays one.
func TestSymbolicLink(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, filepath.Join(f.home, "dotfiles", "mcp.json"), "{\n  \"mcpServers\": {}\n}\n")
	if err := os.MkdirAll(filepath.Join(f.home, ".cursor"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../dotfiles/mcp.json", filepath.Join(f.home, ".cursor", "mcp.json")); err != nil {
		t.Fatal(err)
	}
	before := f.tree(t)
	f.setup(t, SetupRequest{Targets: []Target{Cursor}, Scope: Global, Server: servers["http"]})
	after := f.tree(t)
	if text := after[filepath.Join(f.home, "dotfiles", "mcp.json")]; !strings.Contains(text, `"loam"`) || !strings.HasPrefix(text, "-rw-r-----") {
		t.Errorf("behind the link: %s", text)
	}
	if link := filepath.Join(f.home, ".cursor", "mcp.json"); before[link] != after[link] {
		t.Errorf("the link: %s", after[link])
	}
	f.remove(t, RemoveRequest{})
	if diff := cmp.Diff(before, f.tree(t)); diff != "" {
		t.Errorf("after remove (-before +after):\n%s", diff)
	}
}

// A project's list of what was set up may come with the folder: nothing outside is
// touched because of it, whatever it says was there before.
func TestListFromElsewhere(t *testing.T) {
	t.Parallel()
	known := "# the profile that every account begins with\n"
	sum := sha256.Sum256([]byte(known))
	for name, file := range map[string]string{"dots": "../../.bashrc", "a link": "profile", "a folder behind a link": "away/.bashrc"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.write(t, filepath.Join(f.home, ".bashrc"), known)
			for link, target := range map[string]string{"profile": "../../.bashrc", "away": "../.."} {
				if err := os.MkdirAll(f.project, 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(target, filepath.Join(f.project, link)); err != nil {
					t.Fatal(err)
				}
			}
			f.write(t, filepath.Join(f.project, ".loam", "agents.json"), fmt.Sprintf(
				`{"version":1,"records":[{"target":"cursor","scope":"project","project":%q,"skill":{"file":%q,"sha256":"%x","old":"echo theirs"}}]}`, f.project, file, sum))
			before := f.tree(t)
			_, err := f.Remove(t.Context(), RemoveRequest{})
			f.wantUntouched(t, before, err, sdk.KindDenied, "outside the project folder", "agents.json")
			_, err = f.Setup(t.Context(), SetupRequest{Targets: []Target{Cursor}, Server: servers["http"]})
			f.wantUntouched(t, before, err, sdk.KindDenied, "outside the project folder")
		})
	}
}

// Many at once, of several projects, on one file: none is lost.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, filepath.Join(f.home, ".claude.json"), "{\n  \"numStartups\": 1\n}\n")
	before := f.tree(t)
	fixtures := []fixture{f}
	for i := range 5 {
		fixtures = append(fixtures, fixtureAt(t, f.home, filepath.Join(f.home, "work", fmt.Sprint("other", i))))
	}
	empty := f.tree(t)
	both := func(f func(fixture) error) {
		var wg sync.WaitGroup
		for _, h := range slices.Concat(fixtures, fixtures) {
			wg.Go(func() {
				if err := f(h); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	both(func(f fixture) error {
		_, err := f.Setup(context.WithoutCancel(t.Context()), SetupRequest{Targets: []Target{ClaudeCode}, Scope: Local, Server: servers["stdio"]})
		return err
	})
	for _, h := range fixtures {
		if s := h.state(t, ClaudeCode, Local); s.State != Installed {
			t.Errorf("%s: %+v", h.project, s)
		}
	}
	both(func(f fixture) error {
		_, err := f.Remove(context.WithoutCancel(t.Context()), RemoveRequest{})
		return err
	})
	if diff := cmp.Diff(empty, f.tree(t)); diff != "" || len(before) == 0 {
		t.Errorf("after remove (-before +after):\n%s", diff)
	}
}

// A file that changes between the look and the write is not overwritten, and
// what was written before it is put back.
func TestChangedMeanwhile(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	a, b := filepath.Join(f.project, "a", "first"), filepath.Join(f.project, "second")
	f.write(t, b, "one")
	var p plan
	for _, name := range []string{a, b} {
		f, err := p.open(name)
		if err == nil {
			err = f.write([]byte("ours"))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	f.write(t, b, "two")
	before := f.tree(t)
	f.wantUntouched(t, before, p.apply(f.c.Now()), sdk.KindConflict, "changed meanwhile")
}

func TestDryRun(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, filepath.Join(f.project, ".mcp.json"), "{\r\n  \"a\": 1,\r\n  \"b\": 2,\r\n  \"c\": 3,\r\n  \"d\": 4\r\n}")
	before := f.tree(t)
	report := f.setup(t, SetupRequest{Targets: []Target{ClaudeCode, ClaudeDesktop}, Server: servers["token"], Dry: true})
	diff := strings.ReplaceAll(report.Diff, f.home, "{HOME}")
	golden := filepath.Join("testdata", "dry-run.diff")
	if *update {
		if err := os.WriteFile(golden, []byte(diff), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := cmp.Diff(read(t, golden), diff); want != "" {
		t.Errorf("diff (-want +got), -update accepts:\n%s", want)
	}
	if diff := cmp.Diff(before, f.tree(t)); diff != "" || exists(f.c.State) || exists(f.c.Machine.state()) {
		t.Errorf("a dry run wrote (-before +after):\n%s", diff)
	}
	f.setup(t, SetupRequest{Targets: []Target{ClaudeCode}, Server: servers["token"]})
	done := f.tree(t)
	gone := f.remove(t, RemoveRequest{Dry: true})
	if !strings.Contains(gone.Diff, "-      \"type\": \"http\",\r\n") || cmp.Diff(done, f.tree(t)) != "" {
		t.Errorf("a dry removal: %s", gone.Diff)
	}
}

// A file that others will use is written, or skipped, as the person decides.
func TestShared(t *testing.T) {
	t.Parallel()
	for _, write := range []bool{true, false} {
		f := newFixture(t)
		asked := 0
		request := SetupRequest{Targets: []Target{ClaudeCode}, Server: servers["token"], Shared: func(Target, string) (bool, error) {
			asked++
			return write, nil
		}}
		report := f.setup(t, request)
		if !strings.Contains(strings.Join(report.Notes, "\n"), TokenVariable) || exists(filepath.Join(f.project, ".mcp.json")) != write || asked != 1 {
			t.Errorf("write %v: asked %d times, %+v", write, asked, report)
		}
		request.Scope = Global
		if f.setup(t, request); asked != 1 {
			t.Error("a file of the person's own was asked about")
		}
		failure := errors.New("no answer")
		request.Scope, request.Shared = Project, func(Target, string) (bool, error) { return false, failure }
		if _, err := newFixture(t).Setup(t.Context(), request); !errors.Is(err, failure) {
			t.Errorf("no answer: %v", err)
		}
	}
}
