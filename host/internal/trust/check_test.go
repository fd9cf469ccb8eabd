package trust

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/sdk"
)

// server and local are configurations as those of a warehouse that is reached over
// the network, and of one in a file; their schemas are made as connectors make
// theirs.
type server struct {
	Host     string     `json:"host" doc:"Host." default:"localhost"`
	Port     int        `json:"port" doc:"Port." default:"1"`
	Password sdk.Secret `json:"password" doc:"Password."`
	CA       string     `json:"ca" doc:"Authorities." format:"path"`
	SSH      struct {
		Host string     `json:"host" doc:"Host."`
		Key  sdk.Secret `json:"key" doc:"Key."`
	} `json:"ssh" doc:"Tunnel."`
	Schemas []string      `json:"schemas" doc:"Schemas." harmless:"true"`
	Timeout time.Duration `json:"timeout" doc:"Timeout."`
}

type local struct {
	Path    string   `json:"path" doc:"File." format:"path"`
	Folders []string `json:"folders" doc:"Folders." format:"path"`
	Threads int      `json:"threads" doc:"Threads." default:"4" harmless:"true"`
	Allow   []string `json:"allow" doc:"Functions."`
}

func installed[T any](name string, bundled bool, variables ...string) connector.Installed {
	return connector.Installed{
		Name: name, Bundled: bundled, Binary: "/programs/" + name, SHA256: strings.Repeat("5", 64),
		Description: sdk.Description{ID: name, ConfigSchema: sdk.ConfigOf[T]().Schema, EnvPassthrough: variables},
	}
}

// fixture is a project folder with files and links, and a place for the file.
type fixture struct {
	*Trust
	dir string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	base := t.TempDir()
	f := &fixture{dir: filepath.Join(base, "project")}
	f.write(t, "data/a.db", "")
	f.write(t, "get.sh", "echo one")
	f.write(t, "key", "k")
	f.write(t, "../outside/b.db", "")
	if runtime.GOOS != "windows" {
		if err := os.Symlink("../outside", filepath.Join(f.dir, "link")); err != nil {
			t.Fatal(err)
		}
	}
	f.Trust = f.again(f.dir)
	return f
}

// again is the trust of a folder as another process has it.
func (f *fixture) again(dir string) *Trust {
	return New(Config{Dir: dir, File: filepath.Join(filepath.Dir(f.dir), "state", "trust", "trust.json"), Now: time.Now})
}

