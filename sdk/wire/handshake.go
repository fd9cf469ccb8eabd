package wire

import (
	"context"

	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
)

// Handshake is go-plugin's handshake. It is no secret: a connector that a person
// starts by hand recognises by it that there is no host.
var Handshake = plugin.HandshakeConfig{
	MagicCookieKey:   "LOAM_CONNECTOR_COOKIE",
	MagicCookieValue: "c3f1b7a85d6e4a0fb9e2d47c1f80a6352e9bd0467a1c4f83",
}

// PluginName is go-plugin's name of the only service.
const PluginName = "connector"

// EnvLogLevel names the environment variable with the lowest level that a connector
// logs: debug, info, warn or error.
const EnvLogLevel = "LOAM_LOG_LEVEL"

// EnvHostPID names the environment variable with the host's process id. A connector
// without TLS refuses calls of other processes.
const EnvHostPID = "LOAM_HOST_PID"

// EnvClientCert names the environment variable with the certificate of a host that
// uses mutual TLS: go-plugin's AutoMTLS.
const EnvClientCert = "PLUGIN_CLIENT_CERT"

// Plugins returns the plugin sets of all supported major versions. A host passes a
// nil backend; Dispense(PluginName) then returns a *Client.
func Plugins(b Backend, options ...Option) map[int]plugin.PluginSet {
	return map[int]plugin.PluginSet{
		ProtocolVersion: {PluginName: &grpcPlugin{backend: b, options: options}},
	}
}

type grpcPlugin struct {
	plugin.NetRPCUnsupportedPlugin
	backend Backend
	options []Option
}

var _ plugin.GRPCPlugin = (*grpcPlugin)(nil)

func (p *grpcPlugin) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	Register(s, p.backend, p.options...)
	return nil
}

func (p *grpcPlugin) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return NewClient(conn, nil), nil
}
