package network

import (
	"context"
	"net"
	"strconv"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Dialer opens the network connections of one session: directly or through a
// configured tunnel.
// Concurrency: safe for several goroutines.
type Dialer struct {
	direct net.Dialer
	tunnel *tunnel // nil without
}

// NewDialer returns a dialer through the tunnel of s; without a tunnel where s
// is nil or has no host. It connects to nothing yet.
func NewDialer(s *SSH) *Dialer {
	d := &Dialer{}
	if s != nil && s.configured() {
		d.tunnel = newTunnel(s, d.direct.DialContext)
	}
	return d
}

// Tunnelled reports whether connections go through a tunnel. The SSH server
// then resolves host names, which must not be resolved here.
func (d *Dialer) Tunnelled() bool { return d.tunnel != nil }

// DialContext connects to an address: "tcp" and host:port, "unix" and a path.
// Errors: for [Error] to map.
func (d *Dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	if d.tunnel != nil {
		return d.tunnel.connect(ctx, network, address)
	}
	return d.direct.DialContext(ctx, network, address)
}

// Close closes the tunnel and all connections through it. Idempotent.
func (d *Dialer) Close() error {
	if d.tunnel == nil {
		return nil
	}
	return d.tunnel.close()
}

// Steps runs the steps "dns" and "tcp" for a server; with a tunnel "ssh" and
// "tcp", because the SSH server resolves the name.
func (d *Dialer) Steps(ctx context.Context, steps *sqlkit.Steps, host string, port int) bool {
	first, name := d.resolve, "dns"
	if d.tunnel != nil {
		first, name = d.enter, "ssh"
	}
	return steps.Run(name, func(step *sdk.TestStep) error {
		var err error
		step.Detail, err = first(ctx, host)
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

func (d *Dialer) resolve(ctx context.Context, host string) (string, error) {
	addresses, err := net.DefaultResolver.LookupHost(ctx, host)
	return strings.Join(addresses, ", "), err
}

func (d *Dialer) enter(ctx context.Context, _ string) (string, error) {
	l, _, err := d.tunnel.open(ctx)
	if err != nil {
		return "", err
	}
	s := d.tunnel.ssh
	return s.User + "@" + s.address() + ", " + l.hostKey.Type() + " " + ssh.FingerprintSHA256(l.hostKey), nil
}
