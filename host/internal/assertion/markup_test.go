package assertion

import (
	"runtime"
	"strings"
	"testing"
)

// Ten times the text is ten times the work, counted in allocations and their bytes; some tables are made from a length on.
func TestWorkIsLinear(t *testing.T) {
	for name, make := range map[string]func(n int) string{
		"glossary": glossary,
		"one line": func(n int) string { return strings.Repeat("a = b and c: d ", n/15) },
		"colons":   func(n int) string { return strings.Repeat("Term: a thing in orders\n", n/24) },
		"indented": func(n int) string { return strings.Repeat("Gross takings\n    a thing in orders\n", n/36) },
		"quotes":   func(n int) string { return strings.Repeat("> ", n/2) },
		"links":    func(n int) string { return strings.Repeat("[a](", n/4) },
		"table":    func(n int) string { return "|a|b|\n|-|-|\n" + strings.Repeat("|c|d|\n", n/6) },
		"letters":  func(n int) string { return strings.Repeat("a", n) },
	} {
		small, large := make(20_000), make(200_000)
		a, bytes := allocated(func() { Read(small, Options{}) })
		b, ten := allocated(func() { Read(large, Options{}) })
		if b > 13*a+1000 || ten > 20*bytes+1<<20 {
			t.Errorf("%s: %d allocations of %d bytes for n, %d of %d for 10 n", name, a, bytes, b, ten)
		}
	}
}

// allocated returns the allocations of the second run of a function, and their bytes.
func allocated(fn func()) (allocations, bytes uint64) {
	fn()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc
}
