package postgres

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"os"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// connectError maps a failed attempt to connect by what the server said or, when
// it said nothing, by the stage that was reached.
func connectError(ctx context.Context, err error, cfg *pgconn.Config, at *stages) error {
	if said, ok := asServerError(err); ok {
		e := fromServer(said)
		e.Op = "connect"
		if said.Code == "42501" {
			e.Hint = "GRANT CONNECT ON DATABASE " + quote(cfg.Database) + " TO " + quote(cfg.User)
		}
		return e
	}
	if ended := sqlkit.ContextError(ctx); ended != nil {
		return ended
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return slow(cfg)
	case !at.connected:
		return unreachable(ctx, err, cfg)
	case !at.secured && cfg.TLSConfig != nil:
		return tlsError(err)
	default:
		e := sdk.Errorf(sdk.KindUnavailable, sdk.SourceWarehouse, "the server broke off while the role logged in: %w", cause(err)).
			WithHint("check that host and port are those of a PostgreSQL server")
		e.Op, e.Retry = "connect", true
		return e
	}
}

func unreachable(ctx context.Context, err error, cfg *pgconn.Config) error {
	if _, statErr := os.Stat(cfg.Host); cfg.Host[0] == '/' && errors.Is(statErr, os.ErrNotExist) {
		return sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "there is no folder %s", cfg.Host).
			WithHint("set host to the folder of the server's Unix socket, or to its name")
	}
	return sqlkit.NetworkError(ctx, cause(err))
}

func slow(cfg *pgconn.Config) *sdk.Error {
	e := sdk.Errorf(sdk.KindTimeout, sdk.SourceWarehouse, "the server did not answer within %s", cfg.ConnectTimeout).
		WithHint("check firewalls, the VPN and that host and port are right, or raise connect_timeout")
	e.Op, e.Retry = "connect", true
	return e
}

// tlsError maps a failed handshake.
func tlsError(err error) *sdk.Error {
	e := sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "TLS: %w", cause(err))
	e.Op = "connect"
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
	_, name := errors.AsType[x509.HostnameError](err)
	_, invalid := errors.AsType[x509.CertificateInvalidError](err)
	_, alert := errors.AsType[tls.AlertError](err)
	switch {
	case unknown:
		return e.WithHint("set sslrootcert to the PEM file of the authority that signed the server's certificate")
	case name:
		return e.WithHint("set host to a name in the server's certificate, or sslmode to verify-ca")
	case invalid:
		return e.WithHint("have the server's certificate renewed")
	case alert:
		return e.WithHint("the server refused the handshake: set sslcert and sslkey if it asks for a client certificate")
	default:
		return e.WithHint("if the server has no TLS and the network is trusted, set sslmode to disable; else have TLS enabled on the server")
	}
}

// cause returns the network's own error without what the driver wrote around it.
func cause(err error) error {
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		return e
	}
	if e, ok := errors.AsType[*net.OpError](err); ok {
		return e
	}
	if e, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return e
	}
	if e, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		err = e.Unwrap()
	}
	return err
}
