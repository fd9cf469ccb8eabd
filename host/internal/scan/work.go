package scan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/sdk"
)

const (
	// perColumn is added to the connection's time-out of a statement for each
	// column of a table: a profile is one query per column.
	perColumn = time.Second
	// maxLost is how many tables in a row may fail because the warehouse cannot be
	// reached before the others are not tried.
	maxLost = 3
	// maxStreams is what a connector takes that says nothing.
	maxStreams = 8
)

// work profiles the tables of a queue.
func (j *job) work(ctx context.Context, queue []unprofiled, kept int) error {
	budget := j.settings.ProfileBudget
	limited, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	n := min(j.workers(), len(queue))
	w := &work{job: j, queue: queue, stop: cancel, outlook: outlook{begun: j.service.Now(), budget: budget}}
	for i := range queue {
		w.outlook.all += queue[i].cost()
	}
	j.progress.report(sdk.Progress{
		Phase: phaseProfiles, Total: int64(len(queue)), Unit: unitTables,
		Message: fmt.Sprintf("%d kept, for at most %s, %d at once", kept, short(budget), n),
	})
	var workers sync.WaitGroup
	for range n {
		workers.Go(func() { w.run(limited) })
	}
	workers.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if w.failed != nil {
		return w.failed
	}
	j.result.Profiled, j.result.LeftOut = w.profiled, w.left
	if w.left == 0 {
		return nil
	}
	why, command := fmt.Sprintf("the time for profiles (%s) was over", short(budget)), fmt.Sprintf("loam scan %s --budget %s", j.warehouse.ID, short(2*budget))
	if w.poor {
		why, command = fmt.Sprintf("the bytes that the scan may read (scan.max_bytes, %s) were used up", j.purse), fmt.Sprintf("loam scan %s, with a higher scan.max_bytes in loam.yaml", j.warehouse.ID)
	}
	if w.lost >= maxLost {
		why, command = "the warehouse could not be reached any more", fmt.Sprintf("loam connection test %s, then loam scan %s", j.warehouse.ID, j.warehouse.ID)
	}
	j.warnings.add(sdk.Warning{Code: codeBudget, Message: fmt.Sprintf("%s: %d of %s were left out and come first in the next scan: run %s",
		why, w.left, plural(len(queue), "table"), command)})
	return nil
}

// workers returns how many tables are profiled at once: what the connection
// allows, but for one statement of somebody else's.
func (j *job) workers() int {
	if j.purse.limit > 0 { // each may take all that is left
		return 1
	}
	limit := j.description.Capabilities.MaxStreams
	if limit <= 0 {
		limit = maxStreams
	}
	return max(1, min(limit, j.warehouse.Limits.OrDefault().Concurrency)-1)
}

// short writes a time without the parts that are zero.
func short(d time.Duration) string { return connection.ShortDuration(d) }

// work is a queue that several workers take from.
type work struct {
	job   *job
	queue []unprofiled
	stop  context.CancelFunc

	mu       sync.Mutex
	next     int
	done     int64
	profiled int
	left     int
	poor     bool  // the bytes of the scan are used up
	lost     int   // failures to reach the warehouse in a row
	failed   error // what ended everything
	outlook  outlook
	running  []sdk.TableRef // the longest first
}

// take returns the next table; nil when there is none, or no more time.
func (w *work) take(ctx context.Context) *unprofiled {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.next == len(w.queue) {
		return nil
	}
	_, over := w.job.purse.left()
	if over {
		w.poor = true
	}
	if ctx.Err() != nil || over || w.lost >= maxLost || w.failed != nil {
		w.left += len(w.queue) - w.next
		w.next = len(w.queue)
		return nil
	}
	w.next++
	one := &w.queue[w.next-1]
	w.running = append(w.running, one.ref)
	w.report()
	return one
}

// report says how far the queue is.
func (w *work) report() {
	p := Progress{Left: w.outlook.left(w.job.service.Now())}
	p.Progress = sdk.Progress{Phase: phaseProfiles, Done: w.done, Total: int64(len(w.queue)), Unit: unitTables}
	for _, ref := range w.running {
		p.Running = append(p.Running, catalog.Display(ref))
	}
	w.job.progress.forecast(p)
}

func (w *work) run(ctx context.Context) {
	for one := w.take(ctx); one != nil; one = w.take(ctx) {
		err := w.table(ctx, one)
		w.settle(ctx, one, err)
	}
}

