package dialect

import "strings"

// The lexis is data of a connector's author. What opens a string, a name or a
// comment must be one of the marks that engines use, so that no part of a statement
// disappears behind a mark of the author's own ("DELETE" as a comment, ";" in an
// identifier). Which of these marks an engine knows, and whether a backslash or
// a doubled quote continues a string, only the author can say.

// knownQuote reports whether an engine quotes like this.
func knownQuote(q *Quote) bool {
	return knownPrefix(q.Prefix) && knownMarks(q.Open, q.Close)
}

func knownMarks(open, closing string) bool {
	switch open {
	case "'", `"`, "`", "'''", `"""`, "$$":
		return closing == open
	case "[":
		return closing == "]"
	}
	// Oracle's and Firebird's q'[…]': a bracket or another mark inside the quote.
	if len(open) != 2 || open[0] != '\'' || len(closing) != 2 || closing[1] != '\'' {
		return false
	}
	if i := strings.IndexByte("([{<", open[1]); i >= 0 {
		return closing[0] == ")]}>"[i]
	}
	return closing[0] == open[1] && strings.IndexByte("!|#~^%&+*/", open[1]) >= 0
}

// knownPrefix reports whether a prefix is as short as those of engines are (E, N,
// RB, U&): a longer one could be a keyword.
func knownPrefix(prefix string) bool {
	if len(prefix) > 2 {
		return false
	}
	for i := range len(prefix) {
		if c := lower(prefix[i]); (c < 'a' || c > 'z') && (i == 0 || c != '&') {
			return false
		}
	}
	return true
}

func knownLineComment(open string) bool {
	return open == "--" || open == "#" || open == "#!" || open == "//"
}

func knownBlockComment(c *BlockComment) bool { return c.Open == "/*" && c.Close == "*/" }

func knownParameter(prefix string) bool {
	return prefix == "?" || prefix == "$" || prefix == ":" || prefix == "@" || prefix == "@@"
}

// knownIdentifier reports whether these characters may stand in a word beside
// letters, digits and "_".
func knownIdentifier(chars string) bool { return strings.Trim(chars, "$#@") == "" }

// runComment reports whether some engine runs the comment that text starts with,
// whatever the lexis says: MySQL's and MariaDB's conditional comments.
func runComment(text string) bool {
	return hasPrefixFold(text, "/*!") || hasPrefixFold(text, "/*M!")
}

// hintOpen begins a comment of optimizer hints.
const hintOpen = "/*+"

// harmlessHints are the optimizer hints that choose a plan and nothing else. SET_VAR
// changes a variable, MAX_EXECUTION_TIME replaces the deadline that a connector sets
// and RESOURCE_GROUP moves the thread, so that they are none of them.
// Source: the MySQL 8.4 manual, section 10.9.3, and MariaDB's page "Optimizer hints".
var harmlessHints = func() map[string]bool {
	all := map[string]bool{}
	for hint := range strings.FieldsSeq(`BKA BNL DERIVED_CONDITION_PUSHDOWN DUPSWEEDOUT FIRSTMATCH GROUP_INDEX HASH_JOIN ICP INDEX INDEX_MERGE
		INTOEXISTS JOIN_FIXED_ORDER JOIN_INDEX JOIN_ORDER JOIN_PREFIX JOIN_SUFFIX LOOSESCAN MATERIALIZATION MERGE MRR ORDER_INDEX QB_NAME
		RANGE_OPTIMIZATION ROWID_FILTER SEMIJOIN SKIP_SCAN SPLIT_MATERIALIZED SUBQUERY`) {
		all[hint], all["NO_"+hint] = true, true
	}
	return all
}()

// harmlessHint reports whether text begins with a comment of optimizer hints that
// are all harmless. Their arguments are names and numbers without quotes, so that
// the comment ends where every engine ends it.
func harmlessHint(text string) bool {
	inside, found := strings.CutPrefix(text, hintOpen)
	if !found {
		return false
	}
	inside, _, found = strings.Cut(inside, "*/")
	for inside = strings.TrimSpace(inside); found && inside != ""; inside = strings.TrimSpace(inside) {
		name := inside[:len(inside)-len(strings.TrimLeft(inside, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"))]
		inside = strings.TrimSpace(inside[len(name):])
		if !harmlessHints[strings.ToUpper(name)] {
			return false
		}
		if arguments, rest, closed := strings.Cut(inside, ")"); closed && strings.HasPrefix(arguments, "(") {
			if strings.Trim(arguments[1:], " \t\n,.@_$0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") != "" {
				return false
			}
			inside = rest
		}
	}
	return found
}
