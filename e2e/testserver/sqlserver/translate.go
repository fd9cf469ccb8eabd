//go:build cgo

package sqlserver

import (
	"strings"

	"github.com/loam-data/loam/e2e/testserver/tds"
)

// translator writes a statement of T-SQL as DuckDB reads it. Names of T-SQL that
// DuckDB has with another meaning, and words of DuckDB that T-SQL does not have,
// never pass: they are errors.
type translator struct {
	session    *session
	parameters map[string]any // without the @
	tokens     []token
	i          int
}

// query translates a statement that DuckDB runs as it is: SELECT, INSERT, UPDATE, DELETE.
func (s *session) query(st statement, parameters map[string]any) (string, error) {
	t := &translator{session: s, parameters: parameters, tokens: st.tokens}
	if err := t.checkWords(); err != nil {
		return "", err
	}
	out, err := t.sequence(len(t.tokens), false)
	return strings.TrimSpace(out), err
}

// strange are words that DuckDB takes and SQL Server does not.
var strange = set("LIMIT ILIKE QUALIFY USING FILTER GLOB SIMILAR ANTI SEMI ASOF POSITIONAL LATERAL SUMMARIZE DESCRIBE EXCLUDE INTERVAL RETURNING")

func (t *translator) checkWords() error {
	for i, one := range t.tokens {
		after := i > 0 && t.tokens[i-1].is(".", "AS")
		if one.kind == word && strange[one.text] && !after && !(one.is("USING") && t.tokens[0].is("MERGE")) || one.is("::", ";", "{", "}", "$", "#", "?", ":", "!", "`") {
			return syntaxError(one)
		}
		if one.is("NULLS") && !after && i+1 < len(t.tokens) && t.tokens[i+1].is("FIRST", "LAST") {
			return syntaxError(one)
		}
	}
	return nil
}

func (t *translator) at(i int) token {
	if i < 0 || i >= len(t.tokens) {
		return token{kind: symbol}
	}
	return t.tokens[i]
}

// closing returns where the group that opens at i closes.
func (t *translator) closing(i int) (int, error) {
	depth := 0
	for j := i; j < len(t.tokens); j++ {
		switch {
		case t.tokens[j].is("("):
			depth++
		case t.tokens[j].is(")"):
			if depth--; depth == 0 {
				return j, nil
			}
		}
	}
	return 0, syntaxError(t.tokens[len(t.tokens)-1])
}

// arm is one SELECT between set operators.
type arm struct {
	begin, end int
	top        string
}

// sequence translates tokens up to end: statements, subqueries and lists of expressions.
// A TOP becomes a LIMIT at the end of its SELECT.
func (t *translator) sequence(end int, nested bool) (string, error) {
	begin := t.i
	first := t.at(begin)
	if nested && first.is("WITH") {
		return "", syntaxError(first)
	}
	select_, operators, ordered, err := t.shape(begin, end)
	if err != nil {
		return "", err
	}
	if nested && ordered.line > 0 && first.is("SELECT") {
		return "", &tds.Error{Number: 1033, Class: 15, Line: uint32(ordered.line), Message: "The ORDER BY clause is invalid in views, inline functions, derived tables, subqueries, and common table expressions, unless TOP, OFFSET or FOR XML is also specified."}
	}
	var out strings.Builder
	if select_ < 0 {
		return t.items(end)
	}
	head, err := t.items(select_)
	if err != nil {
		return "", err
	}
	out.WriteString(head)
	for n := 0; t.i < end; n++ {
		stop := end
		if n < len(operators) {
			stop = operators[n]
		}
		body, err := t.arm(stop, len(operators) > 0)
		if err != nil {
			return "", err
		}
		out.WriteString(body)
		if n < len(operators) {
			for t.i < end && t.at(t.i).is("UNION", "ALL", "EXCEPT", "INTERSECT") {
				out.WriteString(t.at(t.i).lead + t.at(t.i).raw)
				t.i++
			}
		}
	}
	return out.String(), nil
}

// shape finds a query's first SELECT, its set operators, and its ORDER BY where a
// subquery may have none; all of them outside of parentheses.
func (t *translator) shape(begin, end int) (selects int, operators []int, ordered token, err error) {
	selects = -1
	bounded := false
	for i := begin; i < end; i++ {
		switch one := t.at(i); {
		case one.is("("):
			close, err := t.closing(i)
			if err != nil {
				return 0, nil, ordered, err
			}
			i = close
		case one.is("SELECT") && selects < 0:
			selects = i
		case one.is("UNION", "EXCEPT", "INTERSECT"):
			if selects < 0 {
				selects = begin
			}
			operators = append(operators, i)
		case one.is("ORDER") && t.at(i+1).is("BY"):
			ordered = one
		case one.is("TOP"), one.is("OFFSET") && t.isKeyword(i):
			bounded = true
		}
	}
	if bounded {
		ordered = token{}
	}
	return selects, operators, ordered, nil
}

// arm translates one SELECT.
func (t *translator) arm(end int, several bool) (string, error) {
	if !t.at(t.i).is("SELECT") {
		return t.items(end)
	}
	lead, head := t.at(t.i).lead, "SELECT"
	t.i++
	if t.at(t.i).is("DISTINCT", "ALL") {
		head += " " + t.at(t.i).text
		t.i++
	}
	limit := ""
	if t.at(t.i).is("TOP") {
		t.i++
		switch count := t.at(t.i); {
		case count.is("("):
			close, err := t.closing(t.i)
			if err != nil {
				return "", err
			}
			t.i++
			if limit, err = t.sequence(close, true); err != nil {
				return "", err
			}
			t.i++
		case count.kind == number:
			limit = count.raw
			t.i++
		default:
			return "", syntaxError(count)
		}
		if t.at(t.i).is("PERCENT", "WITH") {
			return "", missing(t.at(t.i).line, "TOP … %s", t.at(t.i).text)
		}
	}
	if err := t.values(end); err != nil {
		return "", err
	}
	body, err := t.items(end)
	if err != nil || limit == "" {
		return lead + head + body, err
	}
	if several {
		return lead + "(" + head + body + " LIMIT (" + limit + "))", nil
	}
	return lead + head + body + " LIMIT (" + limit + ")", nil
}

