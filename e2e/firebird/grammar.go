package firebird

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Words that Firebird 3 has no place for in a statement that reads, unless a parenthesis follows: then
// they are functions. What may follow IS, and the types of a CAST.
var (
	unknown = []string{"LIMIT", "QUALIFY", "ILIKE", "GLOB", "REGEXP", "EXCEPT", "INTERSECT", "VALUES", "PRAGMA", "EXPLAIN", "ISNULL", "NOTNULL", "LATERAL", "TABLESAMPLE", "RANGE"}
	isWhat  = []string{"NULL", "NOT", "DISTINCT", "TRUE", "FALSE", "UNKNOWN"}
	types   = []string{"BIGINT", "INTEGER", "SMALLINT", "DOUBLE", "FLOAT", "VARCHAR", "CHAR", "DECIMAL", "NUMERIC", "DATE", "TIME", "TIMESTAMP", "BLOB", "BOOLEAN"}
	signs   = []string{"(", ")", ",", ".", "+", "-", "*", "/", "||", "=", "<>", "!=", "<", ">", "<=", ">=", ";"}
)

// grammar is Firebird's.
type grammar struct{ dialect *dialect.Dialect }

// statement is a text that is translated.
type statement struct {
	grammar
	sql    string
	tokens []dialect.Token
	words  []string // of each token: its text, of a word in upper case
	casts  []bool   // of each token: it is an AS of a CAST
}

// translate returns the text for SQLite of a statement that Firebird parses. stored are the names of
// tables and columns.
// Errors: KindSyntax.
func (g grammar) translate(sql string, stored map[string]bool) (string, error) {
	tokens, err := g.dialect.Tokens(sql, nil)
	if err != nil {
		return "", sdk.Errorf(sdk.KindSyntax, sdk.SourceWarehouse, "Dynamic SQL Error: %w", err).WithHint("correct the statement")
	}
	s := &statement{grammar: g, sql: sql, tokens: tokens, words: make([]string, len(tokens)), casts: make([]bool, len(tokens))}
	for i, t := range tokens {
		if s.words[i] = t.Text(sql); t.Kind == dialect.TokenWord {
			s.words[i] = strings.ToUpper(s.words[i])
		}
	}
	for _, rule := range []func() error{s.levels, s.tokensAlone, s.casted, func() error { return s.names(stored) }} {
		if err := rule(); err != nil {
			return "", err
		}
	}
	return s.written(), nil
}

// refused is the error about a token.
func (s *statement) refused(i int, format string, args ...any) error {
	e := sdk.Errorf(sdk.KindSyntax, sdk.SourceWarehouse, "Dynamic SQL Error: %s", fmt.Sprintf(format, args...)).WithHint("correct the statement")
	e.Pos = sdk.PositionAtByte(s.sql, int(s.tokens[i].Start))
	return e
}

// word returns the word or sign at a token, "" beyond the ends and for what is quoted.
func (s *statement) word(i int) string {
	if i < 0 || i >= len(s.tokens) || s.tokens[i].Kind != dialect.TokenWord && s.tokens[i].Kind != dialect.TokenOperator {
		return ""
	}
	return s.words[i]
}

// levels finds a SELECT without FROM at its own level of parentheses, and marks the AS of each CAST.
func (s *statement) levels() error {
	type level struct {
		selecting, cast bool
		at              int // the SELECT
	}
	open, now := []level{}, level{}
	without := func() error { return s.refused(now.at, "a SELECT needs FROM") }
	for i := range s.tokens {
		switch s.word(i) {
		case "(":
			open, now = append(open, now), level{cast: s.word(i-1) == "CAST"}
		case ")":
			if now.selecting {
				return without()
			}
			if now = (level{}); len(open) > 0 {
				now, open = open[len(open)-1], open[:len(open)-1]
			}
		case "SELECT":
			if now.selecting {
				return without()
			}
			now.selecting, now.at = true, i
		case "FROM":
			now.selecting = now.selecting && s.word(i-1) == "DISTINCT"
		case "AS":
			s.casts[i] = now.cast
		}
	}
	if now.selecting {
		return without()
	}
	return nil
}

// tokensAlone looks at each token with its neighbours.
func (s *statement) tokensAlone() error {
	for i, t := range s.tokens {
		name, word := s.words[i], s.word(i)
		if t.Kind == dialect.TokenQuoted {
			name = s.dialect.Unquote(s.sql, t)
		}
		column := s.word(i-1) == "."
		switch {
		case (t.Kind == dialect.TokenWord || t.Kind == dialect.TokenQuoted) && len(name) > longestName:
			return s.refused(i, "the name %s is longer than %d bytes", name, longestName)
		case t.Kind == dialect.TokenWord && strings.HasPrefix(word, "_"):
			return s.refused(i, "%s begins with no letter", word)
		case t.Kind == dialect.TokenOperator && !slices.Contains(signs, word), slices.Contains(unknown, word) && !column && s.word(i-1) != "AS" && (s.word(i+1) != "(" || word == "VALUES"):
			return s.refused(i, "Token unknown: %s", word)
		case t.Kind == dialect.TokenWord && slices.Contains(s.dialect.Reserved, word) && (column || s.word(i-1) == "AS" && !s.casts[i-1] && word != "SELECT"):
			return s.refused(i, "Token unknown: %s", word)
		case word == "IS" && !column && !slices.Contains(isWhat, s.word(i+1)):
			return s.refused(i, "Token unknown behind IS")
		case word == "BY" && s.word(i-1) == "ORDER" && s.word(i+1) == "(" && s.word(i+2) == "SELECT":
			return s.refused(i, "a subquery is no key of an order")
		}
	}
	return nil
}

