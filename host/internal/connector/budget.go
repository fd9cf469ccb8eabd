package connector

import (
	"log/slog"
	"sync"
	"time"
)

// What one program may add to the host's log: so many bytes at once, and so many per second
// after that. A connector that logs every statement stays below it.
const (
	logBurst = 4 << 20
	logRate  = 256 << 10
)

// logBudget bounds what one program adds to the host's log. What is beyond it is dropped and counted.
// Concurrency: any number of goroutines.
type logBudget struct {
	log *slog.Logger
	now func() time.Time

	mu      sync.Mutex
	spent   float64 // bytes
	at      time.Time
	dropped int64 // lines since the last one that was logged
}

func newLogBudget(log *slog.Logger) *logBudget { return &logBudget{log: log, now: time.Now} }

// full reports whether a line of n bytes may not be logged, and counts it then.
func (b *logBudget) full(n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	b.spent = max(0, b.spent-now.Sub(b.at).Seconds()*logRate)
	b.at = now
	if b.spent+float64(n) <= logBurst {
		return false
	}
	b.dropped++
	return true
}

// take reports whether a line of n bytes may be logged. Before the first line after dropped ones it
// logs their number.
func (b *logBudget) take(n int) bool {
	if b.full(n) {
		return false
	}
	b.mu.Lock()
	b.spent += float64(n)
	b.mu.Unlock()
	b.report()
	return true
}

// report logs how many lines were dropped, if any.
func (b *logBudget) report() {
	b.mu.Lock()
	dropped := b.dropped
	b.dropped = 0
	b.mu.Unlock()
	if dropped > 0 {
		b.log.Warn("connector logs too much: lines were dropped", "lines", dropped)
	}
}
