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

// progress passes reports on, one at a time and in order.
// Concurrency: any goroutine.
type progress struct {
	mu   sync.Mutex
	tell func(sdk.Progress) // nil = nobody asked, or over
	last sdk.Progress
}

func newProgress(tell func(sdk.Progress)) *progress { return &progress{tell: tell} }

// report passes on what is not behind what was reported before of the same phase.
func (p *progress) report(now sdk.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tell == nil || now.Phase == p.last.Phase && now.Done < p.last.Done {
		return
	}
	p.last = now
	p.tell(now)
}

// stop drops every later report.
func (p *progress) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tell = nil
}
