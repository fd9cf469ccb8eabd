package mysql

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/go-sql-driver/mysql"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/network"
)

// connectError maps a failed attempt to connect by what the server said or, when
// it said nothing, by the stage that was reached.
func (d *dialer) connectError(ctx context.Context, err error, at *stages) error {
	if said, ok := asServerError(err); ok {
		return d.refused(said)
	}
	if known, ok := errors.AsType[*sdk.Error](err); ok {
		return known
	}
	if plugin := pluginError(err); plugin != nil {
		return plugin
	}
	if errors.Is(err, mysql.ErrNoTLS) {
		e := unreached(sdk.KindUnavailable, "TLS: the server has none").
			WithHint("if the network is trusted, set sslmode to disable; else have TLS enabled on the server")
		e.Source, e.Retry = sdk.SourceHost, false
		return e
	}
	if e := (&network.TLS{}).Error(err); e != nil {
		return e
	}
	switch {
	case !at.connected && network.Socket(d.driver.Addr) && errors.Is(err, os.ErrNotExist):
		e := unreached(sdk.KindUnavailable, "there is no socket %s", d.driver.Addr).
			WithHint("set host to the path of the server's Unix socket, or to its name")
		e.Source = sdk.SourceHost
		return e
	case !at.connected:
		return network.Error(ctx, err)
	case d.driver.TLS != nil && at.State == nil && !errors.Is(err, mysql.ErrInvalidConn):
		return unreached(sdk.KindUnavailable, "TLS: %w", err).WithHint("check that host and port are those of a MySQL or MariaDB server with TLS")
	default:
		return unreached(sdk.KindUnavailable, "the server broke off while the account logged in: %w", err).
			WithHint("check that host and port are those of a MySQL or MariaDB server, and set sslcert and sslkey if it asks for a client certificate")
	}
}

func unreached(kind sdk.Kind, format string, args ...any) *sdk.Error {
	e := sdk.Errorf(kind, sdk.SourceWarehouse, format, args...)
	e.Op, e.Retry = "connect", true
	return e
}

// refused maps what the server said to a login.
func (d *dialer) refused(said *mysql.MySQLError) *sdk.Error {
	e := fromServer(said)
	e.Op = "connect"
	switch said.Number {
	case errNoDatabase:
		e.Source, e.Hint = sdk.SourceHost, "correct the connection's database"
	case errDatabaseDenied:
		e.Hint = fmt.Sprintf("GRANT SELECT ON %s.* TO the account, or correct the connection's database", quote(d.driver.DBName))
	case errLoginDenied:
		if d.driver.TLS == nil {
			e.Hint += "; an account that requires TLS needs sslmode"
		}
	}
	return e
}

// pluginError maps ways of logging in that the driver refuses or does not know.
func pluginError(err error) *sdk.Error {
	for cause, hint := range map[error]string{
		mysql.ErrCleartextPassword: "have the account use caching_sha2_password or ed25519: this one would send the password as it is",
		mysql.ErrOldPassword:       "have the account's password set again: its form is the one from before MySQL 4.1",
		mysql.ErrUnknownPlugin:     "have the account use caching_sha2_password, ed25519 or mysql_native_password",
		mysql.ErrOldProtocol:       "have the server updated: its protocol is the one from before MySQL 4.1",
	} {
		if errors.Is(err, cause) {
			e := unreached(sdk.KindUnsupported, "%w", cause).WithHint("%s", hint)
			e.Source, e.Retry = sdk.SourceHost, false
			return e
		}
	}
	return nil
}
