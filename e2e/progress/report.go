package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// leftOut begins the reason of a skip, or a log line, that names what a test leaves out
// with -short: make ci runs it.
const leftOut = "-short: "

const module = "github.com/loam-data/loam/"

// event is a line of go test -json.
type event struct {
	Action     string
	Package    string
	ImportPath string // of build-output and build-fail
	Test       string
	Elapsed    float64
	Output     string
}

type count struct{ passed, failed, skipped int }

func (c *count) add(o count) {
	c.passed += o.passed
	c.failed += o.failed
	c.skipped += o.skipped
}

func (c count) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", c.passed, c.failed, c.skipped)
}

// note is a skipped test, or what a test that ran left out.
type note struct{ pkg, test, reason string }

// running is a package whose tests have begun.
type running struct {
	start  time.Time
	count  count
	output map[string][]string // by test that has not passed; "" is the package's own
}

type report struct {
	out     io.Writer
	now     func() time.Time
	start   time.Time
	printed time.Time
	active  map[string]*running

	expected int // packages with tests
	packages int // ended
	total    count
	broken   []string // tests and packages that failed
	skips    []note
	left     []note
}

func newReport(out io.Writer, now func() time.Time) *report {
	return &report{out: out, now: now, start: now(), printed: now(), active: map[string]*running{}}
}

// expect announces a go test of n more packages.
func (r *report) expect(args string, n int) {
	r.expected += n
	if r := []rune(args); len(r) > 160 {
		args = string(r[:160]) + "…"
	}
	r.print("test: go test %s", args)
	r.print("test: %d packages; compiling first, which takes minutes without a build cache", n)
}

func (r *report) failed() bool { return len(r.broken) > 0 }

// events reports lines until the channel closes.
func (r *report) events(lines <-chan []byte, quiet time.Duration) {
	tick := time.NewTicker(quiet / 5)
	defer tick.Stop()
	for {
		select {
		case line, ok := <-lines:
			if !ok {
				r.unfinished()
				return
			}
			var e event
			if json.Unmarshal(line, &e) != nil {
				r.print("%s", strings.TrimSuffix(string(line), "\n")) // not of -json: an error of the go command
				continue
			}
			r.event(e)
		case <-tick.C:
			if r.now().Sub(r.printed) >= quiet {
				r.heartbeat()
			}
		}
	}
}

func (r *report) event(e event) {
	switch e.Action {
	case "build-output":
		r.print("%s", strings.TrimSuffix(e.Output, "\n"))
		return
	case "build-fail":
		return // the packages that need it fail
	}
	p := r.active[e.Package]
	if p == nil {
		p = &running{start: r.now(), output: map[string][]string{}}
		r.active[e.Package] = p
	}
	switch {
	case e.Action == "output":
		p.output[e.Test] = append(p.output[e.Test], e.Output)
		if e.Test != "" {
			r.leftOut(e)
		}
	case e.Test != "":
		r.test(p, e)
	case e.Action == "pass" || e.Action == "fail" || e.Action == "skip":
		r.end(p, e)
	}
}

// leftOut keeps what a test that runs logs as left to make ci; a skip is kept when it ends.
func (r *report) leftOut(e event) {
	if reason, ok := logged(e.Output); ok && strings.HasPrefix(reason, leftOut) {
		r.left = append(r.left, note{e.Package, e.Test, strings.TrimPrefix(reason, leftOut)})
	}
}

// logged returns what a test logged in a line of output: "    file_test.go:12: text".
func logged(line string) (string, bool) {
	position, text, ok := strings.Cut(strings.TrimSpace(line), ": ")
	return text, ok && strings.Contains(position, ".go:") && !strings.Contains(position, " ")
}

func (r *report) test(p *running, e event) {
	switch e.Action {
	case "pass":
		p.count.passed++
		delete(p.output, e.Test)
	case "skip":
		p.count.skipped++
		reason := "no reason"
		for _, line := range p.output[e.Test] {
			if text, ok := logged(line); ok {
				reason = text
			}
		}
		if !strings.HasPrefix(reason, leftOut) {
			r.skips = append(r.skips, note{e.Package, e.Test, reason})
		}
		delete(p.output, e.Test)
	case "fail":
		p.count.failed++
		r.broken = append(r.broken, short(e.Package)+" "+e.Test)
	}
}

// end prints the line of a package and, when it failed, everything that its failed and
// unfinished tests printed.
func (r *report) end(p *running, e event) {
	delete(r.active, e.Package)
	if e.Action == "skip" { // no test files
		return
	}
	r.packages++
	r.total.add(p.count)
	state := "ok"
	if e.Action == "fail" {
		state = "FAIL"
	}
	r.print("test: %6s  %-4s  %-36s %6.1f s  %s", r.clock(), state, short(e.Package), e.Elapsed, p.count)
	if e.Action == "pass" {
		return
	}
	if p.count.failed == 0 {
		r.broken = append(r.broken, short(e.Package))
	}
	r.dump(p)
}

func (r *report) dump(p *running) {
	var tests []string
	for test := range p.output {
		tests = append(tests, test)
	}
	slices.Sort(tests) // the package's own output first
	for _, test := range tests {
		for _, line := range p.output[test] {
			r.print("    %s", strings.TrimSuffix(line, "\n"))
		}
	}
}

// unfinished reports packages that never ended: go test itself was ended.
func (r *report) unfinished() {
	for name, p := range r.active {
		r.total.add(p.count)
		r.broken = append(r.broken, short(name)+" (did not end)")
		r.dump(p)
	}
	clear(r.active)
}

func (r *report) heartbeat() {
	var names []string
	for name, p := range r.active {
		names = append(names, fmt.Sprintf("%s (%.0f s, %d passed)", short(name), r.now().Sub(p.start).Seconds(), p.count.passed))
	}
	slices.Sort(names)
	doing := "compiling"
	if len(names) > 0 {
		doing = "running " + strings.Join(names, ", ")
	}
	r.print("test: %6s  ...   %s; %d of %d packages done", r.clock(), doing, r.packages, r.expected)
}

// summary prints the skips by reason, what was left out, the failures and the totals.
func (r *report) summary() {
	if len(r.skips) > 0 {
		r.print("test: skipped:")
		r.notes(r.skips)
	}
	if len(r.left) > 0 {
		r.print("test: left to make ci, which runs it with the race detector:")
		r.notes(r.left)
	}
	for _, name := range r.broken {
		r.print("test: failed: %s", name)
	}
	r.print("test: %s in %d packages, %s", r.total, r.packages, r.clock())
}

// notes prints one line per package and reason.
func (r *report) notes(notes []note) {
	seen := map[[2]string][]string{}
	var order [][2]string
	for _, n := range notes {
		key := [2]string{short(n.pkg), n.reason}
		if seen[key] == nil {
			order = append(order, key)
		}
		seen[key] = append(seen[key], n.test)
	}
	for _, key := range order {
		tests := seen[key]
		what := tests[0]
		if len(tests) > 1 {
			what = fmt.Sprintf("%d tests", len(tests))
		}
		r.print("test:   %s %s: %s", key[0], what, key[1])
	}
}

func (r *report) print(format string, args ...any) {
	fmt.Fprintf(r.out, format+"\n", args...)
	r.printed = r.now()
}

// clock is the time since the start, as 1:23.
func (r *report) clock() string {
	s := int(r.now().Sub(r.start).Seconds())
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

func short(pkg string) string {
	return strings.TrimPrefix(pkg, module)
}
