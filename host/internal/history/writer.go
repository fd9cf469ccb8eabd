package history

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/loam-data/loam/host/internal/store"
	"github.com/loam-data/loam/sdk/dialect"
)

const (
	// gather is the time in which calls are collected for one transaction, because each
	// transaction costs a write to disk.
	gather = 200 * time.Millisecond
	// writeTimeout bounds one transaction, including the wait for other processes.
	writeTimeout = 15 * time.Second
	// lastTimeout bounds the writes of Close.
	lastTimeout = 5 * time.Second
	// The wait before a failed write is repeated doubles from firstRetry to lastRetry.
	firstRetry = time.Second
	lastRetry  = 30 * time.Second
	// pruneEvery is the longest time between deletions of old calls while calls are written.
	pruneEvery = time.Hour
	// logEvery is the shortest time between equal log lines.
	logEvery = time.Minute
)

// writer is the state of the goroutine that writes.
type writer struct {
	recorder *Recorder
	settings Settings
	batch    []Call                       // taken from the queue and not written yet
	dialects map[string][]dialect.Dialect // of the connections of the batch
	gaps     []store.CallGap
	shapes   shapes

	written    int // calls since pruned
	pruned     time.Time
	logged     time.Time // when a failure or lost calls were logged last
	loggedLost int64
}

func (w *writer) run() {
	defer close(w.recorder.ended)
	retry := firstRetry
	for w.recorder.alive.Err() == nil {
		if len(w.batch)+len(w.gaps) == 0 {
			select {
			case <-w.recorder.ring:
			case <-w.recorder.alive.Done():
				continue
			}
			w.wait(gather)
		}
		if err := w.writeAll(w.recorder.writing); err != nil {
			w.failed(err)
			w.wait(retry)
			retry = min(2*retry, lastRetry)
			continue
		}
		retry = firstRetry
	}
	w.last()
}

// wait waits for d, or until the writer must stop.
func (w *writer) wait(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-w.recorder.alive.Done():
	}
}

// writeAll writes all queued calls and gaps. After an error, those of the failed write stay in
// batch and gaps.
func (w *writer) writeAll(ctx context.Context) error {
	for w.take() {
		if err := w.put(ctx); err != nil {
			return err
		}
	}
	return nil
}

// take fills the batch and the gaps, and reports whether there is something to write.
func (w *writer) take() bool {
	w.recorder.mu.Lock()
	defer w.recorder.mu.Unlock()
	w.batch = w.recorder.queue.take(w.batch, maxBatch-len(w.batch))
	for _, g := range w.recorder.lost {
		w.gaps = append(w.gaps, *g)
	}
	clear(w.recorder.lost)
	w.merge()
	return len(w.batch)+len(w.gaps) > 0
}

// merge merges the gaps of each reason, so that a broken store does not fill memory.
func (w *writer) merge() {
	slices.SortStableFunc(w.gaps, func(a, b store.CallGap) int {
		return cmp.Or(strings.Compare(a.Reason, b.Reason), a.From.Compare(b.From))
	})
	var merged []store.CallGap
	for _, g := range w.gaps {
		if n := len(merged); n > 0 && merged[n-1].Reason == g.Reason {
			last := &merged[n-1]
			last.Calls += g.Calls
			if g.Until.After(last.Until) {
				last.Until = g.Until
			}
			continue
		}
		merged = append(merged, g)
	}
	w.gaps = merged
}

// put writes the batch and the gaps, and clears them.
func (w *writer) put(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	if s, err := w.recorder.config.Settings(ctx); err == nil { // with a broken project file the last settings stay
		w.settings = s
	}
	if w.settings.Off {
		w.batch, w.gaps = w.batch[:0], nil
		return nil
	}
	state, err := w.recorder.config.Store(ctx)
	if err != nil {
		return err
	}
	w.dialects = map[string][]dialect.Dialect{}
	rows := make([]store.Call, len(w.batch))
	for i := range w.batch {
		rows[i] = w.row(&w.batch[i])
	}
	if err := state.PutCalls(ctx, rows, w.gaps); err != nil {
		return err
	}
	w.wrote(len(rows))
	return w.prune(ctx, state)
}

func (w *writer) dialectsOf(connection string) []dialect.Dialect {
	known, ok := w.dialects[connection]
	if !ok {
		known = w.recorder.config.Dialects(connection)
		w.dialects[connection] = known
	}
	return known
}

// wrote updates the counters after a write, and clears the batch.
func (w *writer) wrote(calls int) {
	w.recorder.mu.Lock()
	broken := w.recorder.failure != nil
	w.recorder.failure = nil
	w.recorder.stats.Recorded += int64(calls)
	w.recorder.mu.Unlock()
	clear(w.batch)
	w.batch, w.gaps = w.batch[:0], nil
	w.written += calls
	if broken {
		w.recorder.config.Logger.Info("the history of calls is written again")
	}
	w.logLost()
}

// prune deletes old calls after one hundredth of Settings.Rows calls, or pruneEvery, whichever
// comes first.
func (w *writer) prune(ctx context.Context, state Store) error {
	now := w.recorder.config.Now()
	if w.written < max(1, w.settings.Rows/100) && now.Sub(w.pruned) < pruneEvery {
		return nil
	}
	if err := state.PruneCalls(ctx, store.Retention{Since: now.Add(-w.settings.Keep), Rows: w.settings.Rows}); err != nil {
		return err
	}
	w.written, w.pruned = 0, now
	return nil
}

// failed records a failed write, and logs it at most once in logEvery.
func (w *writer) failed(err error) {
	w.recorder.mu.Lock()
	w.recorder.failure = err
	waiting, lost := w.recorder.queue.calls+len(w.batch), w.recorder.stats.Lost
	w.recorder.mu.Unlock()
	if now := w.recorder.config.Now(); now.Sub(w.logged) >= logEvery && !errors.Is(err, context.Canceled) {
		w.logged = now
		w.recorder.config.Logger.Warn("the history of calls cannot be written; calls go on", "error", err, "waiting", waiting, "lost", lost)
	}
}

// logLost logs the number of lost calls, at most once in logEvery.
func (w *writer) logLost() {
	lost := w.recorder.Stats().Lost
	if now := w.recorder.config.Now(); lost > w.loggedLost && now.Sub(w.logged) >= logEvery {
		w.recorder.config.Logger.Warn("calls are missing in the history", "calls", lost-w.loggedLost)
		w.logged, w.loggedLost = now, lost
	}
}

// last writes the remaining calls when the host ends. If that fails, it counts and logs them
// as lost.
func (w *writer) last() {
	ctx, cancel := context.WithTimeout(w.recorder.writing, lastTimeout)
	defer cancel()
	err := w.writeAll(ctx)
	if err == nil {
		return
	}
	w.recorder.mu.Lock()
	w.recorder.failure = err
	missing := w.recorder.queue.calls + len(w.batch)
	w.recorder.stats.Lost += int64(missing)
	lost := w.recorder.stats.Lost
	w.recorder.queue = queue{}
	w.recorder.mu.Unlock()
	w.recorder.config.Logger.Error("the history of the last calls is lost", "error", err, "calls", missing, "lost_in_all", lost)
}
