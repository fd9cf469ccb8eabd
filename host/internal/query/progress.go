package query

import (
	"fmt"
	"sync"

	"github.com/loam-data/loam/sdk"
)

// The stages of a statement, as fractions of it.
const (
	fractionValidating = 0
	fractionExecuting  = 0.3
	fractionFetched    = 0.95 // the most that a connector's own report reaches
	fractionDone       = 1
)

// Executed converts a fraction of Request.Progress to the fraction of the
// execution alone; 0 before its start.
func Executed(fraction float64) float64 {
	return max(0, fraction-fractionExecuting) / (fractionDone - fractionExecuting)
}

// unknownStep is how much of the way left to fractionFetched a report without
// a total moves the bar: it shows life and never arrives.
const unknownStep = 0.05

// Progress forwards reports with growing fractions, one at a time, and drops the
// others.
// Concurrency: any goroutine.
type Progress struct {
	mu     sync.Mutex
	report func(fraction float64, message string) // nil = no reports, or over
	last   float64
}

// NewProgress forwards to report; nil = nobody receives reports.
func NewProgress(report func(fraction float64, message string)) *Progress {
	return &Progress{report: report, last: -1}
}

// Asked reports whether reports are received.
func (p *Progress) Asked() bool { return p.report != nil }

// Send forwards a report.
func (p *Progress) Send(fraction float64, message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.send(fraction, message)
}

// end sends the last report. Later ones are dropped.
func (p *Progress) end(rows int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.report != nil {
		p.send(fractionDone, fmt.Sprintf("Fetched %d rows", rows))
	}
	p.report = nil
}

// Stop drops every later report.
func (p *Progress) Stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.report = nil
}

// connector maps a connector's report into the executing stage.
func (p *Progress) connector(c sdk.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.report == nil || p.last < fractionExecuting {
		return
	}
	fraction := p.last + (fractionFetched-p.last)*unknownStep
	if c.Total > 0 {
		share := float64(min(max(c.Done, 0), c.Total)) / float64(c.Total)
		fraction = fractionExecuting + (fractionFetched-fractionExecuting)*share
	}
	p.send(fraction, progressMessage(c))
}

// send runs under the lock, so that reports arrive one at a time and in order.
func (p *Progress) send(fraction float64, message string) {
	if p.report == nil || fraction <= p.last {
		return
	}
	p.last = fraction
	p.report(fraction, message)
}

func progressMessage(c sdk.Progress) string {
	phase := c.Phase
	if phase == "" {
		phase = "Executing"
	}
	switch {
	case c.Message != "":
		return c.Message
	case c.Unit != "" && c.Total > 0:
		return fmt.Sprintf("%s: %d of %d %s", phase, c.Done, c.Total, c.Unit)
	case c.Unit != "" && c.Done > 0:
		return fmt.Sprintf("%s: %d %s", phase, c.Done, c.Unit)
	default:
		return phase
	}
}
