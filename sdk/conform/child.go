package conform

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	plugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"

	"github.com/loam-data/loam/sdk/peer"
	"github.com/loam-data/loam/sdk/wire"
)

// process is a connector as a child process, started as a host starts it: over a socket whose two
// ends verify each other's process (over mutual TLS where the system cannot), with an allow list
// for the environment, and with a standard input that ends when the host ends.
type process struct {
	remote
	plugin  *plugin.Client
	conn    *grpc.ClientConn
	child   *child
	begun   atomic.Pointer[child] // child, for other goroutines
	pid     int
	started time.Duration // from the start to the first answer
	stdout  *logBuffer    // everything, including the handshake
	stderr  *logBuffer
	stray   *logBuffer // what the program printed after the handshake
	sockets string     // the folder of its socket
}

// launch has the options for starting a program.
type launch struct {
	mutualTLS bool
	started   func(*child)
}

func startProcess(ctx context.Context, target *Target, l launch) (*process, error) {
	sockets, err := os.MkdirTemp("", "lc") // short: a socket's path has at most 104 bytes
	if err != nil {
		return nil, err
	}
	p := &process{stdout: &logBuffer{}, stderr: &logBuffer{}, stray: &logBuffer{}, sockets: sockets}
	config := &plugin.ClientConfig{
		HandshakeConfig:  wire.Handshake,
		VersionedPlugins: wire.Plugins(nil),
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		AutoMTLS:         l.mutualTLS,
		SkipHostEnv:      true,
		StartTimeout:     patience / 2,
		Logger:           hclog.NewNullLogger(),
		SyncStdout:       p.stray,
		SyncStderr:       p.stray,
		UnixSocketConfig: &plugin.UnixSocketConfig{TempDir: sockets},
		GRPCDialOptions:  wire.DialOptions(),
		RunnerFunc: func(_ hclog.Logger, spec *exec.Cmd, _ string) (runner.Runner, error) {
			env := append(target.environment(), wire.EnvHostPID+"="+strconv.Itoa(os.Getpid()))
			child, err := newChild(target.command(), append(env, spec.Env...), p.stdout, p.stderr)
			if err == nil {
				child.sockets = sockets
				p.child = child
				p.begun.Store(child)
				l.started(child)
			}
			return child, err
		},
	}
	if !l.mutualTLS {
		config.GRPCDialOptions = append(config.GRPCDialOptions, peer.DialOptions(p.listens, p.refuse)...)
	}
	p.plugin = plugin.NewClient(config)
	begun := time.Now()
	// What waits in go-plugin takes no context: the end of the program frees it.
	release := context.AfterFunc(ctx, func() {
		if child := p.begun.Load(); child != nil {
			_ = child.Kill(context.Background()) // it may be gone
		}
	})
	err = p.connect(ctx)
	if !release() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		p.plugin.Kill()
		err = fmt.Errorf("%w\nits standard error:\n%s", errors.Join(err, os.RemoveAll(sockets)), p.stderr)
		return nil, &startError{error: err, hello: helloOf(p.stdout.String())}
	}
	p.started, p.pid = time.Since(begun), p.child.cmd.Process.Pid
	return p, nil
}

// startError is the error of a program that did not start, with its first line.
type startError struct {
	error
	hello hello
}

// hello is the first line of a program, split into the fields of go-plugin's handshake.
type hello []string

func helloOf(stdout string) hello {
	line, _, _ := strings.Cut(stdout, "\n")
	return strings.Split(strings.TrimSuffix(line, "\r"), "|")
}

// certificate returns the field with the program's certificate; "" = it has none.
func (h hello) certificate() string {
	if len(h) < 6 {
		return ""
	}
	return h[5]
}

// listens reports whether a process may listen at the connector's socket.
func (p *process) listens(pid int) bool { return peer.Is(p.child.cmd.Process.Pid)(pid) }

// refuse adds the reason for refusing a connection to the connector's standard error.
func (p *process) refuse(err error) { _, _ = fmt.Fprintln(p.stderr, err) } // a buffer

func (p *process) connect(ctx context.Context) error {
	protocol, err := p.plugin.Client()
	if err != nil {
		return err
	}
	raw, err := protocol.Dispense(wire.PluginName)
	if err != nil {
		return err
	}
	p.remote.client, p.conn = raw.(*wire.Client), protocol.(*plugin.GRPCClient).Conn
	_, err = p.describe(ctx)
	return err
}