// items translates what stands between begin and end: keywords as they are,
// expressions by expression.
func (t *translator) items(end int) (string, error) {
	var out strings.Builder
	conditions := condition{}
	for t.i < end {
		one := t.at(t.i)
		if text, ok, err := t.clause(end); err != nil {
			return "", err
		} else if ok {
			out.WriteString(text)
			continue
		}
		if !t.startsOperand(t.i) {
			conditions.word(t, one)
			out.WriteString(t.copied(one))
			t.i++
			continue
		}
		begin := t.i
		x, err := t.arithmetic(end)
		if err != nil {
			return "", err
		}
		if err := conditions.operand(t, begin, end); err != nil {
			return "", err
		}
		out.WriteString(x)
		// What stands behind an operand is its alias: a name, with or without AS.
		out.WriteString(t.alias(end))
	}
	return out.String(), nil
}

func (t *translator) copied(one token) string {
	switch {
	case one.is("!<"):
		return one.lead + ">="
	case one.is("!>"):
		return one.lead + "<="
	case one.is("LIKE"): // the collation takes no notice of case
		return one.lead + "ILIKE"
	}
	return one.lead + one.raw
}

// alias copies the name behind an expression, and its list of columns.
func (t *translator) alias(end int) string {
	i := t.i
	lead := ""
	if t.at(i).is("AS") && i+1 < end && !t.at(i+1).is("(") && !t.at(i+1).is("SELECT", "WITH") {
		lead = t.at(i).lead + "AS"
		i++
	}
	one := t.at(i)
	if i >= end || one.kind != quoted && one.kind != text && (one.kind != word || reserved[one.text] || t.isKeyword(i)) {
		return ""
	}
	if one.kind == text && lead == "" {
		return ""
	}
	out := lead + spaced(one.lead) + quote(one.text)
	if one.kind == word {
		out = lead + spaced(one.lead) + quote(one.raw)
	}
	t.i = i + 1
	return out
}

func spaced(lead string) string {
	if lead == "" {
		return " "
	}
	return lead
}

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// isKeyword tells whether a word that may be a name is none where it stands.
func (t *translator) isKeyword(i int) bool {
	before, after := t.at(i-1), t.at(i+1)
	count := func(one token) bool { return one.kind == number || one.kind == variable }
	switch t.at(i).text {
	case "AT":
		return after.is("TIME")
	case "WITHIN":
		return after.is("GROUP")
	case "PARTITION":
		return after.is("BY")
	case "APPLY":
		return before.is("CROSS", "OUTER")
	case "OFFSET":
		return count(after) || after.is("(")
	case "NEXT", "FIRST":
		return before.is("FETCH")
	case "ONLY":
		return before.is("ROW", "ROWS")
	case "ROW", "ROWS", "RANGE":
		return count(before) || before.is(")", "CURRENT") || after.is("BETWEEN", "UNBOUNDED", "CURRENT", "ONLY") || count(after)
	case "UNBOUNDED":
		return after.is("PRECEDING", "FOLLOWING")
	case "PRECEDING", "FOLLOWING":
		return before.is("UNBOUNDED", "ROW") || count(before)
	case "PERCENT", "TIES":
		return before.is("WITH") || count(before) || before.is(")")
	case "MATCHED", "OUTPUT":
		return !t.tokens[0].is("SELECT", "WITH")
	case "CAST", "TRY_CAST":
		return after.is("(")
	}
	return false
}

// clause translates a clause that DuckDB writes in another way.
func (t *translator) clause(end int) (string, bool, error) {
	one := t.at(t.i)
	switch {
	case one.is("WITH") && t.at(t.i+1).is("("):
		return t.hints()
	case one.is("OPTION") && t.at(t.i+1).is("("):
		return t.options()
	case one.is("FOR") && t.at(t.i+1).is("XML", "JSON", "BROWSE", "SYSTEM_TIME"):
		return "", false, missing(one.line, "FOR %s", t.at(t.i+1).text)
	case one.is("CROSS", "OUTER") && t.at(t.i+1).is("APPLY"):
		t.i += 2
		if one.is("CROSS") {
			return one.lead + "CROSS JOIN LATERAL", true, nil
		}
		return "", false, missing(one.line, "OUTER APPLY")
	case one.is("TABLESAMPLE"):
		return t.sample()
	case one.is("INTO") && t.tokens[0].is("SELECT", "WITH"):
		return "", false, missing(one.line, "SELECT INTO")
	case one.is("PIVOT", "UNPIVOT", "CONTAINS", "FREETEXT", "OPENROWSET", "OPENQUERY", "OPENDATASOURCE", "COLLATE"):
		return "", false, missing(one.line, "%s", one.text)
	case one.is("LIKE") && t.at(t.i+1).kind == text && strings.ContainsAny(t.at(t.i+1).text, "[]"):
		return "", false, missing(one.line, "LIKE with a set of characters")
	case one.is("OFFSET") && t.isKeyword(t.i):
		return "", false, t.offset(end)
	}
	return "", false, nil
}
