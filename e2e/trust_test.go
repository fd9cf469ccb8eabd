//go:build linux

package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stranger is a project folder that came from somebody else, on the machine of a
// person who has trusted nothing yet.
type stranger struct {
	dir, base string
	env       []string
	host      *counter // where its connections lead
	telemetry *counter
}

// counter counts who connects to a port, and hangs up.
type counter struct {
	net.Listener
	seen atomic.Int64
}

func newCounter(t *testing.T) *counter {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &counter{Listener: l}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			r.seen.Add(1)
			_ = c.Close()
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-done
	})
	return r
}

func (r *counter) port() string {
	_, port, _ := net.SplitHostPort(r.Addr().String())
	return port
}

// hostile are its connections, each with what its calls would do.
var hostile = []string{"variable", "script", "command", "home", "bare", "outside", "link", "program"}

func newStranger(t *testing.T) *stranger {
	t.Helper()
	source, err := sample()
	if err != nil {
		t.Fatal(err)
	}
	base := t.TempDir()
	s := &stranger{dir: filepath.Join(base, "their project"), base: base, host: newCounter(t), telemetry: newCounter(t)}
	s.env = []string{"LOAM_TRUST=", "HOME=" + base, "XDG_STATE_HOME=" + filepath.Join(base, "state"), "STRANGER_WANTS=my-secret"}
	copyFile(t, filepath.Join(source, "data/shop.db"), filepath.Join(s.dir, "data/a.db"))
	copyFile(t, filepath.Join(source, "data/shop.db"), filepath.Join(base, "outside.db"))
	writeFile(t, filepath.Join(base, "key"), "my-key")
	if err := os.Symlink("../outside.db", filepath.Join(s.dir, "link.db")); err != nil {
		t.Fatal(err)
	}
	script := "touch " + s.ran("script") + "; echo pw"
	writeFile(t, filepath.Join(s.dir, "get.sh"), strings.ReplaceAll(script, s.ran("script"), "'"+s.ran("script")+"'"))
	s.writeProgram(t)
	server := func(id, password string) string {
		return fmt.Sprintf("  %s:\n    connector: postgres\n    config: {host: 127.0.0.1, port: %s, database: d, user: u, sslmode: disable%s}\n", id, s.host.port(), password)
	}
	yaml := "version: 1\ntelemetry: {endpoint: \"http://" + s.telemetry.Addr().String() + "\"}\nconnections:\n" +
		"  ok:\n    connector: sqlite\n    config: {path: data/a.db}\n" +
		server("variable", `, password: "env:STRANGER_WANTS"`) +
		server("script", `, password: "cmd:sh get.sh"`) +
		server("command", `, password: "cmd:touch '`+s.ran("command")+`'"`) +
		server("home", `, password: "file:~/key"`) +
		server("bare", "") +
		"  outside:\n    connector: sqlite\n    config: {path: ../outside.db}\n" +
		"  link:\n    connector: sqlite\n    config: {path: link.db}\n" +
		"  program:\n    connector: sqlite\n    path: theirs/run.sh\n    config: {path: data/a.db}\n"
	s.edit(t, yaml)
	return s
}

// ran is the file that tells that something ran.
func (s *stranger) ran(what string) string { return filepath.Join(s.base, what+"-ran") }

func (s *stranger) edit(t *testing.T, yaml string) {
	t.Helper()
	writeFile(t, filepath.Join(s.dir, "loam.yaml"), yaml)
}

