package expression_test

import (
	"database/sql"
	"errors"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/readonly"
)

func seeds(f *testing.F) {
	source, err := os.ReadFile("testdata/expressions.txt")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(source)) {
		f.Add(strings.TrimSpace(line))
	}
	for _, s := range []string{"", "a b", "1; DROP TABLE a", "'", `"`, "a--b", "(((", "- - -1", "a.b.c.d", "CASE", "a::", "{a}", "\x00", "'\xff'", "a IN (", "1e", "sum(sum(a))"} {
		f.Add(s)
	}
}

// Whatever is read is read back as the same tree, and what is printed of it is one
// statement that reads, in every dialect. Whatever is not is an error for agents.
func FuzzParse(f *testing.F) {
	seeds(f)
	var dialects []*dialect.Dialect
	for _, name := range engines {
		dialects = append(dialects, engine(f, name))
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := expression.Parse(text)
		if err != nil {
			checkError(t, text, err)
			return
		}
		canonical := expression.String(n)
		again, err := expression.Parse(canonical)
		if err != nil {
			t.Fatalf("%q is written as %q, which is refused: %v", text, canonical, err)
		}
		if expression.String(again) != canonical || !same(n, again) {
			t.Fatalf("%q is written as %q and read back as %q", text, canonical, expression.String(again))
		}
		c, err := expression.Check(n, func(n *expression.Name) (sdk.Type, error) { return columns[n.Parts[len(n.Parts)-1]], nil })
		if err != nil {
			checkError(t, text, err)
			return
		}
		for _, d := range dialects {
			s, err := printer(d).Value(c)
			if err != nil {
				checkError(t, text, err)
				continue
			}
			if err := readonly.Check("SELECT "+s, d); err != nil {
				t.Fatalf("%q is written for %s as %q: %v", text, d.Name, s, err)
			}
		}
	})
}

// same compares the kinds of all nodes.
func same(a, b expression.Node) bool {
	x, y := expression.Children(a), expression.Children(b)
	if len(x) != len(y) || a.Type() != b.Type() {
		return false
	}
	for i := range x {
		if !same(x[i], y[i]) {
			return false
		}
	}
	return true
}

func checkError(t *testing.T, text string, err error) {
	t.Helper()
	e, ok := errors.AsType[*sdk.Error](err)
	if !ok || e.Hint == "" || e.Source != sdk.SourceCaller {
		t.Fatalf("%q: not an error for agents: %v", text, err)
	}
	switch e.Kind {
	case sdk.KindSyntax, sdk.KindNotReadOnly, sdk.KindInvalid, sdk.KindLimit, sdk.KindUnsupported:
	default:
		t.Fatalf("%q: %s", text, e.Kind)
	}
	if e.Pos.IsZero() && e.Kind != sdk.KindLimit {
		t.Fatalf("%q: no position: %v", text, err)
	}
	if !utf8.ValidString(e.Msg) {
		t.Fatalf("%q: the message is not valid UTF-8: %q", text, e.Msg)
	}
}

// A text becomes one string literal in every dialect, whose value is the text.
func FuzzLiteral(f *testing.F) {
	for _, s := range []string{"", "a", "'", "''", `\`, `\'`, `\\'`, `"`, "`", "]", "-- x", "/* x", "*/", "#", "$$", "$a$", "?", "\n", "\r\n", "é", "\u2028", "🎉", "{x}", "{{", "%", "; DROP", "N'", "\x1a", "\x00", "\xff", `\n`} {
		f.Add(s)
	}
	var dialects []*dialect.Dialect
	for _, name := range engines {
		dialects = append(dialects, engine(f, name))
	}
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { db.Close() })
	f.Fuzz(func(t *testing.T, s string) {
		for _, d := range dialects {
			text, err := printer(d).Value(expression.Text(s))
			if !utf8.ValidString(s) || strings.Contains(s, "\x00") {
				if sdk.KindOf(err) != sdk.KindInvalid {
					t.Fatalf("%s: %q is written as %q, %v", d.Name, s, text, err)
				}
				continue
			}
			if len(s) > 1000 {
				return
			}
			if err != nil {
				t.Fatalf("%s: %q: %v", d.Name, s, err)
			}
			tokens, err := d.Tokens(text, nil)
			if err != nil || len(tokens) != 1 || tokens[0].Kind != dialect.TokenString {
				t.Fatalf("%s: %q is written as %q, which is %v, %v", d.Name, s, text, tokens, err)
			}
			got := d.Unquote(text, tokens[0])
			if d.String.Backslash {
				got = strings.NewReplacer(`\\`, `\`, `\'`, `'`, `\n`, "\n", `\r`, "\r").Replace(got)
			}
			if got != s {
				t.Fatalf("%s: %q is written as %q, which is %q", d.Name, s, text, got)
			}
			if d.Name == "sqlite" {
				if err := db.QueryRow("SELECT " + text).Scan(&got); err != nil || got != s {
					t.Fatalf("%q comes back as %q, %v", s, got, err)
				}
			}
		}
	})
}

// A fragment in parentheses is the tokens of the fragment in parentheses: nothing
// in it reaches what is printed behind it.
func FuzzParseNative(f *testing.F) {
	seeds(f)
	for _, s := range []string{"a #", "a --", "'a\\", "f(a)) --", "$$a", "a::b", "x->>'y'", "`a`", "[a]", "/*", "CAST(a AS int)"} {
		f.Add(s)
	}
	var dialects []*dialect.Dialect
	for _, name := range engines {
		dialects = append(dialects, engine(f, name))
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, d := range dialects {
			n, err := expression.ParseNative(text, d)
			if err != nil {
				continue
			}
			inside, err := d.Tokens(text, nil)
			if err != nil {
				t.Fatal(err)
			}
			s, err := printer(d).Value(n.Bind(func(*expression.Name) int { return 0 }))
			if err != nil {
				t.Fatal(err)
			}
			all, err := d.Tokens(s+" = b", nil)
			if err != nil || len(all) != len(inside)+4 {
				t.Fatalf("%s: %q has %d tokens, %q has %d, %v", d.Name, text, len(inside), s, len(all), err)
			}
			for i, token := range inside {
				if token.Text(text) != all[i+1].Text(s+" = b") {
					t.Fatalf("%s: %q is written as %q", d.Name, text, s)
				}
			}
			if _, err := printer(d).Value(n); err != nil {
				t.Fatal(err)
			}
		}
	})
}
