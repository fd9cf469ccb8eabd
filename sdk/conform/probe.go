package conform

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/loam-data/loam/sdk"
)

// Bounds on the time of what a check does.
const (
	patience  = 4 * time.Minute        // for a call that should return
	startTime = 2 * time.Minute        // until a statement is visible in the engine
	pollEvery = 20 * time.Millisecond  // between queries of the engine's state
	graceTime = 500 * time.Millisecond // for scheduling on a busy machine
	endTime   = 5 * time.Second        // for a check to end after its limit
	quickEnd  = 2 * time.Second        // from a cancel to the end in the engine; longer is a remark
)

// Pace sets the times of the checks, for a slow or a fast engine.
type Pace struct {
	Deadline time.Duration // of statements that must time out; 0 = 1 s
	Settle   time.Duration // within which a cancelled or closed thing must have ended; 0 = 1 min
}

var standardPace = Pace{Deadline: time.Second, Settle: time.Minute}

// probe is the state of one running check: it collects its findings.
// Concurrency: errorf, note, remark and watch may be called from several goroutines; fatalf and
// skipf only from one that guarded runs.
type probe struct {
	run *run
	ctx context.Context

	mu       sync.Mutex
	findings []Finding
	asked    string // the last statement
	remarks  []string
	cleanup  []func() // last first
	class    Class    // of the skip
}

// stop is the panic value that ends a check. skipped is the reason of a skip; "" = the check failed.
type stop struct{ skipped string }

// errorf adds a finding, with the last statement.
func (p *probe) errorf(format string, args ...any) {
	p.note(Finding{Text: fmt.Sprintf(format, args...)})
}

// note adds a finding; at most 20 are kept.
func (p *probe) note(f Finding) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f.Statement == "" {
		f.Statement = p.asked
	}
	const most = 20
	if len(p.findings) == most {
		p.findings = append(p.findings, Finding{Text: "…"})
	}
	if len(p.findings) < most {
		p.findings = append(p.findings, f)
	}
}

// asks records the statement of the findings that follow.
func (p *probe) asks(sql string) {
	const longest = 2000
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = strings.ToValidUTF8(sql[:min(len(sql), longest)], "\uFFFD")
}

func (p *probe) fatalf(format string, args ...any) {
	p.errorf(format, args...)
	panic(stop{})
}

// defers calls f when the check is over.
func (p *probe) defers(f func()) { p.cleanup = append(p.cleanup, f) }

// undeclared skips a check of something that the connector does not declare.
func (p *probe) undeclared(format string, args ...any) {
	p.class = Undeclared
	panic(stop{skipped: fmt.Sprintf(format, args...)})
}

// ability returns the shared session as the interface of a declared capability. what is the
// capability with its verb, for messages: "plans are".
func ability[T any](p *probe, declared bool, what string) T {
	session := p.shareSession()
	if !declared {
		p.undeclared("%s not declared", what)
	}
	able, ok := session.(T)
	if !ok {
		p.fatalf("%s declared, but not implemented", what)
	}
	return able
}

// skipf skips a check that does not apply.
func (p *probe) skipf(format string, args ...any) {
	p.class = NotApplicable
	panic(stop{skipped: fmt.Sprintf(format, args...)})
}

// remark adds information that is not a failure.
func (p *probe) remark(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.remarks = append(p.remarks, fmt.Sprintf(format, args...))
}

