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
	NotRun  Outcome = "not run" // only in results of Examine
)

// Result is the result of one check.
type Result struct {
	Connector string `json:"connector"`
	Version   string `json:"version"`
	Server    string `json:"server"` // Target.Server
	Mode      Mode   `json:"mode"`
	Group     string `json:"group"`
	Check     string `json:"check"`
	// Reason is the findings of a Failed check, one per line; why a check is Skipped or NotRun; the
	// remarks of an OK one.
	Outcome Outcome `json:"outcome"`
	Reason  string  `json:"reason,omitempty"`
	// Class is the cause of Skipped and NotRun.
	Class Class `json:"class,omitempty"`
	// Dropped says that the check is a harmless statement that the author skips.
	Dropped bool `json:"dropped,omitempty"`
	// Findings are the findings of a Failed check. Breaks is the consequence for a user; "" = it
	// is not known.
	Findings []Finding `json:"findings,omitempty"`
	Breaks   string    `json:"breaks,omitempty"`
}

// Finding is one fault.
type Finding struct {
	Text string `json:"text"`
	// Statement is the last statement before it; "" = there was none.
	Statement string `json:"statement,omitempty"`
	// Wanted and Got are the expected and the actual value, if both are short.
	Wanted string `json:"wanted,omitempty"`
	Got    string `json:"got,omitempty"`
}

// Class is the cause of a check that is Skipped or NotRun.
type Class string

const (
	// For Target.Skips and Target.SkipsBy.
	ByEngine  Class = "engine"  // the engine does not have what is checked
	ByDriver  Class = "driver"  // the engine has it, its driver does not expose it
	ByFixture Class = "fixture" // the real service has it, the test server does not
	ToDo      Class = "to do"   // the connector could do it, but does not yet

	// Set by the suite for Skipped.
	Undeclared    Class = "not declared"   // the connector does not declare the capability
	NotApplicable Class = "not applicable" // there is nothing to check, or it cannot be observed

	// Set by the suite for NotRun.
	NotSelected Class = "not selected" // by Options.Select, or it needs a connection and the target is Offline
	OutOfTime   Class = "out of time"  // the run ended before it, or the connector does not start
)

// OutEnv is the environment variable with the path of the file to which Run appends its results,
// one JSON line each.
const OutEnv = "LOAM_CONFORM_OUT"

// ModeEnv is the environment variable with the one mode that Run uses for a target that has it.
const ModeEnv = "LOAM_CONFORM_MODE"

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

// failure returns the result of a check with findings.
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

// writeResults appends the results with one write, because several test programs may share the file.
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
