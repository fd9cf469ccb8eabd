package snowflake

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

type kind int

const (
	word   kind = iota // folded to upper case
	quoted             // a quoted identifier, without its quotes
	text               // a string, without quotes and escapes
	number
	mark  // an operator or punctuation
	param // ? or :1
	raw   // DuckDB's SQL, printed as it is
)

// token is a lexeme of a statement and its offset in the statement's text.
type token struct {
	kind kind
	text string
	at   int
}

func (t token) is(words ...string) bool {
	if t.kind != word && t.kind != mark {
		return false
	}
	for _, w := range words {
		if t.text == w {
			return true
		}
	}
	return false
}

func (t token) name() bool { return t.kind == word || t.kind == quoted }

// marks are the operators of more than one character, the longest first.
var marks = []string{"->>", "::", "=>", "<=", ">=", "<>", "!=", "||", "->"}

// lex reads a text of one or more statements.
// Errors: a *failure at a string, a name or a comment without an end, or at a character that starts no token.
func lex(sql string) ([]token, error) {
	var out []token
	for i := 0; i < len(sql); {
		rest := sql[i:]
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case unicode.IsSpace(r):
			i += size
		case strings.HasPrefix(rest, "--"), strings.HasPrefix(rest, "//"):
			if end := strings.IndexByte(rest, '\n'); end >= 0 {
				i += end
			} else {
				i = len(sql)
			}
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return nil, syntaxError(sql, i, "/*")
			}
			i += end + 4
		case r == '\'', r == '"', strings.HasPrefix(rest, "$$"):
			t, n := lexQuoted(rest)
			if n == 0 {
				return nil, syntaxError(sql, i, rest[:1])
			}
			t.at = i
			out = append(out, t)
			i += n
		default:
			t, n := lexPlain(rest, out)
			if n == 0 {
				return nil, syntaxError(sql, i, rest[:size])
			}
			t.at = i
			out = append(out, t)
			i += n
		}
	}
	return out, nil
}

// lexQuoted reads what stands between quotes; n = 0: there is no end.
func lexQuoted(s string) (token, int) {
	if strings.HasPrefix(s, "$$") {
		if end := strings.Index(s[2:], "$$"); end >= 0 {
			return token{kind: text, text: s[2 : 2+end]}, end + 4
		}
		return token{}, 0
	}
	quote := s[0]
	t := token{kind: text}
	if quote == '"' {
		t.kind = quoted
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == quote && i+1 < len(s) && s[i+1] == quote:
			b.WriteByte(quote)
			i++
		case s[i] == quote:
			t.text = b.String()
			return t, i + 1
		case s[i] == '\\' && quote == '\'' && i+1 < len(s):
			i++
			b.WriteByte(escape(s[i]))
		default:
			b.WriteByte(s[i])
		}
	}
	return token{}, 0
}

func escape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case '0':
		return 0
	}
	return c
}

func lexPlain(s string, before []token) (token, int) {
	r, _ := utf8.DecodeRuneInString(s)
	switch {
	case unicode.IsLetter(r), r == '_':
		n := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '$' })
		if n < 0 {
			n = len(s)
		}
		return token{kind: word, text: strings.ToUpper(s[:n])}, n
	case unicode.IsDigit(r), r == '.' && len(s) > 1 && s[1] >= '0' && s[1] <= '9' && !operand(before):
		n := numeral.FindString(s)
		return token{kind: number, text: n}, len(n)
	case r == '?':
		return token{kind: param, text: "?"}, 1
	case r == ':' && len(s) > 1 && s[1] >= '0' && s[1] <= '9' && !operand(before):
		n := 1
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		return token{kind: param, text: s[1:n]}, n
	}
	for _, m := range marks {
		if strings.HasPrefix(s, m) {
			return token{kind: mark, text: m}, len(m)
		}
	}
	if strings.ContainsRune("()[],.;+-*/%=<>:@{}|&^~!", r) {
		return token{kind: mark, text: s[:1]}, 1
	}
	return token{}, 0
}

// operand reports whether the last token ends an expression.
func operand(before []token) bool {
	if len(before) == 0 {
		return false
	}
	last := before[len(before)-1]
	return last.kind != mark || last.is(")", "]")
}

// numeral is a number without a sign, or nothing.
var numeral = regexp.MustCompile(`^[0-9]*(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?`)

// split returns the statements of a text, without what ends them.
func split(tokens []token) [][]token {
	var out [][]token
	start := 0
	for i := 0; i <= len(tokens); i++ {
		if i < len(tokens) && !tokens[i].is(";") {
			continue
		}
		if i > start {
			out = append(out, tokens[start:i])
		}
		start = i + 1
	}
	return out
}
