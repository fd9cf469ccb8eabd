package agents

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files")

const literal = "hunter2-is-the-literal-token"

// fixture is a person's home folder with a project in it.
type fixture struct {
	home, project string
	*Agents
}

func newFixture(t *testing.T) fixture {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return fixtureAt(t, home, filepath.Join(home, "work", "shop"))
}

func fixtureAt(t *testing.T, home, project string) fixture {
	t.Helper()
	if err := os.MkdirAll(project, 0o755); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{TokenVariable: literal}
	var seconds atomic.Int64
	return fixture{home, project, New(Config{
		Machine: Machine{
			OS: "linux", Home: home, Getenv: func(name string) string { return env[name] },
			LookPath: func(string) (string, error) { return "", errors.New("not found") },
		},
		Project: project, State: filepath.Join(project, ".loam"), Command: "/opt/loam/bin/loam", Variables: []string{"SHOP_PASSWORD", "XDG_STATE_HOME"},
		Now: func() time.Time { return time.Unix(seconds.Add(1), 0) },
	})}
}

// write puts a file into the fixture.
func (f fixture) write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// tree is every file and folder with mode and content, but for what Loam keeps
// for itself.
func (f fixture) tree(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(f.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == f.c.State || path == filepath.Join(f.home, ".local") {
			return filepath.SkipDir
		}
		info, err := os.Lstat(path)
		if err != nil {
			return err
		}
		text := ""
		switch {
		case d.Type().IsRegular():
			text = read(t, path)
		case d.Type()&fs.ModeSymlink != 0:
			if text, err = os.Readlink(path); err != nil {
				return err
			}
		}
		all[path] = info.Mode().String() + " " + text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// noLiteral fails when the token's value is anywhere, Loam's own files included.
func (f fixture) noLiteral(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(f.home, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.Contains(read(t, path), literal) {
			t.Errorf("%s holds the token", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (f fixture) setup(t *testing.T, r SetupRequest) *Report {
	t.Helper()
	report, err := f.Setup(t.Context(), r)
	if err != nil {
		t.Fatalf("setup: %v", err)
	}
	return report
}

func (f fixture) remove(t *testing.T, r RemoveRequest) *Report {
	t.Helper()
	report, err := f.Remove(t.Context(), r)
	if err != nil {
		t.Fatalf("remove: %v", err)
	}
	return report
}

// state is what Status says of a client in a scope.
func (f fixture) state(t *testing.T, target Target, scope Scope) Status {
	t.Helper()
	all, err := f.Status()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if s.Target == target && s.Scope == scope {
			return s
		}
	}
	t.Fatalf("no status of %s %s", target, scope)
	return Status{}
}

var servers = map[string]Server{
	"stdio": {Transport: Stdio},
	"http":  {Transport: HTTP, URL: "http://127.0.0.1:7878/mcp"},
	"token": {Transport: HTTP, URL: "http://127.0.0.1:7878/mcp", Token: true},
}

// every runs f for every client, scope and server.
func every(t *testing.T, f func(t *testing.T, c client, scope Scope, server string)) {
	for _, c := range clients {
		for _, scope := range c.scopes {
			for server := range servers {
				t.Run(fmt.Sprintf("%s/%s/%s", c.target, scope, server), func(t *testing.T) {
					t.Parallel()
					f(t, c, scope, server)
				})
			}
		}
	}
}

// A person's own file gets the entry, loses it again, and is then what it was,
// like everything around it.
func TestEveryClient(t *testing.T) {
	t.Parallel()
	every(t, func(t *testing.T, c client, scope Scope, server string) {
		f := newFixture(t)
		p := c.named(f.c.Machine, scope, f.project, DefaultName)
		name := fmt.Sprintf("%s.%s", c.target, scope)
		extension := filepath.Ext(p.config)
		before := read(t, filepath.Join("testdata", "before", name+extension))
		f.write(t, p.config, strings.ReplaceAll(before, "{HOME}", f.home))
		tree := f.tree(t)

		request := SetupRequest{Targets: []Target{c.target}, Scope: scope, Server: servers[server], Write: true}
		f.setup(t, request)
		after := strings.ReplaceAll(read(t, p.config), f.home, "{HOME}")
		golden := filepath.Join("testdata", "after", name+"."+server+extension)
		if *update {
			if err := os.WriteFile(golden, []byte(after), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(read(t, golden), after); diff != "" {
			t.Errorf("after setup (-want +got), -update accepts:\n%s", diff)
		}
		if s := f.state(t, c.target, scope); s.State != Installed {
			t.Errorf("status %+v", s)
		}
		f.noLiteral(t)

		done := f.tree(t)
		again := f.setup(t, request)
		if again.Diff != "" {
			t.Errorf("a second setup changes:\n%s", again.Diff)
		}
		if diff := cmp.Diff(done, f.tree(t)); diff != "" {
			t.Errorf("a second setup changed (-first +second):\n%s", diff)
		}

		f.remove(t, RemoveRequest{})
		if diff := cmp.Diff(tree, f.tree(t)); diff != "" {
			t.Errorf("after remove (-before +after):\n%s", diff)
		}
		if exists(filepath.Join(f.c.State, "agents.json")) || exists(filepath.Join(f.c.Machine.state(), "agents.json")) {
			t.Error("a list of nothing is left")
		}
	})
}

// Without any file there, setup makes it, and remove leaves no trace.
func TestEveryClientFromNothing(t *testing.T) {
	t.Parallel()
	every(t, func(t *testing.T, c client, scope Scope, server string) {
		f := newFixture(t)
		tree := f.tree(t)
		f.setup(t, SetupRequest{Targets: []Target{c.target}, Scope: scope, Server: servers[server], Write: true})
		if s := f.state(t, c.target, scope); s.State != Installed || !exists(s.File) || !exists(s.Skill) {
			t.Errorf("status %+v", s)
		}
		f.noLiteral(t)
		f.remove(t, RemoveRequest{Targets: []Target{c.target}})
		if diff := cmp.Diff(tree, f.tree(t)); diff != "" {
			t.Errorf("after remove (-before +after):\n%s", diff)
		}
	})
}

// All clients at once, in every order of taking them back.
func TestTogether(t *testing.T) {
	t.Parallel()
	for _, reversed := range []bool{false, true} {
		f := newFixture(t)
		tree := f.tree(t)
		for _, scope := range Scopes() {
			var targets []Target
			for _, c := range clients {
				if c.has(scope) {
					targets = append(targets, c.target)
				}
			}
			f.setup(t, SetupRequest{Targets: targets, Scope: scope, Server: servers["token"], Write: true})
		}
		order := Scopes()
		if reversed {
			order = []Scope{Global, Local, Project}
		}
		for _, scope := range order {
			for _, c := range clients {
				if c.has(scope) {
					f.remove(t, RemoveRequest{Targets: []Target{c.target}, Scope: scope})
				}
			}
		}
		if diff := cmp.Diff(tree, f.tree(t)); diff != "" {
			t.Errorf("reversed %v: after remove (-before +after):\n%s", reversed, diff)
		}
	}
}
