package network

import (
	"context"
	"errors"
	"io"
	"net"

	"golang.org/x/crypto/ssh"

	"github.com/loam-data/loam/sdk"
)

const sshOp = "open the SSH tunnel"

func (s *SSH) invalid(hint, format string, args ...any) *sdk.Error {
	e := sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, format, args...).WithHint("%s", hint)
	e.Op = sshOp
	return e
}

func (s *SSH) refused(hint, format string, args ...any) *sdk.Error {
	e := sdk.Errorf(sdk.KindUnauthenticated, sdk.SourceHost, format, args...).WithHint("%s", hint)
	e.Op = sshOp
	return e
}

// unreachable maps a failure to connect to the SSH server.
func (s *SSH) unreachable(ctx context.Context, err error) *sdk.Error {
	e := *sdk.AsError(Error(ctx, err), sdk.SourceHost)
	switch e.Kind {
	case sdk.KindTimeout:
		e.Msg = "the SSH server " + s.address() + " did not answer in time"
		e.Hint = "check ssh.host and ssh.port, firewalls and the VPN"
	case sdk.KindUnavailable:
		e.Msg = "the SSH server " + s.address() + " cannot be reached: " + e.Msg
		e.Hint = "check ssh.host and ssh.port, that the SSH server runs and that this machine may connect to it"
	}
	e.Op = sshOp
	return &e
}

// handshake maps a failure after the connection was there: verified says that
// the server proved its key.
func (s *SSH) handshake(ctx context.Context, err error, verified bool) *sdk.Error {
	if known, ok := errors.AsType[*sdk.Error](err); ok {
		return known
	}
	if ctx.Err() != nil {
		return s.unreachable(ctx, err)
	}
	_, broken := errors.AsType[net.Error](err)
	if broken = broken || errors.Is(err, io.EOF); verified && !broken {
		means := "ssh.key"
		switch {
		case s.Key == "":
			means = "ssh.password"
		case !s.Password.IsZero():
			means = "ssh.key and ssh.password"
		}
		return s.refused("check ssh.user and "+means+", and that the server lets this account in",
			"the SSH server %s refuses %s: %w", s.address(), s.User, err)
	}
	e := sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "the SSH server %s broke off: %w", s.address(), err).
		WithHint("check that ssh.host and ssh.port are those of an SSH server")
	e.Op, e.Retry = sshOp, broken
	return e
}

// notForwarded maps the answer of the SSH server to a connection that it was to
// make.
func (s *SSH) notForwarded(err error, address string) *sdk.Error {
	said, ok := errors.AsType[*ssh.OpenChannelError](err)
	if !ok {
		return s.broken(err)
	}
	e := sdk.Errorf(sdk.KindUnavailable, sdk.SourceWarehouse, "the SSH server %s cannot connect to %s: %w", s.Host, address, said)
	e.Op, e.Code, e.Retry = "connect", said.Reason.String(), true
	switch said.Reason {
	case ssh.ConnectionFailed:
		return e.WithHint("check host and port as the SSH server sees them, and that the warehouse runs and lets the SSH server in")
	case ssh.Prohibited:
		e.Kind, e.Source, e.Retry = sdk.KindDenied, sdk.SourceHost, false
		return e.WithHint("have the SSH server's administrator allow forwarding to %s (AllowTcpForwarding, PermitOpen)", address)
	default:
		return e.WithHint("check that the SSH server can forward connections")
	}
}

// broken says that the tunnel died.
func (s *SSH) broken(err error) *sdk.Error {
	e := sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "the SSH tunnel through %s broke: %w", s.address(), err).
		WithHint("try again; if it stays so, check the SSH server and the network to it")
	e.Op, e.Retry = "connect", true
	return e
}
