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

// TestWhatIsNotOurs: a definition that is somebody else's, passing, cut off or taken back is no certain formula, and the same
// sentence without that is one.
func TestWhatIsNotOurs(t *testing.T) {
	t.Parallel()
	const says = "Net revenue is sum(amount) in orders."
	certain := func(text string) (n int) {
		for _, st := range Read(text, Options{Asked: true}).Statements {
			if st.Attribute == FormulaOf && st.Unread == "" {
				n++
			}
		}
		return n
	}
	for _, text := range []string{says, says + " Refunds are wrong at times.", "Gross revenue is sum(total) in orders. " + says} {
		if certain(text) == 0 {
			t.Errorf("%q is no formula", text)
		}
	}
	for _, text := range []string{
		"According to the broker, net revenue is sum(amount) in orders.", "Laut dem Makler ist net revenue = sum(amount) in orders.",
		"Bis Ende Juni gilt noch: net revenue = sum(amount) in orders", "Net revenue = sum(amount) in orders where",
		says + " Correction: that was the old version.", says + " That was wrong.",
		says + "\n\nSlides are due.\n\nPS: I was wrong about net revenue above.",
	} {
		if certain(text) > 0 {
			t.Errorf("%q is a certain formula", text)
		}
	}
}
