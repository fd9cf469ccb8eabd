package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
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

// timed is a test that passed.
type timed struct {
	pkg, test string
	seconds   float64
}

// runningTest is a test that is no subtest. go test reports the end of a subtest only
// after the end of the test.
type runningTest struct {
	start time.Time
	last  string // the subtest that began last, or ""
}

// running is a package whose tests have begun.
type running struct {
	start  time.Time
	heard  time.Time // of the last event
	asked  int       // how often the process was told to end
	count  count
	tests  map[string]runningTest // those that run now
	output map[string][]string    // by test that has not passed; "" is the package's own
}

type report struct {
	out     io.Writer
	now     func() time.Time
	tick    time.Duration                          // between two looks at what runs
	signal  func(folder string, s os.Signal) error // to the tests of a package
	folders map[string]string                      // by package with tests
	start   time.Time
	printed time.Time
	active  map[string]*running
	longest []timed // in descending order

	expected int // packages with tests
	packages int // ended
	total    count
	broken   []string // tests and packages that failed
	skips    []note
	left     []note
}

func newReport(out io.Writer, now func() time.Time) *report {
	return &report{out: out, now: now, tick: quiet / 5, signal: signalTests, folders: map[string]string{}, start: now(), printed: now(), active: map[string]*running{}}
}

// expect announces a go test of more packages; folders has their folders.
func (r *report) expect(args string, folders map[string]string) {
	r.expected += len(folders)
	maps.Copy(r.folders, folders)
	if r := []rune(args); len(r) > 160 {
		args = string(r[:160]) + "…"
	}
	r.print("test: go test %s", args)
	r.print("test: %d packages; compiling first, which takes minutes without a build cache", len(folders))
}

func (r *report) failed() bool { return len(r.broken) > 0 }

// events reports lines until the channel closes.
func (r *report) events(lines <-chan line) {
	tick := time.NewTicker(r.tick)
	defer tick.Stop()
	for {
		select {
		case line, ok := <-lines:
			if !ok {
				r.unfinished()
				return
			}
			var e event
			if json.Unmarshal(line.text, &e) != nil {
				r.print("%s", strings.TrimSuffix(string(line.text), "\n")) // not of -json: an error of the go command
				continue
			}
			e.Package += line.label
			r.event(e)
		case <-tick.C:
			if r.now().Sub(r.printed) >= quiet {
				r.heartbeat()
			}
			r.endSilent()
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
		p = &running{start: r.now(), tests: map[string]runningTest{}, output: map[string][]string{}}
		r.active[e.Package] = p
	}
	p.heard = r.now()
	switch {
	case e.Action == "output":
		p.output[e.Test] = append(p.output[e.Test], e.Output)
		if e.Test != "" {
			r.leftOut(e)
		}
	case e.Test != "":
		r.test(p, e)
	case e.Action == "pass" || e.Action == "fail" || e.Action == "skip":
		r.ended(p, e)
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
	r.follow(p, e)
	switch e.Action {
	case "pass":
		p.count.passed++
		delete(p.output, e.Test)
		if !strings.Contains(e.Test, "/") {
			r.keepLongest(timed{short(e.Package), e.Test, e.Elapsed})
		}
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

// follow keeps which tests of a package run.
func (r *report) follow(p *running, e event) {
	name, sub, _ := strings.Cut(e.Test, "/")
	test, runs := p.tests[name]
	switch {
	case sub != "" && e.Action == "run":
		test.last = sub
	case sub != "":
		return
	case e.Action == "run" || e.Action == "cont":
		test, runs = runningTest{start: r.now()}, true
	default: // paused or ended
		delete(p.tests, name)
		return
	}
	if runs {
		p.tests[name] = test
	}
}

// keepLongest keeps the ten tests that ran longest.
func (r *report) keepLongest(t timed) {
	i, _ := slices.BinarySearchFunc(r.longest, t.seconds, func(o timed, seconds float64) int { return cmp.Compare(seconds, o.seconds) })
	r.longest = slices.Insert(r.longest, i, t)
	r.longest = r.longest[:min(len(r.longest), 10)]
}

// ended prints the line of a package and, when it failed, everything that its failed and
// unfinished tests printed.
func (r *report) ended(p *running, e event) {
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
	if tests := r.runningTests(p, len(p.tests)); tests != "" {
		r.print("    unfinished: %s", tests)
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
		tests := r.runningTests(p, 2)
		if tests != "" {
			tests = "; " + tests
		}
		names = append(names, fmt.Sprintf("%s (%.0f s, %d passed%s)", short(name), r.now().Sub(p.start).Seconds(), p.count.passed, tests))
	}
	slices.Sort(names)
	doing := "compiling"
	if len(names) > 0 {
		doing = "running " + strings.Join(names, ", ")
	}
	r.print("test: %6s  ...   %s; %d of %d packages done", r.clock(), doing, r.packages, r.expected)
}

// runningTests names the n tests of a package that have run longest, how long, and the
// subtest that began last.
func (r *report) runningTests(p *running, n int) string {
	tests := slices.SortedFunc(maps.Keys(p.tests), func(a, b string) int {
		return cmp.Or(p.tests[a].start.Compare(p.tests[b].start), cmp.Compare(a, b))
	})
	more := len(tests) - n
	tests = tests[:min(n, len(tests))]
	for i, name := range tests {
		test := p.tests[name]
		tests[i] = fmt.Sprintf("%s %.0f s", name, r.now().Sub(test.start).Seconds())
		if test.last != "" {
			tests[i] += " at " + test.last
		}
	}
	if more > 0 {
		tests = append(tests, fmt.Sprintf("%d more", more))
	}
	return strings.Join(tests, ", ")
}

// summary prints the skips by reason, what was left out, the failures and the totals.
func (r *report) summary() {
	if len(r.skips) > 0 {
		r.print("test: skipped:")
		r.notes(r.skips)
	}
	if len(r.longest) > 0 && r.longest[0].seconds >= 1 {
		r.print("test: longest:")
		for _, t := range r.longest {
			r.print("test:   %6.1f s  %s %s", t.seconds, t.pkg, t.test)
		}
	}
	if len(r.left) > 0 {
		r.print("test: left to make ci:")
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
