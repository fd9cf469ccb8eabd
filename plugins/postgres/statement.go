package postgres

import (
	"errors"
	"path"
	"strconv"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// statement is a caller's SQL on its way to the server.
type statement struct {
	sql   string
	first int // where its first word is
	// query is where in sql the query starts that the server must accept as the
	// query of a cursor: first, behind EXPLAIN and its options, or -1 for SHOW.
	query   int
	params  [][]byte
	formats []int16
}

// parse looks at the text for what the server's own check does not: how it
// begins, whether it goes on behind a semicolon, and the functions that no
// transaction can undo.
// Errors: KindInvalid for no statement, KindNotReadOnly, and KindSyntax for a
// text that no SQL starts like.
func (s *Session) parse(sql string) (*statement, error) {
	var buf [128]dialect.Token
	tokens, err := s.dialect.Tokens(sql, buf[:0])
	if err != nil {
		return nil, lexError(sql, err)
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
	for i, t := range tokens {
		if t.Is(sql, ";") {
			return nil, refuse(sql, int(tokens[i+1].Start), "a second statement is refused: only one may be sent at a time",
				"send one statement per call, without text behind the semicolon")
		}
		if err := s.callable(sql, tokens, i); err != nil {
			return nil, err
		}
	}
	first := int(tokens[0].Start)
	st := &statement{sql: sql, first: first, query: first}
	switch {
	case tokens[0].IsWord(sql, "SHOW"):
		st.query = -1
	case tokens[0].IsWord(sql, "EXPLAIN"):
		st.query = explained(sql, tokens)
	}
	return st, nil
}

// explained returns where the statement starts that EXPLAIN explains.
func explained(sql string, tokens []dialect.Token) int {
	i := 1
	if len(tokens) > 2 && tokens[1].Is(sql, "(") && tokens[2].Kind == dialect.TokenWord && !queryWord(sql, tokens[2]) {
		for i < len(tokens) && !tokens[i].Is(sql, ")") {
			i++
		}
		i++
	} else {
		for _, option := range [][]string{{"ANALYZE", "ANALYSE"}, {"VERBOSE"}} {
			for _, word := range option {
				if i < len(tokens) && tokens[i].IsWord(sql, word) {
					i++
				}
			}
		}
	}
	if i >= len(tokens) {
		return len(sql)
	}
	return int(tokens[i].Start)
}

func queryWord(sql string, t dialect.Token) bool {
	return t.IsWord(sql, "SELECT") || t.IsWord(sql, "WITH") || t.IsWord(sql, "VALUES") || t.IsWord(sql, "TABLE")
}

// callable refuses the call of a listed function at token i.
func (s *Session) callable(sql string, tokens []dialect.Token, i int) error {
	t := tokens[i]
	if t.Kind != dialect.TokenWord && t.Kind != dialect.TokenQuoted {
		return nil
	}
	escaped, next := s.dialect.Escaped(sql, t), i+1
	if escaped && next < len(tokens) && tokens[next].IsWord(sql, "UESCAPE") {
		next += 2
	}
	switch {
	case next >= len(tokens) || !tokens[next].Is(sql, "("):
		return nil
	case escaped:
		return refuse(sql, int(t.Start), "the name of a function is written in escapes", "write the name as it is")
	}
	name := strings.ToLower(s.dialect.Unquote(sql, t))
	for _, rule := range s.dialect.Guard.Functions {
		// A pattern that is malformed matches nothing; a test holds that none is.
		if found, _ := path.Match(rule.Pattern, name); found {
			return refuse(sql, int(t.Start), "the function "+name+" is refused because it "+rule.Reason,
				"answer the question without this function")
		}
	}
	return nil
}

func refuse(sql string, at int, msg, hint string) *sdk.Error {
	return &sdk.Error{
		Kind: sdk.KindNotReadOnly, Source: sdk.SourceCaller, Msg: msg, Hint: hint, Pos: sdk.PositionAtByte(sql, at),
	}
}

func lexError(sql string, err error) error {
	e := sdk.Errorf(sdk.KindSyntax, sdk.SourceCaller, "%w", err).WithHint("correct the statement at this place")
	if lex, ok := errors.AsType[*dialect.LexError](err); ok {
		e.Pos = sdk.PositionAtByte(sql, lex.Offset)
	}
	return e
}

// bind encodes the parameters. The server infers their types; text is its
// universal form, and only bytes are binary.
func (st *statement) bind(values []sdk.Value) error {
	for i, v := range values {
		var raw []byte
		format := int16(textFormat)
		switch v := v.(type) {
		case nil:
		case bool:
			raw = strconv.AppendBool(nil, v)
		case int64:
			raw = strconv.AppendInt(nil, v, 10)
		case float64:
			raw = strconv.AppendFloat(nil, v, 'g', -1, 64)
		case string:
			raw = append([]byte{}, v...)
		case []byte:
			raw, format = append([]byte{}, v...), binaryFormat
		default:
			return sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "parameter %d has the type %T", i+1, v).
				WithHint("bind null, a boolean, a number, a string or bytes")
		}
		st.params, st.formats = append(st.params, raw), append(st.formats, format)
	}
	return nil
}
