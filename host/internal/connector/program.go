package connector

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
	plugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/offspring"
	"github.com/loam-data/loam/sdk/peer"
	"github.com/loam-data/loam/sdk/wire"
)

// remote is the part of the contract's client that supervision needs.
type remote interface {
	Open(context.Context, sdk.OpenRequest) (sdk.Session, error)
	TestConnection(context.Context, sdk.OpenRequest, func(sdk.TestStep)) error
	Authenticate(context.Context, sdk.OpenRequest, func(sdk.Prompt) error) (sdk.Credentials, error)
	ValidateConfig(context.Context, sdk.Config) ([]sdk.Diagnostic, error)
	Drain(context.Context, time.Duration) (int, error)
}

// program is a running connector process whose description equals its manifest.
type program struct {
	pid      int
	attached bool // a developer started it, so it is never stopped
	// connect returns a client for the calls of one connection; see link.
	connect func(reopen func(context.Context) error, refused func()) remote
	healthy func(context.Context) error
	// stop ends the process and its descendants, and waits for them. kill does not wait. Both may
	// be called several times.
	stop, kill func()
	exited     <-chan struct{}
	ended      func() exit // valid after exited
	resident   func() int64
	scrubber   *wire.Scrubber
	// counted returns the memory that counts towards the limit, and the limit, in bytes.
	counted func() (held, limit int64)
	// limit changes the memory limit.
	limit  func(bytes int64)
	reason atomic.Pointer[killing] // why the host killed it; nil = it did not
}

// killing is why the host killed a program.
type killing struct {
	what         string
	memory, hung bool
}

// ending describes how a program ended that has exited.
func (p *program) ending(name string) ending {
	if k := p.reason.Load(); k != nil {
		return ending{connector: name, what: k.what, memory: k.memory, hung: k.hung}
	}
	e := p.ended()
	return ending{connector: name, what: e.String(), memory: e.memory}
}

// launcher starts programs.
type launcher struct {
	log       *slog.Logger
	verifier  *verifier
	admit     func(Installed) error // nil = all
	sockets   socketDir
	memory    int64
	hostEnv   []string
	hostInfo  wire.HostInfo
	logLevel  string                                   // the lowest level of the host's log
	reattach  func() (map[string]wire.Reattach, error) // connectors that a developer has started
	stopGrace time.Duration
	exitWait  time.Duration

	once    sync.Once
	spawner *spawner
}

// verify checks the files of a connector. start closes the result, which is nil for a program that
// runs already.
func (l *launcher) verify(c Installed) (*executable, error) {
	running, err := l.reattach()
	if err != nil {
		return nil, err
	}
	if _, ok := running[c.Name]; ok {
		return nil, nil
	}
	if l.admit != nil {
		if err := l.admit(c); err != nil {
			return nil, err
		}
	}
	return l.verifier.open(c)
}

// start starts a connector, and checks that its description equals its manifest.
// Errors: KindUnavailable when it does not start, KindUnsupported for another version of the contract,
// KindDenied for another program than the manifest's.
func (l *launcher) start(ctx context.Context, c Installed, exe *executable, r launch) (*program, error) {
	if exe == nil {
		running, err := l.reattach()
		if err != nil {
			return nil, err
		}
		return l.attach(ctx, c, running[c.Name], r)
	}
	defer closeAll(exe.file)
	command, args, err := commandLine(c)
	if err != nil {
		return nil, err
	}
	dir, err := l.sockets.open()
	if err != nil {
		return nil, err
	}
	l.once.Do(func() { l.spawner = newSpawner() })
	log := l.log.With("connector", c.Name)
	scrubber, budget := &wire.Scrubber{}, newLogBudget(log)
	run := &programRunner{
		exe: exe, command: command, args: args, spawner: l.spawner, log: log, memory: r.memory, mark: offspring.NewMark(),
		relog: &relog{log: log, scrub: scrubber.Scrub, notes: &crashNotes{}, budget: budget},
		stray: &strayWriter{log: log, scrub: scrubber.Scrub, stream: "stdout", budget: budget},
	}
	client := plugin.NewClient(l.clientConfig(c, run, dir, scrubber))
	// go-plugin blocks without a context; it returns when the process ends.
	release := context.AfterFunc(ctx, func() { l.kill(run) })
	p, err := l.shakeHands(ctx, c, client, run, scrubber, r.calls)
	if !release() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		l.kill(run) // it serves nobody: there is nothing to end in order
		l.end(client, run)
		return nil, startFailure(ctx, c, run, err)
	}
	return p, nil
}

