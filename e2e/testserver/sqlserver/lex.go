//go:build cgo

package sqlserver

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/loam-data/loam/e2e/testserver/tds"
)

type kind int

const (
	word     kind = iota // a name or a keyword without quotes
	quoted               // [name] or "name"
	text                 // 'text' or N'text'
	number               // 1, 1.5, 1e3, 0xFF
	variable             // @p1, @@VERSION
	symbol               // an operator or punctuation
)

// token is a part of a statement.
type token struct {
	kind kind
	raw  string // as it is written
	text string // a name or a text without its quotes; a word in upper case
	lead string // spaces before it; a comment becomes a space, its newlines stay
	line int    // of the batch, from 1
}

func (t token) is(words ...string) bool {
	if t.kind != word && t.kind != symbol {
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

// syntaxError is error 102, or 156 for a keyword.
func syntaxError(t token) *tds.Error {
	if t.kind == word && reserved[t.text] {
		return &tds.Error{Number: 156, Class: 15, Line: uint32(t.line), Message: "Incorrect syntax near the keyword '" + t.raw + "'."}
	}
	return &tds.Error{Number: 102, Class: 15, Line: uint32(t.line), Message: "Incorrect syntax near '" + t.raw + "'."}
}

// missing refuses what SQL Server has and the fixture has not.
func missing(line int, format string, args ...any) *tds.Error {
	return &tds.Error{Number: 50001, Class: 16, Line: uint32(line), Message: "The fixture has no " + fmt.Sprintf(format, args...) + "."}
}

// lexer cuts a batch into tokens.
type lexer struct {
	s    string
	i    int
	line int
}

// lex returns a batch's tokens.
// Errors: 105 and 113, an end without its quote or comment mark; 102.
func lex(batch string) ([]token, error) {
	l := &lexer{s: batch, line: 1}
	var tokens []token
	for {
		lead, err := l.spaces()
		if err != nil {
			return nil, err
		}
		if l.i >= len(l.s) {
			return tokens, nil
		}
		t := token{lead: lead, line: l.line}
		start := l.i
		if err := l.next(&t); err != nil {
			return nil, err
		}
		t.raw = l.s[start:l.i]
		l.line += strings.Count(t.raw, "\n")
		if t.kind == word {
			t.text = strings.ToUpper(t.raw)
		} else if t.text == "" && t.kind != quoted && t.kind != text {
			t.text = t.raw
		}
		tokens = append(tokens, t)
	}
}

// spaces skips spaces and comments; block comments nest.
func (l *lexer) spaces() (string, error) {
	var b strings.Builder
	for l.i < len(l.s) {
		rest := l.s[l.i:]
		switch {
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r' || rest[0] == '\n' || strings.HasPrefix(rest, "\u00a0"):
			if rest[0] == '\n' {
				l.line++
				b.WriteByte('\n')
			} else {
				b.WriteByte(' ')
			}
			l.i++
			if rest[0] == 0xC2 {
				l.i++
			}
		case strings.HasPrefix(rest, "--"):
			end := strings.IndexByte(rest, '\n')
			if end < 0 {
				end = len(rest)
			}
			l.i += end
			b.WriteByte(' ')
		case strings.HasPrefix(rest, "/*"):
			end := blockEnd(rest)
			if end < 0 {
				return "", &tds.Error{Number: 113, Class: 15, Line: uint32(l.line), Message: "Missing end comment mark '*/'."}
			}
			n := strings.Count(rest[:end], "\n")
			l.line += n
			b.WriteString(" " + strings.Repeat("\n", n))
			l.i += end
		default:
			return b.String(), nil
		}
	}
	return b.String(), nil
}

// blockEnd returns where a block comment ends; -1 = nowhere.
func blockEnd(s string) int {
	depth := 0
	for i := 0; i+1 < len(s); i++ {
		switch s[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			i++
			if depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

var symbols = []string{"<=", ">=", "<>", "!=", "!<", "!>", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "::"}

func (l *lexer) next(t *token) error {
	rest := l.s[l.i:]
	c := rest[0]
	switch {
	case c == '\'':
		return l.quotedText(t, 1, '\'', text)
	case (c == 'N' || c == 'n') && strings.HasPrefix(rest[1:], "'"):
		return l.quotedText(t, 2, '\'', text)
	case c == '[':
		return l.quotedText(t, 1, ']', quoted)
	case c == '"':
		return l.quotedText(t, 1, '"', quoted)
	case c >= '0' && c <= '9', c == '.' && len(rest) > 1 && rest[1] >= '0' && rest[1] <= '9':
		t.kind = number
		l.i += numberEnd(rest)
	case c == '@':
		t.kind = variable
		l.i += 1 + nameEnd(rest[1:])
	case c == '_' || c == '#' || c >= 0x80 || c|0x20 >= 'a' && c|0x20 <= 'z':
		t.kind = word
		n := nameEnd(rest)
		if n == 0 {
			return syntaxError(token{kind: symbol, raw: rest[:1], line: l.line})
		}
		l.i += n
	default:
		t.kind = symbol
		n := 1
		for _, s := range symbols {
			if strings.HasPrefix(rest, s) {
				n = len(s)
			}
		}
		l.i += n
	}
	return nil
}

// quotedText reads to a quote that is not doubled.
func (l *lexer) quotedText(t *token, open int, quote byte, k kind) error {
	var b strings.Builder
	for i := l.i + open; i < len(l.s); i++ {
		if l.s[i] != quote {
			b.WriteByte(l.s[i])
		} else if i+1 < len(l.s) && l.s[i+1] == quote {
			b.WriteByte(quote)
			i++
		} else {
			t.kind, t.text, l.i = k, b.String(), i+1
			return nil
		}
	}
	return &tds.Error{Number: 105, Class: 15, Line: uint32(l.line), Message: "Unclosed quotation mark after the character string '" + b.String() + "'."}
}

func nameEnd(s string) int {
	for i, r := range s {
		if r != '_' && r != '@' && r != '#' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return i
		}
	}
	return len(s)
}

func numberEnd(s string) int {
	i := 0
	digits := func(set string) {
		for i < len(s) && strings.IndexByte(set, s[i]) >= 0 {
			i++
		}
	}
	if len(s) > 1 && s[0] == '0' && s[1]|0x20 == 'x' {
		i = 2
		digits("0123456789abcdefABCDEF")
		return i
	}
	digits("0123456789")
	if i < len(s) && s[i] == '.' {
		i++
		digits("0123456789")
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		mark := i
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		if first := i; true {
			if digits("0123456789"); i == first {
				i = mark
			}
		}
	}
	return i
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// reserved are words that no name without quotes may be.
// Source: the manual's list of reserved keywords.
var reserved = set(`ADD ALL ALTER AND ANY AS ASC BACKUP BEGIN BETWEEN BREAK BULK BY CASE CHECK CHECKPOINT CLOSE
	CLUSTERED COALESCE COLLATE COLUMN COMMIT COMPUTE CONSTRAINT CONTAINS CONTINUE CONVERT CREATE CROSS CURRENT
	CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER CURSOR DATABASE DBCC DEALLOCATE DECLARE DEFAULT DELETE
	DENY DESC DISTINCT DROP ELSE END ESCAPE EXCEPT EXEC EXECUTE EXISTS EXIT FETCH FOR FOREIGN FROM FULL FUNCTION GOTO
	GRANT GROUP HAVING HOLDLOCK IDENTITY IF IN INDEX INNER INSERT INTERSECT INTO IS JOIN KEY KILL LEFT LIKE MERGE
	NOCHECK NOT NULL NULLIF OF OFF ON OPEN OPENQUERY OPENROWSET OPTION OR ORDER OUTER OVER PERCENT PIVOT PRIMARY PRINT
	PROC PROCEDURE PUBLIC RAISERROR READTEXT RECONFIGURE REFERENCES RESTORE RETURN REVERT REVOKE RIGHT ROLLBACK
	ROWCOUNT SAVE SCHEMA SELECT SESSION_USER SET SETUSER SHUTDOWN SOME SYSTEM_USER TABLE TABLESAMPLE THEN TO TOP TRAN
	TRANSACTION TRIGGER TRUNCATE TRY_CONVERT TSEQUAL UNION UNIQUE UNPIVOT UPDATE USE USER VALUES VIEW WAITFOR WHEN WHERE WHILE WITH`)
