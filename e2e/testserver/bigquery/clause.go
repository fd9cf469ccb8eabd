package bigquery

import (
	"strconv"
	"strings"
)

// translator translates what begins at a node.
type translator func(t *translation, c *cursor, s *scope, n node)

// clause returns what translates a keyword of a query that does more than stand there.
func clause(keyword string) translator {
	switch keyword {
	case "SELECT":
		return (*translation).selects
	case "FROM":
		return (*translation).froms
	case "JOIN":
		return (*translation).joins
	case "WHERE", "GROUP", "HAVING", "QUALIFY", "WINDOW", "ORDER", "LIMIT":
		return (*translation).ends
	case "UNION", "INTERSECT":
		return (*translation).combines
	case "EXCEPT":
		return (*translation).excepts
	case "LIKE":
		return (*translation).likes
	case "IN":
		return (*translation).ins
	case "WITH":
		return (*translation).withs
	case "ILIKE", "GLOB", "SIMILAR", "EXCLUDE", "ASOF", "POSITIONAL", "PIVOT", "UNPIVOT", "ISNULL", "NOTNULL", "COLLATE", "LATERAL":
		return (*translation).foreign
	}
	return nil
}

// ends translates a keyword after the FROM clause.
func (t *translation) ends(c *cursor, s *scope, n node) {
	s.from = false
	t.put(strings.ToUpper(n.text), n.at)
	c.i++
}

// foreign refuses a word that DuckDB would take for something else.
func (t *translation) foreign(c *cursor, s *scope, n node) {
	if p := c.peek(-1); p.is(",", "SELECT", "AS", "=", "BY", "AND", "OR", "WHERE") || len(c.nodes) == 1 {
		t.operand(c, s) // a column's name
		return
	}
	c.i++
	t.unexpected(n)
}

// withs collects the names of a WITH clause, which hide tables.
func (t *translation) withs(c *cursor, _ *scope, n node) {
	for i := c.i; i+2 < len(c.nodes); i++ {
		if c.nodes[i+1].is("AS") && c.nodes[i+2].open("(") && c.nodes[i+2].kids != nil && (i == c.i+1 || c.nodes[i].kind == word || c.nodes[i].kind == name) {
			t.ctes[strings.ToLower(c.nodes[i].text)] = true
		}
	}
	t.put("WITH", n.at)
	if c.i++; c.peek(0).is("RECURSIVE") {
		t.put("RECURSIVE", n.at)
		c.i++
	}
}

func (t *translation) selects(c *cursor, s *scope, n node) {
	c.i++
	for c.peek(0).is("DISTINCT", "ALL") && c.i < len(c.nodes) && !c.peek(1).is(".") {
		n.text += " " + c.peek(0).text
		c.i++
	}
	if c.peek(0).is("AS") && c.peek(1).is("STRUCT") {
		c.i += 2
		t.put("SELECT one_row FROM (", n.at)
		rest := c.nodes[c.i:]
		for _, r := range rest {
			if r.is("UNION", "INTERSECT") {
				t.fail(lacking("SELECT AS STRUCT in a set operation"))
			}
		}
		c.i = len(c.nodes)
		inner := &cursor{nodes: rest}
		t.columns(inner, s)
		t.put(strings.ToUpper(n.text), n.at)
		for inner.more() {
			t.alias(inner, s)
			t.step(inner, s)
		}
		t.alias(inner, s)
		t.put(") AS one_row", n.at)
		return
	} else if c.peek(0).is("AS") || c.peek(0).is("WITH") {
		t.fail(lacking("SELECT %s", c.peek(0).text+" "+c.peek(1).text))
	}
	t.put(strings.ToUpper(n.text), n.at)
	t.columns(c, s)
	if c.peek(0).is("*") {
		t.star = true
	}
}

// columns plans names f0_, f1_, … for result columns that have none.
func (t *translation) columns(c *cursor, s *scope) {
	s.aliases = map[int]string{}
	anonymous, from := 0, c.i
	item := func(end int) {
		if end > from && !hasName(c.nodes[from:end]) {
			s.aliases[end] = "f" + strconv.Itoa(anonymous) + "_"
			anonymous++
		}
		from = end + 1
	}
	depth := 0 // of CASE
	for i := c.i; i < len(c.nodes); i++ {
		n := c.nodes[i]
		switch {
		case n.is("CASE"):
			depth++
		case n.is("END"):
			depth--
		case n.is(",") && depth == 0:
			item(i)
		case n.is("FROM") && c.nodes[max(i-1, 0)].is("DISTINCT"):
		case n.is("FROM", "WHERE", "GROUP", "HAVING", "QUALIFY", "WINDOW", "ORDER", "LIMIT", "UNION", "INTERSECT") ||
			n.is("EXCEPT") && !c.nodes[max(i-1, 0)].is("*"):
			item(i)
			return
		}
	}
	item(len(c.nodes))
}

