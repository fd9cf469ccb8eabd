package dialect

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// TokenKind is the kind of a token.
type TokenKind uint8

const (
	TokenWord      TokenKind = iota + 1 // a keyword or an unquoted identifier
	TokenQuoted                         // a quoted identifier
	TokenString                         // a string literal with prefix and quotes
	TokenNumber                         // a numeric literal without sign
	TokenParameter                      // a parameter marker: ?, $1, :name
	TokenOperator                       // an operator or punctuation: =, ::, (, ;
)

// Token is a piece of SQL text between white space and comments.
// Units: Start and End are byte offsets into the text.
type Token struct {
	Kind       TokenKind
	quote      uint8 // index into the lexis' Identifiers or Strings
	Start, End int32
}

// Text returns the token's text; text is the text that it was read from.
func (t Token) Text(text string) string { return text[t.Start:t.End] }

// Is reports whether the token is this operator.
func (t Token) Is(text, operator string) bool {
	return t.Kind == TokenOperator && t.Text(text) == operator
}

// IsWord reports whether the token is this unquoted word, given in upper case.
func (t Token) IsWord(text, upper string) bool {
	return t.Kind == TokenWord && int(t.End-t.Start) == len(upper) && hasPrefixFold(text[t.Start:t.End], upper)
}

// Problem is the reason why a text cannot be split into tokens.
type Problem string

const (
	ProblemUnterminated Problem = "unterminated"       // a literal, name or comment has no end
	ProblemCharacter    Problem = "character"          // a character that no token starts with
	ProblemEncoding     Problem = "encoding"           // a NUL or invalid UTF-8, anywhere
	ProblemNumber       Problem = "number"             // a letter straight after a number
	ProblemParameter    Problem = "parameter"          // a parameter with a suffix
	ProblemLineEnd      Problem = "line_end"           // a carriage return inside a line comment
	ProblemExecutable   Problem = "executable_comment" // a comment that the engine runs
	ProblemLength       Problem = "length"             // more text than token offsets can hold
	ProblemDialect      Problem = "dialect"            // the lexis itself is malformed
)

// LexError is a fault of a text with its offset.
type LexError struct {
	Problem Problem
	Offset  int    // in bytes
	Detail  string // for people: "the string that starts here has no end"
}

func (e *LexError) Error() string { return e.Detail }

// Tokens splits a text as the engine would, without white space and comments, and
// appends the tokens to buf, which saves an allocation when it is big enough. A
// text that engines split differently, and for which the lexis has no rule, is an
// error.
// Errors: *LexError; the tokens before it are returned with it.
func (d *Dialect) Tokens(text string, buf []Token) ([]Token, error) {
	if err := checkEncoding(text); err != nil {
		return buf, err
	}
	l := lexer{text: text, lexis: &d.Lexis}
	if !l.prepare() {
		return buf, &LexError{ProblemDialect, 0, "the dialect has quotes, comments or parameters that no engine known to Loam has"}
	}
	for {
		if err := l.skipBlank(); err != nil {
			return buf, err
		}
		if l.pos >= len(text) {
			return buf, nil
		}
		t, err := l.next()
		if err != nil {
			return buf, err
		}
		l.pos = int(t.End)
		buf = append(buf, t)
	}
}

// Unquote returns the name that a word or a quoted identifier stands for, without
// quotes and with doubled closing quotes undone; case is left as written. Escapes
// of a backslash or of a prefix such as U& are not undone: see Escaped. Of a
// string it returns the text in the same way, and of any other token the token.
func (d *Dialect) Unquote(text string, t Token) string {
	s := t.Text(text)
	var q *Quote
	switch {
	case t.Kind == TokenQuoted:
		q = &d.Lexis.Identifiers[t.quote]
	case t.Kind == TokenString && t.quote != dollarQuote:
		q = &d.Lexis.Strings[t.quote]
	default:
		return s
	}
	s = s[len(q.Prefix)+len(q.Open) : len(s)-len(q.Close)]
	if q.Doubled && strings.Contains(s, q.Close) {
		return strings.ReplaceAll(s, q.Close+q.Close, q.Close)
	}
	return s
}

// Escaped reports whether a quoted identifier may write its name in escapes,
// so that Unquote does not give what the engine reads.
func (d *Dialect) Escaped(text string, t Token) bool {
	if t.Kind != TokenQuoted {
		return false
	}
	q := &d.Lexis.Identifiers[t.quote]
	return q.Prefix != "" || q.Backslash && strings.Contains(t.Text(text), `\`)
}

func checkEncoding(text string) error {
	if len(text) > math.MaxInt32 {
		return &LexError{ProblemLength, 0, "the text is longer than 2 GiB"}
	}
	if i := strings.IndexByte(text, 0); i >= 0 {
		return &LexError{ProblemEncoding, i, "the text has a NUL character"}
	}
	if utf8.ValidString(text) {
		return nil
	}
	for i, r := range text {
		if _, size := utf8.DecodeRuneInString(text[i:]); r == utf8.RuneError && size == 1 {
			return &LexError{ProblemEncoding, i, "the text is not valid UTF-8"}
		}
	}
	return nil
}

func unterminated(what string, at int) error {
	return &LexError{ProblemUnterminated, at, fmt.Sprintf("the %s that starts here has no end", what)}
}

// hasPrefixFold is strings.HasPrefix with ASCII letters compared without case.
func hasPrefixFold(s, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if lower(s[i]) != lower(prefix[i]) {
			return false
		}
	}
	return true
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
