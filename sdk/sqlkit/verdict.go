package sqlkit

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/loam-data/loam/sdk"
)

// Verdict is the meaning of an engine's error code for the caller.
type Verdict struct {
	Kind   sdk.Kind
	Source sdk.Source
	Retry  bool
	Hint   string
}

// Lookup returns the verdict of an error's code, else that of its class, else Unlisted.
func Lookup[N, C comparable](codes map[N]Verdict, code N, classes map[C]Verdict, class C) Verdict {
	if v, ok := codes[code]; ok {
		return v
	}
	if v, ok := classes[class]; ok {
		return v
	}
	return Unlisted
}

// StateClass returns the class of a SQLSTATE, its first two characters.
func StateClass(state string) string { return state[:min(2, len(state))] }

// Error returns the error of a verdict with the engine's code and message.
func (v Verdict) Error(code, message string, err error) *sdk.Error {
	return &sdk.Error{Kind: v.Kind, Source: v.Source, Retry: v.Retry, Hint: v.Hint, Code: code, Msg: message, Err: err}
}

// Caller, Host and Server return the verdict of a kind by who must act. Kinds that
// time may mend have Retry: KindRateLimited, KindTimeout, KindCanceled,
// KindConflict and KindUnavailable.
func Caller(kind sdk.Kind, hint string) Verdict { return verdict(kind, sdk.SourceCaller, hint) }

// Host is for errors that a change of the connection's configuration or account
// mends.
func Host(kind sdk.Kind, hint string) Verdict { return verdict(kind, sdk.SourceHost, hint) }

// Server is for errors that the engine's administrator, or time, mends.
func Server(kind sdk.Kind, hint string) Verdict { return verdict(kind, sdk.SourceWarehouse, hint) }

func verdict(kind sdk.Kind, source sdk.Source, hint string) Verdict {
	passing := []sdk.Kind{sdk.KindRateLimited, sdk.KindTimeout, sdk.KindCanceled, sdk.KindConflict, sdk.KindUnavailable}
	return Verdict{Kind: kind, Source: source, Hint: hint, Retry: slices.Contains(passing, kind)}
}

// Again returns the verdict with Retry.
func (v Verdict) Again() Verdict {
	v.Retry = true
	return v
}

// Final returns the verdict without Retry.
func (v Verdict) Final() Verdict {
	v.Retry = false
	return v
}

// Verdicts that engines share; Unlisted is for codes without a row in the engine's
// table.
var (
	ReadsOnly = Caller(sdk.KindNotReadOnly, "send a statement that only reads")
	AskAdmin  = Server(sdk.KindDenied, "ask the administrator for the right to read this, or read something else")
	TimeOver  = Caller(sdk.KindTimeout, "select less (a filter, a LIMIT, fewer joins) or raise the connection's timeout")
	Gone      = Server(sdk.KindUnavailable, "try again; if it stays so, check that the server runs")
	Unlisted  = Server(sdk.KindInvalid, "check the statement; if it is right, tell the server's administrator")
)

// Lost returns the error of a connection that broke under a statement: an *sdk.Error
// inside err, such as a tunnel's, as it is.
func Lost(err error) *sdk.Error {
	if known, ok := errors.AsType[*sdk.Error](err); ok {
		return known
	}
	e := sdk.Errorf(Gone.Kind, Gone.Source, "the connection to the server was lost: %w", err).WithHint("%s", Gone.Hint)
	e.Retry = true
	return e
}

// Slow returns the error of an attempt to connect that took too long.
func Slow(limit time.Duration) *sdk.Error {
	e := sdk.Errorf(sdk.KindTimeout, sdk.SourceWarehouse, "the server did not answer within %s", limit).
		WithHint("check firewalls, the VPN and that host and port are right, or raise connect_timeout")
	e.Op, e.Retry = "connect", true
	return e
}

// overTime returns the error of a statement that took longer than its limit.
func overTime(limit time.Duration) *sdk.Error {
	e := sdk.Errorf(TimeOver.Kind, TimeOver.Source, "the statement took longer than the %s it may take", limit).WithHint("%s", TimeOver.Hint)
	e.Retry = true
	return e
}

// Ending is the outcome of a call on a connection.
type Ending struct {
	Err         error // the driver's, or nil
	Took, Limit time.Duration
	// Stopped: Err may only mean that the statement was canceled, by the caller, a
	// limit or somebody else. A canceled statement without an error is still
	// incomplete.
	Stopped bool
	// Native maps the engine's error; nil for an error that is not the engine's.
	Native func(error) *sdk.Error
	// Lost maps an error of the connection; nil = unchanged.
	Lost func(error) error
}

// Error returns the cause of the ending: the caller's context, else the time
// limit, else the error of the engine or the driver.
// Shape: nil for an ending without an error, and for sdk.ErrLimit.
func (e Ending) Error(ctx context.Context) error {
	ended := ContextError(ctx)
	known, isKnown := errors.AsType[*sdk.Error](e.Err)
	var native *sdk.Error
	if e.Err != nil {
		native = e.Native(e.Err)
	}
	switch {
	case e.Stopped && ended != nil && ended.Kind != sdk.KindTimeout:
		return ended
	case e.Stopped && e.Took >= e.Limit:
		over := overTime(e.Limit)
		over.Err = e.Err
		if native != nil {
			over.Code = native.Code
		}
		return over
	case e.Stopped && ended != nil:
		return ended
	case e.Err == nil || errors.Is(e.Err, sdk.ErrLimit):
		return nil
	case isKnown:
		return known
	case native != nil:
		return native
	case e.Lost != nil:
		return e.Lost(e.Err)
	default:
		return e.Err
	}
}
