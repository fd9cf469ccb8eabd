package expression

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loam-data/loam/sdk"
)

const (
	// MaxTextBytes is the longest expression that Parse looks at.
	MaxTextBytes = 64 << 10
	// MaxDepth is how deep an expression may nest, and the longest chain of
	// arithmetic operators. AND, OR, IN and CASE may be as long as the text.
	MaxDepth = 200
	// MaxNameParts is the longest reference, such as catalog.schema.source.column
	// behind a role.
	MaxNameParts = 5
	// maxDigits is the longest number, that of the widest decimals.
	maxDigits = 38
)

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenWord
	tokenQuoted
	tokenText
	tokenNumber
	tokenOperator
)

type token struct {
	kind       tokenKind
	start, end int32
	pos        sdk.Position
}

// lexer splits a text once, from left to right.
type lexer struct {
	text string
	i    int
	// pos is the position of byte counted.
	pos     sdk.Position
	counted int
}

// lex splits a text into tokens; the last one is tokenEnd.
// Units: the cost is linear in the text.
func lex(text string) ([]token, error) {
	if len(text) > MaxTextBytes {
		return nil, fail(sdk.KindLimit, sdk.Position{}, "send a shorter expression; a long list of values belongs in a table",
			"the expression has %d bytes; the limit is %d", len(text), MaxTextBytes)
	}
	l := lexer{text: text, pos: sdk.Position{Line: 1, Column: 1}}
	tokens := make([]token, 0, len(text)/8+4)
	for {
		for l.i < len(text) && strings.IndexByte(" \t\r\n", text[l.i]) >= 0 {
			l.i++
		}
		t := token{start: int32(l.i), pos: l.at(l.i)}
		if l.i < len(text) {
			kind, err := l.next()
			if err != nil {
				return nil, err
			}
			t.kind = kind
		}
		t.end = int32(l.i)
		tokens = append(tokens, t)
		if t.kind == tokenEnd {
			return tokens, nil
		}
	}
}

// at returns the position of byte i, which never goes back.
func (l *lexer) at(i int) sdk.Position {
	part := l.text[l.counted:i]
	if n := strings.Count(part, "\n"); n > 0 {
		l.pos.Line += n
		l.pos.Column = 1
		part = part[strings.LastIndexByte(part, '\n')+1:]
	}
	l.pos.Column += utf8.RuneCountInString(part)
	l.counted = i
	return l.pos
}

func (l *lexer) fail(i int, hint, format string, args ...any) error {
	return fail(sdk.KindSyntax, l.at(i), hint, format, args...)
}

