package postgres

import (
	"path"
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk/dialect"
)

// deed is what the body of a function does, as far as its text tells.
type deed struct {
	copies bool // it runs COPY
	// dynamic: it runs SQL that it puts together.
	dynamic bool
	// texts are the constant texts that it runs and those in them; of what is put
	// together, the string literals.
	texts []string
	// hidden: such a text is written in escapes.
	hidden bool
	// calls: it may call a function of the server that leaves the transaction.
	calls bool
}

// look reads a body and the texts that it runs. denied are the functions of the server
// that leave the transaction, by name.
func look(body string, d *dialect.Dialect, denied map[string]effect) deed {
	var found deed
	tokens, err := d.Tokens(body, nil)
	if err != nil {
		// The server reads what the lexis does not: Define refuses it.
		return deed{calls: true}
	}
	found.read(body, tokens, d, denied)
	if other, tokens := escaping(body, d); other != nil {
		found.read(body, tokens, other, denied)
	}
	for i := 0; i < len(found.texts); i++ { // a text is longer than those in it
		tokens, err := d.Tokens(found.texts[i], nil)
		found.dynamic = found.dynamic || err != nil
		found.read(found.texts[i], tokens, d, denied)
	}
	return found
}

// escaping splits a body as the server does where a function, or one that calls it,
// sets standard_conforming_strings off: a backslash is then an escape in every string.
// Shape: no dialect where that reads nothing else, or is no SQL.
func escaping(body string, d *dialect.Dialect) (*dialect.Dialect, []dialect.Token) {
	if !strings.Contains(body, `\'`) {
		return nil, nil // strings end where they would
	}
	other := &dialect.Dialect{Lexis: d.Lexis}
	other.Lexis.Strings = slices.Clone(d.Lexis.Strings)
	for i := range other.Lexis.Strings {
		q := &other.Lexis.Strings[i]
		q.Backslash = q.Backslash || q.Prefix == ""
	}
	tokens, err := other.Tokens(body, nil)
	if err != nil {
		return nil, nil
	}
	return other, tokens
}

// read adds what a text does, and the texts that it runs.
func (r *deed) read(body string, tokens []dialect.Token, d *dialect.Dialect, denied map[string]effect) {
	found := runner{d: d, body: body}
	for i, t := range tokens {
		if t.Kind != dialect.TokenWord && t.Kind != dialect.TokenQuoted {
			continue
		}
		switch {
		case t.IsWord(body, "COPY") && starts(body, tokens, i), t.IsWord(body, "LOAD") && starts(body, tokens, i):
			r.copies = true
		case t.IsWord(body, "EXECUTE"), t.IsWord(body, "DO") && starts(body, tokens, i):
			found.execute(tokens[i+1:])
		default:
			name := strings.ToLower(d.Unquote(body, t))
			as, known := denied[name]
			call := i+1 < len(tokens) && tokens[i+1].Is(body, "(")
			switch {
			case d.Escaped(body, t):
				r.calls = true
			case !known || !call && (i == 0 || !tokens[i-1].Is(body, ".")):
			case as == runsText && call:
				found.call(name, tokens[i+2:])
			default:
				r.calls = true
			}
		}
	}
	if found.dynamic {
		found.texts = nil
		for _, t := range tokens {
			if t.Kind == dialect.TokenString {
				found.text(t)
			}
		}
	}
	r.texts = append(r.texts, found.texts...)
	r.dynamic = r.dynamic || found.dynamic
	r.hidden = r.hidden || found.hidden
}

// starts reports whether a statement starts at token i.
func starts(body string, tokens []dialect.Token, i int) bool {
	if i == 0 || tokens[i-1].Is(body, ";") || tokens[i-1].Is(body, ">>") {
		return true
	}
	for _, word := range []string{"BEGIN", "THEN", "ELSE", "LOOP", "ATOMIC"} {
		if tokens[i-1].IsWord(body, word) {
			return true
		}
	}
	return false
}

// runner finds the texts that one body runs.
type runner struct {
	d               *dialect.Dialect
	body            string
	texts           []string
	dynamic, hidden bool
}

