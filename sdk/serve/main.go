// Package serve makes a program of a connector: the whole main function is
// serve.Main(connector).
package serve

import (
	"os"

	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/loam-data/loam/proto/wire"
	"github.com/loam-data/loam/sdk"
)

// Main serves c to the host that started the program, or runs the subcommand
// that a person typed. It does not return.
func Main(c *sdk.Connector) {
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig:  wire.Handshake,
		VersionedPlugins: wire.Plugins(NewBackend(c)),
		GRPCServer: func(options []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(append(options, wire.ServerOptions()...)...)
		},
	})
	os.Exit(0)
}
