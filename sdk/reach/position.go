package reach

import (
	"slices"

	"github.com/loam-data/loam/sdk/dialect"
)

// leading are the keywords that precede a table's name.
var leading = []string{"FROM", "JOIN", "STRAIGHT_JOIN", "TABLE", "IN", "INTO", "UPDATE"}

// ending are the keywords that end the list of tables after FROM, unless they follow AS or FOR:
// AS where, FOR ORDER BY.
var ending = []string{"SELECT", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "UNION"}

// Tables reports for each token whether the name of a table can begin there: after FROM, JOIN and
// similar keywords, after a comma in a list of tables, and after a parenthesis in such a list. It
// returns true for too many tokens rather than too few.
func Tables(sql string, tokens []dialect.Token) []bool {
	is := func(i int, words []string) bool {
		return tokens[i].Kind == dialect.TokenWord && slices.ContainsFunc(words, func(w string) bool { return tokens[i].IsWord(sql, w) })
	}
	in := func(i int) bool { return tokens[i].IsWord(sql, "IN") }
	at := make([]bool, len(tokens))
	lists := []bool{false}  // per parenthesis: a list of tables stands here
	var behind, listed bool // the token before is a leading word; a comma or parenthesis
	for i, t := range tokens {
		list := &lists[len(lists)-1]
		at[i] = behind || *list && listed || i > 1 && tokens[i-2].Is(sql, "{")
		word := is(i, leading)
		switch {
		case t.Is(sql, "("), t.Is(sql, "{"):
			lists = append(lists, at[i] && (i == 0 || !in(i-1)))
		case t.Is(sql, ")"), t.Is(sql, "}"):
			if len(lists) > 1 {
				lists = lists[:len(lists)-1]
			}
		case word:
			*list = *list || !in(i)
		case is(i, ending) && (i == 0 || !tokens[i-1].IsWord(sql, "AS") && !tokens[i-1].IsWord(sql, "FOR")):
			*list = false
		}
		behind, listed = word, t.Is(sql, ",") || t.Is(sql, "(")
	}
	return at
}
