package sqlkit

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/loam-data/loam/sdk"
)

// The defaults of an OpenRequest.
const (
	defaultMaxOpen          = 4
	defaultIdleTimeout      = 5 * time.Minute
	defaultStatementTimeout = time.Minute
	defaultMemoryBytes      = 512 << 20
)

// Defaults returns the request with every zero bound replaced by its default.
func Defaults(req sdk.OpenRequest) sdk.OpenRequest {
	req.MaxOpen = cmp.Or(max(req.MaxOpen, 0), defaultMaxOpen)
	req.IdleTimeout = cmp.Or(max(req.IdleTimeout, 0), defaultIdleTimeout)
	req.StatementTimeout = cmp.Or(max(req.StatementTimeout, 0), defaultStatementTimeout)
	req.MemoryBytes = cmp.Or(max(req.MemoryBytes, 0), defaultMemoryBytes)
	return req
}

// WithTimeout bounds the work of one statement by limit or, where the caller
// gave none, by fallback; neither means no bound. When the time is over,
// ContextError says so.
func WithTimeout(ctx context.Context, limit, fallback time.Duration) (context.Context, context.CancelFunc) {
	d := cmp.Or(max(limit, 0), max(fallback, 0))
	if d == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, d, overTime(d))
}

// Within runs an attempt to connect that takes no longer than limit.
// Errors: those of attempt; where the time or ctx is over, that of Slow or ContextError,
// around the one of attempt.
func Within[C any](ctx context.Context, limit time.Duration, attempt func(context.Context) (C, error)) (C, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, Slow(limit))
	defer cancel()
	c, err := attempt(ctx)
	if ended := ContextError(ctx); err != nil && ended != nil {
		ended.Err = errors.Join(ended.Err, err)
		err = ended
	}
	return c, err
}

// ContextError returns the reason for which ctx ended as an error for the
// caller, or nil while it has not ended. It takes precedence over the driver's
// error, which only says that the statement was stopped. The caller may add
// details.
func ContextError(ctx context.Context) *sdk.Error {
	if ctx.Err() == nil {
		return nil
	}
	e := *sdk.AsError(context.Cause(ctx), sdk.SourceCaller)
	return &e
}

// Failed turns a driver's error into one for the caller: an *sdk.Error in its
// chain, else the reason for which ctx ended, else the result of native. Where
// native is nil or returns nil, the error is an internal one of the warehouse.
func Failed(ctx context.Context, err error, native func(error) *sdk.Error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*sdk.Error](err); ok {
		return e
	}
	if ended := ContextError(ctx); ended != nil {
		ended.Err = errors.Join(ended.Err, err)
		return ended
	}
	if native != nil {
		if e := native(err); e != nil {
			return e
		}
	}
	return sdk.AsError(err, sdk.SourceWarehouse)
}
