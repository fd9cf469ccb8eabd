package assertion

import (
	"strings"
	"testing"
)

// Markup that costs the parser the square of its length is blanked: nested quotes and lists,
// and brackets that never close.
func TestPlainMarkup(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"quotes":   strings.Repeat(">", 1000),
		"spaced":   strings.Repeat("> ", 1000) + "a\n",
		"lists":    strings.Repeat("- 1. ", 1000),
		"brackets": strings.Repeat("[a](", 1000),
		"lines":    strings.Repeat("[a]: b\n", 1000),
	} {
		source := []byte(text)
		plainMarkup(source)
		if n := strings.Count(string(source), "["); n > maxBrackets {
			t.Errorf("%s: %d brackets are left", name, n)
		}
		if n := strings.Count(string(source), ">") + strings.Count(string(source), "-"); n > maxMarkers {
			t.Errorf("%s: %d markers are left", name, n)
		}
		if len(source) != len(text) {
			t.Errorf("%s: %d bytes of %d", name, len(source), len(text))
		}
	}
	source := "# a\n\n> > [a](b) and [c]\n\n- [ ] d\n\n  - e\n"
	if got := []byte(source); true {
		plainMarkup(got)
		if string(got) != source {
			t.Errorf("%q becomes %q", source, got)
		}
	}
}

// Ten times the text is ten times the work, counted in allocations.
func TestWorkIsLinear(t *testing.T) {
	for name, make := range map[string]func(n int) string{
		"glossary": glossary,
		"one line": func(n int) string { return strings.Repeat("a = b and c: d ", n/15) },
		"colons":   func(n int) string { return strings.Repeat("Term: a thing in orders\n", n/24) },
		"quotes":   func(n int) string { return strings.Repeat("> ", n/2) },
		"links":    func(n int) string { return strings.Repeat("[a](", n/4) },
		"table":    func(n int) string { return "|a|b|\n|-|-|\n" + strings.Repeat("|c|d|\n", n/6) },
		"letters":  func(n int) string { return strings.Repeat("a", n) },
	} {
		small, large := make(20_000), make(200_000)
		a := testing.AllocsPerRun(1, func() { Read(small, Options{}) })
		b := testing.AllocsPerRun(1, func() { Read(large, Options{}) })
		if b > 13*a+1000 {
			t.Errorf("%s: %.0f allocations for n, %.0f for 10 n", name, a, b)
		}
	}
}
