package serve

import (
	"context"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	hclog "github.com/hashicorp/go-hclog"
	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/loam-data/loam/sdk/offspring"
	"github.com/loam-data/loam/sdk/peer"
	"github.com/loam-data/loam/sdk/wire"
)

const (
	// A host that is gone waits for nothing; the connections end, then the process.
	orphanGrace = 1500 * time.Millisecond
	// SIGTERM comes from a person or a service manager, which wait longer.
	termGrace = 5 * time.Second
	// On Linux SIGTERM also comes from the system, when the host begins to die. Its
	// end is noticed within this time, and then nobody waits.
	termNotice = 250 * time.Millisecond
	// A host that did not drain first still gets its connections closed, within
	// the two seconds after which go-plugin kills.
	lastGrace = time.Second
	// The second net under stdin: how often the parent is looked at.
	parentEvery = time.Second
)

// serve runs under a host until the host ends it.
//
// go-plugin puts pipes in the place of os.Stdout and os.Stderr after the
// handshake; what the connector prints reaches the host as stray output. The
// log goes to the stderr that was there before.
func (p *program) serve() {
	log := newLogger(p.stderr, p.getenv(wire.EnvLogLevel))
	slog.SetDefault(log)
	signal.Ignore(syscall.SIGPIPE) // a log line for a host that died must not end the cleaning up

	sessions := newRegistry(p.connector)
	life := &life{sessions: sessions, log: log}
	watching, stopWatching := context.WithCancel(context.Background())
	defer stopWatching()
	life.watch(watching)
	security := p.security(log)
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig:  wire.Handshake,
		VersionedPlugins: wire.Plugins(sessions, wire.WithLogger(log), wire.WithScrubber(p.scrubber)),
		GRPCServer: func(options []grpc.ServerOption) *grpc.Server {
			server := grpc.NewServer(slices.Concat(options, wire.ServerOptions(), security)...)
			life.serving(server)
			return server
		},
		Logger: hclog.New(&hclog.LoggerOptions{Name: "go-plugin", Level: hclog.Warn, Output: p.stderr, JSONFormat: true}),
	})
	life.end("host stopped the server", lastGrace)
	if life.orphaned.Load() { // there is no host to end what the connector started
		if err := offspring.End(p.getenv(offspring.Env)); err != nil {
			log.Warn("a process that the connector started was not ended", "error", err)
		}
	}
}

// security makes the server take calls of the host alone. A host that sends a
// certificate gets mutual TLS, which go-plugin sets up.
func (p *program) security(log *slog.Logger) []grpc.ServerOption {
	if p.getenv(wire.EnvClientCert) != "" {
		return nil
	}
	host, err := strconv.Atoi(p.getenv(wire.EnvHostPID))
	if err != nil {
		host = os.Getppid()
	}
	return peer.ServerOptions(peer.Is(host), refused(log))
}

// refused logs a connection that was refused.
func refused(log *slog.Logger) func(error) {
	return func(err error) { log.Warn("a connection was refused", "error", err) }
}

// life ends the process in order, once, whoever asks for it first.
type life struct {
	sessions *registry
	log      *slog.Logger
	once     sync.Once
	orphaned atomic.Bool // the host is gone

	mu     sync.Mutex
	server *grpc.Server
	over   bool
}

// serving names the server to stop; go-plugin removes the socket with it.
func (l *life) serving(server *grpc.Server) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.server = server
	if l.over {
		server.Stop()
	}
}

// end drains and stops the server, upon which Serve returns. Every caller waits
// until that is done.
func (l *life) end(reason string, grace time.Duration) {
	l.once.Do(func() {
		l.log.Debug("connector is stopping", "reason", reason)
		if n, err := l.sessions.Drain(context.Background(), grace); err != nil {
			l.log.Warn("connector did not stop cleanly", "reason", reason, "canceled_calls", n, "error", err)
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.over = true
		if l.server != nil {
			l.server.Stop()
		}
	})
}

// watch ends the process when its host is gone or it is told to terminate. Its
// goroutines end with ctx or with the process.
func (l *life) watch(ctx context.Context) {
	if pipe(os.Stdin) {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin) // whatever ends it, nobody is at the other end
			l.orphaned.Store(true)
			l.end("stdin was closed", orphanGrace)
		}()
	}
	parent := os.Getppid()
	go func() {
		ticker := time.NewTicker(parentEvery)
		defer ticker.Stop()
		for os.Getppid() == parent {
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return
			}
		}
		l.orphaned.Store(true)
		l.end("the host process died", orphanGrace)
	}()
	terminate := make(chan os.Signal, 1)
	signal.Notify(terminate, syscall.SIGTERM)
	go func() {
		defer signal.Stop(terminate)
		select {
		case <-terminate:
			select {
			case <-time.After(termNotice):
				l.end("SIGTERM", termGrace)
			case <-ctx.Done():
			}
		case <-ctx.Done():
		}
	}()
}

// pipe reports whether a file is something that ends when the other side goes:
// a terminal or /dev/null says nothing about the host.
func pipe(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0
}
