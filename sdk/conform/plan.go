package conform

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"
)

// check is one thing to prove.
type check struct {
	name  string
	prove func(*probe)
}

// group is a set of checks about one subject, proved in order.
type group struct {
	name   string
	checks []check
}

// groups lists everything that is proved in a mode. The leaks come last: they
// look at what the others left behind.
func (r *run) groups() []group {
	groups := []group{
		{"describe", describeChecks(r.mode)},
		{"config", configChecks()},
		{"open", openChecks(r.mode)},
		{"types", typeChecks(r.target)},
		{"errors", errorChecks(r.target)},
		{"stream", streamChecks()},
		{"limits", limitChecks()},
		{"guard", guardChecks()},
		{"dialect", dialectChecks()},
		{"read_only", readOnlyChecks(r.target)},
		{"reach", reachChecks(r.target)},
		{"cancel", cancelChecks()},
		{"server", serverChecks()},
		{"scan", scanChecks()},
		{"profile", profileChecks(r.target)},
		{"plan", planChecks()},
		{"query_log", queryLogChecks()},
		{"concurrent", concurrentChecks()},
		{"secret", secretChecks(r.mode)},
		{"leak", leakChecks()},
	}
	if r.mode != InProcess {
		groups = append(groups, group{"drain", drainChecks()})
	}
	if r.mode == Binary {
		groups = append(groups, group{"process", processChecks()})
	}
	return groups
}

// Run proves target in every mode it can be reached in, each check as a subtest
// mode/group/check, and adds the results to the file that LOAM_CONFORM_OUT names. With
// -short it uses the last mode alone, which is the built program if there is one, and
// runs a tenth of the attacks on the server, as it does in all modes but the last; of a
// connector on a fixture it runs nothing.
func Run(t *testing.T, target Target) {
	t.Helper()
	if testing.Short() && target.kind() == fixture {
		t.Skip("-short: conformance on a fixture")
	}
	var results []Result
	defer func() {
		if err := writeResults(results); err != nil {
			t.Errorf("LOAM_CONFORM_OUT: %v", err)
		}
	}()
	for _, problem := range target.problems() {
		t.Error(problem)
	}
	if testing.Short() && len(target.Attacks) > 0 {
		target.nth = fewer
		t.Logf("-short: %d of %d attacks and their look-alikes run on the server", len(target.onServer()), len(target.Attacks))
	}
	run := target.ran()
	for _, mode := range target.modes() {
		t.Run(string(mode), func(t *testing.T) {
			if !slices.Contains(run, mode) {
				t.Skipf("-short: the checks run as %s alone", run[0])
			}
			r := newRun(&target, mode)
			defer r.close(t.Errorf)
			for _, g := range r.groups() {
				t.Run(g.name, func(t *testing.T) {
					for _, c := range g.checks {
						t.Run(c.name, func(t *testing.T) {
							result := r.prove(t.Context(), g.name, c)
							results = append(results, result)
							result.show(t)
						})
					}
				})
			}
		})
	}
}

// ran lists the modes that a test runs: the last alone when tests are short.
func (t *Target) ran() []Mode {
	modes := t.modes()
	if testing.Short() {
		modes = modes[len(modes)-1:]
	}
	return modes
}

// Examine is Run without a test: it returns the result of every check.
// Errors are results too; a Target with a fault in itself has one in group
// "target".
func Examine(ctx context.Context, target Target) []Result {
	var results []Result
	for _, problem := range target.problems() {
		results = append(results, Result{Group: "target", Check: "complete", Outcome: Failed, Reason: problem})
	}
	for _, mode := range target.modes() {
		r := newRun(&target, mode)
		for _, g := range r.groups() {
			for _, c := range g.checks {
				results = append(results, r.prove(ctx, g.name, c))
			}
		}
		r.close(func(format string, args ...any) {
			results = append(results, r.result("target", "close", Failed, fmt.Sprintf(format, args...)))
		})
	}
	return results
}

// kind is the first word of Server: what the configuration leads to.
func (t *Target) kind() string {
	word, _, _ := strings.Cut(strings.Replace(t.Server, ":", " ", 1), " ")
	return word
}

// problems finds what is wrong with the target itself.
func (t *Target) problems() []string {
	var problems []string
	if t.Connector == nil && t.Binary == "" {
		problems = append(problems, "Target has neither a Connector nor a Binary")
	}
	if !slices.Contains([]string{"real", fixture, embedded}, t.kind()) {
		problems = append(problems, "Target.Server must say what the configuration leads to and begin with real, fixture or embedded")
	}
	known := map[string]bool{}
	for _, mode := range []Mode{InProcess, Wire, Binary} {
		for _, g := range (&run{target: t, mode: mode}).groups() {
			known[g.name] = true
			for _, c := range g.checks {
				known[g.name+"/"+c.name] = true
			}
		}
	}
	for class, skips := range t.skips() {
		for _, name := range slices.Sorted(maps.Keys(skips)) {
			if !known[name] {
				problems = append(problems, fmt.Sprintf("Target.Skips names %q, which is no check and no group", name))
			}
			if strings.TrimSpace(skips[name]) == "" {
				problems = append(problems, fmt.Sprintf("Target.Skips gives no reason for %q", name))
			}
		}
		if !slices.Contains([]Class{ByEngine, ByDriver, ByFixture, ToDo}, class) {
			problems = append(problems, fmt.Sprintf("Target.SkipsBy has the class %q, which is none of engine, driver, fixture and to do", class))
		}
	}
	seen := map[string]bool{}
	for i := range t.Cases {
		c := &t.Cases[i]
		if err := c.check(); err != nil {
			problems = append(problems, fmt.Sprintf("case %q: %v", c.Name, err))
		}
		if seen[c.Name] || c.Name == "" {
			problems = append(problems, fmt.Sprintf("case %q has no name or one that was used before", c.Name))
		}
		seen[c.Name] = true
	}
	return problems
}

// skips returns what the target leaves out, by class.
func (t *Target) skips() iter.Seq2[Class, map[string]string] {
	return func(yield func(Class, map[string]string) bool) {
		if !yield(ByEngine, t.Skips) {
			return
		}
		for _, class := range slices.Sorted(maps.Keys(t.SkipsBy)) {
			if !yield(class, t.SkipsBy[class]) {
				return
			}
		}
	}
}

// skipped returns why the target leaves a check out; no class means that it does not.
func (t *Target) skipped(group, name string) (Class, string) {
	for _, full := range []string{group + "/" + name, group} {
		for class, skips := range t.skips() {
			if reason, ok := skips[full]; ok {
				return class, reason
			}
		}
	}
	return "", ""
}
