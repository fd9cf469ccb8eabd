package conform

import (
	"context"
	"fmt"
	"os"
	"time"
)

// Options are how Examine runs checks.
type Options struct {
	// Select chooses checks by their group and name; nil = all.
	Select func(group, check string) bool
	// CheckLimit bounds one check, and Limit all of them; 0 = no bound.
	CheckLimit, Limit time.Duration
	// Started is called before the checks of a group run, and Ended with their
	// results; nil = nobody is told.
	Started func(group string, checks int)
	Ended   func(group string, results []Result)
}

// Examine is Run without a test: it returns the result of every check. A check that
// Select leaves out, or that a limit or the end of ctx kept from running, is NotRun.
// Errors are results too; a Target with a fault in itself has one in group
// "target".
func Examine(ctx context.Context, target Target, options Options) []Result {
	if options.Limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, options.Limit)
		defer cancel()
	}
	e := &examination{ctx: ctx, options: options}
	for _, problem := range target.problems() {
		e.keep(Result{Group: "target", Check: "complete", Outcome: Failed, Reason: problem})
	}
	for _, mode := range target.modes() {
		target.examine(e, mode, options)
	}
	return e.results
}

// examination keeps results in a list.
type examination struct {
	ctx     context.Context //nolint:containedctx // of one call of Examine
	options Options
	results []Result
}

func (e *examination) part(_ string, f func(examiner)) { f(e) }
func (e *examination) context() context.Context        { return e.ctx }
func (e *examination) keep(result Result)              { e.results = append(e.results, result) }

// examine runs the checks of one mode.
func (t *Target) examine(in examiner, mode Mode, options Options) {
	r := newRun(t, mode)
	r.checkLimit = options.CheckLimit
	defer func() {
		r.close(func(format string, args ...any) {
			in.keep(r.result("target", "close", Failed, fmt.Sprintf(format, args...)))
		})
	}()
	for _, g := range r.groups() {
		in.part(g.name, func(in examiner) {
			var results []Result
			selected := 0
			for _, c := range g.checks {
				if t.selects(options, g.name, c.name) {
					selected++
				}
			}
			if selected > 0 && options.Started != nil {
				options.Started(g.name, selected)
			}
			for _, c := range g.checks {
				in.part(c.name, func(in examiner) {
					result, hangs := r.outcomeOf(in.context(), g.name, c, options)
					if hangs { // it keeps the run, and may still change it
						r.abandon()
						r = newRun(t, mode)
						r.checkLimit = options.CheckLimit
					}
					results = append(results, result)
					in.keep(result)
				})
			}
			if selected > 0 && options.Ended != nil {
				options.Ended(g.name, results)
			}
		})
	}
}

// selects reports whether a check is asked for and can be run.
func (t *Target) selects(options Options, group, check string) bool {
	return (options.Select == nil || options.Select(group, check)) && (!t.Offline || offline[group+"/"+check])
}

// outcomeOf returns the result of a check, which may not run. hangs: the check goes on.
func (r *run) outcomeOf(ctx context.Context, group string, c check, options Options) (result Result, hangs bool) {
	notRun := func(class Class, reason string) Result {
		result := r.result(group, c.name, NotRun, reason)
		result.Class = class
		return result
	}
	switch {
	case !r.target.selects(options, group, c.name):
		return notRun(NotSelected, "not selected, or it needs a connection"), false
	case ctx.Err() != nil:
		return notRun(OutOfTime, "the run was ended before it"), false
	case r.dead != "":
		return notRun(OutOfTime, "the connector does not start"), false
	}
	return r.prove(ctx, group, c)
}

// abandon ends the programs of a run that a check still holds.
func (r *run) abandon() {
	r.restore()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, child := range r.children {
		_ = child.Kill(context.Background()) // it may be gone
		_ = os.RemoveAll(child.sockets)
	}
}
