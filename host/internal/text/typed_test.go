package text

import "testing"

func TestRetyped(t *testing.T) {
	for given, want := range map[string]string{
		"":                        "",
		"status = ‘paid’":         "status = 'paid'",
		"‚bezahlt‘":               "'bezahlt'",
		"a\u00a0=\u202fb\u2009c":  "a = b c",
		"L’Oréal, don’t":          "L’Oréal, don’t", // an apostrophe is no quote
		"the customers’ orders":   "the customers' orders",
		"“name” stays, Größe too": "“name” stays, Größe too",
		"\xff’":                   "\xff'",
	} {
		if got := Retyped(given); got != want {
			t.Errorf("%q becomes %q, want %q", given, got, want)
		}
	}
}
