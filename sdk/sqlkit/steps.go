package sqlkit

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/loam-data/loam/sdk"
)

// Steps reports the staged checks of `connection test`. After the first that
// fails the others are left out: they would only repeat it.
type Steps struct {
	report func(sdk.TestStep)
	failed bool
}

// NewSteps reports to report, each step as it is done.
func NewSteps(report func(sdk.TestStep)) *Steps { return &Steps{report: report} }

// Run runs one check, which may fill in the step's Detail, Warning and
// Statements, and reports whether it passed.
func (s *Steps) Run(name string, check func(*sdk.TestStep) error) bool {
	if s.failed {
		return false
	}
	step := sdk.TestStep{Name: name}
	started := time.Now()
	err := check(&step)
	step.Elapsed = time.Since(started)
	if err != nil {
		step.Err, s.failed = sdk.AsError(err, sdk.SourceConnector), true
	}
	s.report(step)
	return err == nil
}

// Network runs the steps "dns" and "tcp" for a server.
func (s *Steps) Network(ctx context.Context, host string, port int) bool {
	return s.Run("dns", func(step *sdk.TestStep) error {
		addresses, err := net.DefaultResolver.LookupHost(ctx, host)
		step.Detail = strings.Join(addresses, ", ")
		return NetworkError(ctx, err)
	}) && s.Run("tcp", func(step *sdk.TestStep) error {
		var dialer net.Dialer
		conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err != nil {
			return NetworkError(ctx, err)
		}
		step.Detail = conn.RemoteAddr().String()
		return conn.Close()
	})
}

// NetworkError maps what Go's net package reports while a connection is made;
// nil stays nil.
// Errors: KindUnavailable with a hint about the name, the port or the way
// between; KindTimeout and KindCanceled from the context.
func NetworkError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ended := ContextError(ctx); ended != nil {
		ended.Err = errors.Join(ended.Err, err)
		return ended
	}
	e := sdk.Errorf(sdk.KindUnavailable, sdk.SourceWarehouse, "%w", err)
	e.Retry = true
	dns, isDNS := errors.AsType[*net.DNSError](err)
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
