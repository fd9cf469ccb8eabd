package mcp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/connector"
	"github.com/loam-data/loam/host/internal/console/page"
	"github.com/loam-data/loam/host/internal/daemon"
	"github.com/loam-data/loam/host/internal/mcpserver"
	"github.com/loam-data/loam/host/internal/mcpserver/transport"
	"github.com/loam-data/loam/host/internal/project"
	"github.com/loam-data/loam/sdk"
)

const (
	// serveGrace is the time calls have to finish when the server ends. What
	// follows is bounded as well; together it is less than daemon.StopGrace.
	serveGrace = 4 * time.Second
	// updateEvery is how often the daemon tells how it is, if that has changed.
	updateEvery = time.Second
)

// serveHTTP is the server itself: in the foreground, or detached by loam mcp
// start, which gave it the log as standard output and error.
func (a *commands) serveHTTP(cmd *cobra.Command, f startFlags) (err error) {
	a.invocation.Serve(slog.LevelInfo)
	if f.detached {
		own, err := project.FindState(a.invocation.Dir, os.Getenv)
		if err != nil {
			return err
		}
		log, err := daemon.New(string(own)).OpenLog()
		if err != nil {
			return err
		}
		stderr := a.term.Err
		a.term.Err = log
		defer func() {
			a.term.Err = stderr
			err = errors.Join(err, log.Close())
		}()
	}
	err = a.open(cmd.Context(), func(services *Services) error { return a.serve(cmd, f, services) })
	if errors.Is(err, context.Canceled) && cmd.Context().Err() != nil {
		return nil // told to end before it served
	}
	return err
}

func (a *commands) serve(cmd *cobra.Command, f startFlags, services *Services) error {
	ctx := cmd.Context()
	limits := f.rate.limits(serveGrace)
	limits.Sessions, limits.AddressSessions = int(f.sessions), int(f.addressSessions)
	server, err := services.Server(mcpserver.Config{
		Host: f.host, Token: sdk.NewSecret(f.token), Tokens: services.Tokens, AllowedHosts: f.hosts, AllowedOrigins: f.origins, Selection: f.tools,
		Limits: limits, TrustedProxy: f.trustedProxy,
	})
	if err != nil {
		return err
	}
	held, err := a.lock(ctx, f, services)
	if err != nil {
		return err
	}
	current, err := services.Project.Current(ctx)
	if err != nil {
		return err
	}
	listener, err := listen(ctx, f)
	if err != nil {
		return err
	}
	state := daemon.State{
		Host: f.host, Port: f.port, StartedAt: time.Now().UTC(), Version: a.invocation.Version, Foreground: f.foreground,
		Flags: givenFlags(cmd.LocalNonPersistentFlags(), "token", "foreground", "detached"), Toolsets: server.Toolsets(),
		Console: &daemon.Console{Path: page.Root, Token: current.Console.Token},
	}
	state.Token = server.AsksForToken()
	if addr, ok := listener.Addr().(*net.TCPAddr); ok {
		state.Port = addr.Port
	}
	if held != nil {
		if err := held.Publish(state); err != nil {
			return errors.Join(err, listener.Close())
		}
		defer a.publish(services, server, held)()
	}
	if err := a.announce(f, &state); err != nil {
		return errors.Join(err, listener.Close())
	}
	return server.Serve(ctx, listener)
}

// lock makes this process the daemon of the project until the project is closed.
// In the foreground a project that cannot be written to is served all the same.
func (a *commands) lock(ctx context.Context, f startFlags, services *Services) (*daemon.Instance, error) {
	held, err := services.Daemon.Acquire(ctx)
	if err != nil {
		if f.foreground && sdk.KindOf(err) == sdk.KindDenied {
			a.term.Warn(err)
			return nil, nil
		}
		return nil, err
	}
	a.invocation.AfterClose(func() error {
		a.invocation.Logger().Info("mcp server stopped")
		return held.Close()
	})
	return held, nil
}

// announce says where the server listens.
func (a *commands) announce(f startFlags, s *daemon.State) error {
	url := s.URL(transport.Endpoint)
	if f.detached {
		a.invocation.Logger().Info("mcp server started", "url", url, "version", s.Version, "token", s.Token)
		return nil
	}
	a.term.Infof("serving MCP at %s (Ctrl-C ends it)", url)
	if !a.term.JSON {
		return nil
	}
	return a.term.Document(map[string]any{"url": url})
}

// listen opens the port.
// Errors: KindConflict when another one has it, and who that is where it says so.
func listen(ctx context.Context, f startFlags) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", net.JoinHostPort(f.host, strconv.Itoa(f.port)))
	var unknownHost *net.DNSError
	switch {
	case err == nil || ctx.Err() != nil:
		return l, err
	case errors.Is(err, fs.ErrPermission):
		return nil, sdk.Errorf(sdk.KindDenied, sdk.SourceCaller, "listen on %s port %d: %w", f.host, f.port, err).
			WithHint("choose a port of 1024 or above with --port")
	case errors.Is(err, syscall.EADDRNOTAVAIL), errors.As(err, &unknownHost):
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "listen on %s: %w", f.host, err).
			WithHint("give --host an address of this machine: 127.0.0.1, or 0.0.0.0 for all of them")
	}
	who := ""
	if health, probeErr := daemon.Probe(ctx, f.host, f.port); probeErr == nil {
		who = fmt.Sprintf(": another Loam has it, version %s, for another project or user", health.Version)
	}
	return nil, sdk.Errorf(sdk.KindConflict, sdk.SourceCaller, "port %d of %s is in use%s: %w", f.port, f.host, who, err).
		WithHint("choose another port with --port, or --port 0 for any free one")
}

// publish keeps the state of the daemon up to date until stop is called.
func (a *commands) publish(services *Services, server *mcpserver.Server, held *daemon.Instance) (stop func()) {
	done := make(chan struct{})
	var updates sync.WaitGroup
	updates.Go(func() {
		ticker := time.NewTicker(updateEvery)
		defer ticker.Stop()
		failed := false
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
			}
			err := held.Update(daemon.Live{Sessions: server.Sessions(), Token: server.AsksForToken(), Connectors: connectorsOf(services.Supervisor), Calls: callsOf(services.Supervisor)})
			if err != nil && !failed {
				a.invocation.Logger().Warn("the state of the daemon was not kept", "error", err)
			}
			failed = err != nil
		}
	})
	return func() {
		close(done)
		updates.Wait()
	}
}

func connectorsOf(s *connector.Supervisor) []daemon.Connector {
	all := []daemon.Connector{}
	for _, p := range s.State() {
		c := daemon.Connector{Name: p.Connector, Connection: p.Connection, State: string(p.State), Open: append([]string{}, p.Connections...), PID: p.PID}
		if !p.NextStart.IsZero() && p.LastError != nil {
			c.NextStart, c.Failure = p.NextStart, p.LastError.Error()
		}
		all = append(all, c)
	}
	return all
}

// callsOf counts the calls under way; a connection without any is not in it.
func callsOf(s *connector.Supervisor) map[string]daemon.Calls {
	all := map[string]daemon.Calls{}
	for id, load := range s.Loads() {
		all[id] = daemon.Calls(load)
	}
	return all
}

// tokenVariable names the variable with the token, which is in no file, log or
// command line.
const tokenVariable = "LOAM_MCP_TOKEN"

// withToken returns the environment of a process that is given a token.
func withToken(token string) []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, tokenVariable+"=") {
			env = append(env, v)
		}
	}
	if token != "" {
		env = append(env, tokenVariable+"="+token)
	}
	return env
}