// execute notes the text behind EXECUTE or DO: a literal that ends there is known,
// anything else is put together.
func (r *runner) execute(tokens []dialect.Token) {
	if len(tokens) == 0 || tokens[0].Kind != dialect.TokenString {
		r.dynamic = true
		return
	}
	r.text(tokens[0])
	if len(tokens) == 1 {
		return
	}
	for _, end := range []string{";", "USING", "INTO", "LOOP", "LANGUAGE"} {
		if tokens[1].Is(r.body, end) || tokens[1].IsWord(r.body, end) {
			return
		}
	}
	r.dynamic = true
}

// How functions of the server and of tablefunc and xml2 run the texts in their
// arguments, by patterns. Any other runs each of them.
// Source: src/backend/utils/adt/xml.c, tablefunc.c and xpath.c of contrib.
var (
	runFirst     = []string{"query_to_xml*", "table_to_xml*", "cursor_to_*", "ts_stat"}
	runFragments = []string{"connectby", "xpath_table"}
	runRelations = []string{"schema_to_*", "database_to_*"} // all that there are
)

// call notes the texts in the arguments of a function that runs them. The tokens begin
// behind its parenthesis.
func (r *runner) call(name string, tokens []dialect.Token) {
	if matchesAny(runRelations, name) {
		r.dynamic = true
		return
	}
	for i, argument := range arguments(r.body, tokens) {
		if !r.constant(argument) {
			r.dynamic = r.dynamic || i == 0 || !matchesAny(runFirst, name)
			continue
		}
		if argument[0].Kind != dialect.TokenString {
			continue
		}
		text := r.text(argument[0])
		// A fragment that is more than names and operators goes on in the next one.
		if matchesAny(runFragments, name) && (strings.ContainsAny(text, "()'\"$") || strings.Contains(text, "--") || strings.Contains(text, "/*")) {
			r.dynamic = true
		}
	}
}

func matchesAny(patterns []string, name string) bool {
	for _, pattern := range patterns {
		if found, _ := path.Match(pattern, name); found {
			return true
		}
	}
	return false
}

// arguments splits the tokens of a call, up to its end, at the commas.
func arguments(body string, tokens []dialect.Token) (all [][]dialect.Token) {
	depth, from := 0, 0
	for i, t := range tokens {
		end := t.Is(body, ")") && depth == 0
		if end || t.Is(body, ",") && depth == 0 {
			all = append(all, tokens[from:i])
			from = i + 1
		}
		switch {
		case end:
			return all
		case t.Is(body, "("), t.Is(body, "["):
			depth++
		case t.Is(body, ")"), t.Is(body, "]"):
			depth--
		}
	}
	return append(all, tokens[from:])
}

// constant reports whether an argument is one literal, maybe with a type.
func (r *runner) constant(argument []dialect.Token) bool {
	if len(argument) == 0 {
		return false
	}
	first := argument[0]
	if first.Kind != dialect.TokenString && first.Kind != dialect.TokenNumber &&
		!first.IsWord(r.body, "TRUE") && !first.IsWord(r.body, "FALSE") && !first.IsWord(r.body, "NULL") {
		return false
	}
	if len(argument) > 1 && !argument[1].Is(r.body, "::") {
		return false
	}
	for _, t := range argument[1:] {
		switch {
		case t.Kind == dialect.TokenWord, t.Kind == dialect.TokenQuoted, t.Kind == dialect.TokenNumber:
		case t.Is(r.body, "::"), t.Is(r.body, "."), t.Is(r.body, "["), t.Is(r.body, "]"), t.Is(r.body, "("), t.Is(r.body, ")"):
		default:
			return false
		}
	}
	return true
}

// text notes and returns the text in a string literal. In escapes only white space,
// quotes and backslashes are read.
func (r *runner) text(t dialect.Token) string {
	s := r.d.Unquote(r.body, t)
	switch written := t.Text(r.body); written[0] {
	case '$':
		if end := strings.IndexByte(s[1:], '$'); end >= 0 && len(s) >= 2*(end+2) {
			s = s[end+2 : len(s)-end-2]
		}
	case 'U', 'u':
		r.hidden = true
	case 'E', 'e':
		s = strings.NewReplacer(`\\`, "\x00", `\'`, "'", `\n`, "\n", `\r`, "\r", `\t`, "\t").Replace(s)
		r.hidden = r.hidden || strings.Contains(s, `\`)
		s = strings.ReplaceAll(s, "\x00", `\`)
	}
	r.texts = append(r.texts, s)
	return s
}
