package sqlkit

import (
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Life is what every session has: what Open learned of the server, how long a
// statement may take, and the calls under way.
type Life struct {
	Info    sdk.ServerInfo
	Dialect *dialect.Dialect
	// Timeout is for a statement whose request names none; Longest bounds every
	// statement, 0 = it does not.
	Timeout, Longest time.Duration
	Calls            Calls
}

// Server implements sdk.Session.
func (l *Life) Server() sdk.ServerInfo { return l.Info }

// Limit returns how long a statement may take that asks for d, 0 = Timeout. It is
// never 0, which servers take for no limit.
func (l *Life) Limit(d time.Duration) time.Duration {
	if d <= 0 {
		d = l.Timeout
	}
	if l.Longest > 0 {
		d = min(d, l.Longest)
	}
	return max(d, time.Millisecond)
}

// Authority completes Info after the account was examined: what keeps the
// session from writing, whether the server itself cannot be written to, and what
// the account may do beyond reading. Without such a right the authority is the
// engine's.
func (l *Life) Authority(mechanism, standby string, rights []sdk.Diagnostic) {
	l.Info.ReadOnly, l.Info.ReadOnlyMechanism = sdk.ReadOnlySession, mechanism
	switch {
	case standby != "":
		l.Info.ReadOnly, l.Info.ReadOnlyMechanism = sdk.ReadOnlyEngine, standby+"; "+mechanism
	case len(rights) == 0:
		l.Info.ReadOnly, l.Info.ReadOnlyMechanism = sdk.ReadOnlyEngine, "the account has no right to write; "+mechanism
	}
	l.Info.Warnings = append(l.Info.Warnings, rights...)
}
