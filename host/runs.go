package host

import (
	"time"

	"github.com/loam-data/loam/host/internal/run"
	"github.com/loam-data/loam/host/internal/token"
)

// newRuns makes the engine of the project's long work, whose memory exists. Nothing is opened before it is used.
func (a *application) newRuns() *run.Engine {
	return run.New(run.Config{
		State: string(a.own), Store: a.state, Queues: map[string]run.Queue{run.Ingest: a.remembered},
		Redact: func(text string) string { return token.Redact(a.scrubber.Scrub(text)) }, Now: time.Now, Logger: a.log,
	})
}
