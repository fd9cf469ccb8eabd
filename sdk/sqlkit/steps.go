package sqlkit

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
)

// Steps reports the staged checks of `connection test`. After a failed one the
// others are skipped.
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

// Warn adds findings as a warning to a step that passed.
func Warn(step *sdk.TestStep, found []sdk.Diagnostic) {
	for _, d := range found {
		summary := d.Summary
		if step.Detail != "" {
			summary = step.Detail + "; " + summary
		}
		step.Warning, step.Detail = true, summary
	}
}

// Readable is the result of the step "read".
type Readable struct {
	// Tables is the number of tables and views that the account can read in the database
	// or schemas named Where. Sample is the quoted name of one that the step can query;
	// "" = none.
	Tables        int
	Sample, Where string
	// Grant are the statements that give the account the right to read.
	Grant []string
}

// Report writes the result into the step and reports whether there is a Sample.
func (r Readable) Report(step *sdk.TestStep) bool {
	if r.Tables == 0 {
		step.Warning, step.Statements = true, r.Grant
		step.Detail += "the account can read no table or view of " + r.Where
		return false
	}
	step.Detail += fmt.Sprintf("%d tables and views can be read", r.Tables)
	if r.Sample != "" {
		step.Detail += ", such as " + r.Sample
	}
	return r.Sample != ""
}

// noWrite runs the step "no_write" of an open session: what the account may do
// beyond reading is a warning, with the statements that create a reader, and a
// statement that writes must be refused.
func (s *Steps) noWrite(ctx context.Context, of *Stages) {
	s.Run("no_write", func(step *sdk.TestStep) error {
		info := of.Session.Server()
		Warn(step, info.Warnings)
		if step.Warning {
			step.Statements = of.Reader()
		}
		step.Detail = strings.TrimPrefix(step.Detail+"; read-only by "+info.ReadOnly.String()+": "+info.ReadOnlyMechanism, "; ")
		err := of.Write(ctx)
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
