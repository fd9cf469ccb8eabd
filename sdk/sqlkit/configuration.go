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

// Problems are the errors that Lifecycle.Problems returns about a configuration.
type Problems []sdk.Diagnostic

// Wrong adds an error about a key where its value is wrong.
func (p *Problems) Wrong(wrong bool, path, summary string) {
	if wrong {
		*p = append(*p, sdk.Diagnostic{Severity: sdk.SeverityError, Path: path, Summary: summary})
	}
}

// Require adds an error about a key whose value is blank.
func (p *Problems) Require(path, value string) {
	p.Wrong(strings.TrimSpace(value) == "", path, "must not be empty")
}

// RequireNames adds an error about a list with an empty name.
func (p *Problems) RequireNames(path string, names []string) {
	p.Wrong(slices.Contains(names, ""), path, "has an empty name")
}
