package semanticquery

import (
	"sync"

	"github.com/loam-data/loam/host/internal/query"
)

// The stages of a query, as fractions of it.
const (
	fractionCompiling  = 0
	fractionGenerating = 0.3
	fractionExecuting  = 0.6
	fractionDone       = 1
)

// progress passes on reports whose fraction grows, and drops the others.
// Concurrency: any goroutine.
type progress struct {
	mu     sync.Mutex
	report func(fraction float64, message string) // nil = nobody asked, or over
	last   float64
}

func newProgress(report func(float64, string)) *progress {
	return &progress{report: report, last: -1}
}

// send reports one at a time and in order.
func (p *progress) send(fraction float64, message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.report == nil || fraction <= p.last {
		return
	}
	p.last = fraction
	p.report(fraction, message)
}

// ofExecution receives the progress of the statement and reports what is done of its
// execution, but for its end; nil when nobody asked.
func (p *progress) ofExecution() func(fraction float64, message string) {
	if p.report == nil {
		return nil
	}
	return func(fraction float64, message string) {
		if done := query.Executed(fraction); done > 0 && done < 1 {
			p.send(fractionExecuting+(fractionDone-fractionExecuting)*done, message)
		}
	}
}

// stop drops every later report.
func (p *progress) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.report = nil
}
