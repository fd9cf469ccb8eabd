package clickhouse

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strconv"
	"time"

	"github.com/ClickHouse/ch-go/compress"
	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/network"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// clientName is what the server shows of us in system.processes.
const clientName = "loam"

// dialer makes connections to one server as one account.
// Concurrency: safe for several goroutines.
type dialer struct {
	cfg *config
	net *network.Dialer
	tls *tls.Config // nil without TLS
}

func newDialer(cfg *config) (*dialer, error) {
	secure, err := cfg.TLS.Config(cfg.Host, cfg.sslMode())
	if err != nil {
		return nil, err
	}
	return &dialer{cfg: cfg, net: network.NewDialer(&cfg.SSH), tls: secure}, nil
}

func (d *dialer) address() string { return net.JoinHostPort(d.cfg.Host, strconv.Itoa(d.cfg.port())) }

// dial connects and, where it is configured, shakes hands for TLS.
// Errors: as explain makes them.
func (d *dialer) dial(ctx context.Context) (net.Conn, error) {
	plain, err := d.net.DialContext(ctx, "tcp", d.address())
	if err != nil {
		return nil, d.explain(ctx, err, false)
	}
	if d.tls == nil {
		return plain, nil
	}
	secure := tls.Client(plain, d.tls)
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = plain.Close() // of no more use
		return nil, d.explain(ctx, err, true)
	}
	return secure, nil
}

// connect is dial within the time for it.
func (d *dialer) connect(ctx context.Context) (net.Conn, error) {
	return sqlkit.Within(ctx, d.cfg.ConnectTimeout, d.dial)
}

// hello opens a connection over the native protocol, of at most a revision.
// Errors: as explain makes them.
func (d *dialer) hello(ctx context.Context, revision uint64) (*nativeConn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, d.cfg.ConnectTimeout, sqlkit.Slow(d.cfg.ConnectTimeout))
	defer cancel()
	c, err := d.dial(ctx)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	n, err := greet(c, d.cfg.Database, d.cfg.User, d.cfg.Password.Reveal(), revision)
	if err != nil || !stop() {
		_ = c.Close() // of no more use
		return nil, d.silent(d.explain(ctx, err, true))
	}
	if d.cfg.Compression == compressionLZ4 {
		n.packer = compress.NewWriter(compress.LevelZero, compress.LZ4)
	}
	return n, nil
}

// silent adds to the error about a server that accepted the connection and then
// said nothing what it may be: one of HTTP waits for the end of a line.
func (d *dialer) silent(err error) error {
	if e, ok := errors.AsType[*sdk.Error](err); ok && e.Kind == sdk.KindTimeout && e.Source == sdk.SourceWarehouse {
		e.Hint = d.portHint() + ", or raise connect_timeout"
	}
	return err
}

// explain maps a failed attempt to connect by what the server said or, when it
// said nothing, by the stage that was reached.
func (d *dialer) explain(ctx context.Context, err error, connected bool) error {
	if said, ok := errors.AsType[*proto.Exception](err); ok {
		e := fromServer(said, nil)
		e.Op = "connect"
		return e
	}
	if known, ok := errors.AsType[*sdk.Error](err); ok { // of the tunnel, or explained before
		return known
	}
	if ended := sqlkit.ContextError(ctx); ended != nil {
		ended.Err = errors.Join(ended.Err, err)
		return ended
	}
	if e := d.cfg.TLS.Error(err); connected && e != nil {
		if _, plain := errors.AsType[tls.RecordHeaderError](err); plain {
			e.Hint = "set port to the one that has TLS (" + d.otherPort(true) + " by default), or sslmode to disable if the network is trusted"
		}
		return e
	}
	switch {
	case errors.Is(err, errStray):
		e := sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "port %d does not speak the %s protocol%s: %w", d.cfg.port(), d.cfg.Protocol, d.withTLS(), err).
			WithHint("%s", d.portHint())
		e.Op = "connect"
		return e
	case connected && broken(err):
		e := sdk.Errorf(sdk.KindUnavailable, sdk.SourceWarehouse, "the server broke off while the account logged in: %w", err).
			WithHint("%s, or have the account allowed the database %s", d.portHint(), d.cfg.Database)
		e.Op, e.Retry = "connect", true
		return e
	default:
		return network.Error(ctx, err)
	}
}

func (d *dialer) withTLS() string {
	if d.tls == nil {
		return " without TLS"
	}
	return " with TLS"
}

// portHint names what else the port may be.
func (d *dialer) portHint() string {
	other := "set protocol to http"
	if d.cfg.http() {
		other = "set protocol to native"
	}
	hint := other + " if this is the port of that protocol, or port to the right one (" + d.otherPort(d.tls != nil) + " by default)"
	if d.tls == nil {
		hint += ", or sslmode to verify-full if the port wants TLS"
	}
	return hint
}

// otherPort returns the default port of the configured protocol.
func (d *dialer) otherPort(secure bool) string {
	c := config{Protocol: d.cfg.Protocol, Host: "localhost"}
	if secure {
		c.SSLMode = network.VerifyFull
	}
	return strconv.Itoa(c.port())
}