// prove runs one check. hangs reports that it did not end, and that its goroutine still runs.
func (r *run) prove(ctx context.Context, group string, c check) (result Result, hangs bool) {
	if class, reason := r.target.skipped(group, c.name); class != "" {
		result := r.skip(group, c.name, class, reason)
		result.Dropped = group == "read_only" && r.target.harmless(c.name)
		return result, false
	}
	p := &probe{run: r, ctx: ctx}
	skipped, hangs := p.bounded(r.checkLimit, func() string {
		skipped := p.guarded(func() { c.prove(p) })
		for _, f := range slices.Backward(p.cleanup) {
			p.guarded(f)
		}
		return skipped
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case len(p.findings) > 0:
		return r.failure(group, c.name, slices.Clone(p.findings)), hangs
	case skipped != "":
		return r.skip(group, c.name, p.class, skipped), false
	default:
		return r.result(group, c.name, OK, strings.Join(p.remarks, "\n")), false
	}
}

// bounded runs a check for at most limit; 0 = without a limit. After limit the check's context
// ends; if the check does not end then, its goroutine is left running.
func (p *probe) bounded(limit time.Duration, check func() string) (skipped string, hangs bool) {
	if limit == 0 {
		return check(), false
	}
	whole := p.ctx
	ctx, cancel := context.WithTimeout(whole, limit)
	defer cancel()
	p.ctx = ctx
	done := make(chan string, 1)
	go func() { done <- check() }()
	select {
	case skipped = <-done:
	case <-ctx.Done():
		timer := time.NewTimer(endTime)
		defer timer.Stop()
		select {
		case skipped = <-done:
		case <-timer.C:
			hangs = true
		}
	}
	switch {
	case whole.Err() != nil:
		p.errorf("the run was ended during the check")
	case ctx.Err() != nil:
		p.errorf("the check did not end within %s", limit)
	}
	return skipped, hangs
}

// guarded calls f, and recovers fatalf, skipf and panics of the connector, which become findings.
func (p *probe) guarded(f func()) (skipped string) {
	defer func() {
		switch reason := recover().(type) {
		case nil:
		case stop:
			skipped = reason.skipped
		default:
			p.errorf("panic: %v\n%s", reason, debug.Stack())
		}
	}()
	f()
	return ""
}

// within calls f, and fails the check if f does not return within limit: a connector that hangs
// must fail a check, not the run. The variables of f must not be read then.
func (p *probe) within(limit time.Duration, what string, f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.guarded(f)
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	ended := make(chan struct{})
	defer context.AfterFunc(p.ctx, func() { time.AfterFunc(graceTime, func() { close(ended) }) })()
	select {
	case <-done:
		if p.failed() {
			panic(stop{})
		}
	case <-ended: // and f has the same context
		p.fatalf("%s did not come back", what)
	case <-timer.C:
		p.fatalf("%s did not come back within %s", what, limit)
	}
}

func (p *probe) failed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.findings) > 0
}

// eventually calls ask until it returns true, for at most limit.
func (p *probe) eventually(limit time.Duration, ask func(context.Context) (bool, error)) bool {
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		// A call of ask that began before the limit may end after it.
		yes, err := ask(p.ctx)
		if err != nil {
			p.fatalf("looking into the engine: %v", err)
		}
		if yes {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
	}
}

// kind returns the kind of an error, and checks its text for secrets.
func (p *probe) kind(err error) sdk.Kind {
	if err == nil {
		return ""
	}
	p.watchError(err)
	return sdk.AsError(err, sdk.SourceConnector).Kind
}

// want checks that an error has one of the kinds, a text and a source. It returns the error.
func (p *probe) want(what string, err error, kinds ...sdk.Kind) *sdk.Error {
	if err == nil {
		p.note(Finding{Text: fmt.Sprintf("%s: no error, want %s", what, kindList(kinds)), Wanted: kindList(kinds), Got: "no error"})
		return &sdk.Error{}
	}
	kind := p.kind(err)
	if !slices.Contains(kinds, kind) {
		p.note(Finding{
			Text:   fmt.Sprintf("%s: got kind %s, want %s: %v", what, kind, kindList(kinds), err),
			Wanted: kindList(kinds), Got: string(kind),
		})
	}
	e, ok := errors.AsType[*sdk.Error](err)
	if !ok { // a context's own error says enough
		return sdk.AsError(err, sdk.SourceConnector)
	}
	if strings.TrimSpace(e.Error()) == "" {
		p.errorf("%s: the error has no text", what)
	}
	switch e.Source {
	case sdk.SourceCaller, sdk.SourceHost, sdk.SourceConnector, sdk.SourceWarehouse:
	default:
		p.errorf("%s: source %q is none of caller, host, connector and warehouse", what, e.Source)
	}
	return e
}

func kindList(kinds []sdk.Kind) string {
	words := make([]string, len(kinds))
	for i, k := range kinds {
		words[i] = string(k)
	}
	return strings.Join(words, " or ")
}

// must fails and ends the check if there is an error.
func (p *probe) must(what string, err error) {
	if err != nil {
		p.watchError(err)
		p.fatalf("%s: %v", what, err)
	}
}

// require fails and ends the check if a field of the Target is missing.
func (p *probe) require(present bool, field string) {
	if !present {
		p.fatalf("%s is missing: set it, or name this check in %s with the reason", p.run.target.field(field), p.run.target.field("Skips"))
	}
}
