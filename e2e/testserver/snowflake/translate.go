package snowflake

import (
	"fmt"
	"slices"
	"strings"
)

// printed is a statement in DuckDB's SQL, and where its parts came from.
type printed struct {
	sql    string
	source string // what the client sent
	parts  []part
}

// part is a token's place in both texts.
type part struct {
	out, in int
	token   token
}

// origin returns what the client wrote at a place of the translation: the name,
// its line, counted from 1, and its position in the line, counted from 0.
func (p *printed) origin(at int) (name string, line, column int) {
	if p == nil || len(p.parts) == 0 {
		return "", 1, 0
	}
	i, found := slices.BinarySearchFunc(p.parts, at, func(a part, at int) int { return a.out - at })
	if !found {
		i = max(0, i-1)
	}
	first, last := i, i
	for first >= 2 && p.parts[first-1].token.is(".") {
		first -= 2
	}
	for last+2 < len(p.parts) && p.parts[last+1].token.is(".") {
		last += 2
	}
	var b strings.Builder
	for _, a := range p.parts[first : last+1] {
		b.WriteString(a.token.text)
	}
	line, column = position(p.source, p.parts[first].in)
	return b.String(), line, column
}

// write prints tokens as DuckDB reads them.
func write(source string, tokens []token) *printed {
	p := &printed{source: source}
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 && !t.is(".") && !tokens[i-1].is(".") {
			b.WriteByte(' ')
		}
		p.parts = append(p.parts, part{out: b.Len(), in: t.at, token: t})
		switch t.kind {
		case quoted:
			b.WriteString(identifier(t.text))
		case text:
			b.WriteString(literal(t.text))
		default:
			b.WriteString(t.text)
		}
	}
	p.sql = b.String()
	return p
}

