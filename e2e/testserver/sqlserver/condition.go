//go:build cgo

package sqlserver

import "github.com/loam-data/loam/e2e/testserver/tds"

// condition follows the words of a sequence and refuses values where SQL Server
// wants a condition: it has no Boolean type, and DuckDB has.
type condition struct {
	wanted  bool // a condition stands next
	between bool // the next AND belongs to BETWEEN
	simple  bool // the CASE has an operand: WHEN takes values
}

func (c *condition) word(t *translator, one token) {
	switch {
	case one.is("BETWEEN"):
		c.between = true
	case one.is("AND") && c.between:
		c.between, c.wanted = false, false
	case one.is("WHERE", "HAVING", "ON", "AND", "OR"):
		c.wanted = true
	case one.is("WHEN"):
		c.wanted = !c.simple
	case one.is("NOT"): // as before
	default:
		c.wanted = false
	}
}

// comparisons follow the left side of a condition.
var comparisons = set("= < > <= >= <> != !< !> IS IN LIKE BETWEEN NOT")

// operand refuses a value that is no condition. A group is one of its own.
func (c *condition) operand(t *translator, begin, end int) error {
	if begin > 0 && t.at(begin-1).is("CASE") {
		c.simple = true
	}
	wanted := c.wanted
	c.wanted = false
	next := t.at(t.i)
	if !wanted || t.i < end && (next.kind == word || next.kind == symbol) && comparisons[next.text] {
		return nil
	}
	if t.at(begin).is("(") {
		close, err := t.closing(begin)
		if err != nil {
			return err
		}
		if _, ok := t.comparison(begin+1, close); ok && close == t.i-1 {
			return nil
		}
	}
	near := next
	if t.i >= end {
		near = t.at(t.i - 1)
	}
	return &tds.Error{Number: 4145, Class: 15, Line: uint32(near.line), Message: "An expression of non-boolean type specified in a context where a condition is expected, near '" + near.raw + "'."}
}

// values refuses a comparison in a list of what is selected: there is no Boolean
// type, and name = value would be an alias.
func (t *translator) values(end int) error {
	stop := t.i
	for depth := 0; stop < end && (depth > 0 || !t.at(stop).is("FROM", "WHERE", "GROUP", "ORDER", "HAVING")); stop++ {
		if t.at(stop).is("(") {
			depth++
		} else if t.at(stop).is(")") {
			depth--
		}
	}
	if one, ok := t.comparison(t.i, stop); ok {
		return syntaxError(one)
	}
	return nil
}

// comparison returns the operator that makes a condition of the tokens between begin
// and end: not one inside of a call, a subquery or a CASE.
func (t *translator) comparison(begin, end int) (token, bool) {
	if t.at(begin).is("SELECT", "WITH") {
		return token{}, false
	}
	for i := begin; i < end; i++ {
		switch one := t.at(i); {
		case one.is("("):
			close, err := t.closing(i)
			if err != nil || close > end {
				return token{}, false
			}
			if before := t.at(i - 1); i == begin || before.kind == symbol || before.kind == word && reserved[before.text] && !before.is("COALESCE", "NULLIF", "CONVERT", "LEFT", "RIGHT") {
				if !before.is("OVER", "TOP") {
					if inner, ok := t.comparison(i+1, close); ok {
						return inner, true
					}
				}
			}
			i = close
		case one.is("CASE"):
			for depth := 1; depth > 0 && i+1 < end; {
				if i++; t.at(i).is("CASE") {
					depth++
				} else if t.at(i).is("END") {
					depth--
				}
			}
		case one.is("=", "<", ">", "<=", ">=", "<>", "!=", "!<", "!>", "IS", "IN", "LIKE", "BETWEEN", "AND", "OR", "NOT", "EXISTS"):
			return one, true
		}
	}
	return token{}, false
}
