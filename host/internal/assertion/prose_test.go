package assertion

import (
	"os"
	"strings"
	"testing"
)

// Ordinary technical prose asserts nothing about data, neither as a file nor where somebody
// asked to remember it.
func TestProseAssertsNothing(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/prose.txt")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		count++
		for _, asked := range []bool{false, true} {
			if !asked || !strings.HasPrefix(line, "~") {
				line := strings.TrimPrefix(line, "~")
				for _, st := range Read(line, Options{Asked: asked}).Statements {
					t.Errorf("%q (asked: %t): rule %s: %q, %q", line, asked, st.Rule, st.Subject, st.Value)
				}
			}
		}
	}
	if count < 60 {
		t.Errorf("%d sentences", count)
	}
}
