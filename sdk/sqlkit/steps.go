package sqlkit

import (
	"strings"
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

// Warn puts what is to be looked at into a step that passed.
func Warn(step *sdk.TestStep, found []sdk.Diagnostic) {
	for _, d := range found {
		summary := d.Summary
		if step.Detail != "" {
			summary = step.Detail + "; " + summary
		}
		step.Warning, step.Detail = true, summary
	}
}

// NoWrite runs the step "no_write" of an open session: what the account may do
// beyond reading is a warning, with the statements that create a reader, and write
// must be refused. write should change nothing even if it were not.
func (s *Steps) NoWrite(info sdk.ServerInfo, reader func() []string, write func() error) bool {
	return s.Run("no_write", func(step *sdk.TestStep) error {
		Warn(step, info.Warnings)
		if step.Warning {
			step.Statements = reader()
		}
		step.Detail = strings.TrimPrefix(step.Detail+"; read-only by "+info.ReadOnly.String()+": "+info.ReadOnlyMechanism, "; ")
		err := write()
		switch sdk.KindOf(err) {
		case sdk.KindNotReadOnly, sdk.KindDenied:
			return nil
		case "":
			return sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "a statement that writes was not refused").
				WithHint("do not use this connection; report the server's version")
		default:
			return err
		}
	})
}
