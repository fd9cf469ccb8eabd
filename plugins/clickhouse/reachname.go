package clickhouse

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/reach"
)

// names calls each for every name of something that is called, and for every name
// in a place where a table can stand.
func (t *body) names(each func(reach.Mention)) {
	tables := t.tables()
	for i := range t.tokens {
		if !t.named(i) || t.is(i+1, ".") && t.named(i+2) {
			continue
		}
		first, m := t.first(i), t.mention(i)
		qualified := first < i
		if !qualified && t.reserved(i) {
			continue
		}
		m.Called = t.is(i+1, "(") || t.referred(i)
		// Definitions have the database in front of every table; what has none there is the
		// name of a CTE, and what has an alias in front is a column.
		m.From = !m.Called && tables[first] && (!t.inner || qualified && !t.aliased(first))
		if m.Called || tables[first] {
			each(m)
		}
		switch {
		case !t.is(i+1, "("):
		case strings.EqualFold(m.Name, "merge"):
			t.merged(i, m, each)
		case strings.HasPrefix(strings.ToLower(m.Name), "dict"), strings.HasPrefix(strings.ToLower(m.Name), "joinget"):
			t.keyed(i, m, tables, each)
		case tables[first]:
			t.handed(i, m, each)
		}
	}
}

// reserved reports whether token i is a word that stands for no name.
func (t *body) reserved(i int) bool {
	return t.tokens[i].Kind == dialect.TokenWord && slices.Contains(t.d.Reserved, strings.ToUpper(t.tokens[i].Text(t.sql)))
}

// first returns the token with which the name that ends at token i begins: that of
// its database, where it has one in front.
func (t *body) first(i int) int {
	if t.is(i-1, ".") && t.named(i-2) {
		return i - 2
	}
	return i
}

// aliased reports whether the database that token i names may be an alias: the text has
// the name by itself, too.
func (t *body) aliased(i int) bool {
	if t.is(i-1, "FROM", "JOIN", ",") {
		return false
	}
	name := t.d.Unquote(t.sql, t.tokens[i])
	for j := range t.tokens {
		if t.named(j) && !t.is(j+1, ".") && t.d.Unquote(t.sql, t.tokens[j]) == name {
			return true
		}
	}
	return false
}

// mention returns the name that ends at token i, in its database.
func (t *body) mention(i int) reach.Mention {
	m := reach.Mention{
		Ref:   reach.Ref{Schema: t.schema, Name: t.d.Unquote(t.sql, t.tokens[i]), Inner: t.inner},
		Start: int(t.tokens[i].Start),
	}
	if first := t.first(i); first < i {
		m.Schema = t.d.Unquote(t.sql, t.tokens[first])
	}
	return m
}

// tables reports for each token whether the name of a table can begin with it.
// Beyond the places that every engine has, ClickHouse takes a table in parentheses
// behind IN, as the last argument of in() and its like, and by an alias of its name:
// WITH t AS a SELECT 1 IN a.
func (t *body) tables() []bool {
	at := reach.Tables(t.sql, t.tokens)
	for i := range t.tokens {
		if t.is(i+1, "(") && (t.is(i, "IN") || t.named(i) && membership(t.d.Unquote(t.sql, t.tokens[i]))) {
			if first, ok := t.lastName(i + 1); ok {
				at[first] = true
			}
		}
	}
	t.aliases(at)
	return at
}

// membership reports whether a function is IN under another name.
func membership(function string) bool {
	name := strings.TrimSuffix(strings.ToLower(function), "ignoreset")
	name = strings.TrimPrefix(strings.TrimPrefix(name, "global"), "not")
	return strings.TrimPrefix(name, "null") == "in"
}

// lastName returns where the last argument between the parenthesis at token i and
// its end begins, when it is a name, in whatever parentheses.
func (t *body) lastName(i int) (first int, ok bool) {
	end := t.closing(i)
	for t.is(end, ")") {
		end--
	}
	if !t.named(end) || t.reserved(end) {
		return 0, false
	}
	first = t.first(end)
	return first, t.is(first-1, "(", ",")
}

// aliases marks the names that have an alias under which a table stands.
func (t *body) aliases(at []bool) {
	behind := map[string][]int{} // where the names of an alias begin
	var wanted []string
	for i := range t.tokens {
		if !t.named(i) || t.is(i-1, ".") || t.is(i+1, ".") {
			continue
		}
		alias := t.d.Unquote(t.sql, t.tokens[i])
		if at[i] {
			wanted = append(wanted, alias)
		}
		end := i - 1
		if t.is(end, "AS") {
			end--
		}
		for t.is(end, ")") {
			end--
		}
		if t.named(end) && !t.reserved(end) {
			behind[alias] = append(behind[alias], t.first(end))
		}
	}
	for ; len(wanted) > 0; wanted = wanted[1:] {
		for _, first := range behind[wanted[0]] {
			if !at[first] {
				at[first] = true
				wanted = append(wanted, t.d.Unquote(t.sql, t.tokens[first]))
			}
		}
		delete(behind, wanted[0])
	}
}

