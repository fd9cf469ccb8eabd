package reach

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
)

// mention is an occurrence of a name or an operator in a text.
type mention struct {
	// text is the name without quotes, as it is written, or a run of operator
	// characters.
	text string
	// qualifier is the name before the dot; "" = there is none.
	qualifier string
	start     int
	symbol    bool
	called    bool // followed by "("
	member    bool // preceded by "."
	escaped   bool // written with escapes, so that text is not the name that the engine reads
}

// mentions calls each for every mention in a text, until it returns false. Adjacent operator tokens
// are one mention.
func mentions(sql string, tokens []dialect.Token, d *dialect.Dialect, each func(mention) bool) {
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		m := mention{start: int(t.Start)}
		switch {
		case t.Kind == dialect.TokenWord, t.Kind == dialect.TokenQuoted, t.Kind == dialect.TokenString && d.Lexis.StringTables:
			m.text, m.escaped = d.Unquote(sql, t), d.Escaped(sql, t)
			m.called = i+1 < len(tokens) && tokens[i+1].Is(sql, "(")
			if m.member = i > 0 && tokens[i-1].Is(sql, "."); m.member && i > 1 {
				m.qualifier = d.Unquote(sql, tokens[i-2])
			}
		case symbolic(sql, t):
			m.symbol = true
			end := t.End
			for i+1 < len(tokens) && tokens[i+1].Start == end && symbolic(sql, tokens[i+1]) {
				i++
				end = tokens[i].End
			}
			m.text = sql[t.Start:end]
		default:
			continue
		}
		if !each(m) {
			return
		}
	}
}

// symbolic reports whether a token may be part of a user-defined operator.
func symbolic(sql string, t dialect.Token) bool {
	return t.Kind == dialect.TokenOperator && strings.IndexByte("+-*/<>=~!@#%^&|`?", sql[t.Start]) >= 0
}

// names reports whether the mention can name an object. path lists the schemas in which unqualified
// names are looked up; nil = any.
func (m *mention) names(o *Object, path []string) bool {
	if m.symbol {
		return true
	}
	if o.Kind.use() == called && !m.called {
		return m.member // x.f calls f(x), whatever x is
	}
	if m.member {
		return m.qualifier == "" || schemaHas(o.Schema, m.qualifier)
	}
	return path == nil || o.Schema == "" || slices.Contains(path, o.Schema)
}

// PostgreSQL truncates a longer name to longest bytes, or up to three fewer to avoid splitting a
// character. Other engines refuse such a name or have no limit; there, a match of a truncated name
// refuses a statement without need.
// Source: truncate_identifier in src/backend/parser/scansup.c.
const longest, shortest = 63, 60

// shorter returns the next shorter length to which an engine may truncate a name; 0 = none.
func shorter(length int) int {
	if length <= shortest {
		return 0
	}
	return min(length-1, longest)
}

// same reports whether a written name, perhaps truncated, equals a name of the catalogue.
func same(written, name string) bool {
	for cut := len(written); cut > 0; cut = shorter(cut) {
		if strings.EqualFold(written[:cut], name) {
			return true
		}
	}
	return written == name
}

// schemaHas reports whether the qualifier is "catalog.schema", or one part of it. An object without
// a schema has every qualifier.
func schemaHas(schema, qualifier string) bool {
	for part := range strings.SplitSeq(schema, ".") {
		if same(qualifier, part) {
			return true
		}
	}
	return schema == "" || same(qualifier, schema)
}
