package network

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// Error maps an error of a Dialer, or of Go's net package under a driver, while a
// connection is opened; nil stays nil. An sdk.Error inside err is returned.
// Errors: KindUnavailable with a hint about the name, the port or the network;
// KindTimeout and KindCanceled from the context.
func Error(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ended := sqlkit.ContextError(ctx); ended != nil {
		ended.Err = errors.Join(ended.Err, err)
		return ended
	}
	if known, ok := errors.AsType[*sdk.Error](err); ok {
		return known
	}
	dns, isDNS := errors.AsType[*net.DNSError](err)
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op // without what a driver wrote around it
	}
	e := sdk.Errorf(sdk.KindUnavailable, sdk.SourceWarehouse, "%w", err)
	e.Op, e.Retry = "connect", true
	var timeout net.Error
	switch {
	case isDNS && dns.IsNotFound:
		e.Msg, e.Retry = fmt.Sprintf("no such host: %s", dns.Name), false
		return e.WithHint("correct the host name of the connection")
	case isDNS:
		return e.WithHint("check that this machine can resolve names")
	case errors.Is(err, syscall.ECONNREFUSED):
		return e.WithHint("nothing listens there: check the port, and that the server runs and accepts TCP connections")
	case errors.As(err, &timeout) && timeout.Timeout():
		return e.WithHint("no answer came: check firewalls, the VPN and that the port is right")
	default:
		return e.WithHint("check the host, the port and the network between")
	}
}
