package sqlkit

import (
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Life is the state of every session: the server's description, the time limits
// of statements, and the running calls.
type Life struct {
	Info    sdk.ServerInfo
	Dialect *dialect.Dialect
	// Timeout is the default for statements without a limit; Longest bounds every
	// statement, 0 = no bound.
	Timeout, Longest time.Duration
	Calls            Calls
}

// Server implements sdk.Session.
func (l *Life) Server() sdk.ServerInfo { return l.Info }

// Limit returns the time limit of a statement that asks for d, 0 = Timeout. It is
// never 0, which servers read as no limit.
func (l *Life) Limit(d time.Duration) time.Duration {
	if d <= 0 {
		d = l.Timeout
	}
	if l.Longest > 0 {
		d = min(d, l.Longest)
	}
	return max(d, time.Millisecond)
}

// Authority completes Info after the account was examined: the mechanism that
// stops writes, whether the server itself is read-only, and the account's rights
// beyond reading. Without such rights the level is ReadOnlyEngine.
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
