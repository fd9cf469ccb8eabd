package bigquery

import (
	"fmt"
	"math/big"
	"strings"

	bq "google.golang.org/api/bigquery/v2"
)

// translation writes a statement of GoogleSQL for DuckDB. It works on tokens and their
// groups: what it does not know it refuses, and DuckDB checks the rest.
type translation struct {
	source  string
	project string
	dataset string // where a name of one part is; "" = nowhere
	catalog *catalog
	named   map[string]*bq.QueryParameter
	// undeclared are parameters without a value, which a dry run tells.
	undeclared []string
	dry        bool
	params     []*bq.QueryParameter // those without a name, in order
	user       string
	version    int      // of the catalogue
	needed     []string // views of INFORMATION_SCHEMA that it reads
	homes      []string // datasets whose views it reads

	out    []piece
	ctes   map[string]bool // in lower case
	refs   []reference
	words  map[string]bool // of columns, in lower case, for the bytes that are read
	star   bool
	failed error // the first
}

// piece is a text of the translation, and where in the source it comes from.
type piece struct {
	text string
	at   int
}

// reference is a table that a statement names.
type reference struct{ dataset, table string }

// scope is what a level of a query knows.
type scope struct {
	from    bool            // in a FROM clause, where a comma is a join
	tables  map[string]bool // aliases of the clause so far, in lower case
	aliases map[int]string  // of result columns without a name, by the node before which they stand
}

// cursor walks over the nodes of a level.
type cursor struct {
	nodes []node
	i     int
}

func (c *cursor) more() bool { return c.i < len(c.nodes) }

// peek returns the node at a distance; one that is nothing beyond the ends.
func (c *cursor) peek(distance int) node {
	if i := c.i + distance; i >= 0 && i < len(c.nodes) {
		return c.nodes[i]
	}
	return node{token: token{kind: -1}}
}

func (n node) is(words ...string) bool { return !n.group && n.token.is(words...) }

func (n node) open(by string) bool { return n.group && n.text == by }

func (t *translation) put(text string, at int) { t.out = append(t.out, piece{text, at}) }

func (t *translation) fail(err error) {
	if t.failed == nil {
		t.failed = err
	}
}

func (t *translation) unexpected(n node) {
	if n.kind == -1 {
		t.fail(syntaxError(t.source, len(t.source), "Syntax error: Unexpected end of script"))
		return
	}
	what := map[kind]string{word: "identifier", text: "string literal", number: "number", octets: "bytes literal", name: "identifier"}[n.kind]
	if reserved[strings.ToUpper(n.text)] {
		what = "keyword"
	}
	t.fail(syntaxError(t.source, n.at, strings.ReplaceAll(fmt.Sprintf("Syntax error: Unexpected %s %q", what, n.text), "  ", " ")))
}

// sql returns the translation so far.
func (t *translation) sql() string {
	var b strings.Builder
	for _, p := range t.out {
		b.WriteString(p.text)
		b.WriteByte(' ')
	}
	return b.String()
}

// origin returns the place in the source of a byte of the translation.
func (t *translation) origin(offset int) int {
	at, origin := 0, 0
	for _, p := range t.out {
		if at > offset {
			break
		}
		origin = p.at
		at += len(p.text) + 1
	}
	return origin
}

// level translates the nodes of a level with a scope of its own.
func (t *translation) level(nodes []node) { t.run(nodes, &scope{tables: map[string]bool{}}) }

// run translates nodes; where they are a SELECT, its columns get names.
func (t *translation) run(nodes []node, s *scope) {
	c := &cursor{nodes: nodes}
	for c.more() {
		t.alias(c, s)
		t.step(c, s)
	}
	t.alias(c, s)
}

func (t *translation) alias(c *cursor, s *scope) {
	if a, ok := s.aliases[c.i]; ok {
		delete(s.aliases, c.i)
		t.put("AS "+a, c.peek(-1).at)
	}
}

