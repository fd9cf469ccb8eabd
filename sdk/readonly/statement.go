package readonly

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// statement reads the beginning of the whole text.
func (c *checker) statement() error {
	s, err := c.begin("")
	if err != nil {
		return err
	}
	c.refused = s.Refused
	switch s.Kind {
	case dialect.StatementWith:
		return c.with()
	case dialect.StatementExplain:
		return c.explain(s)
	default:
		return c.reads()
	}
}

// query reads the beginning of a statement that must be a query: of a CTE, and
// of what follows WITH or EXPLAIN. where says which, for the message.
func (c *checker) query(where string) error {
	s, err := c.begin(where)
	switch {
	case err != nil:
		return err
	case s.Kind == dialect.StatementWith:
		return c.with()
	default:
		return c.reads()
	}
}

// begin consumes opening parentheses and the first word of an accepted statement.
// Behind a parenthesis, and where where is set, only queries are accepted.
func (c *checker) begin(where string) (*dialect.Statement, error) {
	first := c.i
	for c.at("(") {
		if err := c.push(')'); err != nil {
			return nil, err
		}
	}
	s := c.accepted(c.i)
	nested := where != "" || c.i > first
	if s == nil || nested && s.Kind != dialect.StatementQuery && s.Kind != dialect.StatementWith {
		return nil, c.refuseStart(where)
	}
	c.unpivots[c.depth] = c.word(c.i, "UNPIVOT")
	c.i++
	return s, nil
}

// accepted returns the statement with the most words that begins at token i, of
// those that may open a statement at all.
func (c *checker) accepted(i int) *dialect.Statement {
	var best *dialect.Statement
	for j := range c.d.Guard.Statements {
		s := &c.d.Guard.Statements[j]
		if c.words(i, s.Words) && (best == nil || len(s.Words) > len(best.Words)) && dialect.Opens(s.Words[0], s.Kind) {
			best = s
		}
	}
	return best
}

// unknownKind returns the kind that the dialect gives to the statement at token i and
// that this Loam does not know, or "".
func (c *checker) unknownKind(i int) string {
	for _, s := range c.d.Guard.Statements {
		if c.words(i, s.Words) && !s.Kind.Known() {
			return string(s.Kind)
		}
	}
	return ""
}

func (c *checker) refuseStart(where string) error {
	if c.kind(c.i) == 0 {
		return c.fail(sdk.KindSyntax, c.i, "the statement ends where a query is expected").WithHint("%s", c.hint())
	}
	t := c.tokens[c.i]
	text := shorten(t.Text(c.sql))
	if t.Kind != dialect.TokenWord {
		return c.fail(sdk.KindSyntax, c.i, "a statement cannot start with %s", text).WithHint("%s", c.hint())
	}
	verb := strings.ToUpper(text)
	if kind := c.unknownKind(c.i); kind != "" {
		return c.fail(sdk.KindNotReadOnly, c.i, "%s is refused because the connector gives it the kind %s, which this Loam does not know", verb, shorten(kind)).
			WithHint("upgrade loam, or install another version of the connector")
	}
	why, hint := reason(verb), c.hint()
	switch {
	case c.accepted(c.i) != nil: // as a whole statement
		why = "is no query, and only a query may stand here"
	case where == insideExplain && dialect.ExplainOption(text):
		why, hint = "is no option of EXPLAIN in this engine", "leave it out"
	case dialect.OpensSome(text):
		why = "is no statement of this engine"
	case where == "" && c.analyzesQuery():
		hint = "write EXPLAIN ANALYZE SELECT …"
	}
	return c.fail(sdk.KindNotReadOnly, c.i, "%s%s is refused because it %s", verb, where, why).WithHint("%s", hint)
}

// analyzesQuery reports whether a query follows ANALYZE at i, as MariaDB writes what
// EXPLAIN ANALYZE is elsewhere, and the dialect has EXPLAIN ANALYZE.
func (c *checker) analyzesQuery() bool {
	for j := range c.d.Guard.Statements {
		s := &c.d.Guard.Statements[j]
		if c.word(c.i, "ANALYZE") && s.Kind == dialect.StatementExplain && slices.Contains(s.Options, "ANALYZE") {
			i := c.bareOptions(c.i+1, s)
			return c.word(i, "SELECT") || c.word(i, "WITH")
		}
	}
	return false
}

