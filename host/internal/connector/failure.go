package connector

import (
	"context"
	"fmt"
	"time"

	"github.com/loam-data/loam/sdk"
)

// crashed returns the error of a connector that crashed.
func crashed(name, what string) *sdk.Error {
	e := sdk.Errorf(sdk.KindUnavailable, sdk.SourceConnector, "connector %q %s", name, what).
		WithHint("Repeat the call: the connector is started again.")
	e.Op, e.Retry = "run connector", true
	return e
}

// ending describes how a process ended.
type ending struct {
	connector string
	what      string // "exited with code 2 (panic: boom)"
	memory    bool   // it ran out of memory
	hung      bool   // it did not answer and was killed
	limit     int64  // its memory limit, in bytes; 0 = not known
}

// verdict returns the error of a call that ran when the process ended. caused says that the
// call is known to be the cause, because it ran alone or also ran at earlier ends. ends
// counts the ends, others the other calls that ran.
func (e ending) verdict(caused bool, ends, others int) *sdk.Error {
	switch {
	case e.memory && caused:
		limit := sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "the call needed more memory than connector %q may have: its process %s", e.connector, e.what).
			WithHint("Select less (a filter, fewer columns, a smaller GROUP BY or ORDER BY), or raise limits.memory of the connection.")
		limit.Op = "run connector"
		return limit
	case e.memory:
		c := crashed(e.connector, fmt.Sprintf("ran out of memory while this call and %d others ran: its process %s", others, e.what))
		return c.WithHint("Repeat the call: the connector is started again. If it needs much memory itself, select less.")
	case caused && ends > 1:
		again := crashed(e.connector, fmt.Sprintf("%s, as it did before while it ran this call", e.what)).
			WithHint("Change the statement: the connector does not survive it. Its last words are in the log.")
		again.Retry = false
		return again
	default:
		return crashed(e.connector, e.what)
	}
}

// refusedCall returns the error of a call that ended its process too often.
func refusedCall(name string, c *charge, wait time.Duration) *sdk.Error {
	kind, why, hint := sdk.KindUnavailable, "ended", "Change the statement: the connector does not survive it. Its last words are in the log."
	if c.memory {
		kind, why, hint = sdk.KindLimit, "used up the memory of", "Select less (a filter, fewer columns, a smaller GROUP BY or ORDER BY), or raise limits.memory of the connection."
	}
	e := sdk.Errorf(kind, sdk.SourceCaller, "the same call %s the process of connector %q %d times and is refused until %s", why, name, c.ends, clock(wait)).
		WithHint("%s", hint)
	e.Op, e.RetryAfter = "run connector", wait.Round(time.Second)
	return e
}

// disabled returns the error of a connector that failed too often, and may start again after
// wait.
func disabled(name string, failures int, window, wait time.Duration, last *sdk.Error) *sdk.Error {
	e := sdk.Errorf(sdk.KindUnavailable, sdk.SourceConnector,
		"connector %q is disabled until %s: it failed %d times within %s, the last time because: %w", name, clock(wait), failures, window, last)
	e.Op = "start connector"
	return e.WithHint("Mend the cause (see the log). The connector is tried again by itself; to try it at once, run: loam connector reset %s", name)
}

// clock returns the time of day after a wait.
func clock(wait time.Duration) string { return time.Now().Add(wait).UTC().Format("15:04:05 UTC") }

func closing(name string) *sdk.Error {
	e := sdk.Errorf(sdk.KindUnavailable, sdk.SourceHost, "connector %q is not available: the host is shutting down", name)
	e.Op = "start connector"
	return e
}

// noSlot names what a call waited for that got no slot, for notInTime.
const noSlot = "one of the slots that other calls hold was free"

// notInTime returns the error of a caller whose context ended while it waited.
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
