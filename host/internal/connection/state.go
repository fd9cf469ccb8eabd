package connection

import (
	"context"
	"time"

	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk"
)

// Status is the state of a connection in one word, found without asking the
// warehouse.
type Status string

const (
	StatusReady       Status = "ready"       // its catalog was scanned
	StatusNotScanned  Status = "not_scanned" // no attempt to open it failed, and it was never scanned
	StatusUnavailable Status = "unavailable" // the last attempt to open it failed
)

// State is the last known state of a connection under its present configuration; the
// zero value when nothing is known.
type State struct {
	// Server as of OpenedAt; zero when it was never opened.
	Server   sdk.ServerInfo
	OpenedAt time.Time
	// Failure of the last attempt to open it, at FailedAt; nil when that succeeded.
	Failure  *sdk.Error
	FailedAt time.Time
}

// Status returns the status; scanned: a catalog snapshot exists.
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

// StateStore keeps the last known state of each connection in the state database.
// Concurrency: any number of goroutines.
type StateStore struct {
	store *store.Lazy
	now   func() time.Time
}

// NewStateStore returns the states kept in s; now is the clock.
func NewStateStore(s *store.Lazy, now func() time.Time) *StateStore { return &StateStore{s, now} }

// LastKnown returns the state of c. It starts no connector.
// Errors: those of the state store, which is opened on first use.
func (s *StateStore) LastKnown(ctx context.Context, c Connection) (State, error) {
	opened, err := s.store.Get(ctx)
	if err != nil {
		return State{}, err
	}
	kept, err := opened.ConnectionState(ctx, string(c.ID), c.Fingerprint())
	return State{Server: kept.Server, OpenedAt: kept.OpenedAt, Failure: kept.Failure, FailedAt: kept.FailedAt}, err
}

// Tested keeps the outcome of a test of c as its last failure; nil = the test passed, and there is none any more. A
// cancelled test is not kept.
// Errors: those of the state store.
func (s *StateStore) Tested(ctx context.Context, c Connection, failure error) error {
	if failure != nil {
		return s.Record(ctx, c, sdk.ServerInfo{}, failure)
	}
	opened, err := s.store.Get(ctx)
	if err != nil {
		return err
	}
	return opened.ForgetFailure(ctx, string(c.ID), c.Fingerprint())
}

// Record keeps the outcome of opening c: the server that the session reports, or the
// failure. A cancelled attempt is not kept.
// Errors: those of the state store.
func (s *StateStore) Record(ctx context.Context, c Connection, server sdk.ServerInfo, failure error) error {
	reason := sdk.AsError(failure, sdk.SourceConnector)
	if reason != nil && reason.Kind == sdk.KindCanceled {
		return nil
	}
	opened, err := s.store.Get(ctx)
	if err != nil {
		return err
	}
	if reason != nil {
		return opened.PutFailed(ctx, string(c.ID), c.Fingerprint(), reason, s.now())
	}
	return opened.PutOpened(ctx, string(c.ID), c.Fingerprint(), server, s.now())
}
