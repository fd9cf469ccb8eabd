package readonly

import (
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// index notes what the phrases and relations of the dialect begin with, so that
// most words need no further look.
func (c *checker) index() {
	c.watched = floorStarts
	for i := range c.d.Guard.Phrases {
		if w := c.d.Guard.Phrases[i].Words; len(w) > 0 && w[0] != "" {
			c.watched.add(w[0])
		}
	}
	for i := range c.d.Guard.Relations {
		c.relationLetters |= letter(c.d.Guard.Relations[i].Pattern)
	}
}

// starts are the first letters of words, as bits, by the length of the word.
// Most words of a statement have none of them, so that one look is enough.
type starts [16]uint32

func (s *starts) add(word string) { s[min(len(word), len(s)-1)] |= letter(word) }

// may reports whether text can be one of the words, in any case.
func (s *starts) may(text string) bool { return s[min(len(text), len(s)-1)]&letter(text) != 0 }

// letter is a bit for the first letter of a word, without case; all bits for a
// pattern that may start with anything.
func letter(s string) uint32 {
	if s == "" || s[0] == '*' {
		return ^uint32(0)
	}
	return 1 << (s[0] & 31)
}

// phrase checks whether a phrase that the dialect refuses starts at token i.
func (c *checker) phrase(t dialect.Token) error {
	n := int(t.End - t.Start)
	for j := range c.d.Guard.Phrases {
		if p := &c.d.Guard.Phrases[j]; len(p.Words) > 0 && len(p.Words[0]) == n && c.phraseAt(c.i, p.Words) && !(len(p.Words) == 1 && c.object()) {
			return c.refusePhrase(p)
		}
	}
	return nil
}

// object reports whether the word at i is what a SHOW shows, as in SHOW SETTINGS
// and SHOW CHANGED SETTINGS, and no clause of it.
func (c *checker) object() bool {
	return c.word(0, "SHOW") && (c.i == 1 || c.i == 2 && c.word(1, "CHANGED")) && c.kind(c.i+1) != 0 && !c.name(c.i+2)
}

func (c *checker) refusePhrase(p *dialect.Phrase) error {
	words := strings.Join(p.Words, " ")
	return c.fail(sdk.KindNotReadOnly, c.i, "%s is refused because it %s", words, p.Reason).
		WithHint("leave %s out; quote it if it is a name", words)
}

// phraseAt reports whether words, of which there is one at least, start at token i.
func (c *checker) phraseAt(i int, words []string) bool {
	for j, w := range words {
		if !c.word(i+j, w) && !c.is(i+j, w) {
			return false
		}
	}
	return true
}

// named checks a name that may be that of a function or of a relation. A label
// behind AS names neither, unless a parenthesis makes it a call. A member of an
// expression may be a call without one: PostgreSQL takes ('s').nextval for
// nextval('s').
func (c *checker) named(t dialect.Token, label bool) error {
	call := c.is(c.i+1, "(")
	c.derived = c.memberOfExpression()
	if call || c.derived {
		name := c.d.Unquote(c.sql, t)
		if r := match(c.d.Guard.Functions, name); r != nil && !c.readsAlone(name) {
			return c.fail(sdk.KindNotReadOnly, c.i, "the function %s is refused because it %s", shorten(name), r.Reason).
				WithHint("answer the question without this function")
		}
	}
	if label && !call {
		return nil
	}
	return c.relation(t)
}

// readsAlone reports whether the call at i has no arguments, and only reads so.
func (c *checker) readsAlone(name string) bool {
	return dialect.ReadsWithoutArguments(name) && c.is(c.i+1, "(") && c.is(c.i+2, ")")
}

// memberOfExpression reports whether the name at i stands behind a dot, in a
// chain of names that starts with a bracket or a parameter.
func (c *checker) memberOfExpression() bool {
	if !c.is(c.i-1, ".") {
		return false
	}
	switch c.kind(c.i - 2) {
	case dialect.TokenWord, dialect.TokenQuoted:
		return c.derived
	case dialect.TokenParameter:
		return true
	default:
		return c.is(c.i-2, ")") || c.is(c.i-2, "]")
	}
}

func (c *checker) relation(t dialect.Token) error {
	name := c.d.Unquote(c.sql, t)
	if name == "" || c.relationLetters&letter(name) == 0 {
		return nil
	}
	if r := match(c.d.Guard.Relations, name); r != nil {
		return c.fail(sdk.KindNotReadOnly, c.i, "the relation %s is refused because it %s", shorten(name), r.Reason).
			WithHint("read other tables")
	}
	return nil
}

// stringTable checks a string that may stand for a table.
func (c *checker) stringTable(t dialect.Token) error {
	if !c.d.Lexis.StringTables {
		return nil
	}
	before := c.i - 1
	if c.word(before, "FROM") || c.word(before, "JOIN") || c.is(before, ",") || c.is(before, "(") || c.is(before, ".") {
		return c.relation(t)
	}
	return nil
}

func match(rules []dialect.FunctionRule, name string) *dialect.FunctionRule {
	letters := letter(name)
	for i := range rules {
		if letters&letter(rules[i].Pattern) != 0 && matchPattern(rules[i].Pattern, name) {
			return &rules[i]
		}
	}
	return nil
}

// matchPattern compares without case; a "*" at either end of the pattern stands
// for anything.
func matchPattern(pattern, name string) bool {
	middle, open := strings.CutPrefix(pattern, "*")
	middle, openEnd := strings.CutSuffix(middle, "*")
	switch {
	case len(name) < len(middle):
		return false
	case open && openEnd:
		for i := 0; i+len(middle) <= len(name); i++ {
			if strings.EqualFold(name[i:i+len(middle)], middle) {
				return true
			}
		}
		return false
	case open:
		return strings.EqualFold(name[len(name)-len(middle):], middle)
	case openEnd:
		return strings.EqualFold(name[:len(middle)], middle)
	default:
		return strings.EqualFold(name, middle)
	}
}
