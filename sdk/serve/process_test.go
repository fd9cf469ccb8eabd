package serve

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/wire"
)

// child is a connector process started the way the host's own runner does it,
// with every pipe in the test's hands.
type child struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	stderr *output
	client *wire.Client
	socket string
	exited chan error // what Wait returned
}

// output keeps what a process writes.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// hostEnv is what a host puts into the environment of a connector.
func hostEnv(t testing.TB) []string {
	t.Helper()
	dir, err := os.MkdirTemp("", "loam") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return []string{
		wire.Handshake.MagicCookieKey + "=" + wire.Handshake.MagicCookieValue,
		"PLUGIN_PROTOCOL_VERSIONS=1", "PLUGIN_UNIX_SOCKET_DIR=" + dir, wire.EnvHostPID + "=" + strconv.Itoa(os.Getpid()),
	}
}

func start(t *testing.T, role string, env ...string) *child {
	t.Helper()
	c := &child{cmd: self(t, role), stderr: &output{}, exited: make(chan error, 1)}
	c.cmd.Env = slices.Concat(c.cmd.Env, hostEnv(t), env)
	c.cmd.Stderr = c.stderr
	var err error
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.cmd.Stdout, c.stdout = write, bufio.NewReader(read)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := write.Close(); err != nil {
		t.Fatal(err)
	}
	go func() { c.exited <- c.cmd.Wait() }()
	t.Cleanup(func() {
		_ = c.cmd.Process.Kill() // it has mostly exited
		_ = read.Close()
	})
	c.connect(t)
	return c
}

func (c *child) connect(t *testing.T) {
	t.Helper()
	line, err := c.stdout.ReadString('\n')
	if err != nil {
		t.Fatalf("handshake: %v; stderr: %s", err, c.stderr)
	}
	fields := strings.Split(strings.TrimSpace(line), "|")
	if len(fields) != 6 || fields[0] != "1" || fields[1] != "1" || fields[2] != "unix" || fields[4] != "grpc" {
		t.Fatalf("handshake %q", line)
	}
	c.socket = fields[3]
	conn, err := grpc.NewClient("unix:"+c.socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	})
	c.client = wire.NewClient(conn, nil)
}

// open opens connection "c", which traces to the file it returns.
func (c *child) open(t *testing.T) (sdk.Session, string) {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "trace")
	session, err := c.client.Open(t.Context(), sdk.OpenRequest{ConnectionID: "c", Config: sdk.Config{
		JSON: fmt.Appendf(nil, `{"trace": %q}`, trace), Secrets: map[string]sdk.Secret{"password": sdk.NewSecret(secret)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return session, trace
}

const secret = "hunter2-hunter2"

// wait waits for the process to end and checks what it leaves behind.
func (c *child) wait(t *testing.T, within time.Duration) {
	t.Helper()
	select {
	case err := <-c.exited:
		if err != nil {
			t.Errorf("the process ended with %v; stderr: %s", err, c.stderr)
		}
	case <-time.After(within):
		t.Fatalf("the process lives %s later; stderr: %s", within, c.stderr)
	}
	if _, err := os.Stat(c.socket); !os.IsNotExist(err) {
		t.Errorf("the socket was left behind (%v)", err)
	}
	if rest, err := io.ReadAll(c.stdout); err != nil || len(rest) != 0 {
		t.Errorf("stdout holds %q after the handshake (%v)", rest, err)
	}
}

// collect is a ResultSink that tells when the statement was started.
type collect struct {
	started chan string
	rows    []string
}

func newCollect() *collect { return &collect{started: make(chan string, 1)} }

func (c *collect) Started(id string) error    { c.started <- id; return nil }
func (c *collect) Columns([]sdk.Column) error { return nil }
func (c *collect) Progress(sdk.Progress)      {}
func (c *collect) Notice(sdk.Warning)         {}
func (c *collect) Batch(b *sdk.Batch) error {
	for row := range b.Rows {
		c.rows = append(c.rows, string(b.Columns[0].Bytes(row)))
	}
	return nil
}

func execute(ctx context.Context, session sdk.Session, sql string, sink *collect) error {
	w := sdk.NewRowWriter(sink, sdk.Limits{})
	if err := session.Execute(ctx, sdk.ExecuteRequest{SQL: sql, RequestID: "r1"}, w); err != nil {
		return err
	}
	return w.Close()
}

// hang runs a statement that ends only when it is canceled, and returns its
// error on a channel.
func hang(t *testing.T, session sdk.Session) <-chan error {
	t.Helper()
	sink, failed := newCollect(), make(chan error, 1)
	go func() { failed <- execute(t.Context(), session, "hang", sink) }()
	select {
	case <-sink.started:
	case err := <-failed:
		t.Fatalf("the statement ended: %v", err)
	}
	return failed
}

func traced(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(text)), " ")
}

func TestEndOfStdinEndsTheConnector(t *testing.T) {
	t.Parallel()
	c := start(t, "connector")
	session, trace := c.open(t)
	failed := hang(t, session)
	if _, err := c.stdin.Write(bytes.Repeat([]byte("garbage\x00\n"), 10_000)); err != nil {
		t.Fatal(err)
	}
	if err := session.Ping(t.Context()); err != nil {
		t.Errorf("garbage on stdin disturbed it: %v", err)
	}
	if err := c.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; sdk.KindOf(err) != sdk.KindUnavailable {
		t.Errorf("the running statement failed with %v, want kind unavailable", err)
	}
	c.wait(t, 2*time.Second)
	if got, want := traced(t, trace), "open hang canceled close"; got != want {
		t.Errorf("traced %q, want %q", got, want)
	}
}

// The connector of another host takes no call of this process.
func TestOtherProcessesAreRefused(t *testing.T) {
	t.Parallel()
	c := start(t, "connector", wire.EnvHostPID+"=1")
	if _, err := c.client.Describe(t.Context(), wire.HostInfo{}); sdk.KindOf(err) != sdk.KindUnavailable {
		t.Errorf("Describe = %v, want kind unavailable", err)
	}
	eventually(t, "the log says why", func() bool {
		return strings.Contains(c.stderr.String(), fmt.Sprintf("process %d is at the other end of the socket", os.Getpid()))
	})
}

func TestHostThatDiesWithBrokenPipes(t *testing.T) {
	t.Parallel()
	c := start(t, "dying host") // its death closes stderr too, and the connector logs while it closes
	trace := filepath.Join(t.TempDir(), "trace")
	session, err := c.client.Open(t.Context(), sdk.OpenRequest{ConnectionID: "c", Config: sdk.Config{JSON: fmt.Appendf(nil, `{"trace": %q}`, trace)}})
	if err != nil {
		t.Fatal(err)
	}
	failed := hang(t, session)
	if err := c.cmd.Process.Kill(); err != nil { // stdin stays open in the test's hands: only the parent is gone
		t.Fatal(err)
	}
	select {
	case err := <-failed:
		if sdk.KindOf(err) != sdk.KindUnavailable {
			t.Errorf("the running statement failed with %v, want kind unavailable", err)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("the connector outlived its host")
	}
	eventually(t, "the socket is removed", func() bool { _, err := os.Stat(c.socket); return os.IsNotExist(err) })
	if got, want := traced(t, trace), "open hang canceled close"; got != want {
		t.Errorf("traced %q, want %q", got, want)
	}
}

// dyingHost starts a connector on the stdin it was given itself, passes on the
// handshake, and waits to be killed. Its child's stderr ends with it.
func dyingHost() {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(path)
	cmd.Env = append(os.Environ(), envRole+"=connector")
	cmd.Stdin = os.Stdin
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		panic(err)
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		panic(err)
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	go func() { _, _ = io.Copy(os.Stderr, stderr) }()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		panic(err)
	}
	if _, err := fmt.Print(line); err != nil {
		panic(err)
	}
	select {}
}

// eventually polls what happens outside of this process.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(2 * time.Minute)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("never: %s", what)
		}
	}
}

