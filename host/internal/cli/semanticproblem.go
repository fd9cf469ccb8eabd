package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/loam-data/loam/host/internal/semanticquery"
)

// printProblem prints a place that editors and people find, what is wrong there
// and what was probably meant.
func (a *app) printProblem(p semanticquery.Problem) error {
	place := p.File
	for _, n := range []int{p.Line, p.Column} {
		if place != "" && n > 0 {
			place += ":" + strconv.Itoa(n)
		}
	}
	if place == "" {
		place = p.Source
	}
	text := p.Message
	if p.Path != "" {
		text = p.Path + ": " + text
	}
	if _, err := fmt.Fprintf(a.out, "%s: %s: %s\n", shown(place), a.severity(p.Severity), shown(text)); err != nil {
		return err
	}
	if len(p.Candidates) == 0 {
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