// hasName is whether a result column is a star, a path, or has an alias.
func hasName(item []node) bool {
	for i, n := range item {
		if n.is("*") && (i == 0 || item[i-1].is(".")) {
			return true
		}
	}
	last := item[len(item)-1]
	if last.group || last.kind != name && (last.kind != word || reserved[strings.ToUpper(last.text)]) {
		return false
	}
	if units[strings.ToUpper(last.text)] != "" && endsInterval(item) {
		return false
	}
	if len(item) == 1 {
		_, call := currents[strings.ToUpper(last.text)]
		return last.kind == name || !call
	}
	before := item[len(item)-2]
	return before.is("AS", ".", "END") || before.group || before.kind != sign && !(before.kind == word && reserved[strings.ToUpper(before.text)] && !before.is("NULL", "TRUE", "FALSE"))
}

// endsInterval is whether the last word is the unit of an INTERVAL, not an alias.
func endsInterval(item []node) bool {
	for i := len(item) - 2; i >= 0; i-- {
		if item[i].is("INTERVAL") {
			return true
		} else if units[strings.ToUpper(item[i].text)] != "" || item[i].is("AS", ".") {
			return false
		}
	}
	return false
}

func (t *translation) froms(c *cursor, s *scope, n node) {
	distinct := c.peek(-1).is("DISTINCT") && c.peek(-2).is("IS", "NOT")
	t.put("FROM", n.at)
	c.i++
	if !distinct {
		s.from, s.tables = true, map[string]bool{}
		t.table(c, s)
	}
}

func (t *translation) joins(c *cursor, s *scope, n node) {
	t.put("JOIN", n.at)
	c.i++
	unnest := c.peek(0).is("UNNEST")
	t.table(c, s)
	if crossing := c.nodes[:c.i]; unnest && !c.peek(0).is("ON", "USING") {
		for i := len(crossing) - 1; i >= 0; i-- {
			if crossing[i].is("JOIN") {
				if i > 0 && crossing[i-1].is("CROSS") {
					return
				}
				break
			}
		}
		t.put("ON TRUE", n.at)
	}
}

// combines translates a set operation, which must say whether it keeps duplicates.
func (t *translation) combines(c *cursor, s *scope, n node) {
	s.from = false
	c.i++
	if !c.peek(0).is("ALL", "DISTINCT") {
		t.fail(syntaxError(t.source, c.peek(0).at, "Syntax error: Expected keyword ALL or keyword DISTINCT but got "+c.peek(0).text))
		return
	}
	t.put(strings.ToUpper(n.text), n.at)
	if c.peek(0).is("ALL") {
		t.put("ALL", n.at)
	}
	c.i++
}

func (t *translation) excepts(c *cursor, s *scope, n node) {
	if !c.peek(-1).is("*") {
		t.combines(c, s, n)
		return
	}
	t.put("EXCLUDE", n.at)
	if c.i++; !c.peek(0).open("(") {
		t.unexpected(c.peek(0))
		return
	}
	t.operand(c, s)
}

// likes gives LIKE the backslash that BigQuery has always.
func (t *translation) likes(c *cursor, s *scope, n node) {
	t.put("LIKE", n.at)
	if c.i++; c.peek(0).is("ANY", "SOME", "ALL") {
		t.fail(lacking("LIKE with a quantifier"))
		return
	}
	t.put("(", n.at)
	t.signed(c, s)
	for c.peek(0).is("||") {
		t.put("||", n.at)
		c.i++
		t.operand(c, s)
	}
	t.put(`) ESCAPE '\'`, n.at)
}

func (t *translation) ins(c *cursor, s *scope, n node) {
	t.put("IN", n.at)
	c.i++
	if c.peek(0).is("UNNEST") && c.peek(1).open("(") {
		t.put("(SELECT unnest(", n.at)
		t.level(c.peek(1).kids)
		t.put("))", n.at)
		c.i += 2
		return
	}
	t.operand(c, s)
}
