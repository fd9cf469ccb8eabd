package assertion

import (
	"regexp"
	"strings"
	"testing"
)

// TestCues: each form of a pattern that is tried only after a cue has one.
func TestCues(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		pattern *regexp.Regexp
		cues    []string
		forms   []string
	}{
		"code": {code(), codeCues, []string{
			"FILTER (", "Select x", "case  when", "GROUP BY", "over (", "join b", "HAVING count", "sum(table a)", "(Tables", "{", "}",
		}},
		"reply": {reply(), replyCues, []string{
			"--- Original Message", "-----ursprüngliche nachricht", "On Monday Ann wrote:", "Am Montag schrieb Ann:", "Le lundi Ann A ÉCRIT :", "From: ann@example.com", "von: x@y",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, form := range tt.forms {
				if !tt.pattern.MatchString(form) || !anyIn(strings.ToLower(form), tt.cues) {
					t.Errorf("%q is no %s, or has no cue of it", form, name)
				}
			}
		})
	}
}
