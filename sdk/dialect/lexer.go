package dialect

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// class says what a byte may be at the start of a token.
type class uint8

const (
	classSpace class = 1 << iota
	classStart       // starts a word
	classPart        // continues a word
	classDigit
	classOperator
	classSpecial // may open a quote, a comment or a parameter
)

var classes = func() (table [256]class) {
	mark := func(chars string, c class) {
		for i := range len(chars) {
			table[chars[i]] |= c
		}
	}
	mark(" \t\n\v\f\r", classSpace)
	mark("0123456789", classDigit|classPart)
	mark("_", classStart|classPart)
	for c := byte('a'); c <= 'z'; c++ {
		mark(string([]byte{c, c - 'a' + 'A'}), classStart|classPart)
	}
	mark("!#%&()*+,-./:;<=>?@[]^{|}~", classOperator)
	return table
}()

// operators of more than one character, longest first. None contains "--" or
// "/*", so that a comment always wins.
var operators = []string{
	"->>", "#>>", "<=>", "!~*", "::", ":=", "<=", ">=", "<>", "!=", "==", "||", "&&", "->", "=>", "#>", "@>", "<@", "@@",
	"<<", ">>", "?|", "?&", "~*", "!~", "|>", "**",
}

// dollarQuote stands for a $tag$ string, which has no Quote.
const dollarQuote = 0xff

// lexer reads one text. It is made on the stack of Tokens.
type lexer struct {
	text  string
	lexis *Lexis
	pos   int
	class [256]class
}

// prepare marks the bytes that the lexis gives a meaning. It returns false for a
// lexis that no text can be read with: a connector may send anything.
func (l *lexer) prepare() bool {
	l.class = classes
	x := l.lexis
	ok := len(x.Strings) < dollarQuote && len(x.Identifiers) < dollarQuote &&
		knownIdentifier(x.IdentifierStart) && knownIdentifier(x.IdentifierPart)
	for i := range len(x.IdentifierStart) {
		l.class[x.IdentifierStart[i]] |= classStart | classPart
	}
	for i := range len(x.IdentifierPart) {
		l.class[x.IdentifierPart[i]] |= classPart
	}
	for _, quotes := range [2][]Quote{x.Strings, x.Identifiers} {
		for i := range quotes {
			q := &quotes[i]
			ok = ok && knownQuote(q) && l.special(q.Open)
			if q.Prefix != "" {
				l.special(q.Prefix)
			}
		}
	}
	for i := range x.LineComments {
		ok = ok && knownLineComment(x.LineComments[i].Open) && l.special(x.LineComments[i].Open)
	}
	for i := range x.BlockComments {
		ok = ok && knownBlockComment(&x.BlockComments[i]) && l.special(x.BlockComments[i].Open)
	}
	for _, open := range x.ExecutableComments {
		ok = ok && l.special(open)
	}
	for _, prefix := range x.Parameters {
		ok = ok && knownParameter(prefix) && l.special(prefix)
	}
	return ok && (!x.DollarStrings || l.special("$"))
}

// special marks the first byte of an opening; there must be one.
func (l *lexer) special(open string) bool {
	if open == "" {
		return false
	}
	c := lower(open[0])
	l.class[c] |= classSpecial
	if 'a' <= c && c <= 'z' {
		l.class[c-'a'+'A'] |= classSpecial
	}
	return true
}

// next reads the token at pos, which is not blank.
func (l *lexer) next() (Token, error) {
	start := l.pos
	c := l.text[start]
	cl := l.class[c]
	if cl&classSpecial != 0 {
		if t, ok, err := l.marked(start); ok || err != nil {
			return t, err
		}
	}
	switch {
	case cl&classStart != 0:
		return l.token(TokenWord, start, l.word(start)), nil
	case cl&classDigit != 0, c == '.' && l.is(start+1, classDigit):
		return l.number(start)
	case cl&classOperator != 0:
		return l.operator(start), nil
	case c >= utf8.RuneSelf:
		if end := l.word(start); end > start {
			return l.token(TokenWord, start, end), nil
		}
	}
	r, _ := utf8.DecodeRuneInString(l.text[start:])
	return Token{}, &LexError{ProblemCharacter, start, describeRune(r)}
}

// marked tries what the lexis adds: quotes, dollar strings, parameters.
func (l *lexer) marked(start int) (t Token, ok bool, err error) {
	if kind, index, q := l.quoteAt(start); q != nil {
		end, err := l.quoted(start, kind, q)
		t = l.token(kind, start, end)
		t.quote = uint8(index)
		return t, true, err
	}
	if l.lexis.DollarStrings && l.text[start] == '$' {
		if end, ok, err := l.dollar(start); ok {
			t = l.token(TokenString, start, end)
			t.quote = dollarQuote
			return t, true, err
		}
	}
	if l.class[l.text[start]]&classStart != 0 {
		return Token{}, false, nil
	}
	end, err := l.parameter(start)
	return l.token(TokenParameter, start, end), end > start, err
}

