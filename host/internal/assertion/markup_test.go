package assertion

import (
	"strings"
	"testing"
)

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
