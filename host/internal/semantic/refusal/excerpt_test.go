package refusal

import (
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
)

func TestExcerpt(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789", 20)
	for _, tt := range []struct {
		name, text   string
		line, column int
		want         string
	}{
		{"the start", "a = ;", 1, 1, "a = ;\n^"},
		{"the end", "a = ;", 1, 5, "a = ;\n    ^"},
		{"behind the end", "a =", 1, 4, "a =\n   ^"},
		{"the second line", "a = 1 AND\nb = ;\nc", 2, 5, "b = ;\n    ^"},
		{"code points, not bytes", "'äöü' = ;", 1, 9, "'äöü' = ;\n        ^"},
		{"what cannot be seen", "a\x00\u202eb\t= ;", 1, 7, "a··b = ;\n      ^"},
		{"the middle of a long line", long, 1, 101, "…" + long[64:136] + "…\n" + strings.Repeat(" ", 37) + "^"},
		{"the start of a long line", long, 1, 3, long[:72] + "…\n  ^"},
		{"the end of a long line", long, 1, 200, "…" + long[128:] + "\n" + strings.Repeat(" ", 72) + "^"},
		{"behind the end of a long line", long, 1, 201, "…" + long[128:] + "\n" + strings.Repeat(" ", 73) + "^"},
		{"a line that there is not", "a", 7, 9, "\n" + "        ^"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := New(CodeInvalidExpression, "wrong").At(tt.text, sdk.Position{Line: tt.line, Column: tt.column})
			if e.Excerpt != tt.want {
				t.Errorf("%q, want %q", e.Excerpt, tt.want)
			}
		})
	}
}

// TestExcerptOfNothing leaves out what is not known.
func TestExcerptOfNothing(t *testing.T) {
	t.Parallel()
	for _, e := range []*Error{
		New(CodeInvalidExpression, "wrong").At("", sdk.Position{Line: 1, Column: 1}),
		New(CodeInvalidExpression, "wrong").At("a = 1", sdk.Position{}),
		New(CodeInvalidExpression, "wrong").At("a = 1", sdk.Position{Line: 1}),
	} {
		if e.Excerpt != "" || e.Position != nil {
			t.Errorf("%+v", e)
		}
	}
}
