package validation

import (
	"context"
	"fmt"
	"sync"

	"github.com/loam-data/loam/host/internal/query"
	"github.com/loam-data/loam/host/internal/semantic/binding"
	"github.com/loam-data/loam/sdk"
)

// maxLost is how many checks in a row may fail because the warehouse cannot be
// reached before the others are not tried.
const maxLost = 3

// task is a question to the data.
type task struct {
	// label says what is asked, for who waits.
	label string
	// blank is the check before it is asked.
	blank Check
	// ask returns what came of it; nil = blank is the answer.
	ask func(ctx context.Context) ([]Check, error)
	out []Check
}

// checkAll asks the warehouses, one after the other.
// Errors: the context's when it ends; what else goes wrong is a check's.
func checkAll(ctx context.Context, looks []*validation, progress *query.Progress) error {
	var all [][]*task
	total := 0
	for _, v := range looks {
		var tasks []*task
		if v.state != nil && v.dialect != nil {
			tasks = v.tasks(ctx)
		}
		all = append(all, tasks)
		total += len(tasks)
	}
	done := 0
	for i, v := range looks {
		w := &asking{tasks: all[i], settled: func(t *task) {
			done++
			progress.Send(fractionRead+(1-fractionRead)*float64(done)/float64(total+1), fmt.Sprintf("Checked %s (%d of %d)", t.label, done, total))
		}}
		w.run(ctx, v.workers())
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for _, t := range all[i] {
			v.report.Checks = append(v.report.Checks, t.out...)
		}
	}
	return nil
}

// tasks are the questions to a connection, in the order of the sources: what the
// engine takes, keys and joins, lists of values.
func (v *validation) tasks(ctx context.Context) (all []*task) {
	w := &withheld{validation: v}
	asked := map[string]bool{}
	for _, s := range v.sources {
		if t := v.expressionTask(ctx, s); t != nil {
			all = append(all, t)
		}
		all = append(all, v.claimTasks(s, w, asked)...)
		all = append(all, v.valuesTasks(s, w)...)
	}
	return all
}

// workers is how many statements run at once: what the connection allows, but for
// one of somebody else's.
func (v *validation) workers() int {
	limit := v.warehouse.Limits.OrDefault().Concurrency
	if most := v.known.Description.Capabilities.MaxStreams; most > 0 {
		limit = min(limit, most)
	}
	return max(1, limit-1)
}

// asking works on a connection's tasks.
type asking struct {
	tasks   []*task
	settled func(*task)

	mu   sync.Mutex
	next int
	lost int // failures to reach the warehouse in a row
}

// run returns when every task is settled, or none is under way and the context has
// ended.
func (a *asking) run(ctx context.Context, workers int) {
	var all sync.WaitGroup
	for range min(workers, len(a.tasks)) {
		all.Go(func() {
			for t := a.take(); t != nil && ctx.Err() == nil; t = a.take() {
				err := a.ask(ctx, t)
				a.settle(t, err)
			}
		})
	}
	all.Wait()
}

func (a *asking) take() *task {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.next == len(a.tasks) {
		return nil
	}
	a.next++
	return a.tasks[a.next-1]
}

func (a *asking) ask(ctx context.Context, t *task) (err error) {
	a.mu.Lock()
	lost := a.lost >= maxLost
	a.mu.Unlock()
	switch {
	case t.ask == nil:
		t.out = []Check{t.blank}
	case lost:
		err := sdk.Errorf(sdk.KindUnavailable, sdk.SourceWarehouse, "the warehouse could not be reached before, so it was not asked")
		t.out = []Check{failed(t.blank, t.label, err)}
	default:
		if t.out, err = t.ask(ctx); err != nil {
			t.out = []Check{failed(t.blank, t.label, err)}
		}
	}
	return err
}

func (a *asking) settle(t *task, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch kind := sdk.KindOf(err); {
	case kind == sdk.KindUnavailable || kind == sdk.KindUnauthenticated:
		a.lost++
	case t.ask != nil && a.lost < maxLost:
		a.lost = 0
	}
	a.settled(t)
}

// failed is a check that could not be asked, in the engine's words.
func failed(c Check, label string, err error) Check {
	c.Status, c.Severity = CheckFailed, binding.SeverityError
	c.Message = label + " could not be checked: " + binding.Sentence(err)
	return c
}

// query runs a statement of a check.
func (v *validation) query(ctx context.Context, c *Check, maxRows int, row func(cells [][]byte) error) error {
	out, err := v.config.Query.Run(ctx, query.Request{Connection: v.warehouse.ID, SQL: c.SQL, MaxRows: maxRows, MaxBytes: -1}, each(row))
	c.ElapsedMS += out.Elapsed.Milliseconds()
	return err
}

// each receives the rows of a result, whatever its columns.
type each func(cells [][]byte) error

func (each) Columns([]sdk.Column) error { return nil }
func (e each) Row(cells [][]byte) error { return e(cells) }
