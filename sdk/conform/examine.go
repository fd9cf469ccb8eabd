package conform

import (
	"context"
	"fmt"
	"os"
	"time"
)

// Options are the options of Examine.
type Options struct {
	// Select chooses checks by their group and name; nil = all.
	Select func(group, check string) bool
	// CheckLimit bounds one check, and Limit all of them; 0 = no bound.
	CheckLimit, Limit time.Duration
	// Started is called before the selected checks of a group, Ended after them with all results
	// of the group; groups without selected checks are left out. nil = no call.
	Started func(group string, checks int)
	Ended   func(group string, results []Result)
}

// Examine runs the checks like Run, but without a test, and returns the result of every check in
// every mode. A check that Select leaves out, or that did not start before a limit or the end of
// ctx, is NotRun.
// Errors: none; an invalid Target has results in the group "target", and the checks still run.
// Concurrency: one call at a time per process: it replaces slog's default logger.
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

// examination is the examiner of Examine: it collects results in a list.
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

// selects reports whether the options include a check, and the target can run it.
func (t *Target) selects(options Options, group, check string) bool {
	return (options.Select == nil || options.Select(group, check)) && (!t.Offline || offline[group+"/"+check])
}

// outcomeOf returns the result of a check. hangs reports that its goroutine still runs.
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

// abandon kills the programs of a run of which a check still hangs.
func (r *run) abandon() {
	r.restore()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, child := range r.children {
		_ = child.Kill(context.Background()) // it may be gone
		_ = os.RemoveAll(child.sockets)
	}
}
