//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"

	"github.com/loam-data/loam/sdk/serve"
	"github.com/loam-data/loam/sdk/wire"
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
	// What a connector answers that makes keys unasked.
	"certificate": func() {
		fmt.Println("1|1|unix|" + socketPath() + "|grpc|" + strings.Repeat("A", 400))
		waitForHost()
	},
	"stranger": handOver,
	// A connector that was built with an earlier SDK checks nobody.
	"earlier": func() { serveAs(wire.ProtocolVersion, nil) },
	"future":  func() { serveAs(wire.ProtocolVersion+1, nil) },
	"past":    func() { serveAs(wire.ProtocolVersion-1, nil) },
	"deaf":    func() { serveAs(wire.ProtocolVersion, []grpc.ServerOption{grpc.UnaryInterceptor(neverAnswer)}) },
	"broker":  func() { serveAs(wire.ProtocolVersion, []grpc.ServerOption{grpc.StreamInterceptor(brokers)}) },
	"liar":    func() { serveAs(wire.ProtocolVersion, []grpc.ServerOption{grpc.StreamInterceptor(lie)}) },
}

func socketPath() string { return filepath.Join(os.Getenv("PLUGIN_UNIX_SOCKET_DIR"), "s") }

// handOver has a process outside of the connector's process group listen at its socket.
func handOver() {
	if socket := os.Getenv(envListen); socket != "" {
		impersonate(socket)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), envListen+"="+socketPath())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stdout = os.Stdout
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	waitForHost()
}

// envListen makes the program listen at a socket as if it were the connector.
const envListen = "LOAM_CHAOS_LISTEN"

// impersonate answers a host in the place of the connector.
func impersonate(socket string) {
	listener, err := net.Listen("unix", socket)
	if err != nil {
		panic(err)
	}
	server := grpc.NewServer(wire.ServerOptions()...)
	healthy := health.NewServer()
	healthy.SetServingStatus(plugin.GRPCServiceName, grpc_health_v1.HealthCheckResponse_SERVING)
	grpc_health_v1.RegisterHealthServer(server, healthy)
	wire.Register(server, serve.NewBackend(chaos()))
	fmt.Println("1|1|unix|" + socket + "|grpc|")
	_ = server.Serve(listener) // until the host ends it
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