// commandLine returns the program that runs a connector, "" for the connector's own program, and its
// arguments; the first is the name of the process.
func commandLine(c Installed) (command string, args []string, err error) {
	if len(c.Argv) == 0 {
		return "", []string{c.Binary}, nil
	}
	command, err = interpreter(c)
	return command, c.Argv, err
}

func (l *launcher) clientConfig(c Installed, run *programRunner, sockets string, scrubber *wire.Scrubber) *plugin.ClientConfig {
	stray := func(stream string) io.Writer {
		return &strayWriter{log: run.log, scrub: scrubber.Scrub, stream: stream, budget: run.relog.budget}
	}
	return &plugin.ClientConfig{
		HandshakeConfig:  wire.Handshake,
		VersionedPlugins: wire.Plugins(nil),
		RunnerFunc: func(_ hclog.Logger, spec *exec.Cmd, tmp string) (runner.Runner, error) {
			if sockets != "" {
				run.sockets = tmp
			}
			run.env = append(Environment(l.hostEnv, c.Description.EnvPassthrough, l.memory), spec.Env...)
			run.env = append(run.env, wire.EnvLogLevel+"="+l.logLevel, wire.EnvHostPID+"="+strconv.Itoa(os.Getpid()), offspring.Env+"="+run.mark)
			if len(c.Argv) > 0 {
				// Compiled files beside the program would change what was verified.
				run.env = append(run.env, "PYTHONDONTWRITEBYTECODE=1")
			}
			return run, nil
		},
		// go-plugin's timeout; the runner's own end earlier.
		StartTimeout:     2 * firstStartTimeout,
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		Logger:           hclog.NewNullLogger(),
		SyncStdout:       stray("stdout"),
		SyncStderr:       stray("stderr"),
		AutoMTLS:         !peer.Supported,
		SkipHostEnv:      true,
		GRPCDialOptions:  append(append(wire.DialOptions(), grpc.WithStreamInterceptor(withoutBroker)), peer.DialOptions(run.listens, run.refuse)...),
		UnixSocketConfig: &plugin.UnixSocketConfig{TempDir: sockets},
		// For TCP, this makes the system choose the port.
		MinPort: 0, MaxPort: 1,
	}
}

// withoutBroker opens no stream of go-plugin's broker: for each message of it, go-plugin starts a
// goroutine that waits for seconds, and no connector needs it.
func withoutBroker(ctx context.Context, desc *grpc.StreamDesc, conn *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	if strings.HasPrefix(method, "/plugin.GRPCBroker/") {
		return nil, status.Error(codes.Unimplemented, "the host opens no broker")
	}
	return open(ctx, desc, conn, method, opts...)
}

// shakeHands starts the program, makes the handshake, and identifies it.
func (l *launcher) shakeHands(ctx context.Context, c Installed, client *plugin.Client, run *programRunner, scrubber *wire.Scrubber, calls *calls) (*program, error) {
	protocol, err := client.Client()
	if err != nil {
		return nil, err
	}
	grpcClient, ok := protocol.(*plugin.GRPCClient)
	if !ok {
		return nil, sdk.Errorf(sdk.KindInternal, sdk.SourceHost, "go-plugin made a %T", protocol)
	}
	p := &program{
		pid: run.pid(), healthy: healthCheck(grpcClient.Conn), scrubber: scrubber,
		stop: sync.OnceFunc(func() { l.end(client, run) }), kill: func() { l.kill(run) },
		exited: run.done, ended: func() exit { return run.ended },
		resident: func() int64 { return memoryOf(run.pid(), residentField) },
		limit:    run.limit, counted: run.counted,
	}
	p.connect = connectFunc(grpcClient.Conn, p, calls, l.exitWait)
	if err := p.healthy(ctx); err != nil {
		return nil, err
	}
	return p, l.identify(ctx, c, grpcClient.Conn)
}

