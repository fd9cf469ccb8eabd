package reach

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
)

// Text is the names in a definition. It is immutable, and several graphs can use it.
type Text struct {
	mentions []mentioned // each once
	reason   *Reason     // why the definition itself leaves the transaction; nil = it does not
}

// mentioned is a name or a run of operator characters in a definition.
type mentioned struct {
	name, qualifier        string // lower case
	called, member, symbol bool
}

// Read tokenizes a definition. A definition that cannot be tokenized, or that writes a name with
// escapes, counts as leaving the transaction.
func Read(definition string, d *dialect.Dialect) *Text {
	var buf [256]dialect.Token
	tokens, err := d.Tokens(definition, buf[:0])
	if err != nil {
		return &Text{reason: &Reason{Text: "has a text that cannot be read (" + err.Error() + ")"}}
	}
	return ReadTokens(definition, tokens, d)
}

// ReadTokens is Read for tokens of a definition, or of a part of it.
func ReadTokens(definition string, tokens []dialect.Token, d *dialect.Dialect) *Text {
	var read Text
	seen := map[mentioned]bool{}
	mentions(definition, tokens, d, func(m mention) bool {
		if m.escaped {
			read.reason = &Reason{Text: "writes a name in escapes, which hides what it names"}
			return true
		}
		t := mentioned{strings.ToLower(m.text), strings.ToLower(m.qualifier), m.called, m.member, m.symbol}
		if !seen[t] {
			seen[t] = true
			read.mentions = append(read.mentions, t)
		}
		return true
	})
	read.mentions = slices.Clip(read.mentions)
	return &read
}
