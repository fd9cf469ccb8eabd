package network

import (
	"context"
	"net"
	"strconv"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Dialer makes the network connections of one session.
// Concurrency: safe for several goroutines.
type Dialer struct {
	ssh    *SSH
	direct net.Dialer
}

// NewDialer returns a dialer that goes through the tunnel, if one is configured.
func NewDialer(ssh *SSH) *Dialer { return &Dialer{ssh: ssh} }

// DialContext is [net.Dialer.DialContext].
// Errors: see [Error].
func (d *Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if d.ssh.Host != "" {
		return nil, sdk.Errorf(sdk.KindUnsupported, sdk.SourceConnector, "there are no tunnels yet").WithHint("connect without ssh")
	}
	return d.direct.DialContext(ctx, network, address)
}

// Close ends what the dialer keeps. Idempotent.
func (d *Dialer) Close() error { return nil }

// Steps runs the steps "dns" and "tcp" for a server.
func (d *Dialer) Steps(ctx context.Context, steps *sqlkit.Steps, host string, port int) bool {
	return steps.Run("dns", func(step *sdk.TestStep) error {
		addresses, err := net.DefaultResolver.LookupHost(ctx, host)
		step.Detail = strings.Join(addresses, ", ")
		return Error(ctx, err)
	}) && steps.Run("tcp", func(step *sdk.TestStep) error {
		conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err != nil {
			return Error(ctx, err)
		}
		step.Detail = conn.RemoteAddr().String()
		return conn.Close()
	})
}
