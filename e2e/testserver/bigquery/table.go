package bigquery

import (
	"strings"
)

// table translates an element of a FROM clause with its alias and its sample.
func (t *translation) table(c *cursor, s *scope) {
	n := c.peek(0)
	alias, taken := "", false // the alias that a path has by itself, and whether one was written
	switch {
	case n.open("("):
		c.i++
		t.put("(", n.at)
		if len(n.kids) > 0 && (n.kids[0].is("SELECT", "WITH") || n.kids[0].open("(") && !joined(n.kids)) {
			t.level(n.kids)
		} else {
			inner, k := &scope{from: true, tables: s.tables}, &cursor{nodes: n.kids}
			t.table(k, inner)
			for k.more() {
				t.step(k, inner)
			}
		}
		t.put(")", n.until)
	case n.is("UNNEST") && c.peek(1).open("("):
		kids := c.peek(1).kids
		c.i += 2
		series := len(kids) == 2 && kids[0].is("GENERATE_ARRAY")
		t.unnest(c, s, func() { t.level(kids) }, series, "", n)
		return
	case n.kind == word && !reserved[strings.ToUpper(n.text)] || n.kind == name:
		parts := t.tablePath(c)
		if t.failed != nil {
			return
		}
		alias = parts[len(parts)-1]
		if len(parts) > 1 && s.tables[strings.ToLower(parts[0])] {
			t.words[strings.ToLower(alias)] = true
			t.unnest(c, s, func() { t.put(identifiers(parts), n.at) }, false, alias, n)
			return
		}
		if c.peek(0).open("(") {
			t.fail(lacking("the table function %s", strings.Join(parts, ".")))
			return
		}
		taken = t.relation(parts, n)
	default:
		c.i++
		t.unexpected(n)
		return
	}
	if written := t.aliasOf(c); written != "" {
		alias = written
		t.put("AS "+identifier(alias), n.at)
	} else if taken {
		t.put("AS "+identifier(alias), n.at)
	}
	s.tables[strings.ToLower(alias)] = true
	t.sample(c)
	if written := t.aliasOf(c); written != "" {
		t.fail(syntaxError(t.source, n.at, "Syntax error: Unexpected alias after TABLESAMPLE: "+written))
	}
}

// joined is whether a group in a FROM clause is a join.
func joined(nodes []node) bool {
	for _, n := range nodes {
		if n.is("JOIN", ",") {
			return true
		}
	}
	return false
}

// aliasOf reads an alias, if there is one.
func (t *translation) aliasOf(c *cursor) string {
	n := c.peek(0)
	if n.is("AS") {
		if n = c.peek(1); n.group || n.kind != word && n.kind != name {
			t.unexpected(n)
		}
		c.i += 2
		return n.text
	}
	if !n.group && (n.kind == name || n.kind == word && !reserved[strings.ToUpper(n.text)] && !n.is("PIVOT", "UNPIVOT", "VALUES", "SET", "REPLACE")) {
		c.i++
		return n.text
	}
	return ""
}

func (t *translation) sample(c *cursor) {
	n := c.peek(0)
	switch {
	case n.is("FOR"):
		t.fail(lacking("FOR SYSTEM_TIME"))
	case n.is("PIVOT", "UNPIVOT", "MATCH_RECOGNIZE"):
		t.fail(lacking("%s", strings.ToUpper(n.text)))
	case n.is("TABLESAMPLE"):
		g := c.peek(2)
		if !c.peek(1).is("SYSTEM") || !g.open("(") || len(g.kids) != 2 || !g.kids[1].is("PERCENT") {
			t.fail(syntaxError(t.source, n.at, "Syntax error: TABLESAMPLE must be SYSTEM (n PERCENT)"))
			return
		}
		if g.kids[0].kind != number {
			t.fail(lacking("a sample whose size is not a number"))
		}
		// Blocks of BigQuery hold about a gigabyte: a small table is one of them, or none.
		t.put("TABLESAMPLE SYSTEM ("+g.kids[0].text+" PERCENT)", n.at)
		c.i += 3
	}
}