// with reads the CTEs behind WITH and the beginning of the main query.
func (c *checker) with() error {
	if c.word(c.i, "RECURSIVE") && !c.word(c.i+1, "AS") {
		c.i++
	}
	for {
		if err := c.cte(); err != nil {
			return err
		}
		if !c.at(",") {
			break
		}
		c.i++
	}
	return c.query(" after WITH")
}

// cte reads one "name [(columns)] AS [[NOT] MATERIALIZED] (query)".
func (c *checker) cte() error {
	first := c.i
	as := c.cteBody()
	if as == 0 {
		if c.d.Guard.ExpressionWith {
			return c.withExpression()
		}
		return c.fail(sdk.KindSyntax, first, "WITH is not followed by a name, AS and a query in parentheses").
			WithHint("write WITH name AS (SELECT …) SELECT …")
	}
	for c.i < as {
		if err := c.step(); err != nil {
			return err
		}
	}
	c.label = false
	base := c.depth
	if err := c.push(')'); err != nil {
		return err
	}
	if err := c.query(" inside WITH"); err != nil {
		return err
	}
	if err := c.inside(base); err != nil {
		return err
	}
	return c.cteClauses()
}

// cteBody returns the index of the parenthesis that opens the body of the CTE
// at i, or 0 when there is no CTE.
func (c *checker) cteBody() int {
	i := c.i
	if !c.name(i) {
		return 0
	}
	i = c.columnList(i + 1)
	if c.word(i, "USING") && c.word(i+1, "KEY") {
		i = c.columnList(i + 2)
	}
	if !c.word(i, "AS") {
		return 0
	}
	i++
	if c.word(i, "NOT") {
		i++
	}
	if c.word(i, "MATERIALIZED") {
		i++
	}
	if c.is(i, "(") {
		return i
	}
	return 0
}

// columnList returns the index behind the parenthesised names at i, or i.
func (c *checker) columnList(i int) int {
	if !c.is(i, "(") {
		return i
	}
	j := i + 1
	for c.name(j) || c.is(j, ",") {
		j++
	}
	if c.is(j, ")") {
		return j + 1
	}
	return i
}

// withExpression reads "expression AS name".
func (c *checker) withExpression() error {
	base := c.depth
	for c.depth > base || !c.label {
		if c.kind(c.i) == 0 || c.depth == base && (c.at(",") || c.at(";") || c.at(")")) {
			return c.fail(sdk.KindSyntax, c.i, "an expression behind WITH has no name").WithHint("write WITH expression AS name SELECT …")
		}
		if err := c.step(); err != nil {
			return err
		}
	}
	if c.name(c.i) {
		return c.step()
	}
	return nil
}

// cteClauses reads SEARCH … FIRST BY names SET name, and CYCLE names SET name
// [TO value DEFAULT value] USING name or MariaDB's CYCLE names RESTRICT.
func (c *checker) cteClauses() error {
	const hint = "finish the clause as in SEARCH DEPTH FIRST BY a SET b or CYCLE a SET b USING c, or leave it out"
	if c.word(c.i, "SEARCH") {
		depth := c.words(c.i+1, []string{"DEPTH", "FIRST", "BY"}) || c.words(c.i+1, []string{"BREADTH", "FIRST", "BY"})
		c.i += 4
		if !depth || !c.names() || !c.wordAndName("SET") {
			return c.fail(sdk.KindSyntax, c.i, "the SEARCH clause is not complete").WithHint(hint)
		}
	}
	if c.word(c.i, "CYCLE") {
		c.i++
		cycle := c.names()
		if cycle && c.word(c.i, "RESTRICT") {
			c.i++
			return nil
		}
		set := cycle && c.wordAndName("SET")
		if set && c.word(c.i, "TO") && c.word(c.i+2, "DEFAULT") && c.value(c.i+1) && c.value(c.i+3) {
			c.i += 4
		}
		if !set || !c.wordAndName("USING") {
			return c.fail(sdk.KindSyntax, c.i, "the CYCLE clause is not complete").WithHint(hint)
		}
	}
	return nil
}

// names consumes names with commas between them and reports whether there is one.
func (c *checker) names() bool {
	for c.name(c.i) {
		c.i++
		if !c.at(",") {
			return true
		}
		c.i++
	}
	return false
}

// wordAndName consumes a keyword and a name and reports whether they are there.
func (c *checker) wordAndName(upper string) bool {
	if !c.word(c.i, upper) || !c.name(c.i+1) {
		return false
	}
	c.i += 2
	return true
}
