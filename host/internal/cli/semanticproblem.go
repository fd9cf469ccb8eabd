package cli

import (
	"fmt"
	"strings"

	"github.com/loam-data/loam/host/internal/semanticquery"
)

// printProblem prints a place that editors and people find, what is wrong there
// and what was probably meant.
func (a *app) printProblem(p semanticquery.Problem) error {
	text := p.Text()
	if _, err := fmt.Fprintf(a.out, "%s: %s: %s\n", shown(p.Place()), a.severity(p.Severity), shown(text)); err != nil {
		return err
	}
	if len(p.Candidates) == 0 || strings.Contains(text, p.Candidates[0]) {
		return nil
	}
	_, err := fmt.Fprintf(a.out, "    did you mean: %s\n", strings.Join(shownAll(p.Candidates), ", "))
	return err
}

func (a *app) severity(s semanticquery.Severity) string {
	code := "33"
	if s == semanticquery.SeverityError {
		code = "31"
	}
	return a.style(a.out, code)(string(s))
}
