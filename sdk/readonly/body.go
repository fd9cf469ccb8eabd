package readonly

import (
	"slices"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// push consumes an opening bracket.
func (c *checker) push(closer byte) error {
	if c.depth == MaxDepth {
		return c.fail(sdk.KindLimit, c.i, "brackets nest deeper than %d levels", MaxDepth).WithHint("flatten the query")
	}
	c.closers[c.depth] = closer
	c.depth++
	c.unpivots[c.depth] = false
	c.i++
	return nil
}

// inside walks to the end of the bracket that was opened at depth base.
func (c *checker) inside(base int) error {
	for c.depth > base {
		if c.kind(c.i) == 0 {
			return c.fail(sdk.KindSyntax, c.i, "a bracket is not closed").WithHint("close every bracket")
		}
		if err := c.step(); err != nil {
			return err
		}
	}
	return nil
}

// step consumes one token, or an opening parenthesis with the beginning of the
// query in it.
func (c *checker) step() error {
	label := c.label
	c.label = false
	t := c.tokens[c.i]
	switch t.Kind {
	case dialect.TokenOperator:
		return c.operator(t)
	case dialect.TokenWord:
		if !label && !c.member(c.i) {
			if err := c.keyword(t); err != nil {
				return err
			}
		}
		if err := c.named(t, label); err != nil {
			return err
		}
	case dialect.TokenQuoted:
		if c.d.Escaped(c.sql, t) {
			return c.fail(sdk.KindNotReadOnly, c.i, "a quoted name with escapes is refused because it hides what it names").
				WithHint("write the name without escapes")
		}
		if err := c.named(t, label); err != nil {
			return err
		}
	case dialect.TokenString:
		if err := c.stringTable(t); err != nil {
			return err
		}
	}
	c.i++
	return nil
}

func (c *checker) operator(t dialect.Token) error {
	switch c.sql[t.Start] {
	case '(':
		return c.parenthesis()
	case '[':
		return c.push(']')
	case '{':
		return c.push('}')
	case ')', ']', '}':
		if c.depth == 0 || c.closers[c.depth-1] != c.sql[t.Start] {
			return c.fail(sdk.KindSyntax, c.i, "the bracket %s has no partner", shorten(t.Text(c.sql))).WithHint("balance the brackets")
		}
		c.depth--
	case ';':
		return c.fail(sdk.KindSyntax, c.i, "the statement ends before it is complete").WithHint("remove the semicolon")
	default:
		if err := c.phrases(t); err != nil {
			return err
		}
	}
	c.i++
	return nil
}

// parenthesis consumes "(" and the beginning of a statement in it, if there is
// one that is not simply a query.
func (c *checker) parenthesis() error {
	if err := c.push(')'); err != nil {
		return err
	}
	if verb := c.write(c.i); verb != "" {
		return c.fail(sdk.KindNotReadOnly, c.i, "%s inside a query is refused because it %s", verb, reason(verb)).WithHint("%s", c.hint())
	}
	s := c.accepted(c.i)
	if s == nil {
		return nil
	}
	c.unpivots[c.depth] = c.word(c.i, "UNPIVOT")
	switch s.Kind {
	case dialect.StatementWith:
		c.i++
		return c.with()
	case dialect.StatementExplain: // unless it is a column
		if i := c.bareOptions(c.i+1, s); c.accepted(i) != nil || c.write(i) != "" {
			c.i = i
			return c.query(insideExplain)
		}
	}
	return nil
}

// member reports whether token i stands behind the dot of something, and so is
// a name whatever the word. Behind a number ("1.") it is not.
func (c *checker) member(i int) bool {
	return c.is(i-1, ".") && (c.name(i-2) || c.is(i-2, ")") || c.is(i-2, "]"))
}

// keyword checks a word that may be a keyword: neither a label behind AS nor a
// member behind a dot.
func (c *checker) keyword(t dialect.Token) error {
	c.label = t.IsWord(c.sql, "AS")
	if slices.ContainsFunc(c.refused, func(w string) bool { return t.IsWord(c.sql, w) }) {
		return c.fail(sdk.KindNotReadOnly, c.i, "%s is refused in this statement", shorten(t.Text(c.sql))).WithHint("leave it out")
	}
	if c.d.Guard.Unseparated && c.depth == 0 && c.another() {
		return c.fail(sdk.KindNotReadOnly, c.i, "a second statement is refused: only one may be sent at a time").
			WithHint("send one statement per call")
	}
	if t.IsWord(c.sql, "INTO") && c.unpivotNames() {
		return nil
	}
	return c.phrases(t)
}

// phrases checks token i against the dialect's phrases, whose reasons are about
// the engine, and then against the floor.
func (c *checker) phrases(t dialect.Token) error {
	if !c.watched.may(t.Text(c.sql)) {
		return nil
	}
	if err := c.phrase(t); err != nil {
		return err
	}
	return c.floor(t)
}

// another reports whether a query begins at i that no set operator joins to what
// stands before.
func (c *checker) another() bool {
	s := c.accepted(c.i)
	if s == nil || s.Kind != dialect.StatementQuery {
		return false
	}
	for _, joint := range []string{"UNION", "ALL", "DISTINCT", "EXCEPT", "INTERSECT", "MINUS"} {
		if c.word(c.i-1, joint) {
			return false
		}
	}
	return true
}
