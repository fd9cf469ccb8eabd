//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/loam-data/loam/proto/wire"
	"github.com/loam-data/loam/sdk/serve"
)

// starts are the programs that go wrong before the first call.
var starts = map[string]func(){
	"garbage": func() {
		fmt.Println("Segmentation fault (core not dumped)")
		waitForHost()
	},
	"longline": func() {
		fmt.Println(strings.Repeat("x", 70<<10))
		waitForHost()
	},
	"silent": waitForHost,
	"exits": func() {
		fmt.Fprintln(os.Stderr, "cannot load libchaos.so.3: no such file")
		os.Exit(3)
	},
	"panics":    func() { panic("chaos at start") },
	"elsewhere": func() { fmt.Println("1|1|unix|/tmp/another.sock|grpc|"); waitForHost() },
	"future":    func() { serveAs(wire.ProtocolVersion+1, nil) },
	"past":      func() { serveAs(wire.ProtocolVersion-1, nil) },
	"deaf":      func() { serveAs(wire.ProtocolVersion, []grpc.ServerOption{grpc.UnaryInterceptor(neverAnswer)}) },
	"liar":      func() { serveAs(wire.ProtocolVersion, []grpc.ServerOption{grpc.StreamInterceptor(lie)}) },
}

// waitForHost returns when the host is gone.
func waitForHost() { _, _ = io.Copy(io.Discard, os.Stdin) }

// serveAs serves the connector without the SDK's own main: under another major
// version, or through interceptors.
func serveAs(major int, options []grpc.ServerOption) {
	go func() {
		waitForHost()
		os.Exit(1)
	}()
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig:  wire.Handshake,
		VersionedPlugins: map[int]plugin.PluginSet{major: wire.Plugins(serve.NewBackend(chaos()))[wire.ProtocolVersion]},
		GRPCServer: func(given []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(append(given, options...)...)
		},
	})
}

// neverAnswer holds every call that has one answer until its caller gives up.
func neverAnswer(ctx context.Context, _ any, _ *grpc.UnaryServerInfo, _ grpc.UnaryHandler) (any, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}
