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
	first := t.at(begin)
	if first.is("(") {
		return nil
	}
	near := next
	if t.i >= end {
		near = t.at(t.i - 1)
	}
	return &tds.Error{Number: 4145, Class: 15, Line: uint32(near.line), Message: "An expression of non-boolean type specified in a context where a condition is expected, near '" + near.raw + "'."}
}
