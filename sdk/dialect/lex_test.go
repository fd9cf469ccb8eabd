package dialect_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk/dialect"
)

// odd is a made-up dialect with the lexical oddities that the engines of the
// package engine lack.
func odd() dialect.Dialect {
	return dialect.Dialect{Name: "odd", Lexis: dialect.Lexis{
		Strings:     []dialect.Quote{{Open: "'", Close: "'", Doubled: true}, {Prefix: "U&", Open: "'", Close: "'", Doubled: true}},
		Identifiers: []dialect.Quote{{Open: `"`, Close: `"`, Doubled: true}, {Prefix: "U&", Open: `"`, Close: `"`, Doubled: true}, {Open: "[", Close: "]"}},
		Parameters:  []string{"?", ":", "@", "$"},
		Spaces:      "\uFEFF", ParameterSuffixes: true,
		LineComments: []dialect.LineComment{{Open: "--"}}, BlockComments: []dialect.BlockComment{{Open: "/*", Close: "*/"}},
	}}
}

func byName(t testing.TB, name string) *dialect.Dialect {
	t.Helper()
	if name == "odd" {
		d := odd()
		return &d
	}
	for _, list := range engines() {
		if list[0].Name == name {
			return &list[0]
		}
	}
	t.Fatalf("no dialect %q", name)
	return nil
}

// render writes tokens as "w(SELECT) s('a')".
func render(text string, tokens []dialect.Token) string {
	letters := map[dialect.TokenKind]string{
		dialect.TokenWord: "w", dialect.TokenQuoted: "q", dialect.TokenString: "s", dialect.TokenNumber: "n",
		dialect.TokenParameter: "p", dialect.TokenOperator: "o",
	}
	var parts []string
	for _, t := range tokens {
		parts = append(parts, letters[t.Kind]+"("+t.Text(text)+")")
	}
	return strings.Join(parts, " ")
}

