package query

import (
	"bytes"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/cli/terminal"
	"github.com/loam-data/loam/host/internal/semantic/binding"
	"github.com/loam-data/loam/host/internal/semanticquery/validation"
)

// TestOneErrorAmongManyChecksIsSeen: checks that hold are counted and not listed, and an
// error comes after the warnings.
func TestOneErrorAmongManyChecksIsSeen(t *testing.T) {
	t.Parallel()
	checks := []validation.Check{
		{Source: "orders", Kind: validation.CheckExpression, Status: validation.CheckFailed, Severity: binding.SeverityError, Message: "the engine does not take it"},
		{Source: "items", Join: "orders", Status: validation.CheckOK, Severity: binding.SeverityWarning, Message: "3 rows lead nowhere"},
	}
	for range 300 {
		checks = append(checks, validation.Check{Source: "fine", Status: validation.CheckOK})
	}
	for _, all := range []bool{false, true} {
		var out bytes.Buffer
		a := &commands{term: &terminal.Terminal{Out: &out, Err: &bytes.Buffer{}}}
		if err := a.printChecks(checks, reportForm{data: true, all: all}); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if got := strings.Count(out.String(), "fine"); got != map[bool]int{false: 0, true: 300}[all] {
			t.Errorf("%d checks that hold are listed", got)
		}
		if n := len(lines); !strings.Contains(lines[n-3], "3 rows lead nowhere") || !strings.Contains(lines[n-2], "the engine does not take it") ||
			lines[n-1] != "302 checks: 300 ok, 1 warning, 1 failed" {
			t.Errorf("the last lines are %q", lines[n-3:])
		}
	}
}