// identify compares the description of the program with its manifest, which everything so far relied
// on.
func (l *launcher) identify(ctx context.Context, c Installed, conn grpc.ClientConnInterface) error {
	described, err := wire.NewClient(conn, nil).Describe(ctx, l.hostInfo)
	if err != nil {
		return err
	}
	if what := difference(c.Description, described); what != "" {
		return sdk.Errorf(sdk.KindDenied, sdk.SourceConnector, "connector %q is refused: it describes itself otherwise than its manifest %s does (%s)", c.Name, c.Manifest, what).
			WithHint("%s", reinstallHint(c))
	}
	return nil
}

// difference returns the name of the first field in which two descriptions differ; "" = none.
func difference(manifest, described sdk.Description) string {
	a, b := reflect.ValueOf(manifest), reflect.ValueOf(described)
	for i := range a.NumField() {
		if !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			return strings.ToLower(a.Type().Field(i).Name)
		}
	}
	return ""
}

func connectFunc(conn grpc.ClientConnInterface, p *program, calls *calls, wait time.Duration) func(func(context.Context) error, func()) remote {
	end := fate{exited: p.exited, wait: wait, ending: func() ending { return p.ending(calls.name) }}
	return func(reopen func(context.Context) error, refused func()) remote {
		return wire.NewClient(&link{ClientConnInterface: conn, calls: calls, fate: end, reopen: reopen, refused: refused}, p.scrubber)
	}
}

func healthCheck(conn grpc.ClientConnInterface) func(context.Context) error {
	client := grpc_health_v1.NewHealthClient(conn)
	return func(ctx context.Context) error {
		answer, err := client.Check(ctx, &grpc_health_v1.HealthCheckRequest{Service: plugin.GRPCServiceName})
		if err == nil && answer.GetStatus() != grpc_health_v1.HealthCheckResponse_SERVING {
			err = sdk.Errorf(sdk.KindUnavailable, sdk.SourceConnector, "the connector says that it is not serving (%s)", answer.GetStatus())
		}
		return err
	}
}

// end stops the program: by a request, then by killing it.
func (l *launcher) end(client *plugin.Client, run *programRunner) {
	timer := time.AfterFunc(l.stopGrace, func() { l.kill(run) })
	defer timer.Stop()
	client.Kill()
	if run.done != nil {
		l.kill(run)
		<-run.done
	}
}

func (l *launcher) kill(run *programRunner) {
	if err := run.kill(); err != nil {
		l.log.Warn("a connector process could not be killed", "pid", run.pid(), "error", err)
	}
}

// close releases what programs share. All must have ended.
func (l *launcher) close() error {
	l.once.Do(func() {})
	if l.spawner != nil {
		l.spawner.close()
	}
	return l.sockets.close()
}

