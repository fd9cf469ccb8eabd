package scan

import (
	"sync"
	"time"

	"github.com/loam-data/loam/sdk"
)

// The phases of a scan, in their order, as sdk.Progress names them; what the
// index reports has phases of its own.
const (
	phaseConnect       = "connecting"
	phaseTables        = "tables"
	phaseProfiles      = "profiles"
	phaseRelationships = "relationships"
	phaseCommit        = "writing"
)

// Progress is the progress of a scan.
type Progress struct {
	sdk.Progress
	// Left is the estimated remaining time of the phase; 0 = unknown.
	Left time.Duration
	// Running are the tables that are being profiled, the longest first.
	Running []string
}

// progress forwards reports, one at a time and in order.
// Concurrency: any goroutine.
type progress struct {
	mu      sync.Mutex
	forward func(Progress) // nil = no reports, or over
	last    sdk.Progress
}

func newProgress(forward func(Progress)) *progress { return &progress{forward: forward} }

// report forwards a report, unless an earlier one of the same phase was further.
func (p *progress) report(now sdk.Progress) { p.forecast(Progress{Progress: now}) }

// forecast forwards a report with what is known of the rest.
func (p *progress) forecast(now Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.forward == nil || now.Phase == p.last.Phase && now.Done < p.last.Done {
		return
	}
	p.last = now.Progress
	p.forward(now)
}

// stop drops every later report.
func (p *progress) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forward = nil
}
