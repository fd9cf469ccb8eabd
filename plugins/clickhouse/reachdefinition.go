package clickhouse

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/reach"
)

// read splits a definition into tokens; one that cannot be read has none, which
// the graph notes.
func (s *Session) read(schema, definition string) *body {
	tokens, err := s.Dialect.Tokens(definition, nil)
	if err != nil {
		tokens = nil
	}
	return &body{d: s.Dialect, sql: definition, tokens: tokens, schema: schema, inner: true}
}

// query returns what follows the name and the columns of a view. A text that is not
// split into tokens stays as it is, so that the graph notes it.
func (t *body) query() string {
	for i := range t.tokens {
		if t.is(i, "AS", "SELECT", "WITH") {
			return t.sql[t.tokens[i].Start:]
		}
		if t.is(i, "(") {
			if end := t.closing(i); end+1 < len(t.tokens) {
				return t.sql[t.tokens[end+1].Start:]
			}
		}
	}
	return t.sql
}

// closing returns the token that closes the parenthesis at token i, or how many
// tokens there are.
func (t *body) closing(i int) int {
	depth := 0
	for ; i < len(t.tokens); i++ {
		if t.is(i, "(") {
			depth++
		} else if t.is(i, ")") {
			if depth--; depth == 0 {
				break
			}
		}
	}
	return i
}

// targets returns the table that a materialized view writes to and is read from,
// where it has a name.
func (t *body) targets() []reach.Ref {
	for i := range t.tokens {
		switch {
		case t.is(i, "TO") && t.named(i+1) && t.is(i+2, ".") && t.named(i+3):
			return []reach.Ref{{Schema: t.d.Unquote(t.sql, t.tokens[i+1]), Name: t.d.Unquote(t.sql, t.tokens[i+3]), Inner: true}}
		case t.is(i, "AS", "SELECT"):
			return nil
		}
	}
	return nil
}

// engine returns the engine that a definition names, "" without one.
func (t *body) engine() string {
	if at := t.engineAt(); at >= 0 {
		return t.d.Unquote(t.sql, t.tokens[at])
	}
	return ""
}

// engineAt is the token of the name in ENGINE = name, -1 without one.
func (t *body) engineAt() int {
	for i := range t.tokens {
		switch {
		case t.is(i, "ENGINE") && t.is(i+1, "=") && t.named(i+2):
			return i + 2
		case t.is(i, "SELECT"):
			return -1
		}
	}
	return -1
}

// computed returns the expressions of the columns that may be computed when they are
// read: of an alias always, of the others in rows that are older than the column.
func (t *body) computed() string {
	var all strings.Builder
	columns := slices.IndexFunc(t.tokens, func(k dialect.Token) bool { return k.Is(t.sql, "(") })
	if columns < 0 {
		return ""
	}
	closing := t.closing(columns)
	for i := columns; i < closing; i++ {
		if !t.is(i, "ALIAS", "DEFAULT", "MATERIALIZED") || !t.named(i-1) && !t.is(i-1, ")") {
			continue
		}
		depth, end := 0, i+1
		for ; end < len(t.tokens) && depth >= 0; end++ {
			switch {
			case t.is(end, "("):
				depth++
			case t.is(end, ")"):
				depth--
			}
			if depth < 0 || depth == 0 && t.is(end, ",") {
				break
			}
		}
		if end > i+1 {
			all.WriteString(t.sql[t.tokens[i+1].Start:t.tokens[end-1].End])
			all.WriteString(",\n")
		}
	}
	return all.String()
}

// behind returns the tables that an engine's arguments name. A table that was made from a
// table function (CREATE TABLE t AS merge('x', '^a')) has no arguments: it may read any.
func (t *body) behind(engine string) []reach.Ref {
	var values []string
	plain := false
	if at := t.engineAt(); at >= 0 && t.is(at+1, "(") {
		values, plain = t.list(at + 2)
	}
	expression := []reach.Ref{{Name: byExpression, Inner: true}}
	switch engine {
	case "Merge":
		if !plain || len(values) != 2 {
			return expression
		}
		return []reach.Ref{{Schema: values[0], Name: byPattern + values[1], Inner: true}}
	case "Buffer", "Alias":
		if plain && len(values) == 1 {
			return []reach.Ref{{Schema: t.schema, Name: values[0], Inner: true}}
		}
		if !plain || len(values) < 2 {
			return expression
		}
		return []reach.Ref{{Schema: values[0], Name: values[1], Inner: true}}
	case "Distributed":
		if len(values) < 3 {
			return expression
		}
		return []reach.Ref{{Schema: values[1], Name: values[2], Inner: true}}
	case "Dictionary":
		if !plain || len(values) == 0 {
			return expression
		}
		if database, name, ok := strings.Cut(values[0], "."); ok {
			return []reach.Ref{{Schema: database, Name: name, Inner: true}}
		}
		return []reach.Ref{{Schema: t.schema, Name: values[0], Inner: true}}
	default:
		return nil
	}
}

// list returns the names, strings and numbers of a list up to its parenthesis,
// and whether it has nothing else.
func (t *body) list(i int) (values []string, plain bool) {
	for ; i+1 < len(t.tokens); i += 2 {
		if !t.named(i) && !t.constant(i) && t.tokens[i].Kind != dialect.TokenNumber {
			return values, false
		}
		values = append(values, t.d.Unquote(t.sql, t.tokens[i]))
		switch {
		case t.is(i+1, ")"):
			return values, true
		case !t.is(i+1, ","):
			return values, false
		}
	}
	return values, false
}
