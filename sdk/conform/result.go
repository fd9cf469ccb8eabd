package conform

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
)

// Outcome is how a check ended.
type Outcome string

const (
	OK      Outcome = "ok"
	Failed  Outcome = "failed"
	Skipped Outcome = "skipped"
	NotRun  Outcome = "not run" // Examine alone leaves checks out
)

// Result is the result of one check.
type Result struct {
	Connector string `json:"connector"`
	Version   string `json:"version"`
	Server    string `json:"server"` // as Target.Server says
	Mode      Mode   `json:"mode"`
	Group     string `json:"group"`
	Check     string `json:"check"`
	// Outcome, and for Failed what was wrong, for Skipped why, for OK a remark.
	Outcome Outcome `json:"outcome"`
	Reason  string  `json:"reason,omitempty"`
	// Class says who stands in the way of a skipped check.
	Class Class `json:"class,omitempty"`
	// Dropped: the check is a harmless statement that the author leaves out.
	Dropped bool `json:"dropped,omitempty"`
	// Findings are the parts of Reason for Failed, and Breaks is what a user will see
	// of it; "" = that is not known.
	Findings []Finding `json:"findings,omitempty"`
	Breaks   string    `json:"breaks,omitempty"`
}

// Finding is one thing that is wrong.
type Finding struct {
	Text string `json:"text"`
	// Statement is the last one before, "" = there was none.
	Statement string `json:"statement,omitempty"`
	// Wanted and Got are what was to come and what came, where both have a short form.
	Wanted string `json:"wanted,omitempty"`
	Got    string `json:"got,omitempty"`
}

// Class says why a check is skipped.
type Class string

const (
	ByEngine  Class = "engine"  // it does not have what the check is about
	ByDriver  Class = "driver"  // the engine has it, its driver does not show it
	ByFixture Class = "fixture" // the service has it, what stands in for it does not
	ToDo      Class = "to do"   // the connector could do it and does not yet

	// The suite's own.
	Undeclared    Class = "not declared"   // the connector does not say that it can
	NotApplicable Class = "not applicable" // there is nothing to check, or nobody can see it

	// Of checks that are NotRun.
	NotSelected Class = "not selected" // by Options.Select, or for want of a connection
	OutOfTime   Class = "out of time"  // the run ended, or the connector does not start
)

// OutEnv names the file to which Run adds its results, one JSON line each.
const OutEnv = "LOAM_CONFORM_OUT"

func (r Result) show(t *testing.T) {
	t.Helper()
	switch {
	case r.Outcome == Failed:
		t.Error(r.Reason)
	case r.Outcome == Skipped, r.Outcome == NotRun:
		t.Skip(r.Reason)
	case r.Reason != "":
		t.Log(r.Reason)
	}
}

func (r *run) result(group, check string, outcome Outcome, reason string) Result {
	return Result{
		Connector: r.description.ID, Version: r.description.Version, Server: r.target.Server,
		Mode: r.mode, Group: group, Check: check, Outcome: outcome, Reason: reason,
	}
}

// failure is the result of a check that found something.
func (r *run) failure(group, check string, findings []Finding) Result {
	texts := make([]string, len(findings))
	for i, f := range findings {
		texts[i] = f.Text
	}
	result := r.result(group, check, Failed, strings.Join(texts, "\n"))
	result.Findings, result.Breaks = findings, breaks[group]
	return result
}

func (r *run) skip(group, check string, class Class, reason string) Result {
	result := r.result(group, check, Skipped, reason)
	result.Class = class
	return result
}

// writeResults appends in one write: several test programs may share a file.
func writeResults(results []Result) (err error) {
	path := os.Getenv(OutEnv)
	if path == "" || len(results) == 0 {
		return nil
	}
	var lines []byte
	for _, r := range results {
		line, err := json.Marshal(r)
		if err != nil {
			return err
		}
		lines = append(append(lines, line...), '\n')
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	_, err = file.Write(lines)
	return err
}
