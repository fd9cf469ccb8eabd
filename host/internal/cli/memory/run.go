package memory

import (
	"strings"

	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/memory"
)

// kept is what a run that was not a dry one did.
const kept = "kept"

// captured are the rows of what a run changed: what it is, and its name.
func captured(run *memory.Run) (rows [][]string) {
	c := run.Captured
	for _, part := range []struct {
		what    string
		targets []string
	}{{"page", c.Wiki}, {"measure or segment", c.SL}, {"metric", c.Metrics}, {"synonym", c.Synonyms}, {"description", c.Descriptions}} {
		for _, target := range part.targets {
			rows = append(rows, []string{part.what, target})
		}
	}
	return rows
}

// printRun prints what became of a text; became is what happened to the part that needs nobody.
func (a *commands) printRun(run *memory.Run, became string) error {
	if run.RunID != "" {
		a.term.Infof("run %s: %s", run.RunID, progressOf(run))
	}
	var rows [][]string
	for _, row := range captured(run) {
		rows = append(rows, append(row, became, ""))
	}
	for _, p := range run.Captured.Pending {
		rows = append(rows, []string{"change " + string(p.ID), p.Target, "waits", strings.TrimSuffix(whyText(p.Why)+": "+p.Note, ": ")})
	}
	if len(rows) > 0 {
		if err := a.term.Table([]string{"WHAT", "NAME", "BECAME", "WHY"}, rows); err != nil {
			return err
		}
	}
	var questions [][]string
	for _, q := range run.Questions {
		questions = append(questions, []string{q.Ask, strings.Join(q.Candidates, ", "), q.Quote})
	}
	if err := a.term.Section([]string{"QUESTION", "ONE OF", "ABOUT"}, questions); err != nil {
		return err
	}
	if run.SkippedReason != nil {
		a.term.Infof("nothing is kept: %s", terminal.Escape(*run.SkippedReason))
	}
	a.term.Notes(run.Notes)
	if run.Done && run.RunID != "" && len(rows) > 0 {
		a.term.Infof("next: loam review --run %s", run.RunID)
	}
	return nil
}

// printStatus prints what became of a run, and why it failed if it did.
func (a *commands) printStatus(run *memory.Run) error {
	if err := a.printRun(run, kept); err != nil {
		return err
	}
	if err := failed(run); err != nil {
		a.term.Warn(err)
	}
	return nil
}

// progressOf is how far a run is.
func progressOf(run *memory.Run) string {
	if run.Status == "running" {
		return run.Stage
	}
	return run.Status
}

// whyText says why a change waits.
func whyText(codes []string) string {
	return strings.ReplaceAll(strings.Join(codes, ", "), "_", " ")
}