// attach connects to a program that a developer started. It is not verified, and never stopped.
func (l *launcher) attach(ctx context.Context, c Installed, at wire.Reattach, r launch) (*program, error) {
	if at.Protocol != wire.ProtocolVersion {
		return nil, otherMajor(c, at.Protocol)
	}
	dial := func(ctx context.Context, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, at.Network, at.Address)
	}
	options := append(wire.DialOptions(), grpc.WithContextDialer(dial), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if at.Network == "unix" {
		options = append(options, peer.DialOptions(peer.Is(at.PID), func(err error) {
			l.log.Warn("a connector was refused", "connector", c.Name, "error", err)
		})...)
	}
	conn, err := grpc.NewClient("passthrough:///connector", options...)
	if err != nil {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "%s: connector %q: %w", wire.EnvReattach, c.Name, err)
	}
	exited, reason := make(chan struct{}), killing{what: "was let go of by the host"}
	p := &program{pid: at.PID, attached: true, exited: exited, scrubber: &wire.Scrubber{}}
	leave := sync.OnceFunc(func() {
		p.reason.Store(&reason)
		if err := conn.Close(); err != nil {
			l.log.Debug("closing the connection to a debugged connector failed", "error", err)
		}
		close(exited)
	})
	p.stop, p.kill = leave, leave
	p.ended, p.resident, p.limit = func() exit { return exit{} }, func() int64 { return 0 }, func(int64) {}
	p.counted = func() (held, limit int64) { return 0, 0 }
	p.healthy = func(context.Context) error { return nil } // it may have stopped at a breakpoint
	p.connect = connectFunc(conn, p, r.calls, l.exitWait)
	if err := healthCheck(conn)(ctx); err != nil {
		leave()
		return nil, sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "%s: connector %q does not answer at %s: %w", wire.EnvReattach, c.Name, at.Address, err).
			WithHint("Start it again with %q and export the line that it prints, or unset %s.", filepath.Base(c.Binary)+" serve --debug", wire.EnvReattach)
	}
	l.log.Warn("using a connector that runs under a debugger", "connector", c.Name, "pid", at.PID)
	return p, nil
}

// startFailure returns the error of a failed start. The program's own end takes precedence over
// go-plugin's error.
func startFailure(ctx context.Context, c Installed, run *programRunner, err error) error {
	if e, ok := errors.AsType[*sdk.Error](err); ok && e.Source == sdk.SourceHost || ok && e.Kind == sdk.KindDenied {
		return e
	}
	if refusal := run.refusal(); refusal != nil {
		return refusal
	}
	what := "did not start: " + err.Error()
	hello, ended, byItself := run.report()
	switch major, ok := majorVersion(hello); {
	case ok && major != wire.ProtocolVersion:
		return otherMajor(c, major)
	case errors.Is(ctx.Err(), context.Canceled):
		return closing(c.Name)
	case ctx.Err() != nil, status.Code(err) == codes.DeadlineExceeded:
		what = "was not ready in time"
	case hello != "" && !ok:
		what = "printed " + strconv.Quote(clip(hello, maxTailBytes)) + " where the handshake belongs"
	case byItself:
		what = "did not start: it " + ended.String()
	}
	e := sdk.Errorf(sdk.KindUnavailable, sdk.SourceConnector, "connector %q %s", c.Name, what).
		WithHint("See the connector's lines in the log, then run: loam connector check %s", c.Manifest)
	e.Op, e.Err = "start connector", err
	return e
}

// majorVersion returns the contract's major version that a handshake names.
// Source: go-plugin's handshake, "core|version|network|address|protocol|cert".
func majorVersion(hello string) (int, bool) {
	core, rest, _ := strings.Cut(hello, "|")
	version, _, ok := strings.Cut(rest, "|")
	if !ok || core != strconv.Itoa(plugin.CoreProtocolVersion) {
		return 0, false
	}
	major, err := strconv.Atoi(version)
	return major, err == nil
}

func otherMajor(c Installed, major int) error {
	e := sdk.Errorf(sdk.KindUnsupported, sdk.SourceHost, "connector %q %s speaks version %d of the contract, this host speaks version %d",
		c.Name, c.Description.Version, major, wire.ProtocolVersion)
	if major > wire.ProtocolVersion {
		return e.WithHint("Upgrade loam, or install an older version of connector %s.", c.Name)
	}
	return e.WithHint("Upgrade connector %s.", c.Name)
}

func logLevel(log *slog.Logger) string {
	for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn} {
		if log.Enabled(context.Background(), level) {
			return strings.ToLower(level.String())
		}
	}
	return strings.ToLower(slog.LevelError.String())
}
