package readonly

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// floorPhrases are refused as bare words whatever a dialect says. A dialect adds
// phrases of its engine to them.
var floorPhrases = []dialect.Phrase{
	{Words: []string{"INTO"}, Reason: "names something to write to"},
	{Words: []string{"FOR", "UPDATE"}, Reason: locksRows},
	{Words: []string{"FOR", "SHARE"}, Reason: locksRows},
	{Words: []string{"FOR", "NO", "KEY", "UPDATE"}, Reason: locksRows},
	{Words: []string{"FOR", "KEY", "SHARE"}, Reason: locksRows},
	{Words: []string{"LOCK", "IN", "SHARE", "MODE"}, Reason: locksRows},
	{Words: []string{"NEXT", "VALUE", "FOR"}, Reason: "advances a sequence"},
	{Words: []string{"PARALLEL", "WITH"}, Reason: "runs several statements at once"},
	{Words: []string{"|>", "INSERT"}, Reason: writesPiped},
	{Words: []string{"|>", "CREATE"}, Reason: writesPiped},
	{Words: []string{"|>", "EXPORT"}, Reason: writesPiped},
}

const (
	locksRows   = "takes row locks"
	writesPiped = "writes what is piped into it"
)

// floorStarts are the starts of all words that the floor looks at.
var floorStarts = func() starts {
	s := writeStarts
	for _, p := range floorPhrases {
		s.add(p.Words[0])
	}
	for _, w := range slices.Concat(about, analyze) {
		s.add(w)
	}
	return s
}()

// floor refuses at token i what no dialect can allow.
func (c *checker) floor(t dialect.Token) error {
	for j := range floorPhrases {
		if p := &floorPhrases[j]; c.phraseAt(c.i, p.Words) {
			return c.refusePhrase(p)
		}
	}
	if t.Kind != dialect.TokenWord {
		return nil
	}
	if verb := c.write(c.i); verb != "" && !c.shown(verb) && !c.column(verb) {
		return c.fail(sdk.KindNotReadOnly, c.i, "%s is refused because it %s", verb, reason(verb)).WithHint("%s", c.hint())
	}
	return c.described(t)
}

// shown: SHOW CREATE TABLE and its like show the statement.
func (c *checker) shown(verb string) bool { return verb == "CREATE" && c.word(c.i-1, "SHOW") }

// column reports whether DELETE at i is a column, which it may be where an
// expression starts: SELECT delete FROM t.
func (c *checker) column(verb string) bool {
	if verb != "DELETE" || c.i == 0 {
		return false
	}
	switch before := c.tokens[c.i-1]; before.Kind {
	case dialect.TokenWord:
		return before.IsWord(c.sql, "SELECT") || before.IsWord(c.sql, "DISTINCT") || before.IsWord(c.sql, "ALL")
	case dialect.TokenOperator:
		return !before.Is(c.sql, ")") && !before.Is(c.sql, "]") && !before.Is(c.sql, "}")
	default:
		return false
	}
}

// about are the words that describe a table or a query. The verbs in writing may not
// follow them: some engines run the statement that they describe.
var (
	about   = []string{"DESC", "SHOW", "DESCRIBE", "SUMMARIZE"}
	analyze = []string{"ANALYZE", "ANALYSE"}
	writing = strings.Fields("INSERT UPDATE DELETE MERGE REPLACE UPSERT TRUNCATE ALTER DROP COPY ATTACH DETACH CALL EXECUTE EXEC")
)

// described refuses DESCRIBE DELETE … and, where the whole statement is a
// DESCRIBE, the word ANALYZE, by which it runs what it describes.
func (c *checker) described(t dialect.Token) error {
	if c.describes && c.depth == 0 && slices.ContainsFunc(analyze, func(w string) bool { return t.IsWord(c.sql, w) }) {
		return c.fail(sdk.KindNotReadOnly, c.i, "ANALYZE is refused here because it runs the statement").WithHint("write EXPLAIN ANALYZE SELECT …")
	}
	return c.aboutWrite(t, c.i+1)
}

// aboutWrite refuses a writing statement at token i, behind t that would describe it.
func (c *checker) aboutWrite(t dialect.Token, i int) error {
	for _, word := range about {
		if !t.IsWord(c.sql, word) {
			continue
		}
		for _, verb := range writing {
			if c.word(i, verb) && c.name(i+1) {
				return c.fail(sdk.KindNotReadOnly, i, "%s behind %s is refused because it %s", verb, word, reason(verb)).WithHint("%s", c.hint())
			}
		}
	}
	return nil
}

// reads looks behind the first word, at i-1, of a statement that was accepted as
// a query or as one that shows something.
func (c *checker) reads() error {
	first := c.tokens[c.i-1]
	switch {
	case first.IsWord(c.sql, "PRAGMA"):
		return c.pragma()
	case first.IsWord(c.sql, "DESCRIBE"), first.IsWord(c.sql, "DESC"):
		c.describes = c.depth == 0
	}
	return c.aboutWrite(first, c.i)
}

// unpivotNames reports whether the INTO at i is that of "UNPIVOT … INTO NAME n
// VALUE v", which names columns. A statement has one.
func (c *checker) unpivotNames() bool {
	if !c.unpivots[c.depth] || !c.word(c.i+1, "NAME") || !c.name(c.i+2) || !c.word(c.i+3, "VALUE") {
		return false
	}
	c.unpivots[c.depth] = false
	return true
}
