package scan

import (
	"sync"

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

// progress forwards reports, one at a time and in order.
// Concurrency: any goroutine.
type progress struct {
	mu      sync.Mutex
	forward func(sdk.Progress) // nil = nobody asked, or over
	last    sdk.Progress
}

func newProgress(forward func(sdk.Progress)) *progress { return &progress{forward: forward} }

// report forwards a report, unless an earlier one of the same phase was further.
func (p *progress) report(now sdk.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.forward == nil || now.Phase == p.last.Phase && now.Done < p.last.Done {
		return
	}
	p.last = now
	p.forward(now)
}

// stop drops every later report.
func (p *progress) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forward = nil
}