func (l *lexer) token(kind TokenKind, start, end int) Token {
	return Token{Kind: kind, Start: int32(start), End: int32(end)}
}

func (l *lexer) is(i int, c class) bool { return i < len(l.text) && l.class[l.text[i]]&c != 0 }

// word returns the end of the word at i, i itself if there is none.
func (l *lexer) word(i int) int {
	for i < len(l.text) {
		c := l.text[i]
		if c < utf8.RuneSelf {
			if l.class[c]&classPart == 0 {
				break
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(l.text[i:])
		if !wordRune(r) || strings.ContainsRune(l.lexis.Spaces, r) {
			break
		}
		i += size
	}
	return i
}

// wordRune reports whether a character beyond ASCII may be part of an unquoted
// word. Punctuation, mathematical signs, spaces and invisible characters may not:
// engines disagree about them (U+2212 is a minus to ClickHouse, which ends a
// word), and a person cannot tell them from their look.
func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsNumber(r) || unicode.IsSymbol(r) && !unicode.Is(unicode.Sm, r)
}

func (l *lexer) wordAt(i int) bool { return l.word(i) > i }

// number reads a numeric literal: 1, 1.5, .5, 1e-3, 0xff, 1_000.
func (l *lexer) number(start int) (Token, error) {
	i, plain := start, true
	if l.text[i] == '0' && i+1 < len(l.text) && strings.IndexByte("xXbBoO", l.text[i+1]) >= 0 && l.hex(i+2) > i+2 {
		i = l.hex(i + 2)
	} else {
		i = l.digits(i)
		if i < len(l.text) && l.text[i] == '.' {
			i, plain = l.digits(i+1), false
		}
		if i < len(l.text) && lower(l.text[i]) == 'e' {
			j := i + 1
			if j < len(l.text) && (l.text[j] == '+' || l.text[j] == '-') {
				j++
			}
			if l.is(j, classDigit) { // "1e5INTO" is a number and a word, also where "1eINTO" is a name
				i, plain = l.digits(j), false
			}
		}
	}
	if !l.wordAt(i) {
		return l.token(TokenNumber, start, i), nil
	}
	switch {
	case !l.lexis.DigitIdentifiers:
		return Token{}, &LexError{ProblemNumber, i, "a letter follows a number without a space"}
	case plain:
		return l.token(TokenWord, start, l.word(i)), nil
	default:
		return l.token(TokenNumber, start, i), nil
	}
}

// digits returns the end of the digits at i; "_" may stand between two of them.
func (l *lexer) digits(i int) int {
	for l.is(i, classDigit) || i < len(l.text) && l.text[i] == '_' && l.is(i+1, classDigit) {
		i++
	}
	return i
}

func (l *lexer) hex(i int) int {
	for i < len(l.text) && strings.IndexByte("0123456789abcdefABCDEF_", l.text[i]) >= 0 {
		i++
	}
	return i
}

// parameter returns the end of the parameter marker at start, start if none.
func (l *lexer) parameter(start int) (int, error) {
	prefix := 0
	for _, p := range l.lexis.Parameters {
		if len(p) > prefix && strings.HasPrefix(l.text[start:], p) {
			prefix = len(p)
		}
	}
	i := start + prefix
	switch {
	case prefix == 0:
		return start, nil
	case l.is(i, classDigit):
		for l.is(i, classDigit) {
			i++
		}
		if l.wordAt(i) {
			return i, &LexError{ProblemNumber, i, "a letter follows a parameter without a space"}
		}
		return i, nil
	case l.text[start:i] == "?":
		return i, nil
	case strings.HasPrefix(l.text[i:], ":"), !l.wordAt(i):
		return start, nil
	}
	i = l.word(i)
	if l.lexis.ParameterSuffixes && (strings.HasPrefix(l.text[i:], "(") || strings.HasPrefix(l.text[i:], "::")) {
		return i, &LexError{ProblemParameter, start, "the name of a parameter goes on with text that is no SQL"}
	}
	return i, nil
}

func (l *lexer) operator(start int) Token {
	if l.is(start+1, classOperator) {
		for _, op := range operators {
			if strings.HasPrefix(l.text[start:], op) {
				return l.token(TokenOperator, start, start+len(op))
			}
		}
	}
	return l.token(TokenOperator, start, start+1)
}

func describeRune(r rune) string {
	switch {
	case unicode.IsSpace(r), !unicode.IsPrint(r):
		return fmt.Sprintf("the invisible character U+%04X is not white space in this dialect", r)
	case r > unicode.MaxASCII:
		return fmt.Sprintf("the character %q (U+%04X) has no meaning outside quotes", r, r)
	}
	return fmt.Sprintf("the character %q has no meaning in this dialect", r)
}
