package assertion

import "testing"

func TestFrame(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		text    string
		removed int
	}{
		"":                 {"", 0},
		"a\tb ~\n":         {"a\tb ~\n", 0},
		"a\r\nb\rc":        {"a\nb\nc", 0},
		"a\x00b\x1f\x7fc":  {"abc", 3},
		"e\u0301\u2028x":   {"é\nx", 0},
		"a\u202eb\u200bc":  {"abc", 2},
		"plain, then \x01": {"plain, then ", 1},
	} {
		if got, n := Frame(text); got != want.text || n != want.removed {
			t.Errorf("%q: %q, %d removed", text, got, n)
		}
	}
}