func TestSignals(t *testing.T) {
	t.Parallel()
	c := start(t, "connector")
	session, trace := c.open(t)
	failed := hang(t, session)
	if err := c.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	sink := newCollect()
	if err := execute(t.Context(), session, "say still here", sink); err != nil || sink.rows[0] != "still here" {
		t.Errorf("after SIGINT: %v, %q", err, sink.rows)
	}
	if err := c.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; sdk.KindOf(err) != sdk.KindUnavailable {
		t.Errorf("the running statement failed with %v, want kind unavailable", err)
	}
	c.wait(t, termGrace)
	if got, want := traced(t, trace), "open hang canceled close"; got != want {
		t.Errorf("traced %q, want %q", got, want)
	}
}

func TestDrainOverTheWire(t *testing.T) {
	t.Parallel()
	c := start(t, "connector")
	session, trace := c.open(t)
	failed := hang(t, session)
	canceled, err := c.client.Drain(t.Context(), 5*time.Second)
	if err != nil || canceled != 1 {
		t.Errorf("drain canceled %d calls, %v; want 1", canceled, err)
	}
	if got, want := traced(t, trace), "open hang canceled close"; got != want {
		t.Errorf("traced %q, want %q", got, want)
	}
	if err := <-failed; sdk.KindOf(err) != sdk.KindUnavailable || !sdk.AsError(err, "").Retry {
		t.Errorf("the running statement failed with %v, want a retryable kind unavailable", err)
	}
	if _, err := c.client.Open(t.Context(), sdk.OpenRequest{ConnectionID: "d"}); sdk.KindOf(err) != sdk.KindUnavailable {
		t.Errorf("an open after the drain: %v", err)
	}
	if err := session.Ping(t.Context()); sdk.KindOf(err) != sdk.KindUnavailable {
		t.Errorf("a ping after the drain: %v", err)
	}
}

func TestCommandLineOfAPerson(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		args   []string
		env    string
		code   int
		stderr string
	}{
		{"no host", nil, "", exitUsage, "is the Loam connector for TestDB"},
		{"wrong cookie", nil, wire.Handshake.MagicCookieKey + "=guess", exitUsage, "loam connection add"},
		{"unknown command", []string{"frobnicate"}, "", exitUsage, `unknown command "frobnicate"`},
		{"help", []string{"--help"}, "", exitOK, "manifest --output connector.json"},
		{"help on a command", []string{"query", "--help"}, "", exitOK, "max-rows"},
		{"unknown flag", []string{"query", "--frobnicate", "x"}, "", exitUsage, "frobnicate"},
		{"missing argument", []string{"query"}, "", exitUsage, "0 arguments, want 1"},
		{"serve without debug", []string{"serve"}, "", exitUsage, "--debug"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			cmd := self(t, "connector", tc.args...)
			cmd.Env = append(cmd.Env, tc.env)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			_ = cmd.Run() // its exit code is looked at
			if got := cmd.ProcessState.ExitCode(); got != tc.code || !strings.Contains(stderr.String(), tc.stderr) || stdout.Len() > 0 {
				t.Errorf("exit code %d, want %d\nstdout: %s\nstderr: %s", got, tc.code, &stdout, &stderr)
			}
		})
	}
}

func TestSocketsLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	c := start(t, "connector")
	if err := c.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	c.wait(t, 2*time.Second)
	left, err := fs.Glob(os.DirFS(filepath.Dir(c.socket)), "*")
	if err != nil || len(left) != 0 {
		t.Errorf("left in the socket's folder: %q, %v", left, err)
	}
}
