package wire

import (
	"context"
	"errors"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/loam-data/loam/sdk"
)

// answerGrace is how much longer than the time allowed the host waits for the
// answer. The connector keeps the time: it ends the work in the warehouse and
// says so. Our connectors give a warehouse 3 s to confirm the end; the rest is
// for a busy machine.
const answerGrace = 5 * time.Second

// timeoutKey names the metadata of a call with the milliseconds it may take, as
// the connector is to keep them. gRPC's own deadline is later by answerGrace.
const timeoutKey = "loam-timeout-ms"

// patient returns the context of a call whose deadline the connector keeps. It
// ends with ctx when that is cancelled, and answerGrace after the deadline of
// ctx, with silence as the cause.
func (c *Client) patient(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok || ctx.Err() != nil {
		return ctx, func() {}
	}
	allowed := time.Until(deadline)
	md, _ := metadata.FromOutgoingContext(ctx)
	if md == nil {
		md = metadata.MD{}
	}
	md.Set(timeoutKey, strconv.FormatInt(max(1, allowed.Milliseconds()), 10))
	waiting := metadata.NewOutgoingContext(context.WithoutCancel(ctx), md)
	waiting, expire := context.WithDeadlineCause(waiting, deadline.Add(answerGrace), c.silent(allowed))
	waiting, cancel := context.WithCancelCause(waiting)
	stop := context.AfterFunc(ctx, func() {
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			cancel(context.Cause(ctx))
		}
	})
	return waiting, func() {
		stop()
		cancel(nil)
		expire()
	}
}

func (c *Client) silent(allowed time.Duration) *sdk.Error {
	e := sdk.Errorf(sdk.KindUnavailable, sdk.SourceConnector, "%s did not answer within %s, nor in the %s after that",
		c.name(), allowed.Round(time.Millisecond), answerGrace).
		WithHint("repeat the call: a connector that stays silent is ended and started again within a minute; if it happens again, run: loam doctor")
	e.Retry = true
	return e
}

// ask makes a call with one answer whose deadline the connector keeps.
func ask[Req, Resp any](ctx context.Context, c *Client, rpc func(context.Context, *Req, ...grpc.CallOption) (*Resp, error), message *Req) (*Resp, error) {
	ctx, cancel := c.patient(ctx)
	defer cancel()
	answer, err := rpc(ctx, message)
	if err != nil {
		return nil, c.failure(ctx, err)
	}
	return answer, nil
}

// allowed returns the context of a call that ends when the time is over which
// the host allowed.
func allowed(ctx context.Context) (context.Context, context.CancelFunc) {
	given := metadata.ValueFromIncomingContext(ctx, timeoutKey)
	if len(given) == 0 {
		return ctx, func() {}
	}
	ms, err := strconv.ParseUint(given[0], 10, 32)
	if err != nil { // not our host's: gRPC's deadline holds
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Duration(ms)*time.Millisecond)
}
