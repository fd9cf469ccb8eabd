package assertion

import (
	"strings"

	"github.com/loam-data/loam/host/internal/text"
)

var (
	// beside is a table in parentheses behind a calculation: "sum(amount) (table orders)".
	beside = text.Pattern(`(?i)\s*\((?:tables?|tabelle)\s+(` + namePattern + `)((?:,[^()]*)?)\)$`)
	// behindIt is a table that stands alone behind a calculation: "sum(a) / sum(b) (sales.orders)", "…, source sales.orders", "… | sales.orders".
	behindIt = text.Pattern(`(?i)^(.*[)\d])\s*(?:(?:[,;|]|--|//)\s*(?:(?:from|source|table|tabelle|quelle|on|aus|auf|in)\s?:?\s+)?(` + dottedPattern + `)|[(\[](?:(?:from|source|table|tabelle|quelle|on|aus|auf|in)\s?:?\s+)?(` + dottedPattern + `)[)\]])$`)
	// behindAll is one behind a condition: "… where late = true -- sales.orders".
	behindAll = text.Pattern(`(?i)^(.*[^\s|-])\s*(?:--|\|)\s*(?:from |source:? |table:? )?(` + dottedPattern + `)$`)
	// bareAggregate is an aggregate of a name without "of": "total quantity in order_items".
	bareAggregate = text.Pattern(`(?i)^(?:the )?(?:sum|total|average|avg|mean|median|minimum|min|smallest|lowest|maximum|max|largest|highest) (` + namePattern + `) (?:in|from|on|over|aus) (?:the )?(` + namePattern + `)(?:$|[\s,])`)
	// bareCount is the imperative of a count: "count orders where status = 'paid'".
	bareCount = text.Pattern(`(?i)^count (?:all |the )?` + namePattern + `(?: rows)?,? (?:where|whose|with|in|from) `)
	// selection is a query of one aggregate over one table; sqlBeyond are the parts of a query that no formula has.
	selection = text.Pattern(`(?is)^select\s+(.+?)(?:\s+as\s+[\pL_][\pL\d_]*)?\s+from\s+(.+)$`)
	sqlBeyond = text.Pattern(`(?i)\b(?:group\s+by|having|order\s+by|join|limit|union|intersect|except|over|with|select|distinct\s+on|qualify|window)\b|[;/]|--`)
	alias     = text.Pattern(`(?i)\sas\s`)
)

// dottedPattern is the name of a table in its schema, dottedTable one that a calculation has already.
const dottedPattern = `[\pL_][\pL\d_]*(?:\.[\pL_][\pL\d_]*){1,3}`

var dottedTable = text.Pattern(`(?i) (?:from|on|in|over|of|aus|auf|von|table|tabelle) ` + dottedPattern)

// worded rewrites wordings of a calculation into the one that is read.
func worded(text string) string {
	text = strings.ReplaceAll(text, "÷", "/")
	if m := behindAll().FindStringSubmatch(text); m != nil && callWord().MatchString(m[1]) && !dottedTable().MatchString(m[1]) {
		text = m[1] + " on " + m[2]
	}
	if m := behindIt().FindStringSubmatch(text); m != nil && callWord().MatchString(m[1]) && !dottedTable().MatchString(m[1]) {
		text = m[1] + " on " + m[2] + m[3]
	}
	if m := beside().FindStringSubmatchIndex(text); m != nil {
		text = text[:m[0]] + ", table " + text[m[2]:m[3]] + text[m[4]:m[5]]
	}
	if query, ok := selected(text); ok {
		text = query
	}
	return filtered(text)
}

// selected returns a query as a calculation: an aggregate "from" a table with its conditions.
// Shape: false = it is no query, or one that is more than an aggregate over one table. A division is more: engines cut
// that of whole numbers.
func selected(text string) (string, bool) {
	m := selection().FindStringSubmatch(text)
	if m == nil || sqlBeyond().MatchString(text[len("select"):]) || !callWord().MatchString(m[1]) || topLevelComma(m[1]) || alias().MatchString(m[1]) {
		return "", false
	}
	table, _, _ := strings.Cut(m[2], " ")
	return m[1] + " from " + m[2], !strings.Contains(table, ",")
}

// topLevelComma reports whether a text has a comma outside parentheses.
func topLevelComma(s string) bool {
	depth := 0
	for _, r := range s {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				return true
			}
		}
	}
	return false
}

// query reports whether a text is a query with an aggregate.
func query(text string) bool {
	m := selection().FindStringSubmatch(uncode(strings.TrimSpace(text)))
	return m != nil && callWord().MatchString(m[1])
}

// filterStart is FILTER (WHERE … behind an aggregate.
var filterStart = text.Pattern(`(?i)\)\s*filter\s*\(\s*where\s+`)

// filtered writes "count(*) filter (where c)" as "count(*) where c", where a table or a division by another aggregate
// follows, or nothing.
func filtered(text string) string {
	at := filterStart().FindStringIndex(text)
	if at == nil || !expressed().MatchString(text) || !callWord().MatchString(text[:at[0]+1]) || !balanced(text[:at[0]+1]) || divides(text[:at[0]+1]) {
		return text
	}
	depth, to := 1, at[1]
	for ; to < len(text) && depth > 0; to++ {
		switch text[to] {
		case '(':
			depth++
		case ')':
			depth--
		}
	}
	condition, rest := text[at[1]:to-1], text[to:]
	if depth > 0 || filterStart().MatchString(rest) || strings.ContainsAny(condition, "'\"") && !balanced(condition) {
		return text
	}
	if head, _ := clauses("x" + rest); head != "x" && !ratioBelow().MatchString(rest) {
		return text
	}
	return text[:at[0]+1] + " where " + condition + rest
}

// ratioBelow is a division by an aggregate.
var ratioBelow = text.Pattern(`(?i)^\s*/\s*(?:sum|avg|count|count_distinct|min|max|median)\s?\(`)

// divides reports whether an expression has an operator outside parentheses.
func divides(s string) bool {
	depth := 0
	for _, r := range s {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case depth == 0 && strings.ContainsRune("+-*/", r):
			return true
		}
	}
	return false
}

// currencyOf is the currency of a row: "the currency of the order".
var currencyOf = text.Pattern(`(?i)^(?:the |der |die )?(?:currency|währung) (?:of|der|des) (?:the )?` + namePattern + `$`)

// unitOf returns the unit that a clause "in …" names; "" = it names none.
func unitOf(words string) string {
	words = strings.TrimRight(strings.TrimSpace(words), ".,; ")
	if wholeUnit().MatchString(words) || currencyOf().MatchString(words) {
		return words
	}
	return ""
}