// step translates the next element: a keyword, a sign or an operand.
func (t *translation) step(c *cursor, s *scope) {
	n := c.peek(0)
	switch {
	case n.group || n.kind != sign && n.kind != word:
		t.operand(c, s)
	case n.kind == sign:
		t.sign(c, s, n)
	case contextual(c, n):
		t.put(strings.ToUpper(n.text), n.at)
		c.i++
	case clause(strings.ToUpper(n.text)) != nil && !c.peek(1).is("."):
		clause(strings.ToUpper(n.text))(t, c, s, n)
	case reserved[strings.ToUpper(n.text)] && !starts[strings.ToUpper(n.text)]:
		t.put(strings.ToUpper(n.text), n.at)
		c.i++
	default:
		t.operand(c, s)
	}
}

// contextual is whether a word that is not reserved is a keyword where it stands.
func contextual(c *cursor, n node) bool {
	before := c.peek(-1)
	switch {
	case n.is("FIRST", "LAST"):
		return before.is("NULLS")
	case n.is("ROW"):
		return before.is("CURRENT")
	case n.is("SETS"):
		return before.is("GROUPING")
	case n.is("REPLACE"):
		return before.is("*") || before.open("(") && c.peek(-2).is("EXCEPT")
	case n.is("OFFSET"):
		return c.peek(-2).is("LIMIT")
	}
	return false
}

// sign translates an operator or a separator.
func (t *translation) sign(c *cursor, s *scope, n node) {
	c.i++
	switch n.text {
	case ",":
		t.put(",", n.at)
		if s.from {
			t.table(c, s)
		}
	case "/": // BigQuery refuses to divide by nothing
		t.put("/ nonzero(", n.at)
		t.signed(c, s)
		t.put(")", n.at)
	case "?":
		if len(t.params) == 0 {
			t.fail(invalid("Query parameter number 1 is not defined at %s", position(t.source, n.at)))
			return
		}
		t.parameter(t.params[0], n)
		t.params = t.params[1:]
	case "*":
		if p := c.peek(-2); c.i == 1 || p.is(",", "SELECT", "DISTINCT", "ALL", ".") {
			t.star = true
		}
		t.put("*", n.at)
	case "+", "-", "=", "<", ">", "<=", ">=", "<>", "!=", "||":
		t.put(n.text, n.at)
	case "|>":
		t.fail(lacking("pipe syntax"))
	default:
		t.unexpected(n)
	}
}

// signed translates an operand with the signs before it.
func (t *translation) signed(c *cursor, s *scope) {
	for c.peek(0).is("-", "+") {
		t.put(c.peek(0).text, c.peek(0).at)
		c.i++
	}
	t.operand(c, s)
}

// operand translates a primary expression with its subscripts and fields.
func (t *translation) operand(c *cursor, s *scope) {
	start := len(t.out)
	n := c.peek(0)
	switch {
	case n.open("["):
		c.i++
		t.group("[", n, "]")
	case n.open("("):
		c.i++
		t.group("(", n, ")")
	case n.kind == text:
		t.put(quoted(n.text), n.at)
		c.i++
	case n.kind == octets:
		t.put(blob(n.text), n.at)
		c.i++
	case n.kind == number:
		t.number(n)
		c.i++
	case n.kind == named:
		c.i++
		if p := t.named[strings.ToLower(n.text)]; p != nil {
			t.parameter(p, n)
		} else if t.dry {
			t.undeclared = append(t.undeclared, n.text)
			t.put("NULL", n.at)
		} else {
			t.fail(invalid("Query parameter '%s' not found at %s", n.text, position(t.source, n.at)))
		}
	case n.kind == system:
		c.i++
		if n.text != "project_id" {
			t.fail(lacking("the system variable @@%s", n.text))
		}
		t.put(quoted(t.project), n.at)
	case n.kind == word && t.special(c, s, n):
	case n.kind == word || n.kind == name:
		t.path(c, s)
	default:
		t.unexpected(n)
		c.i++
	}
	t.postfix(c, s, start)
}

func (t *translation) group(opening string, n node, closing string) {
	t.put(opening, n.at)
	t.level(n.kids)
	t.put(closing, n.until)
}

// number writes a literal: with a point or an exponent it is a FLOAT64.
func (t *translation) number(n node) {
	v := n.text
	if strings.HasPrefix(v, "0x") || strings.HasPrefix(v, "0X") || !strings.ContainsAny(v, ".eE") {
		i, ok := new(big.Int).SetString(v, 0)
		if !strings.ContainsAny(v, "xX") {
			i, ok = new(big.Int).SetString(v, 10)
		}
		if !ok || !i.IsInt64() && i.String() != "9223372036854775808" {
			t.fail(syntaxError(t.source, n.at, "Syntax error: Invalid integer literal: "+v))
			return
		}
		if v = i.String(); len(v) > 4 && i.IsInt64() { // DuckDB would take it for 32 bits
			v = "CAST(" + v + " AS BIGINT)"
		}
	} else if !strings.ContainsAny(v, "eE") {
		v += "e0"
	}
	t.put(v, n.at)
}

