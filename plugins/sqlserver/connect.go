package sqlserver

import (
	"context"
	"database/sql/driver"
	"errors"
	"net"
	"strings"
	"time"

	mssql "github.com/microsoft/go-mssqldb"
	"github.com/microsoft/go-mssqldb/msdsn"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/network"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// conn is one connection.
// Concurrency: one goroutine.
type conn struct {
	sqlkit.Conn
	socket net.Conn
	// unwatch ends the watch over the context of the call that the connection serves.
	unwatch func() bool
	// open: a transaction may be open. planning: the server may be told to plan only.
	open, planning bool
}

// stages is an attempt to connect, and notes how far it got. It is the driver's
// dialer: the driver hands it names of hosts, not addresses.
type stages struct {
	ctx     context.Context
	network *network.Dialer
	socket  net.Conn // nil until there is a connection
	network.Handshake
	stop func() bool
}

// HostName implements mssql.HostDialer.
func (*stages) HostName() string { return "" }

// DialContext implements mssql.Dialer. The driver minds no context between the
// connection and the answer to the login: its end ends the connection.
func (s *stages) DialContext(_ context.Context, network, address string) (net.Conn, error) {
	c, err := s.network.DialContext(s.ctx, network, address)
	if err != nil {
		return nil, err
	}
	s.socket = c
	s.stop = context.AfterFunc(s.ctx, func() {
		// An error means that it is closed, which ends a read too.
		_ = c.SetDeadline(time.Unix(1, 0))
	})
	return c, nil
}

// connect opens a connection.
// Errors: as connectError makes them.
func (s *Session) connect(ctx context.Context) (*conn, error) {
	c, at, err := s.attempt(ctx)
	if err != nil {
		return nil, s.connectError(ctx, err, at)
	}
	return c, nil
}

// attempt logs in, without TLS where the server has none and it is not required.
func (s *Session) attempt(ctx context.Context) (c *conn, at *stages, err error) {
	encryption, mode := msdsn.Encryption(msdsn.EncryptionRequired), s.cfg.sslMode()
	switch {
	case mode == network.Disable:
		encryption = msdsn.EncryptionDisabled
	case s.cfg.Strict:
		encryption = msdsn.EncryptionStrict
	}
	c, err = sqlkit.Within(ctx, s.cfg.ConnectTimeout, func(ctx context.Context) (c *conn, err error) {
		c, at, err = s.login(ctx, encryption)
		without := mode == network.Prefer && at.socket != nil && at.State == nil && ctx.Err() == nil
		if _, said := errors.AsType[mssql.Error](err); err == nil || said || !without {
			return c, err
		}
		c, at, err = s.login(ctx, msdsn.EncryptionDisabled)
		return c, err
	})
	return c, at, err
}

// login opens a connection as the server gives it.
func (s *Session) login(ctx context.Context, encryption msdsn.Encryption) (*conn, *stages, error) {
	at := &stages{ctx: ctx, network: s.network}
	connector, err := s.cfg.driver(at, encryption)
	if err != nil {
		return nil, at, err
	}
	connector.Dialer = at
	native, err := connector.Connect(ctx)
	if at.stop != nil && !at.stop() && err == nil {
		err = errors.Join(ctx.Err(), native.Close())
	}
	if err != nil {
		return nil, at, err
	}
	return &conn{Conn: sqlkit.Conn{Driver: native}, socket: at.socket}, at, nil
}

// begin watches the context of a call: the driver waits longer than a call may for
// the server to confirm that a statement has ended.
func (c *conn) begin(ctx context.Context, _ time.Duration) error {
	c.unwatch = context.AfterFunc(ctx, func() {
		// An error means that it is closed, which ends a read too.
		_ = c.socket.SetReadDeadline(time.Now().Add(sqlkit.SettleTime))
	})
	return nil
}

// end ends what a call left behind, and reports whether the connection may serve
// another: not after a statement that was ended from outside.
func (c *conn) end() bool {
	if !c.unwatch() || c.planning {
		return false
	}
	if !c.open {
		return true
	}
	ctx, cancel := context.WithTimeout(context.Background(), sqlkit.SettleTime)
	defer cancel()
	c.open = false
	return c.Exec(ctx, "IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION") == nil
}

// broken reports whether an error means that the connection is of no more use.
func broken(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false // which is a net.Error, too
	}
	_, stream := errors.AsType[mssql.StreamError](err)
	_, fatal := errors.AsType[mssql.ServerError](err)
	var failed net.Error
	return stream || fatal || errors.Is(err, driver.ErrBadConn) || errors.As(err, &failed)
}

// connectError maps a failed attempt to connect by what the server said or, when
// it said nothing, by the stage that was reached.
func (s *Session) connectError(ctx context.Context, err error, at *stages) error {
	failed := func(kind sdk.Kind, source sdk.Source, format string, args ...any) *sdk.Error {
		e := sdk.Errorf(kind, source, format, args...)
		e.Op = "connect"
		return e
	}
	if said, ok := errors.AsType[mssql.Error](err); ok {
		e := fromServer(said)
		e.Op, e.Msg = "connect", strings.TrimPrefix(e.Msg, "login error: ")
		if e.Kind == sdk.KindInvalid || e.Kind == sdk.KindSyntax {
			e.Kind, e.Source = sdk.KindUnavailable, sdk.SourceWarehouse
		}
		if e.Kind == sdk.KindUnauthenticated && s.cfg.Auth == authToken {
			e = e.WithHint("put a new token into the connection: az account get-access-token --resource https://database.windows.net/; if it is new, the clock of the machine that asked for it may be off")
		}
		return e
	}
	known, isKnown := errors.AsType[*sdk.Error](err)
	switch {
	case isKnown:
		return known
	case at.socket == nil:
		return network.Error(ctx, err)
	case at.Refused != nil:
		if e := s.cfg.Error(at.Refused); e != nil {
			return e
		}
		return failed(sdk.KindUnavailable, sdk.SourceHost, "TLS: %w", at.Refused).WithHint("check sslmode and sslrootcert")
	case s.cfg.Auth == authKerberos && (at.State != nil || s.cfg.sslMode() == network.Disable):
		return failed(sdk.KindUnauthenticated, sdk.SourceHost, "Kerberos: %w", err).
			WithHint("get a ticket with kinit, or set user and krb5.keytab; check krb5.config and krb5.spn; Kerberos allows 5 minutes between clocks: %s", network.ClockHint)
	case at.State == nil && s.cfg.sslMode() != network.Disable:
		return failed(sdk.KindUnavailable, sdk.SourceHost, "TLS was not established: %w", err).
			WithHint("check that host and port are those of SQL Server; if it has no TLS and the network is trusted, set sslmode to disable")
	default:
		e := failed(sdk.KindUnavailable, sdk.SourceWarehouse, "the server broke off while the account logged in: %w", err).
			WithHint("check that host and port are those of SQL Server, and whether it takes unencrypted connections")
		e.Retry = true
		return e
	}
}
