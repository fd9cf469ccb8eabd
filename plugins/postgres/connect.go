package postgres

import (
	"context"
	"crypto/tls"
	"errors"
	"maps"
	"net"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"

	"github.com/loam-data/loam/sdk/network"
)

// maxMessageBytes bounds one message of the server, which is one row. It is
// well above sdk.MaxRowBytes, so that long TEXT cells can arrive and be clipped,
// and keeps a single huge value from filling the memory.
const maxMessageBytes = 64 << 20

// optional are startup parameters that are good to have and that an old server,
// one on a system without the means, or a pooler in between may refuse. The
// first ends a statement within a second of the end of this program; the next two
// fix the text of floats and bytes where the role's own settings do not; the
// last keeps a role's short timeout from ending the connector's own questions (a
// statement of a request sets its own).
var optional = map[string]string{
	"client_connection_check_interval": "500ms", // PostgreSQL 14
	"extra_float_digits":               "1",
	"bytea_output":                     "hex",
	"statement_timeout":                "60s",
}

// dialer makes connections to one server as one role.
// Concurrency: safe for several goroutines.
type dialer struct {
	cfg      *config
	driver   *pgconn.Config
	way      *network.Dialer
	optional map[string]string
	// plain: the server refused the optional parameters before.
	plain atomic.Bool
}

// newDialer returns the dialer of a configuration.
// Errors: KindInvalid for a file of a certificate that cannot be read.
func newDialer(cfg *config) (*dialer, error) {
	driver, err := cfg.driver()
	if err != nil {
		return nil, err
	}
	d := &dialer{cfg: cfg, driver: driver, way: network.NewDialer(&cfg.SSH), optional: optional}
	driver.DialFunc = d.way.DialContext // of cancel requests too
	if d.way.Tunnelled() {
		driver.LookupFunc = func(_ context.Context, host string) ([]string, error) { return []string{host}, nil }
	}
	return d, nil
}

// conn is one connection.
// Concurrency: one goroutine.
type conn struct {
	pg *pgconn.PgConn
	// notice hears what the server remarks during a statement.
	notice func(*pgconn.Notice)
	// prepared are the names of the look-ups that the server has planned since the
	// connection was last reset, by their SQL.
	prepared map[string]string
}

// stages notes how far an attempt to connect got: there is a connection, and
// TLS, if any, is established.
type stages struct{ connected, secured bool }

// connect opens a connection.
// Errors: as explain makes them.
func (d *dialer) connect(ctx context.Context) (*conn, error) {
	var at stages
	c, err := d.dial(ctx, &at)
	if err != nil {
		return nil, d.explain(ctx, err, &at)
	}
	return c, nil
}

// dial connects, without the optional parameters where they are refused.
func (d *dialer) dial(ctx context.Context, at *stages) (*conn, error) {
	if d.plain.Load() {
		return d.attempt(ctx, at, nil)
	}
	c, err := d.attempt(ctx, at, d.optional)
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refusedParameter[refused.Code] {
		if c, err = d.attempt(ctx, at, nil); err == nil {
			d.plain.Store(true)
		}
	}
	return c, err
}

// refusedParameter lists what servers and poolers say to a startup parameter
// that they do not know or cannot honour.
var refusedParameter = map[string]bool{
	"42704": true, // undefined_object: no such parameter in this version
	"22023": true, // invalid_parameter_value: not on this operating system
	"08P01": true, // protocol_violation: PgBouncer
}

func (d *dialer) attempt(ctx context.Context, at *stages, extra map[string]string) (*conn, error) {
	c := &conn{}
	cfg := d.driver.Copy()
	maps.Copy(cfg.RuntimeParams, extra)
	cfg.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		if c.notice != nil {
			c.notice(n)
		}
	}
	cfg.BuildContextWatcherHandler = func(pg *pgconn.PgConn) ctxwatch.Handler { return &canceler{conn: pg} }
	at.watch(cfg)
	pg, err := pgconn.ConnectConfig(ctx, cfg)
	if err != nil {
		return nil, err
	}
	c.pg = pg
	return c, nil
}

// watch notes the stages as the driver passes them.
func (at *stages) watch(cfg *pgconn.Config) {
	*at = stages{}
	dial := cfg.DialFunc
	cfg.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if err == nil && !at.secured { // a cancel request dials too, later
			at.connected = true
		}
		return c, err
	}
	cfg.AfterNetConnect = func(ctx context.Context, _ *pgconn.Config, c net.Conn) (net.Conn, error) {
		if secure, ok := c.(*tls.Conn); ok { // the driver would shake hands with its first message
			if err := secure.HandshakeContext(ctx); err != nil {
				return c, err
			}
		}
		at.secured = true
		return c, nil
	}
}

// close ends the connection and waits until nothing of it is left.
func (c *conn) close(ctx context.Context) {
	// The farewell is a courtesy; the socket is closed in any case.
	_ = c.pg.Close(ctx)
	select {
	case <-c.pg.CleanupDone():
	case <-ctx.Done():
	}
}