func (s *stranger) yaml(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, "loam.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// writeProgram makes a connector of the folder that tells that it ran.
func (s *stranger) writeProgram(t *testing.T) {
	t.Helper()
	program := "touch '" + s.ran("program") + "'\n"
	writeFile(t, filepath.Join(s.dir, "theirs/run.sh"), program)
	text, err := os.ReadFile(filepath.Join(bin, "loam-connector-sqlite.json"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest map[string]any
	unmarshal(t, text, &manifest)
	sum := sha256.Sum256([]byte(program))
	manifest["targets"] = map[string]any{runtime.GOOS + "_" + runtime.GOARCH: map[string]any{
		"path": "run.sh", "sha256": hex.EncodeToString(sum[:]), "size": len(program), "argv": []string{"sh", "run.sh"},
	}}
	if text, err = json.Marshal(manifest); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(s.dir, "theirs/connector.json"), string(text))
}

func (s *stranger) loam(t *testing.T, args ...string) result {
	t.Helper()
	return loamWith(t, s.dir, s.env, args...)
}

// quiet tests that nothing ran and nobody was reached.
func (s *stranger) quiet(t *testing.T, after string) {
	t.Helper()
	for _, what := range []string{"script", "command", "program"} {
		if _, err := os.Stat(s.ran(what)); err == nil {
			t.Errorf("after %s: %s ran", after, what)
		}
	}
	if h, r := s.host.seen.Load(), s.telemetry.seen.Load(); h+r > 0 {
		t.Errorf("after %s: %d connections to its host, %d to its receiver", after, h, r)
	}
}

// distrusted tests that a call was refused for want of trust.
func distrusted(t *testing.T, what string, f *failure) {
	t.Helper()
	if f == nil || f.Code != "denied" || !strings.Contains(f.Message, "not trusted") || !strings.Contains(f.Hint, "loam trust --project-dir '") {
		t.Errorf("%s: %+v", what, f)
	}
}

// serve starts the daemon of the folder and connects to it.
func (s *stranger) serve(t *testing.T) *server {
	t.Helper()
	endDaemon(t, s.dir)
	r := s.loam(t, "mcp", "start", "--port", "0", "--json")
	if r.code != 0 {
		t.Fatalf("start: exit %d: %s%s", r.code, r.stderr, logged(s.dir))
	}
	var up started
	unmarshal(t, []byte(r.stdout), &up)
	return client(t, &mcp.StreamableClientTransport{Endpoint: up.URL, HTTPClient: &http.Client{}})
}

const one = "SELECT 1 AS n"

// Nothing of a stranger's project runs or sends before the person allows it, by
// any way; all else of it works. Then it does, without a restart, until something
// of it changes.
func TestStrangersFolder(t *testing.T) {
	heavy(t, "folders of strangers")
	t.Parallel()
	s := newStranger(t)
	servers := map[string]*server{"stdio": stdioServer(t, s.dir, s.env...), "http": s.serve(t)}

	for _, args := range [][]string{
		{"status"}, {"connection", "list"}, {"catalog", "tables"}, {"search", "orders"}, {"sl", "list"}, {"sl", "validate", "--data"},
		{"doctor"}, {"scan"}, {"agents", "setup", "--target", "claude-code", "--dry-run"}, {"history"}, {"trust", "--show"}, {"trust"}, {"trust", "--json"},
	} {
		s.loam(t, args...)
		s.quiet(t, strings.Join(args, " "))
	}
	for _, id := range hostile {
		for _, args := range [][]string{{"sql", "-c", id, one}, {"connection", "test", id}, {"scan", id}} {
			r := s.loam(t, args...)
			if r.code != 8 || !strings.Contains(r.stderr, "not trusted") || !strings.Contains(r.stderr, "loam trust --project-dir '"+s.dir+"'") {
				t.Errorf("%v: exit %d: %s", args, r.code, r.stderr)
			}
		}
		for name, server := range servers {
			_, failed := server.sql(t.Context(), t, id, one, nil)
			distrusted(t, name+" "+id, failed)
		}
		s.quiet(t, id)
	}
	for name, server := range servers {
		if _, failed := server.sql(t.Context(), t, "ok", "SELECT count(*) FROM orders", nil); failed != nil {
			t.Errorf("%s: a file of the folder: %+v", name, failed)
		}
		var list struct {
			Connections []struct{ ID, Status, Problem string }
		}
		if failed := server.ask(t, "connection_list", map[string]any{}, &list); failed != nil {
			t.Errorf("%s: %+v", name, failed)
		}
		for _, c := range list.Connections {
			if waits := strings.Contains(c.Problem, "loam trust"); waits != slices.Contains(hostile, c.ID) {
				t.Errorf("%s: %s is %s: %s", name, c.ID, c.Status, c.Problem)
			}
		}
	}
	if r := s.loam(t, "search", "orders"); r.code != 0 || !strings.Contains(r.stdout, "orders") {
		t.Errorf("search: %+v", r)
	}
	if r := s.loam(t, "trust"); r.code != 2 || !strings.Contains(r.stderr, "loam trust --yes") || !strings.Contains(r.stdout, "cmd:sh get.sh") || strings.Contains(r.stdout, "my-secret") {
		t.Errorf("without a terminal: %+v", r)
	}
	s.quiet(t, "all of it")

	s.allowed(t, servers)
	s.changed(t, servers)
}

// allowed tests what happens once the person has allowed everything.
func (s *stranger) allowed(t *testing.T, servers map[string]*server) {
	t.Helper()
	if r := s.loam(t, "trust", "--yes"); r.code != 0 || !strings.Contains(r.stderr, "allowed 14 things") {
		t.Fatalf("trust: %+v", r)
	}
	for name, server := range servers {
		for _, id := range []string{"outside", "link"} {
			if _, failed := server.sql(t.Context(), t, id, "SELECT count(*) FROM orders", nil); failed != nil {
				t.Errorf("%s %s: %+v", name, id, failed)
			}
		}
		for _, id := range []string{"variable", "script", "command", "home", "bare", "program"} {
			if _, failed := server.sql(t.Context(), t, id, one, nil); failed == nil || strings.Contains(failed.Message, "trusted") {
				t.Errorf("%s %s: %+v; it leads nowhere, but is trusted", name, id, failed)
			}
		}
	}
	for _, what := range []string{"script", "command", "program"} {
		if _, err := os.Stat(s.ran(what)); err != nil {
			t.Errorf("%s did not run: %v", what, err)
		}
	}
	if s.host.seen.Load() == 0 {
		t.Error("nobody reached the host")
	}
	// Where telemetry goes is decided when a server starts.
	late := stdioServer(t, s.dir, s.env...)
	if _, failed := late.sql(t.Context(), t, "ok", one, nil); failed != nil {
		t.Errorf("%+v", failed)
	}
	if err := late.Close(); err != nil {
		t.Error(err)
	}
	eventually(t, settle, "telemetry arrives", func() bool { return s.telemetry.seen.Load() > 0 })
}

// changed tests what asks again, in servers that run all the while.
func (s *stranger) changed(t *testing.T, servers map[string]*server) {
	t.Helper()
	try := func(id string) (failed []*failure) {
		for _, server := range servers {
			_, f := server.sql(t.Context(), t, id, one, nil)
			failed = append(failed, f)
		}
		return failed
	}
	before := s.yaml(t)
	s.edit(t, strings.ReplaceAll(before, "    connector: sqlite\n", "    connector: sqlite\n    description: all orders\n    limits: {max_rows: 5}\n"))
	for _, f := range try("outside") {
		if f != nil {
			t.Errorf("after an unrelated edit: %+v", f)
		}
	}
	// An agent with access to files adds a command to a connection that is trusted.
	s.edit(t, strings.Replace(before, `env:STRANGER_WANTS`, `cmd:touch '`+s.ran("later")+`'`, 1))
	for _, f := range try("variable") {
		distrusted(t, "an added command", f)
	}
	s.edit(t, strings.Replace(before, "../outside.db", "../key", 1))
	for _, f := range try("outside") {
		distrusted(t, "another file", f)
	}
	s.edit(t, before)
	for _, f := range try("outside") {
		if f != nil {
			t.Errorf("after the edit was taken back: %+v", f)
		}
	}
	if err := os.Remove(s.ran("script")); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(s.dir, "get.sh"), "touch '"+s.ran("later")+"'")
	r := s.loam(t, "sql", "-c", "script", one)
	if r.code != 8 || !strings.Contains(r.stderr, "cmd:sh …") {
		t.Errorf("another script: %+v", r)
	}
	if _, err := os.Stat(s.ran("later")); err == nil {
		t.Error("what was changed ran")
	}
	if r := s.loam(t, "trust", "--show"); r.code != 0 || !strings.Contains(r.stdout, "changed") {
		t.Errorf("what changed: %+v", r)
	}
	if r := s.loam(t, "trust", "--revoke"); r.code != 0 {
		t.Errorf("revoke: %+v", r)
	}
	for _, f := range try("outside") {
		distrusted(t, "after it was revoked", f)
	}
	if r := loamWith(t, s.dir, append(slices.Clone(s.env), "LOAM_TRUST=1"), "sql", "-c", "outside", one); r.code != 0 {
		t.Errorf("with LOAM_TRUST=1: %+v", r)
	}
}

// A person's own connection in a stranger's folder is trusted, and nothing else of
// it. The README's quick start asks nobody.
func TestOwnWorkIsNotAskedAbout(t *testing.T) {
	t.Parallel()
	heavy(t, "folders of strangers")
	s := newStranger(t)
	add := []string{"connection", "add", "mine", "postgres", "host=127.0.0.1", "port=" + s.host.port(), "database=d", "user=me", "sslmode=disable", "password=env:STRANGER_WANTS"}
	if r := s.loam(t, add...); r.code != 0 {
		t.Fatalf("add: %+v", r)
	}
	if r := s.loam(t, "sql", "-c", "mine", one); r.code == 8 || s.host.seen.Load() == 0 {
		t.Errorf("my own connection: %+v", r)
	}
	for _, id := range hostile {
		if r := s.loam(t, "sql", "-c", id, one); r.code != 8 {
			t.Errorf("%s: %+v", id, r)
		}
	}
	own := filepath.Join(s.base, "analytics")
	for _, step := range []struct {
		code int
		args []string
	}{
		{0, []string{"init", own}},
		{0, append(slices.Clone(add), "--project-dir", own)},
		{14, []string{"connection", "test", "mine", "--project-dir", own}}, // nobody serves there
		{14, []string{"scan", "--project-dir", own}},
	} {
		if r := s.loam(t, step.args...); r.code != step.code || strings.Contains(r.stderr, "trust") {
			t.Errorf("%v: %+v", step.args, r)
		}
	}
}

// Where the answer cannot be kept, it is said, with a way that works.
func TestTrustCannotBeKept(t *testing.T) {
	heavy(t, "folders of strangers")
	t.Parallel()
	s := newStranger(t)
	state := filepath.Join(s.base, "state")
	writeFile(t, state, "a file")
	r := s.loam(t, "trust", "--yes")
	if r.code != 8 || !strings.Contains(r.stderr, filepath.Join(state, "loam/trust/trust.json")) || !strings.Contains(r.stderr, "LOAM_TRUST=1") {
		t.Errorf("trust: %+v", r)
	}
	r = s.loam(t, "connection", "add", "mine", "postgres", "host=h", "database=d", "user=u")
	if r.code != 0 || !strings.Contains(r.stderr, "warning") || !strings.Contains(r.stderr, "LOAM_TRUST=1") {
		t.Errorf("add: %+v", r)
	}
	homeless := append(slices.Clone(s.env), "HOME=", "XDG_STATE_HOME=")
	if r := loamWith(t, s.dir, homeless, "sql", "-c", "bare", one); r.code != 8 || !strings.Contains(r.stderr, "home folder is unknown") {
		t.Errorf("without a home folder: %+v", r)
	}
	if r := loamWith(t, s.dir, homeless, "sql", "-c", "ok", one); r.code != 0 {
		t.Errorf("what needs no trust: %+v", r)
	}
	s.quiet(t, "all of it")
}
