package planner

import (
	"strings"
	"testing"
)

// TestRuled: each alternative of the patterns of rules begins with a word without which they are not tried.
func TestRuled(t *testing.T) {
	t.Parallel()
	alternatives := strings.NewReplacer(`(?i)`, "", `\b`, "", `(?:`, "", `)|`, "|", `)\s?\(`, "", ")", "").Replace(tells().String())
	for alternative := range strings.SplitSeq(alternatives, "|") {
		for _, form := range []string{strings.ReplaceAll(alternative, "s?", ""), strings.ReplaceAll(alternative, "?", "")} {
			if !ruled("It is "+form+" x") && !ruled(form+"(x)") {
				t.Errorf("%q is no rule", form)
			}
		}
	}
	for _, text := range []string{"Never show x", "- always round", "1) Do not show x", "Don't show x", "Nie x", "niemals x", "Immer x", "Bitte nicht x"} {
		if !rules().MatchString(text) || !ruled(text) {
			t.Errorf("%q is no rule", text)
		}
	}
	if ruled("Some words about nothing in particular.") {
		t.Error("any words are a rule")
	}
}
