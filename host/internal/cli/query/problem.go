package query

import (
	"fmt"
	"strings"

	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/semantic/binding"
)

// printProblem prints a place that editors and people find, what is wrong there
// and what was probably meant.
func (a *commands) printProblem(p binding.Problem) error {
	text := p.Text()
	if _, err := fmt.Fprintf(a.term.Out, "%s: %s: %s\n", terminal.Escape(p.Place()), a.severity(p.Severity), terminal.Escape(text)); err != nil {
		return err
	}
	if len(p.Candidates) == 0 || strings.Contains(text, p.Candidates[0]) {
		return nil
	}
	_, err := fmt.Fprintf(a.term.Out, "    did you mean: %s\n", strings.Join(terminal.EscapeAll(p.Candidates), ", "))
	return err
}

func (a *commands) severity(s binding.Severity) string {
	code := "33"
	if s == binding.SeverityError {
		code = "31"
	}
	return a.term.Style(a.term.Out, code)(string(s))
}
