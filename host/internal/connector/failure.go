package connector

import (
	"context"
	"time"

	"github.com/loam-data/loam/sdk"
)

// crashed is the error of every call that a crash ended, and of State.
func crashed(name, what string) *sdk.Error {
	e := sdk.Errorf(sdk.KindUnavailable, sdk.SourceConnector, "connector %q %s", name, what).
		WithHint("Repeat the call: the connector is started again.")
	e.Op, e.Retry = "run connector", true
	return e
}

func disabled(name string, crashes int, window time.Duration, last *sdk.Error) *sdk.Error {
	e := sdk.Errorf(sdk.KindUnavailable, sdk.SourceConnector,
		"connector %q is disabled: it failed %d times within %s, the last time because: %w", name, crashes, window, last)
	e.Op = "start connector"
	return e.WithHint("Mend the cause (see the log), then run: loam connector reset %s", name)
}

func closing(name string) *sdk.Error {
	e := sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "connector %q is not available: the host is shutting down", name)
	e.Op = "start connector"
	return e
}

// noSlot is what a call waited for that had no turn.
const noSlot = "one of the slots that other calls hold was free"

// notInTime is the error of a caller whose context ended while it waited.
func notInTime(ctx context.Context, name, waitedFor string) *sdk.Error {
	e := sdk.AsError(context.Cause(ctx), sdk.SourceCaller)
	if e.Kind == sdk.KindTimeout {
		timeout := sdk.Errorf(sdk.KindTimeout, sdk.SourceConnector, "the time allowed was over before %s: %w", waitedFor, ctx.Err()).
			WithHint("Repeat the call with more time.")
		timeout.Op, timeout.Retry = "use connector "+name, true
		return timeout
	}
	return e
}
