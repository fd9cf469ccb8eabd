package serve

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	hclog "github.com/hashicorp/go-hclog"
	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/loam-data/loam/sdk/peer"
	"github.com/loam-data/loam/sdk/wire"
)

// debug serves without a host: it prints what tells one where to connect, and
// ends with Ctrl-C. Every process of the same user may connect, and the connection is not
// encrypted.
func (p *program) debug(ctx context.Context, args []string) error {
	wanted := false
	define := func(f *flag.FlagSet) {
		f.BoolVar(&wanted, "debug", false, "wait for a host that was told where to find this process")
	}
	if err := p.parse("serve", define, args, 0); err != nil {
		return err
	}
	if !wanted {
		p.complain("%s serve: only loam starts a connector to be served; give --debug to connect by hand\n", p.name)
		return errUsage
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	log := slog.New(slog.NewTextHandler(p.stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	slog.SetDefault(log)
	sessions := newRegistry(p.connector)
	where, closed := make(chan *plugin.ReattachConfig, 1), make(chan struct{})
	go plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig:  wire.Handshake,
		VersionedPlugins: wire.Plugins(sessions, wire.WithLogger(log), wire.WithScrubber(p.scrubber)),
		GRPCServer: func(options []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(slices.Concat(options, wire.ServerOptions(), peer.ServerOptions(peer.Any, refused(log)))...)
		},
		Logger: hclog.New(&hclog.LoggerOptions{Name: "go-plugin", Level: hclog.Warn, Output: p.stderr}),
		Test:   &plugin.ServeTestConfig{Context: ctx, ReattachConfigCh: where, CloseCh: closed},
	})
	select {
	case at := <-where:
		if err := p.printReattach(at); err != nil {
			return err
		}
		<-closed
	case <-closed: // it could not listen, and has logged why
		return fmt.Errorf("the connector could not be served")
	}
	_, err := sessions.Drain(context.WithoutCancel(ctx), termGrace)
	return err
}

// printReattach prints one line that a shell takes as it is.
func (p *program) printReattach(at *plugin.ReattachConfig) error {
	value, err := wire.EncodeReattach(map[string]wire.Reattach{p.connector.ID: {
		Protocol: at.ProtocolVersion, PID: at.Pid, Network: at.Addr.Network(), Address: at.Addr.String(),
	}})
	if err != nil {
		return err
	}
	p.complain("%s waits for a host. Export this line where you start loam; end with Ctrl-C.\n", p.name)
	_, err = fmt.Fprintf(p.stdout, "%s='%s'\n", wire.EnvReattach, strings.ReplaceAll(value, "'", `'\''`))
	return err
}
