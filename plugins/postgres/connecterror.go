package postgres

import (
	"context"
	"errors"
	"net"
	"os"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/network"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// explain maps a failed attempt to connect by what the server said or, when it
// said nothing, by the stage that was reached.
func (d *dialer) explain(ctx context.Context, err error, at *stages) error {
	if said, ok := asServerError(err); ok {
		e := fromServer(said)
		e.Op = "connect"
		if said.Code == "42501" {
			e.Hint = "GRANT CONNECT ON DATABASE " + quote(d.cfg.Database) + " TO " + quote(d.cfg.User)
		}
		return e
	}
	if ended := sqlkit.ContextError(ctx); ended != nil {
		return ended
	}
	if known, ok := errors.AsType[*sdk.Error](err); ok { // of the tunnel
		return known
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return sqlkit.Slow(d.cfg.ConnectTimeout)
	case !at.connected:
		return d.unreachable(ctx, err)
	}
	if e := d.cfg.TLS.Error(err); e != nil {
		return e
	}
	e := sdk.Errorf(sdk.KindUnavailable, sdk.SourceWarehouse, "the server broke off while the role logged in: %w", cause(err)).
		WithHint("check that host and port are those of a PostgreSQL server")
	if !at.secured && d.driver.TLSConfig != nil {
		e = sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "TLS: %w", cause(err)).
			WithHint("if the server has no TLS and the network is trusted, set sslmode to disable; else have TLS enabled on the server")
	}
	e.Op, e.Retry = "connect", at.secured
	return e
}

func (d *dialer) unreachable(ctx context.Context, err error) error {
	if _, statErr := os.Stat(d.cfg.Host); d.cfg.socket() && !d.way.Tunnelled() && errors.Is(statErr, os.ErrNotExist) {
		return sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "there is no folder %s", d.cfg.Host).
			WithHint("set host to the folder of the server's Unix socket, or to its name")
	}
	return network.Error(ctx, err)
}

// cause returns the network's own error without what the driver wrote around it.
func cause(err error) error {
	if e, ok := errors.AsType[*net.OpError](err); ok {
		return e
	}
	if e, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return e.Unwrap()
	}
	return err
}
