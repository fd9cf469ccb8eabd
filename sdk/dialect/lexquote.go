package dialect

import (
	"strings"
	"unicode/utf8"
)

// skipBlank moves pos past white space and comments.
func (l *lexer) skipBlank() error {
	for l.pos < len(l.text) {
		c := l.text[l.pos]
		switch {
		case l.class[c]&classSpace != 0:
			l.pos++
		case l.class[c]&classSpecial != 0:
			end, err := l.comment(l.pos)
			if err != nil {
				return err
			}
			if end == l.pos {
				return nil
			}
			l.pos = end
		case c >= utf8.RuneSelf && l.lexis.Spaces != "":
			r, size := utf8.DecodeRuneInString(l.text[l.pos:])
			if !strings.ContainsRune(l.lexis.Spaces, r) {
				return nil
			}
			l.pos += size
		default:
			return nil
		}
	}
	return nil
}

// comment returns the end of the comment at start, start if there is none.
func (l *lexer) comment(start int) (int, error) {
	rest := l.text[start:]
	for _, open := range l.lexis.ExecutableComments {
		switch {
		case !hasPrefixFold(rest, open) || harmlessHint(rest):
		case open == hintOpen:
			return start, &LexError{ProblemExecutable, start, "a hint in /*+ … */ is refused unless it only chooses a plan: it may change a setting or lift the time limit"}
		default:
			return start, &LexError{ProblemExecutable, start, "the comment " + open + " hides SQL that the engine runs"}
		}
	}
	if runComment(rest) {
		return start, &LexError{ProblemExecutable, start, "the comment /*! hides SQL that some engines run"}
	}
	for i := range l.lexis.BlockComments {
		if c := &l.lexis.BlockComments[i]; strings.HasPrefix(rest, c.Open) {
			return l.blockComment(start, c)
		}
	}
	for i := range l.lexis.LineComments {
		c := &l.lexis.LineComments[i]
		if strings.HasPrefix(rest, c.Open) && (!c.NeedsSpace || l.blankAt(start+len(c.Open))) {
			return l.lineComment(start, len(c.Open))
		}
	}
	return start, nil
}

// blankAt reports whether white space, a control character or the end is at i.
func (l *lexer) blankAt(i int) bool { return i >= len(l.text) || l.text[i] <= ' ' || l.text[i] == 0x7f }

// lineComment ends with the line feed. Some engines end it at a carriage return
// as well, so that one inside it is an error.
func (l *lexer) lineComment(start, open int) (int, error) {
	end := strings.IndexByte(l.text[start:], '\n')
	if end < 0 {
		end = len(l.text) - start
	}
	line := l.text[start+open : start+end]
	if i := strings.IndexByte(line, '\r'); i >= 0 && i < len(line)-1 {
		return start, &LexError{ProblemLineEnd, start + open + i, "a carriage return without a line feed stands in a line comment"}
	}
	return start + end, nil
}

func (l *lexer) blockComment(start int, c *BlockComment) (int, error) {
	i, depth := start+len(c.Open), 1
	for i < len(l.text) {
		switch {
		case strings.HasPrefix(l.text[i:], c.Close):
			i += len(c.Close)
			if depth--; depth == 0 {
				return i, nil
			}
		case c.Nested && strings.HasPrefix(l.text[i:], c.Open):
			i += len(c.Open)
			depth++
		default:
			i++
		}
	}
	return start, unterminated("comment", start)
}

// quoteAt returns the quote with the longest opening at start.
func (l *lexer) quoteAt(start int) (kind TokenKind, index int, q *Quote) {
	longest := 0
	try := func(k TokenKind, i int, candidate *Quote) {
		n := len(candidate.Prefix) + len(candidate.Open)
		if n > longest && hasPrefixFold(l.text[start:], candidate.Prefix) &&
			strings.HasPrefix(l.text[start+len(candidate.Prefix):], candidate.Open) {
			kind, index, q, longest = k, i, candidate, n
		}
	}
	for i := range l.lexis.Strings {
		try(TokenString, i, &l.lexis.Strings[i])
	}
	for i := range l.lexis.Identifiers {
		try(TokenQuoted, i, &l.lexis.Identifiers[i])
	}
	return kind, index, q
}

// quoted returns the end of the quoted text at start.
func (l *lexer) quoted(start int, kind TokenKind, q *Quote) (int, error) {
	end := l.closing(start+len(q.Prefix)+len(q.Open), q)
	for kind == TokenString && l.lexis.ContinuedStrings && end >= 0 {
		next := l.continuation(end, q.Open)
		if next < 0 {
			return end, nil
		}
		end = l.closing(next, q)
	}
	switch {
	case end >= 0:
		return end, nil
	case kind == TokenString:
		return start, unterminated("string", start)
	default:
		return start, unterminated("quoted name", start)
	}
}

// closing returns the end of a quoted text whose inside starts at i, or -1.
func (l *lexer) closing(i int, q *Quote) int {
	for i < len(l.text) {
		switch {
		case q.Backslash && l.text[i] == '\\':
			i += 2
		case !strings.HasPrefix(l.text[i:], q.Close):
			i++
		case q.Doubled && strings.HasPrefix(l.text[i+len(q.Close):], q.Close):
			i += 2 * len(q.Close)
		default:
			return i + len(q.Close)
		}
	}
	return -1
}

// continuation returns where the inside of the next part of a literal starts
// that goes on after white space with a line break, or -1.
// Source: quotecontinue in PostgreSQL's scan.l.
func (l *lexer) continuation(i int, open string) int {
	newline := false
	for i < len(l.text) {
		switch {
		case l.class[l.text[i]]&classSpace != 0:
			newline = newline || l.text[i] == '\n' || l.text[i] == '\r'
			i++
		case strings.HasPrefix(l.text[i:], "--"):
			n := strings.IndexAny(l.text[i:], "\r\n")
			if n < 0 {
				return -1
			}
			i += n
		case newline && strings.HasPrefix(l.text[i:], open):
			return i + len(open)
		default:
			return -1
		}
	}
	return -1
}

// dollar returns the end of the $tag$ string at start.
func (l *lexer) dollar(start int) (end int, ok bool, err error) {
	i := start + 1
	for i < len(l.text) && l.text[i] != '$' {
		c := l.text[i]
		if c < utf8.RuneSelf && (classes[c]&classPart == 0 || i == start+1 && classes[c]&classDigit != 0) {
			return start, false, nil
		}
		i++
	}
	if i >= len(l.text) {
		return start, false, nil
	}
	tag := l.text[start : i+1]
	length := strings.Index(l.text[i+1:], tag)
	if length < 0 {
		return start, true, unterminated("string", start)
	}
	return i + 1 + length + len(tag), true, nil
}
