package reach

import (
	"slices"

	"github.com/loam-data/loam/sdk/dialect"
)

// leading are the words that a table's name follows.
var leading = []string{"FROM", "JOIN", "STRAIGHT_JOIN", "TABLE", "IN", "INTO", "UPDATE"}

// ending are the words that end the list of tables behind FROM, unless they name
// something: AS where, FOR ORDER BY.
var ending = []string{"SELECT", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "UNION"}

// Tables reports for each token whether the name of a table can begin with it:
// behind FROM, JOIN and their like, behind a comma of a list of tables, and in
// parentheses where one stands. It finds too many rather than too few.
func Tables(sql string, tokens []dialect.Token) []bool {
	is := func(i int, words ...string) bool {
		return i >= 0 && slices.ContainsFunc(words, func(w string) bool { return tokens[i].Is(sql, w) || tokens[i].IsWord(sql, w) })
	}
	at := make([]bool, len(tokens))
	lists := []bool{false} // per parenthesis: a list of tables stands here
	for i := range tokens {
		list := &lists[len(lists)-1]
		at[i] = is(i-1, leading...) || *list && is(i-1, ",", "(") || is(i-2, "{")
		switch {
		case is(i, "(", "{"):
			lists = append(lists, at[i] && !is(i-1, "IN"))
		case is(i, ")", "}"):
			if len(lists) > 1 {
				lists = lists[:len(lists)-1]
			}
		case is(i, leading...):
			*list = !is(i, "IN") || *list
		case is(i, ending...) && !is(i-1, "AS", "FOR"):
			*list = false
		}
	}
	return at
}
