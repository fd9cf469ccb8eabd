//go:build cgo && linux

package main

import (
	"fmt"
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
)

// lexis is ClickHouse's, to find the few words the front must know of.
var lexis = dialect.Dialect{Lexis: dialect.Lexis{
	Strings: []dialect.Quote{{Open: "'", Close: "'", Doubled: true, Backslash: true}},
	Identifiers: []dialect.Quote{
		{Open: "`", Close: "`", Doubled: true, Backslash: true},
		{Open: `"`, Close: `"`, Doubled: true, Backslash: true},
	},
	DollarStrings: true,
	LineComments:  []dialect.LineComment{{Open: "--"}, {Open: "//"}, {Open: "#!"}, {Open: "#", NeedsSpace: true}},
	BlockComments: []dialect.BlockComment{{Open: "/*", Close: "*/", Nested: true}},
}}

// statement is a text with its tokens: all of them or, where it cannot be split
// (the data of an INSERT), those before that place.
type statement struct {
	text   string
	tokens []dialect.Token
}

func newStatement(text string) statement {
	tokens, _ := lexis.Tokens(text, nil) // the engine says what is wrong
	return statement{text, tokens}
}

// word reports whether token i is this word, in upper case, or this operator.
func (s *statement) word(i int, text string) bool {
	return i >= 0 && i < len(s.tokens) && strings.EqualFold(s.tokens[i].Text(s.text), text)
}

func (s *statement) words(i int, texts ...string) bool {
	for j, text := range texts {
		if !s.word(i+j, text) {
			return false
		}
	}
	return true
}

// selects reports whether it is a SELECT, the kind that the library streams.
func (s *statement) selects() bool {
	return s.word(0, "SELECT") || s.word(0, "WITH") || s.word(0, "FROM") || s.word(0, "(")
}

// inserts reports whether it is an INSERT whose data follows in the body: the
// place where it ends and the format of the data.
func (s *statement) inserts() (end int32, format string, ok bool) {
	if !s.word(0, "INSERT") {
		return 0, "", false
	}
	last := len(s.tokens) - 1
	if s.word(last, ";") {
		last--
	}
	switch {
	case s.word(last-1, "FORMAT"):
		return s.tokens[last-1].Start, s.tokens[last].Text(s.text), true
	case s.word(last, "VALUES"):
		return s.tokens[last].Start, "Values", true
	}
	return 0, "", false
}

// check refuses what the library would do and the server would not.
func (s *statement) check() error {
	if len(s.tokens) == 0 && strings.TrimSpace(s.text) == "" {
		return &exception{62, "SYNTAX_ERROR", "Syntax error: failed at position 1 (end of query): . Empty query"}
	}
	for i := range s.tokens {
		if s.words(i, "INTO", "OUTFILE") {
			return &exception{358, "INTO_OUTFILE_NOT_ALLOWED", "INTO OUTFILE is not allowed"}
		}
		if s.word(0, "INSERT") || !s.word(i, ";") || i+1 == len(s.tokens) || s.word(i+1, ";") {
			continue
		}
		at := s.tokens[i].Start
		return &exception{62, "SYNTAX_ERROR", fmt.Sprintf(
			"Syntax error (Multi-statements are not allowed): failed at position %d (end of query): %s. ", at+1, s.text[at:])}
	}
	return nil
}

// format returns the format of the result that the statement names itself.
func (s *statement) format() string {
	for i := len(s.tokens) - 2; i > 0; i-- {
		kind := s.tokens[i+1].Kind
		if s.word(i, "FORMAT") && (kind == dialect.TokenWord || kind == dialect.TokenQuoted) && !s.word(i+2, "(") {
			return strings.Trim(s.tokens[i+1].Text(s.text), "`\"")
		}
	}
	return ""
}

// What the engine's list of processes looks like with the accounts and query
// ids of the front's callers.
const (
	tagged     = `Settings['query_cache_tag']`
	callerID   = `substring(` + tagged + `, position(` + tagged + `, ':') + 1)`
	processID  = `substring(p.` + tagged + `, position(p.` + tagged + `, ':') + 1)`
	callerName = `substringIndex(p.` + tagged + `, ':', 1)`
	processes  = `(SELECT * REPLACE (` + processID + ` AS query_id, ` + processID + ` AS initial_query_id, ` +
		callerName + ` AS user, ` + callerName + ` AS initial_user, toUInt8(2) AS interface, ` +
		`mapFilter((k, v) -> k != 'query_cache_tag', p.Settings) AS Settings) ` +
		`FROM system.processes AS p WHERE p.` + tagged + ` != '')`
)

// translate puts the caller's query ids in the place of the engine's.
func (s *statement) translate() string {
	if s.words(0, "SHOW", "PROCESSLIST") {
		return "SELECT * FROM " + processes + " ORDER BY elapsed DESC" + s.text[s.tokens[1].End:]
	}
	var b strings.Builder
	done := int32(0)
	replace := func(from, to int32, by string) {
		b.WriteString(s.text[done:from])
		b.WriteString(by)
		done = to
	}
	kill := s.words(0, "KILL", "QUERY")
	for i, t := range s.tokens {
		name := strings.Trim(t.Text(s.text), "`\"")
		switch {
		case kill && strings.EqualFold(name, "query_id") && t.Kind != dialect.TokenString:
			replace(t.Start, t.End, callerID)
		case !kill && strings.EqualFold(name, "system") && s.word(i+1, ".") && i+2 < len(s.tokens) &&
			strings.Trim(s.tokens[i+2].Text(s.text), "`\"") == "processes":
			replace(t.Start, s.tokens[i+2].End, processes)
		}
	}
	b.WriteString(s.text[done:])
	return b.String()
}