// next moves i behind the token at i.
func (l *lexer) next() (tokenKind, error) {
	c := l.text[l.i]
	switch {
	case c == '\'':
		return tokenText, l.quoted('\'', "text")
	case c == '"':
		return tokenQuoted, l.quoted('"', "name")
	case isDigit(c), c == '.' && l.i+1 < len(l.text) && isDigit(l.text[l.i+1]) && !l.afterName():
		return tokenNumber, l.number()
	}
	if n := wordPart(l.text[l.i:]); n > 0 {
		for n > 0 {
			l.i += n
			n = wordPart(l.text[l.i:])
		}
		return tokenWord, nil
	}
	return tokenOperator, l.operator()
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// afterName reports whether a name ends right before i, so that a dot belongs to it.
func (l *lexer) afterName() bool {
	return l.i > 0 && (l.text[l.i-1] == '"' || l.text[l.i-1] == '_' || l.text[l.i-1] >= utf8.RuneSelf || isLetter(l.text[l.i-1]))
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// wordPart returns the size of the word character that s starts with, 0 if none.
func wordPart(s string) int {
	if s == "" {
		return 0
	}
	if c := s[0]; c < utf8.RuneSelf {
		if c == '_' || isLetter(c) || isDigit(c) {
			return 1
		}
		return 0
	}
	if r, size := utf8.DecodeRuneInString(s); unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r) {
		return size
	}
	return 0
}

// quoted reads a text or a quoted name; only a doubled quote stands for one.
func (l *lexer) quoted(quote byte, what string) error {
	start := l.i
	for i := start + 1; i < len(l.text); {
		c := l.text[i]
		switch {
		case c == quote && i+1 < len(l.text) && l.text[i+1] == quote:
			i += 2
		case c == quote:
			if quote == '"' && i == start+1 {
				return l.fail(start, "write the name between the quotes", "the quoted name is empty")
			}
			l.i = i + 1
			return nil
		case c == 0, c == 0x7f, c < ' ' && (quote == '"' || strings.IndexByte("\t\r\n", c) < 0):
			return l.character(i)
		case c < utf8.RuneSelf:
			i++
		default:
			r, size := utf8.DecodeRuneInString(l.text[i:])
			if r == utf8.RuneError && size == 1 || unicode.IsControl(r) {
				return l.character(i)
			}
			i += size
		}
	}
	if quote == '"' {
		return l.fail(start, "close the name with a double quote; text takes single quotes", "the quoted %s that starts here has no end", what)
	}
	return l.fail(start, "close the text with a single quote; write a quote inside it twice", "the %s that starts here has no end", what)
}

// number reads 1, 1.5, .5, 1e-3.
func (l *lexer) number() error {
	start := l.i
	l.digits()
	if l.i < len(l.text) && l.text[l.i] == '.' {
		l.i++
		if !l.digits() {
			return l.fail(start, "write a digit behind the point", "the number ends with a point")
		}
	}
	digits := l.i - start
	if l.i < len(l.text) && l.text[l.i]|0x20 == 'e' {
		l.i++
		if l.i < len(l.text) && (l.text[l.i] == '+' || l.text[l.i] == '-') {
			l.i++
		}
		l.digits()
	}
	if l.text[l.i-1]|0x20 == 'e' || l.text[l.i-1] == '+' || l.text[l.i-1] == '-' || wordPart(l.text[l.i:]) > 0 {
		return l.fail(start, "put a space behind the number, or quote the name", "a letter follows a number")
	}
	if digits > maxDigits+1 {
		return l.fail(start, "write a shorter number", "the number has more than %d digits", maxDigits)
	}
	return nil
}

func (l *lexer) digits() bool {
	start := l.i
	for l.i < len(l.text) && isDigit(l.text[l.i]) {
		l.i++
	}
	return l.i > start
}

// operators are all that the language has, longer ones first.
var operators = []string{"||", "::", "<=", ">=", "<>", "!=", "(", ")", ",", ".", "+", "-", "*", "/", "%", "=", "<", ">", "{", "}"}

func (l *lexer) operator() error {
	rest := l.text[l.i:]
	switch {
	case strings.HasPrefix(rest, "--"):
		return l.fail(l.i, "remove the comment; write - (-x) for minus a negative number", "a comment is refused: -- starts one")
	case strings.HasPrefix(rest, "/*"):
		return l.fail(l.i, "remove the comment", "a comment is refused: /* starts one")
	case rest[0] == ';':
		return fail(sdk.KindNotReadOnly, l.at(l.i), "send one expression without a semicolon", "a second statement is refused: an expression has no semicolon")
	}
	for _, op := range operators {
		if strings.HasPrefix(rest, op) {
			l.i += len(op)
			return nil
		}
	}
	return l.character(l.i)
}

// character refuses what no token starts with.
func (l *lexer) character(i int) error {
	r, size := utf8.DecodeRuneInString(l.text[i:])
	switch {
	case r == 0:
		return l.fail(i, "send text without NUL characters", "the text has a NUL character")
	case r == utf8.RuneError && size <= 1:
		return l.fail(i, "send valid UTF-8", "the text is not valid UTF-8")
	case r == '`', r == '[':
		return l.fail(i, `put the name in double quotes: "name"`, "the character %q quotes no name here", r)
	case strings.ContainsRune("?$:@", r):
		return l.fail(i, "write the value as a literal", "the character %q starts a parameter, and there are none", r)
	case !unicode.IsPrint(r), unicode.IsSpace(r):
		return l.fail(i, "remove it, or use a plain space", "the invisible character U+%04X is refused", r)
	}
	what := fmt.Sprintf("the character %q", r)
	if r > unicode.MaxASCII {
		what += fmt.Sprintf(" (U+%04X)", r)
	}
	return l.fail(i, "use plain operators and straight quotes; "+grammarHint, "%s has no meaning here", what)
}

// grammarHint is the language in one line.
const grammarHint = "an expression has names, numbers, 'text', + - * / %, ||, comparisons, AND, OR, NOT, BETWEEN, IN, LIKE, IS NULL, CASE, CAST and functions"