func (f *fixture) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(f.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (f *fixture) connection(config map[string]any) connection.Connection {
	return connection.Connection{ID: "w", Connector: "x", Config: config, Dir: f.dir}
}

func (f *fixture) accept(t *testing.T, c connection.Connection, with connector.Installed) {
	t.Helper()
	asks, err := f.asks(c, with)
	if err == nil {
		err = f.Accept(t.Context(), asks, true)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestAsks(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	out := filepath.Join(filepath.Dir(f.dir), "outside", "b.db")
	real, err := filepath.EvalSymlinks(out)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		config map[string]any
		with   connector.Installed
		want   []string // kind where what
	}{
		{"a file of the folder", map[string]any{"path": "data/a.db"}, installed[local]("x", true), nil},
		{"with harmless keys", map[string]any{"path": "data/a.db", "threads": int64(2)}, installed[local]("x", true), nil},
		{"a file of the folder that is not there", map[string]any{"path": "data/none.db"}, installed[local]("x", true), nil},
		{"folders of the folder", map[string]any{"folders": []any{"data", "."}}, installed[local]("x", true), nil},
		{"a connector that did not come with the program", map[string]any{"path": "data/a.db"}, installed[local]("x", false), []string{"connect connections.w.config x path=" + f.dir + "/data/a.db"}},
		{"a file outside", map[string]any{"path": "../outside/b.db"}, installed[local]("x", true), []string{"file connections.w.config.path x opens " + real}},
		{"an absolute file outside", map[string]any{"path": out}, installed[local]("x", true), []string{"file connections.w.config.path x opens " + real}},
		{"a link that leads out", map[string]any{"path": "link/b.db"}, installed[local]("x", true), []string{"file connections.w.config.path x opens " + real}},
		{"a link and dots in an absolute path", map[string]any{"path": f.dir + "/link/../data/a.db"}, installed[local]("x", true), nil},
		{"one of several folders", map[string]any{"folders": []any{"data", "link"}}, installed[local]("x", true), []string{"file connections.w.config.folders x opens " + filepath.Dir(real)}},
		{"another key of a local connector", map[string]any{"path": "data/a.db", "allow": []any{"f"}}, installed[local]("x", true), []string{`connect connections.w.config x allow=["f"] path=` + f.dir + "/data/a.db"}},
		{"no configuration", nil, installed[local]("x", true), []string{"connect connections.w x"}},
		{"a server by default", map[string]any{"ca": "key"}, installed[server]("x", true), []string{"connect connections.w.config x ca=" + f.dir + "/key"}},
		{"a server", map[string]any{"host": "h", "port": int64(5), "schemas": []any{"a"}, "timeout": "5s"}, installed[server]("x", true), []string{"connect connections.w.config x host=h port=5"}},
		{"values that could be misread", map[string]any{"host": "a b=c", "ssh": map[string]any{"host": ""}}, installed[server]("x", true), []string{`connect connections.w.config x host="a b=c" ssh.host=""`}},
		{"secrets", map[string]any{"host": "h", "password": "env:P", "ssh": map[string]any{"key": "file:../outside/b.db"}}, installed[server]("x", true), []string{
			"connect connections.w.config x host=h",
			"variable connections.w.config.password env:P → x host=h",
			"file connections.w.config.ssh.key file:" + real + " → x host=h",
		}},
		{"a secret in a file of the folder", map[string]any{"host": "h", "password": "file:key"}, installed[server]("x", true), []string{"connect connections.w.config x host=h"}},
		{"a secret behind a link", map[string]any{"host": "h", "password": "file:link/b.db"}, installed[server]("x", true), []string{
			"connect connections.w.config x host=h", "file connections.w.config.password file:" + real + " → x host=h",
		}},
		{"a program", map[string]any{"host": "h", "password": "cmd:op read 'op://v/i'"}, installed[server]("x", true), []string{
			"connect connections.w.config x host=h", "command connections.w.config.password cmd:op read 'op://v/i' → x host=h",
		}},
		{"a secret that is written out", map[string]any{"host": "h", "password": "hunter2"}, installed[server]("x", true), []string{"connect connections.w.config x host=h"}},
		{"variables of a foreign connector", map[string]any{"host": "h"}, installed[server]("a/x", false, "B", "A"), []string{
			"connect connections.w.config a/x host=h", "environment connections.w.connector A, B → a/x host=h",
		}},
		{"variables of one that came with the program", map[string]any{"host": "h"}, installed[server]("x", true, "B"), []string{"connect connections.w.config x host=h"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" && strings.Contains(tt.name, "link") {
				t.Skip("making links needs a right there")
			}
			asks, err := f.asks(f.connection(tt.config), tt.with)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, a := range asks {
				got = append(got, string(a.Kind)+" "+a.Where+" "+a.What)
				if a.Why == "" || a.digest == "" || a.Connection != "w" || strings.Contains(a.What+a.brief, "hunter2") {
					t.Errorf("%+v", a)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAsksForAProgram(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	with := installed[local]("a/x", false)
	with.Argv = []string{"python3", "/p/plugin.py"}
	c := f.connection(map[string]any{"path": "data/a.db"})
	c.Path = filepath.Join(f.dir, "prog")
	asks, err := f.asks(c, with)
	if err != nil || len(asks) != 2 || asks[0].Kind != KindProgram || asks[0].Where != "connections.w.path" || asks[1].Kind != KindConnect {
		t.Fatalf("%+v, %v", asks, err)
	}
	if want := "/programs/a/x (SHA-256 555555555555…), run as: python3 /p/plugin.py"; asks[0].What != want {
		t.Errorf("what %q, want %q", asks[0].What, want)
	}
}

// A change of what decides asks again, any other does not.
func TestWhatAsksAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	base := func() (connection.Connection, connector.Installed) {
		c := f.connection(map[string]any{
			"host": "h", "password": "cmd:sh get.sh --for=x", "ssh": map[string]any{"host": "s", "key": "env:K"}, "schemas": []any{"a"}, "timeout": "5s",
		})
		c.Path = filepath.Join(f.dir, "prog")
		with := installed[server]("a/x", false, "V")
		with.Files = map[string]string{"/p/plugin.py": "1"}
		return c, with
	}
	c, with := base()
	f.accept(t, c, with)
	tests := []struct {
		name   string
		change func(*connection.Connection, *connector.Installed)
		again  bool
	}{
		{"nothing", func(*connection.Connection, *connector.Installed) {}, false},
		{"id", func(c *connection.Connection, _ *connector.Installed) { c.ID = "other" }, false},
		{"description", func(c *connection.Connection, _ *connector.Installed) { c.Description, c.DisplayName = "d", "n" }, false},
		{"limits", func(c *connection.Connection, _ *connector.Installed) { c.Limits.MaxRows = 1 }, false},
		{"harmless key", func(c *connection.Connection, _ *connector.Installed) { c.Config["schemas"] = []any{"a", "b"} }, false},
		{"length of time", func(c *connection.Connection, _ *connector.Installed) { c.Config["timeout"] = "6s" }, false},
		{"version of the connector's description", func(_ *connection.Connection, i *connector.Installed) { i.Description.Version = "2" }, false},
		{"host", func(c *connection.Connection, _ *connector.Installed) { c.Config["host"] = "g" }, true},
		{"a new key", func(c *connection.Connection, _ *connector.Installed) { c.Config["port"] = int64(1) }, true},
		{"an unknown key", func(c *connection.Connection, _ *connector.Installed) { c.Config["hots"] = "h" }, true},
		{"nested key", func(c *connection.Connection, _ *connector.Installed) {
			c.Config["ssh"] = map[string]any{"host": "t", "key": "env:K"}
		}, true},
		{"reference", func(c *connection.Connection, _ *connector.Installed) {
			c.Config["ssh"] = map[string]any{"host": "s", "key": "env:L"}
		}, true},
		{"references swapped", func(c *connection.Connection, _ *connector.Installed) {
			c.Config["password"], c.Config["ssh"] = "env:K", map[string]any{"host": "s", "key": "cmd:sh get.sh --for=x"}
		}, true},
		{"command", func(c *connection.Connection, _ *connector.Installed) { c.Config["password"] = "cmd:sh get.sh --for=y" }, true},
		{"connector", func(_ *connection.Connection, i *connector.Installed) { i.Name = "a/y" }, true},
		{"program", func(_ *connection.Connection, i *connector.Installed) { i.SHA256 = strings.Repeat("6", 64) }, true},
		{"what the program runs", func(_ *connection.Connection, i *connector.Installed) {
			i.Files = map[string]string{"/p/plugin.py": "2"}
		}, true},
		{"how the program is run", func(_ *connection.Connection, i *connector.Installed) { i.Argv = []string{"sh"} }, true},
		{"where the program is", func(c *connection.Connection, _ *connector.Installed) { c.Path = filepath.Join(f.dir, "data") }, true},
		{"variables", func(_ *connection.Connection, i *connector.Installed) {
			i.Description.EnvPassthrough = []string{"V", "W"}
		}, true},
	}
	for _, tt := range tests {
		c, with := base()
		tt.change(&c, &with)
		_, err := f.Check(c, with)
		if again := err != nil; again != tt.again {
			t.Errorf("%s: asked again: %t (%v)", tt.name, again, err)
		}
	}
	// What a command names is part of it.
	f.write(t, "get.sh", "echo two")
	c, with = base()
	_, err := f.Check(c, with)
	if e := sdk.AsError(err, sdk.SourceHost); e == nil || e.Kind != sdk.KindDenied || !strings.Contains(e.Msg, "connections.w.config.password: cmd:sh … (changed") || strings.Contains(e.Msg, "ssh") {
		t.Errorf("another script: %v", err)
	}
}

func TestNamed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "tools/b.sh", "b")
	f.write(t, "with space", "s")
	for command, want := range map[string][]string{
		"sh get.sh":                     {"get.sh"},
		"./get.sh":                      {"./get.sh"},
		"sh -c './get.sh x|tools/b.sh'": {"./get.sh", "tools/b.sh"},
		"x --init=get.sh":               {"get.sh"},
		"cat 'with space' get.sh":       {"get.sh", "with space"},
		"sh ../project/get.sh":          {"../project/get.sh"},
		"sh /etc/passwd data none":      nil,
		"sh 'get.sh":                    nil,
	} {
		c := f.connection(map[string]any{"host": "h", "password": "cmd:" + command})
		asks, err := f.asks(c, installed[server]("x", true))
		if err != nil {
			t.Fatal(err)
		}
		why := asks[len(asks)-1].Why
		for _, name := range []string{"get.sh", "./get.sh", "tools/b.sh", "with space", "../project/get.sh", "/etc/passwd"} {
			if got := strings.Contains(why, "; "+name+" has SHA-256"); got != slices.Contains(want, name) {
				t.Errorf("%s: %q names %s: %t", command, why, name, got)
			}
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	with := installed[server]("x", true)
	c := f.connection(map[string]any{"host": "h", "password": "env:P", "ssh": map[string]any{"key": "cmd:get --token t0ken"}})
	_, err := f.Check(c, with)
	e := sdk.AsError(err, sdk.SourceHost)
	if e == nil || e.Kind != sdk.KindDenied || !strings.Contains(e.Hint, "loam trust --project-dir "+f.dir) ||
		!strings.Contains(e.Msg, "connections.w.config: x host=h") || !strings.Contains(e.Msg, "env:P") || strings.Contains(e.Msg, "t0ken") {
		t.Fatalf("%+v", e)
	}
	if _, err := os.Stat(f.File); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a refusal wrote the file: %v", err)
	}
	f.accept(t, c, with)
	g, err := f.Check(c, with)
	if err != nil || !g.Allows("env:P") || !g.Allows("cmd:get --token t0ken") || g.Allows("env:Q") || g.Allows("cmd:get") {
		t.Errorf("%+v, %v", g, err)
	}
	text, err := os.ReadFile(f.File)
	if err != nil || strings.Contains(string(text), "t0ken") || !json.Valid(text) {
		t.Errorf("%s, %v", text, err)
	}
	if info, err := os.Stat(f.File); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if n, err := f.Revoke(t.Context()); err != nil || n != 3 {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := f.Check(c, with); sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("after it was revoked: %v", err)
	}
	// Where nothing is asked, the file is not even looked for.
	ci := New(Config{Dir: f.dir, Everything: true})
	if g, err := ci.Check(c, with); err != nil || !g.Allows("env:anything") {
		t.Errorf("everything: %v", err)
	}
	if err := ci.AcceptOwn(t.Context(), c, with); err != nil {
		t.Error(err)
	}
}

// Another process's decision counts from the next check on.
func TestProcessesSeeEachOther(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	with := installed[server]("x", true)
	c := f.connection(map[string]any{"host": "h"})
	server := f.again(f.dir)
	for range 3 {
		if _, err := server.Check(c, with); sdk.KindOf(err) != sdk.KindDenied {
			t.Fatal(err)
		}
		f.accept(t, c, with)
		if _, err := server.Check(c, with); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Revoke(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// A person's own connection is trusted; what a stranger's file held is not.
func TestOwnWork(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	with := installed[server]("x", true)
	own := f.connection(map[string]any{"host": "mine", "password": "env:P"})
	theirs := f.connection(map[string]any{"host": "theirs", "password": "env:P"})
	if err := f.AcceptOwn(t.Context(), own, with); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Check(own, with); err != nil {
		t.Error(err)
	}
	if _, err := f.Check(theirs, with); sdk.KindOf(err) != sdk.KindDenied {
		t.Error(err)
	}
	// One that asks for nothing needs no file, and so no home folder.
	homeless := New(Config{Dir: f.dir})
	file := f.connection(map[string]any{"path": "data/a.db"})
	if err := homeless.AcceptOwn(t.Context(), file, installed[local]("x", true)); err != nil {
		t.Error(err)
	}
	if _, err := homeless.Check(file, installed[local]("x", true)); err != nil {
		t.Error(err)
	}
}

// What is trusted belongs to one folder, by whatever name it is called.
func TestFolders(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	with := installed[server]("x", true)
	c := f.connection(map[string]any{"host": "h"})
	f.accept(t, c, with)
	parent := filepath.Dir(f.dir)
	if err := os.MkdirAll(filepath.Join(parent, "copy"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := f.again(filepath.Join(parent, "copy")).Check(c, with); sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("another folder with the same project: %v", err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	link := filepath.Join(parent, "alias")
	if err := os.Symlink("project", link); err != nil {
		t.Fatal(err)
	}
	if _, err := f.again(link).Check(c, with); err != nil {
		t.Errorf("the same folder behind a link: %v", err)
	}
	if err := os.Remove(link); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("copy", link); err != nil {
		t.Fatal(err)
	}
	if _, err := f.again(link).Check(c, with); sdk.KindOf(err) != sdk.KindDenied {
		t.Errorf("the link leads to another folder: %v", err)
	}
}

func TestItems(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "loam.yaml", `version: 1
telemetry: {endpoint: "http://collector:4318"}
connections:
  w:
    connector: x
    config:
      host: h
      password: env:P
  gone: {connector: none}
  file: {connector: local, config: {path: data/a.db}}
`)
	find := func(c connection.Connection) (connector.Installed, error) {
		switch c.Connector {
		case "x":
			return installed[server]("x", true), nil
		case "local":
			return installed[local]("local", true), nil
		}
		return connector.Installed{}, errors.New("not installed")
	}
	look := func() map[string]string {
		p, err := project.Load(f.dir)
		if err != nil {
			t.Fatal(err)
		}
		items, missing, err := f.Items(p, find)
		if err != nil || len(missing) != 1 || missing["gone"] == nil {
			t.Fatalf("%v, %v", missing, err)
		}
		got := map[string]string{}
		var asks []Ask
		for _, i := range items {
			got[i.Where] = string(i.State) + " " + i.Was
			asks = append(asks, i.Ask)
			if i.Line == 0 {
				t.Errorf("%s has no line", i.Where)
			}
		}
		if err := f.Accept(t.Context(), asks, false); err != nil {
			t.Fatal(err)
		}
		return got
	}
	if diff := cmp.Diff(map[string]string{"connections.w.config": "new ", "connections.w.config.password": "new ", "telemetry.endpoint": "new "}, look()); diff != "" {
		t.Errorf("first (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"connections.w.config": "trusted ", "connections.w.config.password": "trusted ", "telemetry.endpoint": "trusted "}, look()); diff != "" {
		t.Errorf("again (-want +got):\n%s", diff)
	}
	text, err := os.ReadFile(filepath.Join(f.dir, "loam.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	f.write(t, "loam.yaml", strings.NewReplacer("host: h", "host: g", "collector", "evil").Replace(string(text)))
	want := map[string]string{
		"connections.w.config": "changed x host=h", "connections.w.config.password": "changed env:P → x host=h",
		"telemetry.endpoint": "changed traces and metrics → http://collector:4318",
	}
	if diff := cmp.Diff(want, look()); diff != "" {
		t.Errorf("after an edit (-want +got):\n%s", diff)
	}
}

func TestEndpoint(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	p := &project.Project{}
	if got, err := f.Endpoint(p); got != "" || err != nil {
		t.Errorf("none: %q, %v", got, err)
	}
	p.Telemetry.Endpoint = "http://c:4318"
	if got, err := f.Endpoint(p); got != "" || sdk.KindOf(err) != sdk.KindDenied || !strings.Contains(err.Error(), "telemetry") {
		t.Errorf("not trusted: %q, %v", got, err)
	}
	if err := f.Accept(t.Context(), []Ask{telemetryAsk("http://c:4318")}, true); err != nil {
		t.Fatal(err)
	}
	if got, err := f.Endpoint(p); got != "http://c:4318" || err != nil {
		t.Errorf("trusted: %q, %v", got, err)
	}
}

func BenchmarkCheck(b *testing.B) {
	base := b.TempDir()
	dir := filepath.Join(base, "project")
	if err := os.Mkdir(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	tr := New(Config{Dir: dir, File: filepath.Join(base, "state", "trust.json"), Now: time.Now})
	for name, config := range map[string]map[string]any{
		"server": {"host": "h", "port": int64(5), "password": "env:P"}, "file": {"path": "data/a.db"},
	} {
		with := installed[server]("x", true)
		if name == "file" {
			with = installed[local]("x", true)
		}
		c := connection.Connection{ID: "w", Connector: "x", Config: config, Dir: dir}
		if err := tr.AcceptOwn(b.Context(), c, with); err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := tr.Check(c, with); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