// casted looks at the types, and at the digits of decimals.
func (s *statement) casted() error {
	for i := range s.tokens {
		word := s.word(i)
		if i > 0 && s.casts[i-1] && !slices.Contains(types, word) {
			return s.refused(i, "there is no type %s", s.words[i])
		}
		if s.word(i+1) != "(" || i+2 >= len(s.tokens) {
			if word == "VARCHAR" {
				return s.refused(i, "VARCHAR needs a length")
			}
			continue
		}
		limit := map[string]int{"DECIMAL": decimalDigits, "NUMERIC": decimalDigits, "VARCHAR": longestText}[word]
		if n, err := strconv.Atoi(s.words[i+2]); limit > 0 && err == nil && n > limit {
			return s.refused(i, "%s has at most %d", word, limit)
		}
	}
	return nil
}

// names refuses a name that exists in another case only: what is not quoted is folded to upper case,
// and what is quoted is itself.
func (s *statement) names(stored map[string]bool) error {
	known := map[string]string{} // the spelling of each name, by its form in upper case
	defined := map[string]bool{}
	for name := range stored {
		known[strings.ToUpper(name)], defined[name] = name, true
	}
	for i := range s.tokens {
		if s.isName(i) && (s.named(i) || s.ofCTE(i)) {
			name := s.spelt(i)
			known[strings.ToUpper(name)], defined[name] = name, true
		}
	}
	for i := range s.tokens {
		if !s.isName(i) || s.word(i+1) == "(" || defined[s.spelt(i)] {
			continue
		}
		if other, ok := known[strings.ToUpper(s.spelt(i))]; ok {
			return s.refused(i, "Column unknown: %s, there is %s", s.spelt(i), other)
		}
	}
	return nil
}

// ofCTE reports whether a token is the name of a CTE, or one of the names in parentheses behind it:
// AS and a parenthesis follow.
func (s *statement) ofCTE(i int) bool {
	for i++; i < len(s.tokens) && (s.word(i) == "," || s.word(i) == "(" || s.isName(i)); i++ { //nolint:revive // it looks for the end
	}
	if s.word(i) == ")" {
		i++
	}
	return s.word(i) == "AS" && s.word(i+1) == "("
}

// isName reports whether a token is a name of a table or a column.
func (s *statement) isName(i int) bool {
	t := s.tokens[i]
	return t.Kind == dialect.TokenQuoted || t.Kind == dialect.TokenWord && !slices.Contains(s.dialect.Reserved, s.words[i])
}

// named reports whether a token names what is before it: behind AS, a parenthesis or another name.
func (s *statement) named(i int) bool {
	if i == 0 {
		return false
	}
	before := s.word(i - 1)
	return before == "AS" && !s.casts[i-1] || before == ")" || before != "." && s.isName(i-1)
}

// spelt is a name as Firebird stores it.
func (s *statement) spelt(i int) string {
	if s.tokens[i].Kind == dialect.TokenQuoted {
		return s.dialect.Unquote(s.sql, s.tokens[i])
	}
	return s.words[i]
}

// written returns the statement for SQLite: FETCH as LIMIT, a table of one row, and names of results
// in upper case.
func (s *statement) written() string {
	var b strings.Builder
	at := int32(0)
	put := func(from, to int, text string) { // in place of the tokens from to to
		b.WriteString(s.sql[at:s.tokens[from].Start] + text)
		at = s.tokens[to].End
	}
	for i := 0; i < len(s.tokens); i++ {
		offset, next := "0", i
		if s.word(i) == "OFFSET" && i+3 < len(s.tokens) && s.word(i+2) == "ROWS" {
			offset, next = s.words[i+1], i+3
		}
		switch {
		case s.word(next) == "FETCH" && next+4 < len(s.tokens) && s.word(next+4) == "ONLY":
			put(i, next+4, "LIMIT "+s.words[next+2]+" OFFSET "+offset)
			i = next + 4
		case s.word(i) == "RDB$DATABASE":
			put(i, i, "(SELECT 1)")
		case s.tokens[i].Kind == dialect.TokenWord && s.word(i-1) == "AS" && !s.casts[i-1] && s.words[i] != "SELECT":
			put(i, i, `"`+s.words[i]+`"`)
		}
	}
	return b.String() + s.sql[at:]
}