func TestTokens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, dialect, text, want string }{
		{"empty", "duckdb", " \t\r\n", ""},
		{"words and operators", "duckdb", "SELECT a.b+c<=d", "w(SELECT) w(a) o(.) w(b) o(+) w(c) o(<=) w(d)"},
		{"longest operator", "duckdb", "a->>b::c||d!~*e", "w(a) o(->>) w(b) o(::) w(c) o(||) w(d) o(!~*) w(e)"},
		{"numbers", "duckdb", "1 1.5 .5 1. 1e3 1.5E-3 0x1F 1_000 0", "n(1) n(1.5) n(.5) n(1.) n(1e3) n(1.5E-3) n(0x1F) n(1_000) n(0)"},
		{"minus before a number", "duckdb", "1-1 - -1", "n(1) o(-) n(1) o(-) o(-) n(1)"},
		{"exponent without digits", "mysql", "1e 2", "w(1e) n(2)"},
		{"word with a digit first", "mysql", "2021_sales 0xfg 1ea 1_0e5a", "w(2021_sales) w(0xfg) w(1ea) n(1_0e5) w(a)"},
		{"word behind an exponent", "mysql", "1e5a 1E+5a .5e1a 1.e1a", "n(1e5) w(a) n(1E+5) w(a) n(.5e1) w(a) n(1.e1) w(a)"},
		{"number, dot, word", "mysql", "1.into", "n(1.) w(into)"},
		{"project with a number", "bigquery", "p-12.d.t", "w(p) o(-) n(12.) w(d) o(.) w(t)"},
		{"doubled quote", "duckdb", "'it''s'x", "s('it''s') w(x)"},
		{"backslash is plain", "duckdb", `'\' 'x'`, `s('\') s('x')`},
		{"backslash escapes", "mysql", `'\' ; x' "\" y"`, `s('\' ; x') s("\" y")`},
		{"escape string", "duckdb", `E'\'; x' e'a'`, `s(E'\'; x') s(e'a')`},
		{"prefix inside a word", "duckdb", `fE'\'`, `w(fE) s('\')`},
		{"prefix with a space", "duckdb", `E '\'`, `w(E) s('\')`},
		{"continued string", "duckdb", "E'a'\n 'b\\'c' d", "s(E'a'\n 'b\\'c') w(d)"},
		{"continued over a comment", "duckdb", "'a' -- 'x\n\t'b'", "s('a' -- 'x\n\t'b')"},
		{"not continued on the same line", "duckdb", `E'a' '\'`, `s(E'a') s('\')`},
		{"not continued over a block comment", "duckdb", "E'a' /*\n*/ '\\'", `s(E'a') s('\')`},
		{"not continued where engines do not", "mysql", "'a'\n'b'", "s('a') s('b')"},
		{"dollar string", "duckdb", "$$ ' $$ $t$ $$ ; $t$", "s($$ ' $$) s($t$ $$ ; $t$)"},
		{"dollar in a word", "duckdb", "a$$b$$", "w(a$$b$$)"},
		{"dollar parameter", "duckdb", "$1 $name", "p($1) p($name)"},
		{"dollars without a tag", "snowflake", "$$ $a$ $$ $a", "s($$ $a$ $$) p($a)"},
		{"dollar is no part of a string here", "snowflake", "$a$ + $a$", "p($a$) o(+) p($a$)"},
		{"national string", "sqlserver", `N'\' n'x'`, `s(N'\') s(n'x')`},
		{"triple quotes", "bigquery", `'''it's "" ''' """ ' """`, `s('''it's "" ''') s(""" ' """)`},
		{"raw string", "bigquery", `r'\' ; ' rb"""\""""`, `s(r'\' ; ') s(rb"""\"""")`},
		{"double quotes are strings", "bigquery", `"a" ` + "`b`", "s(\"a\") q(`b`)"},
		{"brackets are names", "sqlserver", "[a]]b] [c d]", "q([a]]b]) q([c d])"},
		{"brackets that do not double", "odd", "[a]] ", "q([a]) o(])"},
		{"brackets are subscripts", "duckdb", "a[1]", "w(a) o([) n(1) o(])"},
		{"backtick with backslash", "clickhouse", "`a\\`b` \"c\\\"d\"", "q(`a\\`b`) q(\"c\\\"d\")"},
		{"nested comment", "duckdb", "a /* /* */ ; */ b", "w(a) w(b)"},
		{"comment that does not nest", "mysql", "a /* /* */ b", "w(a) w(b)"},
		{"comment right after its start", "mysql", "a /*/ */ b /**/ c", "w(a) w(b) w(c)"},
		{"line comment", "duckdb", "a -- b ' \n c --", "w(a) w(c)"},
		{"line comment needs space", "mysql", "1--1 -- x\n --\n--\x01", "n(1) o(-) o(-) n(1)"},
		{"line comment of snowflake", "snowflake", "a // b\n/c", "w(a) o(/) w(c)"},
		{"slashes elsewhere", "duckdb", "a // b", "w(a) o(/) o(/) w(b)"},
		{"hash comment", "mysql", "a # b ' \nc", "w(a) w(c)"},
		{"hash needs space", "clickhouse", "# x\n#! y\n#z", "o(#) w(z)"},
		{"hash is an operator", "duckdb", "a # b", "w(a) o(#) w(b)"},
		{"temporary table", "sqlserver", "#tmp ##g a#b", "w(#tmp) w(##g) w(a#b)"},
		{"carriage return before a line feed", "duckdb", "a -- b\r\nc", "w(a) w(c)"},
		{"parameters", "sqlserver", "@p @@version @1", "p(@p) p(@@version) p(@1)"},
		{"question mark", "mysql", "?,?", "p(?) o(,) p(?)"},
		{"path after a colon", "snowflake", "v:a.b::int", "w(v) p(:a) o(.) w(b) o(::) w(int)"},
		{"assignment", "mysql", "@a:=1", "p(@a) o(:=) n(1)"},
		{"at as an operator", "duckdb", "a @> b @ c", "w(a) o(@>) w(b) o(@) w(c)"},
		{"escaped name", "odd", `U&"d" U&'s' u & x`, `q(U&"d") s(U&'s') w(u) o(&) w(x)`},
		{"letters beyond ASCII", "duckdb", "naïve 東京 é1", "w(naïve) w(東京) w(é1)"},
		{"space of the engine", "duckdb", "a\u00A0b\u3000c", "w(a) w(b) w(c)"},
		{"byte order mark of the engine", "odd", "\uFEFFa", "w(a)"},
		{"anything in quotes", "duckdb", "'\u00A0\u200B' \"\uFEFF\"", "s('\u00A0\u200B') q(\"\uFEFF\")"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tokens, err := byName(t, c.dialect).Tokens(c.text, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, render(c.text, tokens)); diff != "" {
				t.Errorf("tokens of %q (-want +got):\n%s", c.text, diff)
			}
		})
	}
}

func TestTokensRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, dialect, text string
		problem             dialect.Problem
		offset              int
	}{
		{"string without end", "duckdb", "a 'b", dialect.ProblemUnterminated, 2},
		{"string that ends in a backslash", "mysql", `'b\`, dialect.ProblemUnterminated, 0},
		{"continued string without end", "duckdb", "'a'\n'b", dialect.ProblemUnterminated, 0},
		{"name without end", "duckdb", `a "b`, dialect.ProblemUnterminated, 2},
		{"comment without end", "duckdb", "a /* b /* */", dialect.ProblemUnterminated, 2},
		{"dollar string without end", "duckdb", "a $t$ b $T$", dialect.ProblemUnterminated, 2},
		{"triple quotes without end", "bigquery", `"""a""`, dialect.ProblemUnterminated, 0},
		{"NUL", "duckdb", "a '\x00'", dialect.ProblemEncoding, 3},
		{"invalid UTF-8 in a comment", "duckdb", "a /* \xff */", dialect.ProblemEncoding, 5},
		{"letter behind a number", "duckdb", "select 1into", dialect.ProblemNumber, 8},
		{"letter behind a number and a dot", "duckdb", "1.into", dialect.ProblemNumber, 2},
		{"letter behind a hexadecimal number", "duckdb", "0x1g", dialect.ProblemNumber, 3},
		{"string behind a parameter", "duckdb", `$1E'\''`, dialect.ProblemNumber, 2},
		{"parameter with text in parentheses", "odd", "a $b(')", dialect.ProblemParameter, 2},
		{"parameter with colons", "odd", "@b::c(')", dialect.ProblemParameter, 0},
		{"carriage return in a comment", "duckdb", "a --b\rc\n", dialect.ProblemLineEnd, 5},
		{"executable comment", "mysql", "select 1 /*!50000 into x */", dialect.ProblemExecutable, 9},
		{"executable comment of MariaDB", "mysql", "select 1 /*M! into x */", dialect.ProblemExecutable, 9},
		{"executable comment in other case", "mysql", "select 1 /*m!100000 into x */", dialect.ProblemExecutable, 9},
		{"no-break space", "mysql", "select\u00A01", dialect.ProblemCharacter, 6},
		{"zero-width space", "mysql", "a\u200B", dialect.ProblemCharacter, 1},
		{"byte order mark", "mysql", "\uFEFFselect", dialect.ProblemCharacter, 0},
		{"curly quotes", "duckdb", "‘a’", dialect.ProblemCharacter, 0},
		{"full-width semicolon", "duckdb", "a；b", dialect.ProblemCharacter, 1},
		{"backtick", "duckdb", "a `b`", dialect.ProblemCharacter, 2},
		{"backslash", "duckdb", `a \b`, dialect.ProblemCharacter, 2},
		{"control character", "duckdb", "a\x01", dialect.ProblemCharacter, 1},
		{"stray dollar", "bigquery", "a $", dialect.ProblemCharacter, 2},
		{"heredoc with a digit", "clickhouse", "$1$ ' $1$", dialect.ProblemCharacter, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := byName(t, c.dialect).Tokens(c.text, nil)
			lex, ok := errors.AsType[*dialect.LexError](err)
			if !ok {
				t.Fatalf("error %v is no *LexError", err)
			}
			if lex.Problem != c.problem || lex.Offset != c.offset || lex.Error() == "" {
				t.Errorf("got %s at %d (%s), want %s at %d", lex.Problem, lex.Offset, lex, c.problem, c.offset)
			}
		})
	}
}

// A dialect may come from a connector that nobody reviewed: a malformed one is
// an error, never a panic or a loop.
func TestTokensWithAMalformedDialect(t *testing.T) {
	t.Parallel()
	quote := dialect.Quote{Open: "'", Close: "'", Doubled: true}
	for name, lexis := range map[string]dialect.Lexis{
		"string without Open":       {Strings: []dialect.Quote{{Close: "'"}}},
		"string without Close":      {Strings: []dialect.Quote{{Open: "'", Doubled: true}}},
		"identifier of a prefix":    {Identifiers: []dialect.Quote{{Prefix: "U&"}}},
		"too many quotes":           {Strings: slices.Repeat([]dialect.Quote{quote}, 256)},
		"line comment":              {LineComments: []dialect.LineComment{{}}},
		"block comment":             {BlockComments: []dialect.BlockComment{{Close: "*/"}}},
		"block comment without end": {BlockComments: []dialect.BlockComment{{Open: "/*"}}},
		"executable comment":        {ExecutableComments: []string{""}},
		"letters beyond ASCII":      {IdentifierStart: "é"},
		"parameter":                 {Parameters: []string{"?", ""}},
	} {
		d := &dialect.Dialect{Lexis: lexis}
		_, err := d.Tokens("SELECT '' /* */ -- x", nil)
		if lex, ok := errors.AsType[*dialect.LexError](err); !ok || lex.Problem != dialect.ProblemDialect {
			t.Errorf("%s: %v", name, err)
		}
	}
	d := &dialect.Dialect{}
	if _, err := d.Tokens("a + 1.5", nil); err != nil {
		t.Errorf("a lexis without anything: %v", err)
	}
	if got := d.QuoteString("it's"); got != "it's" {
		t.Errorf("a dialect without quotes writes %q", got)
	}
}