// path translates a name of several parts, or the call of a function.
func (t *translation) path(c *cursor, s *scope) {
	n := c.peek(0)
	parts := []string{n.text}
	bare := n.kind == word
	for c.i++; c.peek(0).is(".") && (c.peek(1).kind == word || c.peek(1).kind == name) && !c.peek(1).group; c.i += 2 {
		parts = append(parts, c.peek(1).text)
		bare = bare && c.peek(1).kind == word
	}
	if c.peek(0).open("(") && bare {
		t.call(c, s, strings.ToUpper(strings.Join(parts, ".")), n)
		return
	} else if c.peek(0).open("(") {
		t.fail(invalid("Function not found: `%s` at %s", strings.Join(parts, "."), position(t.source, n.at)))
		return
	}
	if bare && len(parts) == 1 && reserved[strings.ToUpper(n.text)] {
		t.put(strings.ToUpper(n.text), n.at)
		return
	}
	for i, p := range parts {
		t.words[strings.ToLower(p)] = true
		parts[i] = identifier(p)
	}
	t.put(strings.Join(parts, "."), n.at)
	if c.peek(0).is(".") && c.peek(1).is("*") {
		t.star = true
		t.put(".*", n.at)
		c.i += 2
	}
}

// postfix translates what follows an operand that began at a piece.
func (t *translation) postfix(c *cursor, s *scope, start int) {
	for {
		n := c.peek(0)
		switch {
		case n.open("[") && c.i > 0:
			c.i++
			t.subscript(n, start)
		case n.is(".") && !c.peek(1).group && (c.peek(1).kind == word || c.peek(1).kind == name):
			t.words[strings.ToLower(c.peek(1).text)] = true
			t.out = append(t.out[:start:start], append([]piece{{"(", n.at}}, t.out[start:]...)...)
			t.put(")."+identifier(c.peek(1).text), n.at)
			c.i += 2
		default:
			return
		}
	}
}

// subscript translates a[OFFSET(i)] and its like, and a['key'] of JSON.
func (t *translation) subscript(n node, start int) {
	index, how := n.kids, "OFFSET"
	if len(index) == 2 && index[1].open("(") && index[0].is("OFFSET", "SAFE_OFFSET", "ORDINAL", "SAFE_ORDINAL") {
		index, how = index[1].kids, strings.ToUpper(n.kids[0].text)
	}
	function := map[string]string{"OFFSET": "element_at_offset", "SAFE_OFFSET": "safe_element_at_offset", "ORDINAL": "element_at_ordinal", "SAFE_ORDINAL": "safe_element_at_ordinal"}[how]
	if len(index) == 1 && index[0].kind == text && !index[0].group {
		function = "json_extract"
	}
	t.out = append(t.out[:start:start], append([]piece{{function + "(", n.at}}, t.out[start:]...)...)
	t.put(",", n.at)
	if function == "json_extract" {
		t.put(quoted(`$."`+index[0].text+`"`), n.at)
	} else {
		t.level(index)
	}
	t.put(")", n.until)
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func identifier(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

func blob(s string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, `\x%02X`, s[i])
	}
	return "CAST('" + b.String() + "' AS BLOB)"
}

// commas cuts the nodes of a group at its commas, though not inside of ARRAY<…> and
// STRUCT<…>; nothing has no parts.
func commas(nodes []node) [][]node {
	if len(nodes) == 0 {
		return nil
	}
	var parts [][]node
	from, types := 0, 0
	for i, n := range nodes {
		switch {
		case n.is("<") && i > 0 && nodes[i-1].is("ARRAY", "STRUCT"):
			types++
		case n.is(">", ">>") && types > 0:
			types -= len(n.text)
		case n.is(",") && types == 0:
			parts = append(parts, nodes[from:i])
			from = i + 1
		}
	}
	return append(parts, nodes[from:])
}