// referred reports whether the name at token i is that of a function that another one
// calls: * APPLY f, arrayMap(f, a).
func (t *body) referred(i int) bool {
	if t.is(i-1, "APPLY") {
		return true
	}
	if !t.is(i-1, "(") || t.is(i-1, ".") {
		return false
	}
	if t.is(i-2, "APPLY") {
		return true
	}
	if !t.is(i+1, ",") || !t.named(i-2) {
		return false
	}
	// Source: each function of 26.7 tried with a function as its argument.
	outer := strings.ToLower(t.d.Unquote(t.sql, t.tokens[i-2]))
	return strings.HasPrefix(outer, "array") || strings.HasPrefix(outer, "map")
}

// merged calls each for the tables that merge() finds by a pattern.
func (t *body) merged(i int, m reach.Mention, each func(reach.Mention)) {
	m.Called, m.From = false, false
	m.Schema, m.Name = t.schema, byExpression
	switch {
	case t.constant(i+2) && t.is(i+3, ")"):
		m.Name = byPattern + t.d.Unquote(t.sql, t.tokens[i+2])
	case (t.constant(i+2) || t.named(i+2)) && t.is(i+3, ",") && t.constant(i+4):
		m.Schema, m.Name = t.d.Unquote(t.sql, t.tokens[i+2]), byPattern+t.d.Unquote(t.sql, t.tokens[i+4])
	case t.here(i+2) && t.is(i+3, "(") && t.is(i+4, ")") && t.is(i+5, ",") && t.constant(i+6):
		m.Name = byPattern + t.d.Unquote(t.sql, t.tokens[i+6])
	}
	each(m)
}

// keyed calls each for the dictionary or table that the first argument of a function
// names, as a string or as a name. A name that the text has elsewhere, too, may stand
// for a value.
func (t *body) keyed(i int, m reach.Mention, tables []bool, each func(reach.Mention)) {
	m.Called, m.From = false, t.inner
	switch {
	case t.constant(i+2) && t.is(i+3, ",", ")"):
		m.Schema, m.Name = t.split(i + 2)
	case t.named(i+2) && t.is(i+3, ",", ")") && !t.stands(i+2, tables):
		m.Schema, m.Name = t.schema, t.d.Unquote(t.sql, t.tokens[i+2])
	case t.named(i+2) && t.is(i+3, ".") && t.named(i+4) && t.is(i+5, ",", ")"):
		m.Schema, m.Name = t.d.Unquote(t.sql, t.tokens[i+2]), t.d.Unquote(t.sql, t.tokens[i+4])
	default:
		m.Name = byExpression
	}
	each(m)
}

// stands reports whether the name at token i stands for something else in the text:
// an alias of a value, an argument of a function.
func (t *body) stands(i int, tables []bool) bool {
	name := t.d.Unquote(t.sql, t.tokens[i])
	for j := range t.tokens {
		if j == i || !t.named(j) || t.is(j-1, ".") || t.d.Unquote(t.sql, t.tokens[j]) != name || tables[t.first(j)] || t.is(j+1, "(") {
			continue
		}
		function := ""
		if t.is(j-1, "(") && t.named(j-2) {
			function = strings.ToLower(t.d.Unquote(t.sql, t.tokens[j-2]))
		}
		if !strings.HasPrefix(function, "dict") && !strings.HasPrefix(function, "joinget") {
			return true
		}
	}
	return false
}

// tabled begin the names of the table functions that read a table.
var tabled = []string{"loop", "mergetree", "timeseries"}

// handed calls each for the tables that the arguments of a table function may name:
// loop(t), mergeTreeIndex(db, t), timeSeriesData('db', 't').
func (t *body) handed(i int, m reach.Mention, each func(reach.Mention)) {
	m.Called = false
	function := strings.ToLower(m.Name)
	tabled := t.inner && slices.ContainsFunc(tabled, func(prefix string) bool { return strings.HasPrefix(function, prefix) })
	var names []string
	for j := i + 2; j < len(t.tokens); j += 2 {
		switch {
		case t.constant(j) && t.is(j+1, ",", ")"):
			m.Schema, m.Name = t.split(j)
			m.From = tabled && strings.Contains(t.tokens[j].Text(t.sql), ".")
			names = append(names, t.d.Unquote(t.sql, t.tokens[j]))
		case t.named(j) && t.is(j+1, ",", ")"):
			m.Schema, m.Name, m.From = t.schema, t.d.Unquote(t.sql, t.tokens[j]), false
			names = append(names, m.Name)
		case t.named(j) && t.is(j+1, ".") && t.named(j+2):
			j += 2
			m.Schema, m.Name, m.From = t.d.Unquote(t.sql, t.tokens[j-2]), t.d.Unquote(t.sql, t.tokens[j]), tabled
			names = nil
		default:
			return
		}
		each(m)
		if len(names) == 2 {
			m.Schema, m.Name, m.From = names[0], names[1], tabled
			each(m)
		}
		if t.is(j+1, ")") {
			return
		}
	}
}
