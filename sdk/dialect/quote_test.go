package dialect_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/loam-data/loam/sdk/dialect"
)

func TestQuote(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ dialect, text, identifier, str string }{
		{"duckdb", "plain", `"plain"`, "'plain'"},
		{"duckdb", "", `""`, "''"},
		{"duckdb", `it's "so" \n`, `"it's ""so"" \n"`, `'it''s "so" \n'`},
		{"mysql", "a`b'c\\d\n\r", "`a``b'c\\d\n\r`", `'a` + "`" + `b''c\\d\n\r'`},
		{"sqlserver", "a]b'c", "[a]]b'c]", "N'a]b''c'"},
		{"bigquery", "a`b'c\\\n", "`a\\`b'c\\\\\\n`", "'a`b\\'c\\\\\\n'"},
		{"clickhouse", "a`b'c", "`a\\`b'c`", "'a`b''c'"},
		{"snowflake", `a"b'c\`, `"a""b'c\"`, `'a"b''c\\'`},
		{"duckdb", "a\x00b\xff", "\"a\uFFFDb\uFFFD\"", "'a\uFFFDb\uFFFD'"},
	} {
		d := byName(t, c.dialect)
		if got := d.QuoteIdentifier(c.text); got != c.identifier {
			t.Errorf("%s: QuoteIdentifier(%q) = %s, want %s", c.dialect, c.text, got, c.identifier)
		}
		if got := d.QuoteString(c.text); got != c.str {
			t.Errorf("%s: QuoteString(%q) = %s, want %s", c.dialect, c.text, got, c.str)
		}
	}
}

// FuzzQuote: whatever the text, quoting gives exactly one token, and where no
// backslash is involved the token gives the text back.
func FuzzQuote(f *testing.F) {
	for _, seed := range []string{
		"", "plain", "'", "''", `\`, `\'`, `'\`, "a\nb", "a\r\n'b", "\x00", "\xff'", "]", "]]", "`", "\\`", `"`, `"""`, "$$", "$a$",
		"'; DROP TABLE t; --", "/* */", "é'漢\u00A0", "\uFEFF", `\x27`, "'''", `E'`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, list := range engines() {
			for i := range list {
				d := &list[i]
				checkQuoted(t, d, text, d.QuoteString(text), dialect.TokenString, d.String.Backslash)
				checkQuoted(t, d, text, d.QuoteIdentifier(text), dialect.TokenQuoted, d.Identifier.Backslash)
			}
		}
	})
}

func checkQuoted(t *testing.T, d *dialect.Dialect, text, quoted string, kind dialect.TokenKind, backslash bool) {
	t.Helper()
	// What follows must not become part of the token.
	sql := quoted + " x"
	tokens, err := d.Tokens(sql, nil)
	if err != nil || len(tokens) != 2 || tokens[0].Kind != kind || tokens[0].Text(sql) != quoted {
		t.Fatalf("%s: %q quoted as %q is not one token: %v %v", d.Name, text, quoted, tokens, err)
	}
	if backslash || !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		return
	}
	if back := d.Unquote(sql, tokens[0]); back != text {
		t.Fatalf("%s: %q comes back as %q", d.Name, text, back)
	}
}