// settle counts what became of a table.
func (w *work) settle(ctx context.Context, one *unprofiled, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	kind := sdk.KindOf(err)
	host, ours := errors.AsType[*hostError](err)
	switch {
	case err == nil:
		w.profiled++
		w.lost = 0
	case ours:
		w.failed = host.err
		w.stop()
	case ctx.Err() != nil: // the time was over, or the scan is
		w.left++
	default:
		if kind == sdk.KindUnavailable || kind == sdk.KindUnauthenticated {
			w.lost++
		} else {
			w.lost = 0
		}
		w.job.warnings.add(failedProfile(one.ref, err))
	}
	w.done++
	w.outlook.done += one.cost()
	w.running = slices.DeleteFunc(w.running, func(ref sdk.TableRef) bool { return ref == one.ref })
	w.report()
}

func failedProfile(ref sdk.TableRef, err error) sdk.Warning {
	e := sdk.AsError(err, sdk.SourceConnector)
	message := "it has no new profile: " + e.Error()
	if e.Kind == sdk.KindNotFound {
		message = "it was there when the scan began, but not when it was to be profiled: " + e.Error()
	}
	return sdk.Warning{Object: catalog.Display(ref), Code: codeProfile, Message: message}
}

// hostError is a failure that is not one table's.
type hostError struct{ err error }

func (e *hostError) Error() string { return e.err.Error() }
func (e *hostError) Unwrap() error { return e.err }

// table profiles one table and adds what may be kept to the snapshot.
func (w *work) table(ctx context.Context, one *unprofiled) error {
	timeout := w.job.warehouse.Limits.OrDefault().Timeout + time.Duration(one.columns)*perColumn
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	req := sdk.ProfileRequest{
		Table: one.ref, MaxValues: w.job.settings.ValuesPerColumn, TopValues: evidence, Quantiles: quantiles, SketchSize: sketchSize,
		Limits: sdk.Limits{Timeout: timeout},
	}
	req.MaxBytesScanned, _ = w.job.purse.left()
	if !w.job.settings.WithholdRows {
		req.SampleRows = sampleRows
	}
	c, err := w.ask(ctx, &req)
	if sdk.KindOf(err) == sdk.KindLimit && req.SampleRows > 0 { // a cell is too large for a row
		req.SampleRows = 0
		c, err = w.ask(ctx, &req)
	}
	if err != nil {
		return err
	}
	if c.cut {
		w.job.warnings.add(sdk.Warning{Object: c.table, Code: codeValues, Message: "its values are so many that of some columns only the most frequent ones are kept"})
	}
	p := &catalog.Profile{At: w.job.service.Now().UTC(), Stats: c.stats}
	if !w.job.settings.WithholdRows {
		p.Sampled, p.Cells = true, c.sample.cells
	}
	return w.keep(one.ref, p, c.partial)
}

// ask has the warehouse profile a table.
func (w *work) ask(ctx context.Context, req *sdk.ProfileRequest) (*collector, error) {
	c := &collector{job: w.job, table: catalog.Display(req.Table), values: req.MaxValues, partial: map[string]bool{}}
	err := w.job.with(ctx, func(session sdk.Session) error {
		profiler, ok := session.(sdk.Profiler)
		if !ok {
			return sdk.Errorf(sdk.KindUnsupported, sdk.SourceConnector, "the connector says that it makes profiles, but its session does not").
				WithHint("report this to the connector's author")
		}
		err := profiler.Profile(ctx, *req, c)
		w.job.purse.pay(c.Sample().Summary())
		return err
	})
	if err != nil {
		return nil, err
	}
	return c, c.end()
}

// keep adds a profile to the snapshot without what is not to be kept.
func (w *work) keep(ref sdk.TableRef, p *catalog.Profile, partial map[string]bool) error {
	t, err := w.job.writer.Read(ref)
	if err != nil {
		return &hostError{err}
	}
	w.mu.Lock()
	w.job.rules.Protect(&t.Table, p)
	w.mu.Unlock()
	cutCells(p)
	trim(&t.Table, p, partial, min(topValues, w.job.settings.ValuesPerColumn))
	err = w.job.writer.Profile(ref, p)
	if err != nil && sdk.KindOf(err) != sdk.KindLimit {
		return &hostError{err}
	}
	return err
}

// trim keeps whole lists of texts and booleans only, for nobody looks a number or a
// moment up among a thousand, and of partial lists so many values.
func trim(t *sdk.Table, p *catalog.Profile, partial map[string]bool, most int) {
	types := make(map[string]sdk.Type, len(t.Columns))
	for i := range t.Columns {
		types[t.Columns[i].Name] = t.Columns[i].Type
	}
	for i := range p.Stats {
		s := &p.Stats[i]
		if typ := types[s.Column]; typ != sdk.TypeText && typ != sdk.TypeBool && len(s.Values) > topValues {
			s.Values, s.Counts, s.ValuesComplete = s.Values[:topValues], s.Counts[:topValues], false
		}
		if partial[s.Column] && len(s.Values) > most {
			s.Values, s.Counts, s.ValuesComplete = s.Values[:most], s.Counts[:most], false
		}
	}
}
