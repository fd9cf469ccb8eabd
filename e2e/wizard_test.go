//go:build linux

package e2e

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// typist is a person at a terminal on which the program runs.
type typist struct {
	*testing.T
	terminal *os.File // the other end of the program's
	cmd      *exec.Cmd
	dir      string // a new project
	home     string
	shown    string // that no expect has read yet
	all      string
}

// control calls an ioctl of the terminal, which stays in the poller of the runtime.
func (p *typist) control(call func(fd int) error) {
	p.Helper()
	connection, err := p.terminal.SyscallConn()
	if err != nil {
		p.Fatal(err)
	}
	var failed error
	if err := connection.Control(func(fd uintptr) { failed = call(int(fd)) }); err != nil || failed != nil {
		p.Fatal(err, failed)
	}
}

// typing runs the program in a new project on a terminal of its own.
func typing(t *testing.T, args ...string) *typist {
	t.Helper()
	return typingIn(t, project(t, "version: 1\n"), []string{"DBUS_SESSION_BUS_ADDRESS=" + keyringless}, args...)
}

// typingIn runs the program in a project with more variables than it has else.
func typingIn(t *testing.T, dir string, env []string, args ...string) *typist {
	t.Helper()
	p := &typist{T: t, dir: dir, home: t.TempDir()}
	var err error
	if p.terminal, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Skipf("no terminal can be made: %v", err)
	}
	t.Cleanup(func() { _ = p.terminal.Close() })
	number := 0
	p.control(func(fd int) (err error) {
		if err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err == nil {
			number, err = unix.IoctlGetInt(fd, unix.TIOCGPTN)
		}
		return err
	})
	p.control(func(fd int) error { // else ctrl-C may drop what the program answers
		state, err := unix.IoctlGetTermios(fd, unix.TCGETS)
		if err != nil {
			return err
		}
		state.Lflag |= unix.NOFLSH
		return unix.IoctlSetTermios(fd, unix.TCSETS, state)
	})
	theirs, err := os.OpenFile("/dev/pts/"+strconv.Itoa(number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	p.cmd = exec.Command(filepath.Join(bin, "loam"), args...)
	p.cmd.Dir, p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = p.dir, theirs, theirs, theirs
	p.cmd.Env = append(os.Environ(), "HOME="+p.home, "XDG_CONFIG_HOME=", "XDG_STATE_HOME=", "LOAM_TRUST=", "NO_COLOR=1")
	p.cmd.Env = append(p.cmd.Env, env...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p.cmd.ProcessState == nil {
			_ = p.cmd.Process.Kill()
			_ = p.cmd.Wait()
		}
	})
	if err := p.terminal.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return p
}

// read reads what the program shows next; false at its end.
func (p *typist) read() bool {
	part := make([]byte, 4096)
	n, err := p.terminal.Read(part)
	p.shown += string(part[:n])
	p.all += string(part[:n])
	return err == nil
}

// expect waits for a question, and for the terminal to show nothing if it asks for that.
func (p *typist) expect(question string) {
	p.Helper()
	for !strings.Contains(p.shown, question) {
		if !p.read() {
			p.Fatalf("%q is not asked:\n%s", question, p.all)
		}
	}
	_, p.shown, _ = strings.Cut(p.shown, question)
	limit := time.Now().Add(time.Minute)
	for strings.Contains(question, "not shown") && p.echoes() {
		if time.Now().After(limit) {
			p.Fatal("a secret would be shown")
		}
		runtime.Gosched()
	}
}

func (p *typist) echoes() (on bool) {
	p.Helper()
	p.control(func(fd int) error {
		state, err := unix.IoctlGetTermios(fd, unix.TCGETS)
		on = err == nil && state.Lflag&unix.ECHO != 0
		return err
	})
	return on
}

func (p *typist) enter(text string) {
	p.Helper()
	if _, err := p.terminal.WriteString(text); err != nil {
		p.Fatal(err)
	}
}

// answer answers questions, in turns.
func (p *typist) answer(turns [][2]string) {
	p.Helper()
	for _, turn := range turns {
		p.expect(turn[0])
		p.enter(turn[1] + "\r")
	}
}

// end waits for the program and returns its exit code.
func (p *typist) end() int {
	p.Helper()
	for p.read() {
	}
	_ = p.cmd.Wait() // the code says it
	return p.cmd.ProcessState.ExitCode()
}

func (p *typist) yaml() string {
	p.Helper()
	text, err := os.ReadFile(filepath.Join(p.dir, "loam.yaml"))
	if err != nil {
		p.Fatal(err)
	}
	return string(text)
}

