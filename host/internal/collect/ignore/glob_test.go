package ignore

import (
	"strings"
	"testing"
)

func TestGlob(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern  string
		yes, not []string
	}{
		{"*.md", []string{"a.md", "b/c/a.md"}, []string{"a.mdx", "md"}},
		{"/*.md", []string{"a.md"}, []string{"b/a.md"}},
		{"./*.md", []string{"a.md"}, []string{"b/a.md"}},
		{"docs/**", []string{"docs/a", "docs/b/c"}, []string{"docs", "a/docs/b", "docsx/a"}},
		{"docs", []string{"docs", "docs/a/b", "x/docs/a"}, []string{"docsx"}},
		{"docs/", []string{"docs", "docs/a/b"}, []string{"docsx"}},
		{"a/**/b.txt", []string{"a/b.txt", "a/x/y/b.txt"}, []string{"b.txt", "x/a/b.txt"}},
		{"**/*.{sql,md}", []string{"a.sql", "x/y.md"}, []string{"a.txt", "sql"}},
		{"{a,b/{c,d}}/*.go", []string{"a/x.go", "b/c/x.go", "b/d/x.go"}, []string{"b/x.go", "c/x.go"}},
		{"{,x}y", []string{"y", "xy"}, []string{"x"}},
		{`\{a\}`, []string{"{a}"}, []string{"a"}},
		{"[a-c]?", []string{"bz"}, []string{"dz", "b"}},
		{"**", []string{"a", "a/b"}, nil},
	} {
		g, err := ParseGlob(tt.pattern)
		if err != nil {
			t.Errorf("%s: %v", tt.pattern, err)
			continue
		}
		for _, path := range tt.yes {
			if !g.Match(path) {
				t.Errorf("%s does not match %s", tt.pattern, path)
			}
		}
		for _, path := range tt.not {
			if g.Match(path) {
				t.Errorf("%s matches %s", tt.pattern, path)
			}
		}
	}
	for _, pattern := range []string{"", "/", "a//b", "../a", "a/./b", "{a", "a}", "{a,{b}", strings.Repeat("{a,b}", 7), "{" + strings.Repeat("a,", 64) + "a}"} {
		if _, err := ParseGlob(pattern); err == nil {
			t.Errorf("%q is no error", pattern)
		}
	}
}
