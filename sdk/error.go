package sdk

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Kind is the kind of an error in one word. The set is closed: each interface of
// the host maps every kind (MCP result, HTTP status, exit code).
type Kind string

const (
	KindInvalid         Kind = "invalid"         // the request or the configuration is wrong
	KindSyntax          Kind = "syntax"          // the SQL does not parse or does not type-check
	KindNotReadOnly     Kind = "not_read_only"   // the statement may change something
	KindNotFound        Kind = "not_found"       // a named thing does not exist
	KindConflict        Kind = "conflict"        // the state changed underneath, or is locked by another
	KindUnauthenticated Kind = "unauthenticated" // the credentials were refused
	KindDenied          Kind = "denied"          // the account may not do this
	KindUnsupported     Kind = "unsupported"     // this connector or engine cannot do this
	KindLimit           Kind = "limit"           // a size, count or cost limit was reached
	KindRateLimited     Kind = "rate_limited"    // too many requests for now
	KindTimeout         Kind = "timeout"         // the time allowed is over
	KindCanceled        Kind = "canceled"        // the caller took the request back
	KindUnavailable     Kind = "unavailable"     // the warehouse or the connector cannot be reached
	KindInternal        Kind = "internal"        // a fault of Loam or of a connector
)

// Kinds lists every kind once, in the order of the declarations.
func Kinds() []Kind {
	return []Kind{
		KindInvalid, KindSyntax, KindNotReadOnly, KindNotFound, KindConflict,
		KindUnauthenticated, KindDenied, KindUnsupported, KindLimit, KindRateLimited,
		KindTimeout, KindCanceled, KindUnavailable, KindInternal,
	}
}

// Source is who has to act on an error.
type Source string

const (
	SourceCaller    Source = "caller"    // the agent or person who asked
	SourceHost      Source = "host"      // the host's configuration or the host itself
	SourceConnector Source = "connector" // the connector program
	SourceWarehouse Source = "warehouse" // the warehouse or its administrator
)

// CodeUnknownConnection is the Code of the KindNotFound error with which a
// connector answers a connection id that it has not opened. The host opens the
// connection again and repeats the call.
const CodeUnknownConnection = "loam:unknown_connection"

// Position is a place in the submitted SQL.
// Units: lines and columns count from 1, columns in Unicode code points; the zero
// value means unknown; the column is 0 where the engine named only a line.
type Position struct {
	Line   int
	Column int
}

// PositionAt returns the position of the code point with index chars (from 0)
// in sql; past the end it is the end.
func PositionAt(sql string, chars int) Position {
	p := Position{Line: 1, Column: 1}
	for i, r := range []rune(sql) {
		if i >= chars {
			break
		}
		if r == '\n' {
			p.Line, p.Column = p.Line+1, 1
		} else {
			p.Column++
		}
	}
	return p
}

// PositionAtByte is PositionAt for a byte offset.
func PositionAtByte(sql string, offset int) Position {
	offset = max(0, min(offset, len(sql)))
	return PositionAt(sql, utf8.RuneCountInString(sql[:offset]))
}

// IsZero reports whether the position is unknown.
func (p Position) IsZero() bool { return p.Line == 0 }

// Error is the only error type that packages, processes and interfaces exchange.
// It is made once, where the cause is known, and wrapped with %w on the way up.
type Error struct {
	Kind   Kind
	Source Source
	// Op names the operation in the user's words ("open connection").
	Op string
	// Msg says what is wrong, without Op and without the hint.
	Msg string
	// Hint is one imperative sentence that an agent can follow, or "".
	Hint string
	// Code is the native code, verbatim: an SQLSTATE, a vendor number.
	Code string
	// Pos is the place in the submitted SQL, if the engine named one.
	Pos Position
	// Candidates are likely corrections of a name, best first.
	Candidates []string
	// Retry: the same call may succeed later, unchanged.
	Retry bool
	// RetryAfter is the wait that the warehouse asked for; 0 = unknown.
	RetryAfter time.Duration
	// QueryID is the warehouse's own id of the failed query, or "".
	QueryID string
	Err     error
}

// Error returns "op: msg (code) at line L, column C", without the parts that are
// unset.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Op != "" {
		b.WriteString(e.Op)
		b.WriteString(": ")
	}
	switch {
	case e.Msg != "":
		b.WriteString(e.Msg)
	case e.Err != nil:
		b.WriteString(e.Err.Error())
	default:
		b.WriteString(string(e.Kind))
	}
	if e.Code != "" {
		fmt.Fprintf(&b, " (%s)", e.Code)
	}
	if !e.Pos.IsZero() {
		fmt.Fprintf(&b, " at line %d", e.Pos.Line)
		if e.Pos.Column > 0 {
			fmt.Fprintf(&b, ", column %d", e.Pos.Column)
		}
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// Errorf makes an error of a kind and source with a formatted message; what %w
// wraps in the format is kept for errors.Is and errors.As.
func Errorf(kind Kind, source Source, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	e := &Error{Kind: kind, Source: source, Msg: err.Error(), Err: errors.Unwrap(err)}
	if _, several := err.(interface{ Unwrap() []error }); several {
		e.Err = err
	}
	return e
}

// WithHint sets the hint of a new error and returns e.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// KindOf returns the kind that AsError gives err, and "" for nil.
func KindOf(err error) Kind {
	if err == nil {
		return ""
	}
	return AsError(err, SourceHost).Kind
}

// AsError returns the first *Error in err's chain. Another error becomes
// KindCanceled or KindTimeout when it is the context's, else KindInternal of
// the given source. It returns nil for nil.
func AsError(err error, source Source) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	e := &Error{Kind: KindInternal, Source: source, Msg: err.Error(), Err: err}
	switch {
	case errors.Is(err, context.Canceled):
		e.Kind, e.Source = KindCanceled, SourceCaller
	case errors.Is(err, context.DeadlineExceeded):
		e.Kind, e.Source, e.Retry = KindTimeout, SourceCaller, true
	}
	return e
}
