package readonly

import (
	"slices"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// explain reads the options of EXPLAIN, bare or in parentheses, and the
// beginning of the statement that it explains. A bare option has a value only
// behind "=", so that no verb is taken for one.
func (c *checker) explain(s *dialect.Statement) error {
	if c.at("(") && c.option(c.i+1, s) {
		c.i++
		for !c.at(")") {
			if err := c.listedOption(s); err != nil {
				return err
			}
		}
		c.i++
	}
	c.i = c.bareOptions(c.i, s)
	return c.query(insideExplain)
}

// insideExplain says where a statement stands that EXPLAIN is about.
const insideExplain = " inside EXPLAIN"

// bareOptions returns the index behind the options at i that stand without
// parentheses.
func (c *checker) bareOptions(i int, s *dialect.Statement) int {
	for c.option(i, s) {
		i++
		if c.is(i, "=") && c.value(i+1) {
			i += 2
		}
		if c.is(i, ",") {
			i++
		}
	}
	return i
}

// option reports whether token i is an option of s: one that it lists, or a
// further word of how it begins ("EXPLAIN QUERY PLAN").
func (c *checker) option(i int, s *dialect.Statement) bool {
	is := func(o string) bool { return c.word(i, o) && dialect.ExplainOption(o) }
	return slices.ContainsFunc(s.Options, is) || slices.ContainsFunc(s.Words[1:], is)
}

// listedOption reads "OPTION [=] [value]" and a comma behind it, in parentheses.
func (c *checker) listedOption(s *dialect.Statement) error {
	if !c.option(c.i, s) {
		if c.kind(c.i) != dialect.TokenWord {
			return c.fail(sdk.KindSyntax, c.i, "the options of EXPLAIN are not complete").WithHint("write EXPLAIN SELECT …")
		}
		return c.fail(sdk.KindNotReadOnly, c.i, "the option %s of EXPLAIN is refused because it %s",
			shorten(c.tokens[c.i].Text(c.sql)), unknownReason).WithHint("leave the option out")
	}
	c.i++
	if c.at("=") {
		c.i++
	}
	if c.value(c.i) {
		c.i++
	}
	if c.at(",") {
		c.i++
	}
	return nil
}

// value reports whether token i is a word, a number or a string.
func (c *checker) value(i int) bool {
	kind := c.kind(i)
	return kind == dialect.TokenWord || kind == dialect.TokenNumber || kind == dialect.TokenString
}
