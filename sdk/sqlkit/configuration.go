package sqlkit

import (
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
