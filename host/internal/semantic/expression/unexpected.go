package expression

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// writing are the words that begin a statement that changes something.
var writing = []string{
	"ALTER", "ATTACH", "CALL", "COPY", "CREATE", "DELETE", "DETACH", "DROP", "EXEC", "EXECUTE", "GRANT", "INSERT", "INTO", "MERGE",
	"PRAGMA", "REPLACE", "REVOKE", "SET", "TRUNCATE", "UPDATE", "VACUUM",
}

// querying are the words of a query.
var querying = []string{
	"EXCEPT", "EXISTS", "FROM", "GROUP", "HAVING", "INTERSECT", "JOIN", "LIMIT", "ORDER", "QUALIFY", "SELECT", "UNION", "VALUES", "WHERE", "WITH",
}

// unexpected says what stands where something else is expected, and tells what
// people try apart: statements, subqueries, windows.
func (p *parser) unexpected(want string) error {
	t := p.peek()
	switch t.kind {
	case tokenEnd:
		return fail(sdk.KindSyntax, t.pos, "complete the expression", "the expression ends where %s is expected", want)
	case tokenWord:
		if e := p.statementWord(t); e != nil {
			return e
		}
	case tokenOperator:
		if p.isOperator(t, ")") {
			return fail(sdk.KindSyntax, t.pos, "match every ( with one )", "a ) stands where %s is expected", want)
		}
	}
	what := p.source(t)
	if len(what) > 40 {
		what = strings.ToValidUTF8(what[:40], "") + "…"
	}
	return fail(sdk.KindSyntax, t.pos, grammarHint, "%s stands where %s is expected", what, want)
}

func (p *parser) statementWord(t *token) error {
	first := t
	if p.i > 0 { // "DELETE FROM t": the verb was taken for a name
		first = &p.tokens[p.i-1]
	}
	for _, w := range []*token{first, t} {
		word := strings.ToUpper(p.source(w))
		switch {
		case w.kind != tokenWord:
		case slices.Contains(writing, word):
			return fail(sdk.KindNotReadOnly, w.pos, "send an expression over columns; statements are refused", "%s begins a statement, not an expression", word)
		case slices.Contains(querying, word):
			return fail(sdk.KindInvalid, w.pos, "reach other sources through their joins, by source.column", "%s belongs to a query: an expression has no subquery", word)
		case word == "OVER" || word == "FILTER" || word == "WITHIN":
			return fail(sdk.KindInvalid, w.pos, "use a measure of type cumulative, share or time_shift, or CASE inside the aggregate", "%s is not part of the language: there are no windows and no filtered aggregates", word)
		case word == "COLLATE" || word == "AT":
			return fail(sdk.KindInvalid, w.pos, "compare with ILIKE, or set the query's time zone", "%s is not part of the language", word)
		}
	}
	return nil
}
