package conform

import (
	"context"
	"slices"
	"testing"
)

// examiner is where checks run: a test, or Examine. Both go through examine, so that
// every check exists once.
type examiner interface {
	// part runs f as a part with a name: a group, and a check in it.
	part(name string, f func(examiner))
	// context is that of the part.
	context() context.Context
	// keep takes the result of the part's check.
	keep(Result)
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
			target.examine(inTest{t, &results}, mode, Options{})
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

// inTest runs checks as subtests.
type inTest struct {
	t       *testing.T
	results *[]Result
}

func (r inTest) part(name string, f func(examiner)) {
	r.t.Run(name, func(t *testing.T) { f(inTest{t, r.results}) })
}

func (r inTest) context() context.Context { return r.t.Context() }

func (r inTest) keep(result Result) {
	r.t.Helper()
	*r.results = append(*r.results, result)
	result.show(r.t)
}
