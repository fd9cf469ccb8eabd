package assertion

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// Spans are inside the text, on the borders of runes and in order; reading what was framed
// once more removes nothing.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.md")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), true)
	}
	for _, text := range []string{"", "\x00", "\xff\xfe", "- - - x", "> > a", "|a|\n|-|\n||", "```", "```\n", "    code", "\t- a\n\t\t- b", "[a]: b\n[a]", "<p>a<!-- b", "<script>", "---\na: b\n---\n# t", "---\n---", "X = 'a", "X = `a", "**a**", "a\\\n b", "![x](y)", "<http://a.b>", "1. 2. a", "X:：Y", "\u200d\u202e\U000e0041", "- [ ] a", "A\n=\n", "# #", "`` ` ``", "X is the sum of (a", "from 2025 to 2026 a is 1"} {
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, asked bool) {
		d := Read(text, Options{Asked: asked, Known: func(w string) bool { return strings.HasPrefix(w, "a") }})
		inside := func(what string, s Span) {
			if s.From < 0 || s.To < s.From || s.To > len(d.Text) || !border(d.Text, s.From) || !border(d.Text, s.To) {
				t.Fatalf("%s %v of %d bytes in %q", what, s, len(d.Text), d.Text)
			}
		}
		at := 0
		for _, s := range d.Sections {
			inside("section", s.Span)
			for _, b := range s.Blocks {
				inside("block", b.Span)
				if b.From < at {
					t.Fatalf("block %v before %d in %q", b.Span, at, d.Text)
				}
				at = b.To
			}
		}
		for _, s := range d.Statements {
			inside("statement", s.Span)
			if s.Section < 0 || s.Section >= len(d.Sections) || s.From == s.To {
				t.Fatalf("statement %+v of %d sections in %q", s, len(d.Sections), d.Text)
			}
			if kind, ok := Contradicts(s, s); ok {
				t.Fatalf("%+v contradicts itself: %s", s, kind)
			}
		}
		for _, c := range d.Fences {
			inside("fence", c.Code)
		}
		if !utf8.ValidString(d.Text) || !utf8.ValidString(Slug(text)) || len(Slug(text)) > maxSlug {
			t.Fatalf("%q, %q", d.Text, Slug(text))
		}
		if again, n := Frame(d.Text); n != 0 || again != d.Text {
			t.Fatalf("%q becomes %q", d.Text, again)
		}
	})
}

func border(s string, at int) bool { return at == len(s) || utf8.RuneStart(s[at]) }

func FuzzContradicts(f *testing.F) {
	f.Add("an order in the last 90 days", "an order in the last 1,234.5 months", "sum(a) / b", true)
	f.Fuzz(func(t *testing.T, x, y, expr string, german bool) {
		a := Statement{Attribute: Definition, Subject: "a", Value: x, Language: English}
		b := Statement{Attribute: Definition, Subject: "a", Value: y, Language: English}
		if german {
			b.Language = German
		}
		kind, ok := Contradicts(a, b)
		if back, again := Contradicts(b, a); back != kind && ok && again || ok != again {
			t.Fatalf("%q and %q: %s %t, back %s %t", x, y, kind, ok, back, again)
		}
		a = Statement{Attribute: FormulaOf, Subject: "a", Formula: &Formula{Expr: expr}}
		if _, ok := Contradicts(a, a); ok {
			t.Fatalf("%q contradicts itself", expr)
		}
	})
}

// glossary is a text of about n bytes with all that costs: sentences, tables, lists.
func glossary(n int) string {
	var b strings.Builder
	b.WriteString("# Glossary\n\n")
	for b.Len() < n {
		b.WriteString("ARR is the sum of amount_cents / 100 in billing.subscription where status = 'active' and plan = 'pro'. Churn excludes trials.\n" +
			"By active customers we mean customers with an order in the last 90 days, and nobody else is counted there.\n\n- **AOV**: average order value\n- 1 = open\n\n" +
			"| Metric | Definition |\n|---|---|\n| GMV | gross merchandise value |\n\nThe server is restarted when the file changes, which is seldom the case in practice.\n\n## Section\n\n")
	}
	return b.String()
}

func BenchmarkRead(b *testing.B) {
	for name, size := range map[string]int{"4KiB": 4 << 10, "256KiB": 256 << 10} {
		text := glossary(size)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Read(text, Options{Asked: true})
			}
		})
	}
}
