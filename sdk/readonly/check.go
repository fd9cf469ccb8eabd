// Package readonly is the read-only guard: it checks, by the dialect of an engine,
// that a text is exactly one statement that only reads.
//
// It is an allow-list over tokens. A statement must begin with words that the
// dialect lists for reading statements; so must every CTE and the statement that
// follows WITH or EXPLAIN. Then no phrase, function or relation that the dialect
// refuses may occur. The package uses no database. It is one of two layers: a
// connector refuses writes by its engine as well.
//
// A dialect comes from a connector's author, who may err or mean harm. It can
// therefore only narrow rules that apply to every engine: the words that may open
// a statement and the kinds that they may have (dialect.Opens), the options of
// EXPLAIN, the names and the form of a PRAGMA, and the phrases and pairs of words
// that write or lock (floor.go). The quotes and comment marks are a closed set
// too. The author decides which of these marks the engine has, and which of its
// functions have an effect.
package readonly

import (
	"errors"
	"fmt"
	"slices"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

const (
	// MaxTextBytes is the longest statement that Check accepts.
	MaxTextBytes = 1 << 20
	// MaxDepth is how deep brackets may nest.
	MaxDepth = 256
)

// Check returns nil when sql is one statement that only reads.
// A trailing semicolon, comments and white space are allowed.
//
// Errors: *sdk.Error with the position and a hint: KindNotReadOnly; KindSyntax
// for a text that cannot be split into tokens or whose brackets do not match;
// KindInvalid for an empty text; KindLimit beyond MaxTextBytes or MaxDepth.
// Units: the cost grows linearly with the text; a statement of up to 256 tokens
// is accepted without an allocation.
func Check(sql string, d *dialect.Dialect) error {
	if len(sql) > MaxTextBytes {
		return sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "the statement has %d bytes; the limit is %d", len(sql), MaxTextBytes).
			WithHint("move long lists of values into a table or split the question into several statements")
	}
	var buf [256]dialect.Token
	tokens, err := d.Tokens(sql, buf[:0])
	if err != nil {
		return LexError(sql, err)
	}
	c := checker{sql: sql, d: d, tokens: tokens}
	c.index()
	return c.check()
}

// checker walks the tokens of one text once, from left to right.
type checker struct {
	sql    string
	d      *dialect.Dialect
	tokens []dialect.Token
	i      int // the next token

	closers [MaxDepth]byte // the brackets that are open
	depth   int
	// unpivots: the statement at this depth begins with UNPIVOT, whose INTO NAME
	// writes nothing.
	unpivots  [MaxDepth + 1]bool
	describes bool // the statement begins with DESCRIBE
	// label: the token before i is the keyword AS, so that the next one is a name.
	label bool
	// derived: the last name is a member of an expression.
	derived bool
	// refused words of the statement itself.
	refused []string
	// watched are the starts of what phrases and floor refuse, and relationLetters
	// bits of first letters: words that need a look at the rules.
	watched         starts
	relationLetters uint32
}

func (c *checker) check() error {
	if c.d.Lexis.EmptyStatements {
		for c.at(";") {
			c.i++
		}
	}
	if c.only(";") {
		return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "there is no statement").WithHint("%s", c.hint())
	}
	if err := c.statement(); err != nil {
		return err
	}
	for c.i < len(c.tokens) {
		if c.depth == 0 && c.at(";") {
			return c.end()
		}
		if err := c.step(); err != nil {
			return err
		}
	}
	if c.depth > 0 {
		return c.fail(sdk.KindSyntax, c.i, "a bracket is not closed").WithHint("close every bracket")
	}
	return nil
}

// end accepts what may follow a statement: semicolons.
func (c *checker) end() error {
	c.i++
	if c.kind(c.i) != 0 && !(c.d.Lexis.EmptyStatements && c.only(";")) {
		return c.fail(sdk.KindNotReadOnly, c.i, "a second statement is refused: only one may be sent at a time").
			WithHint("send one statement per call, without text behind the semicolon")
	}
	return nil
}

// only reports whether nothing but this operator is left.
func (c *checker) only(operator string) bool {
	return !slices.ContainsFunc(c.tokens[c.i:], func(t dialect.Token) bool { return !t.Is(c.sql, operator) })
}

// kind returns the kind of token i, 0 when there is no such token.
func (c *checker) kind(i int) dialect.TokenKind {
	if uint(i) < uint(len(c.tokens)) {
		return c.tokens[i].Kind
	}
	return 0
}

func (c *checker) at(operator string) bool { return c.is(c.i, operator) }

// is reports whether token i is this operator.
func (c *checker) is(i int, operator string) bool {
	return uint(i) < uint(len(c.tokens)) && c.tokens[i].Is(c.sql, operator)
}

// word reports whether token i is this unquoted word.
func (c *checker) word(i int, upper string) bool {
	return uint(i) < uint(len(c.tokens)) && c.tokens[i].IsWord(c.sql, upper)
}

// name reports whether token i is a name, quoted or not.
func (c *checker) name(i int) bool {
	kind := c.kind(i)
	return kind == dialect.TokenWord || kind == dialect.TokenQuoted
}

// words reports whether these unquoted words start at token i.
func (c *checker) words(i int, upper []string) bool {
	for j, w := range upper {
		if !c.word(i+j, w) {
			return false
		}
	}
	return len(upper) > 0
}

// fail makes an error at token i, or at the last token when i is past it.
func (c *checker) fail(kind sdk.Kind, i int, format string, args ...any) *sdk.Error {
	at := c.tokens[min(i, len(c.tokens)-1)]
	return &sdk.Error{Kind: kind, Source: sdk.SourceCaller, Msg: fmt.Sprintf(format, args...), Pos: sdk.PositionAtByte(c.sql, int(at.Start))}
}

// LexError turns an error of Dialect.Tokens into one for the caller.
// Errors: KindSyntax, KindNotReadOnly for a comment that the engine runs, and
// KindInternal for a malformed dialect.
func LexError(sql string, err error) error {
	lex, ok := errors.AsType[*dialect.LexError](err)
	if !ok {
		return sdk.AsError(err, sdk.SourceHost)
	}
	e := &sdk.Error{
		Kind: sdk.KindSyntax, Source: sdk.SourceCaller, Msg: lex.Detail, Err: err,
		Hint: lexHints[lex.Problem], Pos: sdk.PositionAtByte(sql, lex.Offset),
	}
	switch lex.Problem {
	case dialect.ProblemExecutable:
		e.Kind = sdk.KindNotReadOnly
	case dialect.ProblemDialect:
		e.Kind, e.Source, e.Pos = sdk.KindInternal, sdk.SourceConnector, sdk.Position{}
	}
	return e
}

var lexHints = map[dialect.Problem]string{
	dialect.ProblemUnterminated: "close the quote or the comment",
	dialect.ProblemCharacter:    "use plain spaces and straight quotes, and quote names with other characters",
	dialect.ProblemEncoding:     "send valid UTF-8 without NUL characters",
	dialect.ProblemNumber:       "put a space behind the number, or quote the name",
	dialect.ProblemParameter:    "write the value as a literal",
	dialect.ProblemLineEnd:      "end lines with a line feed, or drop the comment",
	dialect.ProblemExecutable:   "remove the comment",
	dialect.ProblemLength:       "send a shorter statement",
	dialect.ProblemDialect:      "report it to the author of the connector",
}