// kept returns the files with secrets.
func (p *typist) kept() (files []string) {
	p.Helper()
	err := filepath.WalkDir(filepath.Join(p.home, ".config"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.Contains(path, "secrets") {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		p.Fatal(err)
	}
	return files
}

const typedPassword = "hu sh-of-the-terminal"

// conversation is how a connection to a server is described.
var conversation = [][2]string{
	{"or a database file: ", "postgres"},
	{"Name of the connection [postgres]: ", "warehouse"},
	{"host [localhost]: ", "127.0.0.1"},
	{"port [5432]: ", ""},
	{"database: ", "analytics"},
	{"user: ", "reader"},
	{"password (not shown", typedPassword},
	{"KEY=VALUE, or nothing: ", "sslmode=disable"},
	{"KEY=VALUE, or nothing: ", ""},
	{"Add it? [Y/n] ", "y"},
}

func TestConnectionAddAsks(t *testing.T) {
	t.Parallel()
	p := typing(t, "connection", "add")
	p.answer(conversation)
	if code := p.end(); code != 0 || !strings.Contains(p.all, "added warehouse to") {
		t.Fatalf("exit %d:\n%s", code, p.all)
	}
	yaml := p.yaml()
	for _, want := range []string{"warehouse:", "connector: postgres", "host: 127.0.0.1", "database: analytics", "user: reader", "sslmode: disable", "password: env:WAREHOUSE_PASSWORD"} {
		if !strings.Contains(yaml, want) {
			t.Errorf("%q is missing in:\n%s", want, yaml)
		}
	}
	if strings.Contains(yaml, "port") || strings.Contains(yaml+p.all, typedPassword) {
		t.Errorf("a default is written, or the secret is shown:\n%s\n%s", p.all, yaml)
	}
	if kept := p.kept(); kept != nil || !strings.Contains(p.all, "export WAREHOUSE_PASSWORD") {
		t.Errorf("without a key ring the secret is in %q:\n%s", kept, p.all)
	}
}

// Ctrl-D and ctrl-C at any question leave nothing behind, and the terminal as it was.
func TestConnectionAddStopped(t *testing.T) {
	heavy(t, "dialogues in a terminal")
	t.Parallel()
	for i, turn := range conversation {
		for _, key := range []string{"\x03", "\x04"} {
			p := typing(t, "connection", "add")
			p.answer(conversation[:i])
			p.expect(turn[0])
			p.enter(key)
			if code := p.end(); code != 130 || !strings.Contains(p.all, "nothing was written") {
				t.Errorf("%q at %q: exit %d:\n%s", key, turn[0], code, p.all)
			}
			if yaml, kept := p.yaml(), p.kept(); yaml != "version: 1\n" || kept != nil || !p.echoes() {
				t.Errorf("%q at %q leaves %q and %q, echo %t", key, turn[0], yaml, kept, p.echoes())
			}
		}
	}
}

// A pasted URL or a file names the connector and answers most questions.
func TestConnectionAddAsksLess(t *testing.T) {
	heavy(t, "dialogues in a terminal")
	t.Parallel()
	p := typing(t, "connection", "add")
	p.answer([][2]string{
		{"or a database file: ", "postgres://reader@127.0.0.1:1/analytics?sslmode=disable"},
		{"Name of the connection [analytics]: ", ""},
		{"password (not shown", "env:PGPASSWORD"},
		{"KEY=VALUE, or nothing: ", ""},
		{"Add it? [Y/n] ", ""},
	})
	if code := p.end(); code != 0 || !strings.Contains(p.yaml(), "password: env:PGPASSWORD") || !strings.Contains(p.yaml(), "port: 1") {
		t.Errorf("a URL: exit %d:\n%s\n%s", code, p.all, p.yaml())
	}
	p = typing(t, "connection", "add")
	writeFile(t, filepath.Join(p.dir, "data", "shop.db"), "") // an empty database
	p.answer([][2]string{
		{"or a database file: ", "sqlite"},
		{"Name of the connection [sqlite]: ", "shop"},
		{"path: ", "data/none.db"},
		{"path: ", filepath.Join(p.dir, "data", "shop.db")},
		{"KEY=VALUE, or nothing: ", ""},
		{"Add it? [Y/n] ", ""},
	})
	if code := p.end(); code != 0 || !strings.Contains(p.yaml(), "path: data/shop.db") {
		t.Errorf("a file: exit %d:\n%s\n%s", code, p.all, p.yaml())
	}
}

// Nobody is asked where nobody can answer.
func TestConnectionAddAsksNobody(t *testing.T) {
	heavy(t, "dialogues in a terminal")
	t.Parallel()
	const want = "an id and a connector, a URL, a file or a folder are needed"
	if r := loam(t, project(t, "version: 1\n"), "connection", "add"); r.code != 2 || !strings.Contains(r.stderr, want) {
		t.Errorf("without a terminal: exit %d, %s", r.code, r.stderr)
	}
	for _, flag := range []string{"--json", "--quiet"} {
		if p := typing(t, "connection", "add", flag); p.end() != 2 || !strings.Contains(p.all, want) {
			t.Errorf("%s: %s", flag, p.all)
		}
	}
}
