package mcpserver

import (
	"context"
	"time"

	"github.com/loam-data/loam/host/internal/job"
	"github.com/loam-data/loam/host/internal/mcpserver/tool"
	"github.com/loam-data/loam/sdk"
)

// runTime bounds a call that may wait for a run.
const runTime = job.MaxWait + 10*time.Second

// jobs is long work; *job.Service is one.
type jobs interface {
	TriggerScan(context.Context, job.Caller, job.ScanRequest) (job.Status, error)
	Status(context.Context, job.Follow) (job.Status, error)
	Report(context.Context, job.Follow) (job.Status, error)
	Cancel(ctx context.Context, id string) (job.Status, error)
	Replay(ctx context.Context, by job.Caller, id string) (job.Status, error)
	ListArtifacts(context.Context, job.ArtifactsRequest) (*job.Artifacts, error)
	ReadArtifact(ctx context.Context, r job.ArtifactsRequest, name string, offset int64) (*job.Part, error)
}

func jobCaller(ctx context.Context, cause string) job.Caller {
	return job.Caller{Actor: actorOf(ctx), Cause: cause}
}

// followed is a run that a call waits for, with its progress for a client that asked for it.
func followed(ctx context.Context, kind, id string, seconds int) job.Follow {
	f := job.Follow{RunID: id, Kind: kind, Wait: time.Duration(seconds) * time.Second}
	if report := tool.Progress(ctx); report != nil {
		fraction, message := 0.0, ""
		f.Progress = func(p sdk.Progress) {
			fraction, message = job.Fraction(fraction, p)
			report(fraction, message)
		}
	}
	return f
}

// awaited returns a run that began, after waiting for its end.
func (c Config) awaited(ctx context.Context, s job.Status, seconds int, err error) (job.Status, error) {
	if err != nil || seconds == 0 {
		return s, err
	}
	return c.Jobs.Status(ctx, followed(ctx, s.Kind, s.RunID, seconds))
}
