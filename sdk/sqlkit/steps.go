package sqlkit

import (
	"time"

	"github.com/loam-data/loam/sdk"
)

// Steps reports the staged checks of `connection test`. After the first that
// fails the others are left out: they would only repeat it.
type Steps struct {
	report func(sdk.TestStep)
	failed bool
}

// NewSteps reports to report, each step as it is done.
func NewSteps(report func(sdk.TestStep)) *Steps { return &Steps{report: report} }

// Run runs one check, which may fill in the step's Detail, Warning and
// Statements, and reports whether it passed.
func (s *Steps) Run(name string, check func(*sdk.TestStep) error) bool {
	if s.failed {
		return false
	}
	step := sdk.TestStep{Name: name}
	started := time.Now()
	err := check(&step)
	step.Elapsed = time.Since(started)
	if err != nil {
		step.Err, s.failed = sdk.AsError(err, sdk.SourceConnector), true
	}
	s.report(step)
	return err == nil
}
