// Package job begins long work, follows it, cancels it and runs it again, for tools and
// commands. Every work is a run of the engine; scans also have artifacts: what their
// snapshots contain, as texts.
package job

import (
	"context"
	"encoding/json"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/run"
	"github.com/loam-data/loam/sdk"
)

// MaxWait is the longest time that a call may wait for a run.
const MaxWait = 50 * time.Second

// Config is the configuration of a Service. All fields are required.
type Config struct {
	Runs     *run.Engine
	Catalogs *catalog.Set
	// Connections returns those that the caller of ctx may use.
	Connections func(context.Context) (*connection.Registry, error)
	// Scan scans a connection and returns the report of its run.
	Scan func(ctx context.Context, r ScanRequest, progress func(sdk.Progress)) (report any, err error)
	// Replay queues the text of an ended run of kind ingest again.
	Replay func(ctx context.Context, id string, by change.Actor) error
	// Index begins the work of an ended run of kind index again, from its stored input; nil = it had none.
	Index func(ctx context.Context, by Caller, input json.RawMessage) (run.Run, error)
	Now   func() time.Time
}

// Service is long work. Concurrency: any number of calls.
type Service struct{ Config }

// New makes a Service.
func New(c Config) *Service { return &Service{c} }

// Caller is who asks for work, and by which command or tool.
type Caller struct {
	change.Actor
	Cause string
}

// ScanRequest selects what to scan; the rest is the connection's.
type ScanRequest struct {
	Connection connection.ID `json:"connectionId"`
	Mode       string        `json:"mode,omitempty"` // structural or enriched
	Include    []string      `json:"include,omitempty"`
	Exclude    []string      `json:"exclude,omitempty"`
	Full       bool          `json:"full,omitempty"`
	// Budget bounds the time spent on profiles.
	Budget time.Duration `json:"budgetNs,omitempty"`
}

// TriggerScan begins a scan in the background.
// Errors: KindNotFound (connection), KindConflict while another scan of the connection runs.
func (s *Service) TriggerScan(ctx context.Context, by Caller, r ScanRequest) (Status, error) {
	w, err := s.work(ctx, by, r)
	if err != nil {
		return Status{}, err
	}
	begun, err := s.Runs.Begin(ctx, w, func(ctx context.Context, progress func(sdk.Progress)) (any, error) { return s.Scan(ctx, r, progress) })
	return s.status(begun), err
}

// RecordScan is TriggerScan in the foreground, with other work for Config.Scan: do returns the report of the run.
// Errors: those of TriggerScan and of do.
func (s *Service) RecordScan(ctx context.Context, by Caller, r ScanRequest, do func(ctx context.Context, progress func(sdk.Progress)) (any, error)) error {
	w, err := s.work(ctx, by, r)
	if err != nil {
		return err
	}
	_, err = s.Runs.Do(ctx, w, do)
	return err
}

func (s *Service) work(ctx context.Context, by Caller, r ScanRequest) (run.Work, error) {
	all, err := s.Connections(ctx)
	if err != nil {
		return run.Work{}, err
	}
	if _, err := all.Get(r.Connection); err != nil {
		return run.Work{}, err
	}
	return run.Work{Kind: run.Scan, Target: string(r.Connection), Actor: by.Actor, Principal: by.Principal, Cause: by.Cause, Input: r}, nil
}

// Replay runs an ended run again: a text in its own run, a scan and the index of folders in a new one. A run that is
// still open is answered as it is, so that asking twice is asking once.
// Errors: KindNotFound; KindConflict when the stored input is gone, or another run has the target;
// KindUnsupported for other kinds; those of Config.Index.
func (s *Service) Replay(ctx context.Context, by Caller, id string) (Status, error) {
	r, err := s.Runs.Get(ctx, id)
	if err != nil || !r.State.Ended() {
		return s.status(r), err
	}
	switch r.Kind {
	case run.Ingest:
		if err := s.Config.Replay(ctx, r.ID, by.Actor); err != nil {
			return Status{}, err
		}
		r, err = s.Runs.Get(ctx, r.ID)
		return s.status(r), err
	case run.Scan:
		var again ScanRequest
		if err := json.Unmarshal(r.Input, &again); err != nil {
			return Status{}, sdk.Errorf(sdk.KindConflict, sdk.SourceHost, "the input of run %s is not kept", r.ID).WithHint("scan anew: loam scan %s", r.Target)
		}
		return s.TriggerScan(ctx, by, again)
	case run.Index:
		begun, err := s.Index(ctx, by, r.Input)
		return s.status(begun), err
	}
	return Status{}, sdk.Errorf(sdk.KindUnsupported, sdk.SourceCaller, "a run of kind %s cannot be run again", r.Kind).WithHint("call the command that began it: %s", r.Cause)
}

// Cancel cancels a run; see run.Engine.Cancel.
func (s *Service) Cancel(ctx context.Context, id string) (Status, error) {
	if err := s.Runs.Cancel(ctx, id); err != nil {
		return Status{}, err
	}
	r, err := s.Runs.Get(ctx, id)
	return s.status(r), err
}
