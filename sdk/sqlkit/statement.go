package sqlkit

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/readonly"
)

// Statement is the one statement of a text.
type Statement struct {
	SQL    string
	Tokens []dialect.Token // without the semicolons around the statement
}

// Parse checks a caller's text for faults that an engine may accept: a second statement, a comment that the engine
// runs, a name with escapes, and the phrases and functions of the dialect's guard, whose effects no transaction undoes.
// It is the connector's own check, whatever the host's guard found before.
// Errors: KindInvalid for no statement, KindNotReadOnly, and KindSyntax for a text that cannot be split into tokens;
// all with a position.
func Parse(sql string, d *dialect.Dialect) (*Statement, error) {
	tokens, err := d.Tokens(sql, nil)
	if err != nil {
		return nil, readonly.LexError(sql, err)
	}
	for len(tokens) > 0 && tokens[0].Is(sql, ";") {
		tokens = tokens[1:]
	}
	for len(tokens) > 0 && tokens[len(tokens)-1].Is(sql, ";") {
		tokens = tokens[:len(tokens)-1]
	}
	if len(tokens) == 0 {
		return nil, sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there is no statement").
			WithHint("send one SELECT statement")
	}
	s := &Statement{SQL: sql, Tokens: tokens}
	reads := s.reads(d)
	for i, t := range tokens {
		if t.Is(sql, ";") {
			return nil, s.Refuse(i+1, "a second statement is refused: only one may be sent at a time").
				WithHint("send one statement per call, without text behind the semicolon")
		}
		if reads {
			if err := s.phrase(d, i); err != nil {
				return nil, err
			}
		}
		if err := s.callable(d, i); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Is reports whether token i exists and is one of the words or operators.
func (s *Statement) Is(i int, words ...string) bool {
	return i < len(s.Tokens) && slices.ContainsFunc(words, func(word string) bool {
		return s.Tokens[i].IsWord(s.SQL, word) || s.Tokens[i].Is(s.SQL, word)
	})
}

// Starts reports whether the statement begins with one of the keywords.
func (s *Statement) Starts(words ...string) bool { return s.Is(0, words...) }

// Parameters returns the parameter markers in their order, as the text has them.
func (s *Statement) Parameters() (markers []string) {
	for _, t := range s.Tokens {
		if t.Kind == dialect.TokenParameter {
			markers = append(markers, t.Text(s.SQL))
		}
	}
	return markers
}

// Start returns the byte offset of token i; the length of the text for i = len(Tokens).
func (s *Statement) Start(i int) int {
	if i >= len(s.Tokens) {
		return len(s.SQL)
	}
	return int(s.Tokens[i].Start)
}

// Refuse returns a KindNotReadOnly error about token i.
func (s *Statement) Refuse(i int, format string, args ...any) *sdk.Error {
	e := sdk.Errorf(sdk.KindNotReadOnly, sdk.SourceCaller, format, args...)
	e.Pos = sdk.PositionAtByte(s.SQL, s.Start(i))
	return e
}

// NotQuery returns the error about a statement that is none of those that may be sent,
// which accepted lists: "SELECT or WITH".
// Errors: KindNotReadOnly.
func (s *Statement) NotQuery(i int, accepted string) *sdk.Error {
	return s.Refuse(i, "only a query is accepted, and this statement is none: it may change data or settings").
		WithHint("send one %s statement that only reads", accepted)
}

// alias reports whether token i is a quoted name behind AS: nobody looks it up.
// A name with a prefix, such as U&"…", may be a type there.
func (s *Statement) alias(i int) bool {
	first := s.SQL[s.Start(i)]
	return i > 0 && s.Tokens[i-1].IsWord(s.SQL, "AS") && (first == '`' || first == '"')
}

// reads reports whether the statement begins as the dialect's reading statements
// do. What begins otherwise the engine names best.
func (s *Statement) reads(d *dialect.Dialect) bool {
	return s.Tokens[0].Is(s.SQL, "(") || len(d.Guard.Statements) == 0 || slices.ContainsFunc(d.Guard.Statements, func(of dialect.Statement) bool {
		return len(of.Words) > 0 && s.Starts(of.Words[0])
	})
}

// phrase refuses a phrase of the dialect's guard at token i: bare words that are
// neither a member of something, nor an alias, nor what a SHOW shows.
func (s *Statement) phrase(d *dialect.Dialect, i int) error {
	if i > 0 && (s.Tokens[i-1].Is(s.SQL, ".") || s.Tokens[i-1].IsWord(s.SQL, "AS")) {
		return nil
	}
	shown := s.Starts("SHOW") && (i == 1 || i == 2 && s.Tokens[1].IsWord(s.SQL, "CHANGED"))
	for _, phrase := range d.Guard.Phrases {
		if !s.follows(i, phrase.Words) || shown && len(phrase.Words) == 1 {
			continue
		}
		words := strings.Join(phrase.Words, " ")
		return s.Refuse(i, "%s is refused because it %s", words, phrase.Reason).WithHint("send a statement that only reads, without %s", words)
	}
	return nil
}

// follows reports whether the words, or operators, stand from token i on.
func (s *Statement) follows(i int, words []string) bool {
	for _, word := range words {
		if !s.Is(i, word) {
			return false
		}
		i++
	}
	return len(words) > 0
}

// callable refuses the call of a listed function at token i, and a name that
// escapes hide: whoever looks names up, here or in the catalogue, must see them.
func (s *Statement) callable(d *dialect.Dialect, i int) error {
	t := s.Tokens[i]
	if t.Kind != dialect.TokenWord && t.Kind != dialect.TokenQuoted {
		return nil
	}
	if d.Escaped(s.SQL, t) && !s.alias(i) {
		return s.Refuse(i, "a name is written in escapes, which hides what it names").WithHint("write the name as it is")
	}
	if next := i + 1; next >= len(s.Tokens) || !s.Tokens[next].Is(s.SQL, "(") {
		return nil
	}
	name := strings.ToLower(d.Unquote(s.SQL, t))
	if dialect.ReadsWithoutArguments(name) && i+2 < len(s.Tokens) && s.Tokens[i+2].Is(s.SQL, ")") {
		return nil
	}
	if reason := dialect.Refusal(d.Guard.Functions, name); reason != "" {
		return s.Refuse(i, "the function %s is refused because it %s", name, reason).
			WithHint("answer the question without this function")
	}
	return nil
}

// CheckParameters returns an error when the number of parameters is wrong.
// Errors: KindInvalid.
func CheckParameters(want, given int) error {
	if want == given {
		return nil
	}
	return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "the statement has %d parameters, %d values were given", want, given).
		WithHint("give one value per parameter, in their order")
}
