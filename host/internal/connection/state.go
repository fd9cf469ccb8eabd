package connection

import (
	"context"
	"time"

	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// Status sums up the state of a connection in one word. No warehouse is asked for it.
type Status string

const (
	StatusReady       Status = "ready"       // its catalog was scanned
	StatusNotScanned  Status = "not_scanned" // nothing speaks against it, and it was never scanned
	StatusUnavailable Status = "unavailable" // the last attempt to open it failed
)

// State is what was last known of a connection under its present
// configuration. The zero value: nothing.
type State struct {
	// Server as of OpenedAt; zero when it was never opened.
	Server   sdk.ServerInfo
	OpenedAt time.Time
	// Failure of the last attempt to open it, at FailedAt; nil when that succeeded.
	Failure  *sdk.Error
	FailedAt time.Time
}

// Status returns the status; scanned says whether a catalog snapshot exists.
func (s State) Status(scanned bool) Status {
	switch {
	case s.Failure != nil:
		return StatusUnavailable
	case scanned:
		return StatusReady
	default:
		return StatusNotScanned
	}
}

// Memory keeps the last known state of connections in the state store.
// Concurrency: any number of goroutines.
type Memory struct {
	store *store.Lazy
	now   func() time.Time
}

// NewMemory keeps states in s; now tells the time.
func NewMemory(s *store.Lazy, now func() time.Time) *Memory { return &Memory{s, now} }

// LastKnown returns the state of c. It starts no connector.
// Errors: those of the state store, which is opened on first use.
func (m *Memory) LastKnown(ctx context.Context, c Connection) (State, error) {
	s, err := m.store.Get(ctx)
	if err != nil {
		return State{}, err
	}
	kept, err := s.ConnectionState(ctx, string(c.ID), c.Fingerprint())
	return State{Server: kept.Server, OpenedAt: kept.OpenedAt, Failure: kept.Failure, FailedAt: kept.FailedAt}, err
}

// Record keeps the outcome of opening c: the server that the session reports, or the
// failure. A cancelled attempt is not kept.
// Errors: those of the state store.
func (m *Memory) Record(ctx context.Context, c Connection, server sdk.ServerInfo, failure error) error {
	reason := sdk.AsError(failure, sdk.SourceConnector)
	if reason != nil && reason.Kind == sdk.KindCanceled {
		return nil
	}
	s, err := m.store.Get(ctx)
	if err != nil {
		return err
	}
	if reason != nil {
		return s.PutFailed(ctx, string(c.ID), c.Fingerprint(), reason, m.now())
	}
	return s.PutOpened(ctx, string(c.ID), c.Fingerprint(), server, m.now())
}
