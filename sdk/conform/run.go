package conform

import (
	"context"
	"os"
	"slices"
	"testing"
)

// examiner runs checks and receives their results: a test, or Examine.
type examiner interface {
	// part runs f as a named part: a group, or a check of a group.
	part(name string, f func(examiner))
	// context returns the context of the part.
	context() context.Context
	// keep receives the result of the part's check.
	keep(Result)
}

// Run runs every check of target in each of its modes, as a subtest mode/group/check, and appends
// the results to the file that LOAM_CONFORM_OUT names. Only the last mode, which is the built
// program if there is one, runs all attacks on the server; the others run a tenth. With -short, Run
// uses only the last mode with a tenth of the attacks, and skips a target whose Server begins with
// fixture. LOAM_CONFORM_MODE names the one mode that Run uses for a target that has
// it, with all attacks.
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
	run, why := target.ran()
	for _, mode := range target.modes() {
		t.Run(string(mode), func(t *testing.T) {
			if !slices.Contains(run, mode) {
				t.Skipf("%s: the checks run as %s alone", why, run[0])
			}
			target.examine(inTest{t, &results}, mode, Options{})
		})
	}
}

// ran returns the modes that Run uses, and why there are others.
func (t *Target) ran() (modes []Mode, why string) {
	modes = t.modes()
	if only := Mode(os.Getenv(ModeEnv)); slices.Contains(modes, only) {
		return []Mode{only}, ModeEnv
	}
	if testing.Short() {
		return modes[len(modes)-1:], "-short"
	}
	return modes, ""
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
