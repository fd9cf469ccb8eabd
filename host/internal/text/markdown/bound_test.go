package markdown

import (
	"strings"
	"testing"
)

// Markup that costs the parser the square of its length is blanked: nested quotes and lists,
// and brackets that never close.
func TestBound(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"quotes":   strings.Repeat(">", 1000),
		"spaced":   strings.Repeat("> ", 1000) + "a\n",
		"lists":    strings.Repeat("- 1. ", 1000),
		"brackets": strings.Repeat("[a](", 1000),
		"lines":    strings.Repeat("[a]: b\n", 1000),
	} {
		source := []byte(text)
		Bound(source)
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
		Bound(got)
		if string(got) != source {
			t.Errorf("%q becomes %q", source, got)
		}
	}
}