func TestUnquote(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		dialect, text, want string
		escaped             bool
	}{
		{"duckdb", "Word", "Word", false},
		{"duckdb", `"a""b"`, `a"b`, false},
		{"duckdb", "'it''s'", "it's", false},
		{"duckdb", "$t$x$t$", "$t$x$t$", false},
		{"sqlserver", "[a]]b]", "a]b", false},
		{"sqlserver", "N'x'", "x", false},
		{"odd", "[a]", "a", false},
		{"odd", `U&"\0061"`, `\0061`, true},
		{"clickhouse", "`a`", "a", false},
		{"clickhouse", "`\\x61`", `\x61`, true},
		{"bigquery", `r"""x"""`, "x", false},
	} {
		d := byName(t, c.dialect)
		tokens, err := d.Tokens(c.text, nil)
		if err != nil || len(tokens) != 1 {
			t.Fatalf("%s: %v %v", c.text, tokens, err)
		}
		if got := d.Unquote(c.text, tokens[0]); got != c.want {
			t.Errorf("Unquote(%s) = %q, want %q", c.text, got, c.want)
		}
		if got := d.Escaped(c.text, tokens[0]); got != c.escaped {
			t.Errorf("Escaped(%s) = %v", c.text, got)
		}
	}
}

func TestTokensReuseTheBuffer(t *testing.T) {
	d := byName(t, "duckdb")
	text := strings.Repeat("a + 'b' /* c */ -- d\n", 100)
	buf := make([]dialect.Token, 0, 300)
	allocs := testing.AllocsPerRun(10, func() {
		tokens, err := d.Tokens(text, buf)
		if err != nil || len(tokens) != 300 {
			panic(fmt.Sprint(len(tokens), err))
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations with a buffer that is big enough", allocs)
	}
}

// FuzzTokens: the tokens are in order, what is between them is blank, and each
// one is a token of the same kind by itself.
func FuzzTokens(f *testing.F) {
	for _, seed := range []string{
		"SELECT 'a', E'\\'', \"b\", $$c$$, `d`, [e] FROM t -- x\n WHERE a <> 1.5e3 /* y */ AND b = ?", "E'a'\n'b\\'' ; x",
		"r'''x''' // y\n# z\n@@v := $1::int", "1into 2021_sales 0x1F .5", "\uFEFF\u00A0‘x’", "/*! x */ $1E'", "U&\"\\0061\"(",
	} {
		for i := range 16 {
			f.Add(uint8(i), seed)
		}
	}
	var all []dialect.Dialect
	for _, list := range engines() {
		all = append(all, list...)
	}
	all = append(all, odd())
	f.Fuzz(func(t *testing.T, which uint8, text string) {
		d := &all[int(which)%len(all)]
		tokens, err := d.Tokens(text, nil)
		if lex, ok := errors.AsType[*dialect.LexError](err); err != nil && (!ok || lex.Offset < 0 || lex.Offset > len(text)) {
			t.Fatalf("bad error %#v", err)
		}
		end := int32(0)
		for _, token := range tokens {
			if token.Start < end || token.End <= token.Start || int(token.End) > len(text) {
				t.Fatalf("token %+v after %d of %q", token, end, text)
			}
			if blank, err := d.Tokens(text[end:token.Start], nil); err != nil || len(blank) > 0 {
				t.Fatalf("%q between tokens of %q: %v %v", text[end:token.Start], text, blank, err)
			}
			end = token.End
			if token.Text(text) == "#" { // at the end it would start a comment in some dialects
				continue
			}
			alone, err := d.Tokens(token.Text(text), nil)
			if err != nil || len(alone) != 1 || alone[0].Kind != token.Kind {
				t.Fatalf("token %q of %q by itself: %v %v", token.Text(text), text, alone, err)
			}
		}
	})
}
