package sqlkit

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// Decode reads a configuration into a C and checks it further with problems,
// which may be nil.
// Errors: one KindInvalid error that lists every problem of severity error.
func Decode[C any](config sdk.Config, problems func(*C) []sdk.Diagnostic) (*C, error) {
	const hint = "correct the connection's configuration"
	c := new(C)
	if err := config.Decode(c); err != nil {
		return nil, sdk.AsError(err, sdk.SourceHost).WithHint(hint)
	}
	if problems == nil {
		return c, nil
	}
	var found []string
	for _, d := range problems(c) {
		if d.Severity == sdk.SeverityError {
			found = append(found, d.Path+": "+d.Summary)
		}
	}
	if len(found) > 0 {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceHost, "%s", strings.Join(found, "; ")).WithHint(hint)
	}
	return c, nil
}

// Problems collects the problems of a configuration for Lifecycle.Problems.
type Problems []sdk.Diagnostic

// Wrong adds an error about a key if there is one.
func (p *Problems) Wrong(is bool, path, summary string) {
	if is {
		*p = append(*p, sdk.Diagnostic{Severity: sdk.SeverityError, Path: path, Summary: summary})
	}
}

// Blank adds an error about a key whose value is blank.
func (p *Problems) Blank(path, value string) {
	p.Wrong(strings.TrimSpace(value) == "", path, "must not be empty")
}

// Nameless adds an error about a list with an empty name.
func (p *Problems) Nameless(path string, names []string) {
	p.Wrong(slices.Contains(names, ""), path, "has an empty name")
}
