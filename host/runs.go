package host

import (
	"context"
	"encoding/json"
	"time"

	"github.com/loam-data/loam/host/internal/assemble"
	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/job"
	"github.com/loam-data/loam/host/internal/memory"
	"github.com/loam-data/loam/host/internal/run"
	"github.com/loam-data/loam/host/internal/scan"
	"github.com/loam-data/loam/host/internal/token"
	"github.com/loam-data/loam/sdk"
)

// newRuns makes the engine of the project's long work, whose memory exists. Nothing is opened before it is used.
func (a *application) newRuns() *run.Engine {
	return run.New(run.Config{
		State: string(a.own), Store: a.state, Queues: map[string]run.Queue{run.Ingest: a.remembered},
		Redact: func(text string) string { return token.Redact(a.scrubber.Scrub(text)) }, Now: time.Now, Logger: a.log,
	})
}

// newJobs makes the long work of the project, whose scan exists.
func (a *application) newJobs() *job.Service {
	return job.New(job.Config{
		Runs: a.runs, Catalogs: a.catalogs, Connections: a.connections, Now: time.Now,
		Scan: func(ctx context.Context, r job.ScanRequest, progress func(sdk.Progress)) (any, error) {
			return reportOf(a.scan.Run(ctx, scan.Request{
				Connection: r.Connection, Mode: catalog.Mode(r.Mode), Include: r.Include, Exclude: r.Exclude, Full: r.Full, Budget: r.Budget,
				Progress: func(p scan.Progress) { progress(p.Progress) },
			}))
		},
		Replay: func(ctx context.Context, id string, by change.Actor) error {
			_, err := a.remembered.Replay(ctx, memory.RunID(id), by)
			return err
		},
		Index: func(ctx context.Context, by job.Caller, input json.RawMessage) (run.Run, error) {
			return a.collected.Replay(ctx, input, by.Actor, by.Cause)
		},
	})
}

// reportOf returns the report of a scan; nil when it failed.
func reportOf(r *scan.Result, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return r.Report(), nil
}

// recorded scans in the foreground; each scan is a run.
type recorded struct{ application *application }

func (r recorded) Scan(ctx context.Context, by change.Actor, req scan.Request) (result *scan.Result, err error) {
	a := r.application
	of := job.ScanRequest{Connection: req.Connection, Mode: string(req.Mode), Include: req.Include, Exclude: req.Exclude, Full: req.Full, Budget: req.Budget}
	err = a.jobs.RecordScan(ctx, job.Caller{Actor: by, Cause: "loam scan"}, of, func(ctx context.Context, progress func(sdk.Progress)) (any, error) {
		show := req.Progress
		req.Progress = func(p scan.Progress) {
			progress(p.Progress)
			show(p)
		}
		result, err = a.scan.Run(ctx, req)
		return reportOf(result, err)
	})
	return result, err
}

// extracting returns how far a scan or an import of a connection is; nil = there is none.
func (a *application) extracting(ctx context.Context, id connection.ID) (*assemble.Progress, error) {
	page, err := a.runs.List(ctx, run.Filter{Kinds: []string{run.Scan, run.Import}, States: []run.State{run.Queued, run.Running}, Target: string(id), Limit: 1})
	if err != nil || len(page.Runs) == 0 {
		return nil, err
	}
	r := page.Runs[0]
	return &assemble.Progress{Stage: r.Stage, Current: r.Done, Total: r.Total, StartedAt: r.StartedAt.Format(time.RFC3339)}, nil
}