// stop ends the program as a host does: it drains it, then ends the process.
func (p *process) stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*drainGrace)
	defer cancel()
	var err error
	select {
	case <-p.child.done:
	default:
		_, err = p.remote.client.Drain(ctx, drainGrace)
	}
	p.plugin.Kill()
	if !p.child.ended(standardPace.Settle) {
		err = errors.Join(err, fmt.Errorf("process %d survives its stop", p.pid))
	}
	return errors.Join(err, os.RemoveAll(p.sockets))
}

// environment returns the variables that a host passes on, and those that the target adds.
func (t *Target) environment() []string {
	env := slices.Clone(t.Environment)
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(strings.ToUpper(entry), "=")
		switch name {
		case "PATH", "HOME", "TMPDIR", "LANG", "TZ", "SYSTEMROOT", "TEMP", "TMP", "USERPROFILE", "LOCALAPPDATA", "APPDATA":
			env = append(env, entry)
		}
	}
	return env
}

// child is one run of a program.
type child struct {
	cmd            *exec.Cmd
	sockets        string                     // the folder of its socket
	running        atomic.Pointer[os.Process] // nil = it has not started
	killed         atomic.Bool
	stdin          io.WriteCloser
	stdout, stderr io.ReadCloser

	wait sync.Once
	done chan struct{} // closed when Wait has returned
	err  error         // of the program, once done
}

var _ runner.Runner = (*child)(nil)

func newChild(command, env []string, stdout, stderr *logBuffer) (*child, error) {
	c := &child{cmd: exec.Command(command[0], command[1:]...), done: make(chan struct{})} //nolint:noctx // the suite ends it, on purpose without a context
	c.cmd.Env = env
	c.cmd.WaitDelay = standardPace.Settle // something it started may hold the pipes open
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	log, err := c.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	c.stdin, c.stdout, c.stderr = in, tee(out, stdout), tee(log, stderr)
	return c, nil
}

type teed struct {
	io.Reader
	io.Closer
}

func tee(from io.ReadCloser, into io.Writer) io.ReadCloser {
	return teed{io.TeeReader(from, into), from}
}

// Start starts the program, and kills it at once if Kill was called before.
func (c *child) Start(ctx context.Context) error {
	if err := c.cmd.Start(); err != nil {
		return err
	}
	c.running.Store(c.cmd.Process)
	if c.killed.Load() {
		return c.Kill(ctx)
	}
	return nil
}

func (c *child) Diagnose(context.Context) string { return "" }
func (c *child) Stdout() io.ReadCloser           { return c.stdout }
func (c *child) Stderr() io.ReadCloser           { return c.stderr }
func (c *child) Name() string                    { return c.cmd.Path }
func (c *child) ID() string                      { return strconv.Itoa(c.cmd.Process.Pid) }

func (c *child) Wait(context.Context) error {
	c.wait.Do(func() {
		c.err = c.cmd.Wait()
		close(c.done)
	})
	return c.err
}

func (c *child) Kill(context.Context) error {
	c.killed.Store(true)
	running := c.running.Load()
	if running == nil {
		return nil
	}
	if err := running.Kill(); !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

func (c *child) PluginToHost(network, address string) (string, string, error) {
	return network, address, nil
}

func (c *child) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}

// ended waits for the end of the program, for at most limit.
func (c *child) ended(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-c.done:
		return true
	case <-timer.C:
		return false
	}
}

// ManifestOf returns the manifest of the target's program: the file Target.Manifest, or the output
// of the program's command manifest.
func ManifestOf(ctx context.Context, target Target) (wire.Manifest, error) {
	return target.manifest(ctx)
}

// manifest implements ManifestOf.
func (t *Target) manifest(ctx context.Context) (wire.Manifest, error) {
	if t.Manifest != "" {
		content, err := os.ReadFile(t.Manifest)
		if err != nil {
			return wire.Manifest{}, err
		}
		return wire.DecodeManifest(content)
	}
	var stdout, stderr bytes.Buffer
	command := t.command()
	cmd := exec.CommandContext(ctx, command[0], append(command[1:len(command):len(command)], "manifest")...)
	cmd.Env, cmd.Stdout, cmd.Stderr = t.environment(), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return wire.Manifest{}, fmt.Errorf("%s manifest: %w: %s", strings.Join(command, " "), err, stderr.String())
	}
	return wire.DecodeManifest(stdout.Bytes())
}