func identifier(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// rewriter turns the tokens of a statement into DuckDB's.
type rewriter struct {
	source  string
	session *session
	binds   map[string]binding // nil: parameters are described as NULL
	params  int                // how many the statement has
	run     bool               // the statement runs; otherwise it is only described
}

// translate returns a statement in DuckDB's SQL; after is what DuckDB needs told besides.
func (x *rewriter) translate(tokens []token) (p *printed, after []string, err error) {
	if d, ok, err := x.define(tokens); ok || err != nil {
		if err != nil {
			return nil, nil, err
		}
		return write(x.source, d.tokens), d.after(x.session), nil
	}
	if tokens[0].is("TRUNCATE") && len(tokens) > 1 && tokens[1].is("TABLE") {
		tokens = slices.Delete(slices.Clone(tokens), 1, 2)
	}
	out, err := x.sequence(tokens)
	if err != nil {
		return nil, nil, err
	}
	return write(x.source, out), nil, nil
}

// sequence rewrites tokens whose parentheses are balanced.
func (x *rewriter) sequence(in []token) ([]token, error) {
	var out []token
	for i := 0; i < len(in); {
		n, next, err := x.step(in, i, out)
		if err != nil {
			return nil, err
		}
		out, i = next, i+n
	}
	return out, nil
}

// step rewrites what begins at in[i]; n is how many tokens that was.
func (x *rewriter) step(in []token, i int, out []token) (n int, next []token, err error) {
	t := in[i]
	switch {
	case t.kind == param:
		bound, err := x.parameter(t)
		return 1, append(out, bound), err
	case t.is("::"):
		return x.cast(in, i, out)
	case t.is(":") && operand(out) && i+1 < len(in) && in[i+1].name():
		return x.path(in, i, out)
	case t.is("[") && operand(out) && i+2 < len(in) && in[i+2].is("]"):
		return x.path(in, i, out)
	case t.is("(") || t.is("["):
		end := matching(in, i)
		if end < 0 {
			return 0, nil, syntaxError(x.source, t.at, t.text)
		}
		inner, err := x.sequence(in[i+1 : end])
		out = append(append(append(out, t), inner...), in[end])
		return end - i + 1, out, err
	case t.is(")", "]"):
		return 0, nil, syntaxError(x.source, t.at, t.text)
	}
	if n, next, err := x.relation(in, i, out); n > 0 || err != nil {
		return n, next, err
	}
	if t.kind == word {
		return x.word(in, i, out)
	}
	return 1, append(out, t), nil
}

func (x *rewriter) word(in []token, i int, out []token) (int, []token, error) {
	t := in[i]
	called := i+1 < len(in) && in[i+1].is("(")
	afterDot := i > 0 && in[i-1].is(".")
	if called && !afterDot {
		if call, ok := calls[t.text]; ok {
			end := matching(in, i+1)
			if end < 0 {
				return 0, nil, syntaxError(x.source, in[i+1].at, "(")
			}
			return call(x, in, i, end, out)
		}
	}
	if !called && (afterDot && t.text != "*" || t.is("AT")) { // which is reserved in DuckDB
		return 1, append(out, token{kind: quoted, text: t.text, at: t.at}), nil
	}
	if !called && !afterDot {
		if replacement, ok := words[t.text]; ok {
			return 1, append(out, token{kind: raw, text: replacement(x), at: t.at}), nil
		}
		if literalOf := typedLiterals[t.text]; literalOf != "" && i+1 < len(in) && in[i+1].kind == text {
			return 2, append(out, raws(t.at, literalOf+"("+literal(in[i+1].text)+")")...), nil
		}
		if t.is("SAMPLE", "TABLESAMPLE") && len(out) > 0 {
			return x.sample(in, i, out)
		}
	}
	return 1, append(out, t), nil
}

// matching returns the index of what closes in[open], or -1.
func matching(in []token, open int) int {
	depth := 0
	for i := open; i < len(in); i++ {
		switch {
		case in[i].is("(", "["):
			depth++
		case in[i].is(")", "]"):
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// arguments splits tokens at their outermost commas.
func arguments(in []token) [][]token {
	if len(in) == 0 {
		return nil
	}
	var out [][]token
	depth, start := 0, 0
	for i, t := range in {
		switch {
		case t.is("(", "["):
			depth++
		case t.is(")", "]"):
			depth--
		case t.is(",") && depth == 0:
			out = append(out, in[start:i])
			start = i + 1
		}
	}
	return append(out, in[start:])
}

func raws(at int, texts ...string) []token {
	out := make([]token, len(texts))
	for i, s := range texts {
		out[i] = token{kind: raw, text: s, at: at}
	}
	return out
}

// wrap puts tokens between a beginning and an end.
func wrap(at int, before string, in []token, after string) []token {
	out := append(raws(at, before), in...)
	return append(out, raws(at, after)...)
}

// notFunctions are words before a parenthesis that call nothing.
var notFunctions = []string{"SELECT", "DISTINCT", "ALL", "WHERE", "AND", "OR", "NOT", "IN", "ON", "WHEN", "THEN", "ELSE", "CASE", "BY", "FROM",
	"AS", "HAVING", "BETWEEN", "LIKE", "ILIKE", "QUALIFY", "JOIN", "LATERAL", "UNION", "EXCEPT", "INTERSECT", "VALUES", "LIMIT", "OFFSET", "USING", "IS"}

// operandStart returns where the operand begins that ends at the end of out.
func operandStart(out []token) int {
	i := len(out) - 1
	for i >= 0 {
		t := out[i]
		switch {
		case t.is("]"):
			i = opening(out, i) - 1
			continue
		case t.is("END"):
			return caseStart(out, i)
		case t.is(")") || t.kind == raw && strings.HasSuffix(t.text, ")") && !balanced(t.text):
			i = opening(out, i)
			if i > 0 && out[i].is("(") && out[i-1].is("OVER", "FILTER") {
				i -= 2
				continue
			}
			if i > 1 && out[i].is("(") && out[i-1].is("GROUP") && out[i-2].is("WITHIN") {
				i -= 3
				continue
			}
			if i > 0 && out[i].is("(") && out[i-1].name() && !out[i-1].is(notFunctions...) {
				i--
			}
		}
		if i >= 2 && out[i-1].is(".") {
			i -= 2
			continue
		}
		return max(i, 0)
	}
	return 0
}

// caseStart returns the index of the CASE whose END is out[end].
func caseStart(out []token, end int) int {
	depth := 0
	for i := end; i >= 0; i-- {
		switch {
		case out[i].is("END"):
			depth++
		case out[i].is("CASE"):
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return 0
}

func balanced(s string) bool { return strings.Count(s, "(") == strings.Count(s, ")") }

// opening returns the index of what opens the bracket at out[end].
func opening(out []token, end int) int {
	depth := 0
	for i := end; i >= 0; i-- {
		t := out[i]
		switch {
		case t.is(")", "]"):
			depth++
		case t.is("(", "["):
			depth--
		case t.kind == raw:
			depth += strings.Count(t.text, ")") - strings.Count(t.text, "(")
		}
		if depth == 0 {
			return i
		}
	}
	return 0
}

// cast rewrites ::type after the operand at the end of out.
func (x *rewriter) cast(in []token, i int, out []token) (int, []token, error) {
	to, n, err := x.typeAt(in[i+1:])
	if err != nil {
		return 0, nil, err
	}
	start := operandStart(out)
	value := slices.Clone(out[start:])
	return n + 1, append(out[:start:start], to.cast(value)...), nil
}

// path rewrites value:name[0].name or value[0] after the operand at the end of out.
func (x *rewriter) path(in []token, i int, out []token) (int, []token, error) {
	p, members := "$", ""
	n := i
	if in[n].is(":") {
		n++
	}
parts:
	for n < len(in) {
		switch {
		case in[n].name() && (in[n-1].is(":", ".")):
			// A path's names keep their case, which the token has lost if it is a word.
			name := in[n].text
			if in[n].kind == word {
				name = x.source[in[n].at : in[n].at+len(in[n].text)]
			}
			p += `."` + name + `"`
			members += "." + identifier(name)
			n++
			continue
		case (in[n].is(".") || in[n].is(":") && n > i) && n+1 < len(in) && in[n+1].name():
			n++
			continue
		case in[n].is("[") && n+2 < len(in) && in[n+1].kind == number && in[n+2].is("]"):
			p += "[" + in[n+1].text + "]"
			n += 3
			continue
		case in[n].is("[") && n+2 < len(in) && in[n+1].kind == text && in[n+2].is("]"):
			p += `."` + in[n+1].text + `"`
			n += 3
			continue
		}
		break parts
	}
	start := operandStart(out)
	value := slices.Clone(out[start:])
	if structured, err := x.structuredColumn(value); structured || err != nil {
		if strings.Contains(p, "[") && err == nil {
			err = refused("an index into a structured type")
		}
		return n - i, append(out[:start:start], wrap(in[i].at, "(", value, ")"+members)...), err
	}
	get := "sf_path("
	if n < len(in) && in[n].is("::") {
		to, _, err := x.typeAt(in[n+1:])
		if err != nil {
			return 0, nil, err
		}
		if !to.semi() {
			get = "sf_path_text("
		}
	}
	return n - i, append(out[:start:start], wrap(in[i].at, get, value, ", "+literal(p)+")")...), nil
}

// sample rewrites SAMPLE [method] (size) [SEED (n)].
func (x *rewriter) sample(in []token, i int, out []token) (int, []token, error) {
	n := i + 1
	method := "bernoulli"
	if n < len(in) && in[n].is("SYSTEM", "BLOCK", "BERNOULLI", "ROW") {
		if in[n].is("SYSTEM", "BLOCK") {
			method = "system"
		}
		n++
	}
	if n >= len(in) || !in[n].is("(") || matching(in, n) < 0 {
		return 1, append(out, in[i]), nil // a name
	}
	end := matching(in, n)
	size, err := x.sequence(in[n+1 : end])
	if err != nil {
		return 0, nil, err
	}
	sql := write(x.source, size).sql
	if rows, ok := strings.CutSuffix(sql, " ROWS"); ok {
		sql = "TABLESAMPLE reservoir(" + rows + " ROWS)"
	} else {
		sql = fmt.Sprintf("TABLESAMPLE %s(%s PERCENT)", method, sql)
	}
	n = end + 1
	if n+3 < len(in) && in[n].is("SEED", "REPEATABLE") && in[n+2].kind == number {
		sql += " REPEATABLE (" + in[n+2].text + ")"
		n += 4
	}
	return n - i, append(out, raws(in[i].at, sql)...), nil
}