// unnest translates UNNEST(…) [AS] x [WITH OFFSET [AS] y]: x is the element. An array that is a series becomes the rows
// of a table function: DuckDB makes the whole of a constant array each time it prepares the statement.
func (t *translation) unnest(c *cursor, s *scope, array func(), series bool, alias string, n node) {
	if written := t.aliasOf(c); written != "" {
		alias = written
	}
	offset := ""
	if c.peek(0).is("WITH") && c.peek(1).is("OFFSET") {
		c.i += 2
		if offset = t.aliasOf(c); offset == "" {
			offset = "offset"
		}
	}
	element := alias
	if element == "" {
		element = "f0_"
	}
	s.tables[strings.ToLower(element)] = true
	if offset == "" {
		before, after := "UNNEST(", ")"
		if series {
			before, after = "", ""
		}
		t.put(before, n.at)
		array()
		t.put(after+" AS "+identifier(element)+"("+identifier(element)+")", n.at)
		return
	}
	t.put("(SELECT unnest(", n.at)
	array()
	t.put(") AS "+identifier(element)+", generate_subscripts(", n.at)
	array()
	t.put(", 1) - 1 AS "+identifier(offset)+") AS "+identifier(element), n.at)
}

func identifiers(parts []string) string {
	quoted := make([]string, len(parts))
	for i, p := range parts {
		quoted[i] = identifier(p)
	}
	return strings.Join(quoted, ".")
}

// tablePath reads the name of a table: parts in backticks may hold several, and a
// project's name may have dashes.
func (t *translation) tablePath(c *cursor) []string {
	var parts []string
	for {
		n := c.peek(0)
		switch {
		case n.group || n.kind != word && n.kind != name && (n.kind != number || len(parts) == 0):
			t.unexpected(n)
			return []string{""}
		case n.kind == name:
			parts = append(parts, strings.Split(n.text, ".")...)
		default:
			p, end := n.text, n.end
			for c.peek(1).is("-") && c.peek(1).at == end && c.peek(2).at == c.peek(1).end && (c.peek(2).kind == word || c.peek(2).kind == number) {
				tail := c.peek(2).text
				p, end = p+"-"+strings.TrimSuffix(tail, "."), c.peek(2).end
				c.i += 2
				if strings.HasSuffix(tail, ".") { // the number of a-1.b took the point
					parts = append(parts, p)
					p = c.peek(1).text
					c.i++
					end = c.peek(0).end
				}
			}
			parts = append(parts, p)
		}
		if c.i++; !c.peek(0).is(".") {
			return parts
		}
		c.i++
	}
}

// relation writes a table; true when it needs its alias to be written.
func (t *translation) relation(parts []string, n node) bool {
	for i, p := range parts {
		if strings.EqualFold(p, "INFORMATION_SCHEMA") {
			t.view(parts[:i], parts[i+1:], n)
			return true
		}
	}
	if len(parts) == 1 && t.ctes[strings.ToLower(parts[0])] {
		t.put(identifier(parts[0]), n.at)
		return false
	}
	dataset, table, err := t.qualify(parts)
	if err != nil {
		t.fail(err)
		return false
	}
	if err := t.catalog.readable(t.user, dataset, table); err != nil {
		t.fail(err)
		return false
	}
	t.refs = append(t.refs, reference{dataset, table})
	t.put(identifier(dataset)+"."+identifier(table), n.at)
	return false
}

// qualify returns where a table is.
func (t *translation) qualify(parts []string) (dataset, table string, err error) {
	switch len(parts) {
	case 1:
		if t.dataset == "" {
			return "", "", invalid("Table %q must be qualified with a dataset (e.g. dataset.table).", parts[0])
		}
		return t.dataset, parts[0], nil
	case 2:
		return parts[0], parts[1], nil
	case 3:
		if parts[0] != t.project {
			return "", "", denied("Table %s:%s.%s: User does not have permission to query table %s:%s.%s, or perhaps it does not exist.", parts[0], parts[1], parts[2], parts[0], parts[1], parts[2])
		}
		return parts[1], parts[2], nil
	}
	return "", "", invalid("Invalid table name: `%s`", strings.Join(parts, "."))
}
