package readonly

import (
	"slices"

	"github.com/loam-data/loam/sdk/dialect"
)

// seconds are the words that make a statement of a verb in an expression's
// place, where the verb alone may be a column ("update", "delete").
var seconds = []struct {
	verb  string
	words []string
}{
	{"INSERT", []string{"INTO", "OVERWRITE", "TABLE"}},
	{"REPLACE", []string{"INTO"}},
	{"MERGE", []string{"INTO"}},
	{"DELETE", []string{"FROM"}},
	{"CREATE", objects},
	{"ALTER", objects},
	{"DROP", objects},
	{"TRUNCATE", objects},
}

var objects = []string{
	"DATABASE", "EXTENSION", "EXTERNAL", "FUNCTION", "INDEX", "MATERIALIZED", "PROCEDURE", "ROLE", "SCHEMA", "SEQUENCE",
	"TABLE", "TEMP", "TEMPORARY", "TRIGGER", "TYPE", "UNIQUE", "USER", "VIEW",
}

// write returns the verb of a statement that changes something and starts at
// token i, or "".
func (c *checker) write(i int) string {
	if c.kind(i) != dialect.TokenWord || !writeStarts.may(c.tokens[i].Text(c.sql)) {
		return ""
	}
	for _, s := range seconds {
		if c.word(i, s.verb) && slices.ContainsFunc(s.words, func(w string) bool { return c.word(i+1, w) }) {
			return s.verb
		}
	}
	for _, verb := range []string{"INSERT", "CREATE"} {
		if c.word(i, verb) && c.word(i+1, "OR") && c.word(i+2, "REPLACE") {
			return verb
		}
	}
	if c.word(i, "UPDATE") {
		for j := i + 1; c.name(j) || c.is(j, "."); j++ {
			if j > i+1 && c.word(j, "SET") {
				return "UPDATE"
			}
		}
	}
	return ""
}

// writeStarts are the starts of the verbs that write knows.
var writeStarts = func() (s starts) {
	s.add("UPDATE")
	for i := range seconds {
		s.add(seconds[i].verb)
	}
	return s
}()
