package clickhouse

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// typeName is a type as the server writes it: Array(Nullable(Int64)).
type typeName struct {
	text string // verbatim
	name string // "Array"; "" of a literal argument
	args []typeArg
}

// typeArg is what stands in a type's parentheses: a type with the label that a
// Tuple or a JSON gives it, an enumeration's name and number, or a literal.
type typeArg struct {
	label string
	typeName
	number int64 // of an enumeration's name, in label
}

// parseType reads a type.
// Errors: KindInternal for a text that is not of the form of a type.
func parseType(text string) (typeName, error) {
	p := typeParser{text: text}
	t, ok := p.parse()
	if !ok || p.pos != len(text) {
		return typeName{}, sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "the server names a type of an unknown form: %s", text)
	}
	return t, nil
}

type typeParser struct {
	text string
	pos  int
}

func (p *typeParser) parse() (typeName, bool) {
	start := p.pos
	t := typeName{name: p.word()}
	if t.name == "" || t.name[0] <= '9' {
		return t, false
	}
	if p.accept('(') && !p.accept(')') {
		for {
			p.space()
			arg, ok := p.arg()
			if !ok {
				return t, false
			}
			t.args = append(t.args, arg)
			if p.space(); p.accept(')') {
				break
			}
			if !p.accept(',') {
				return t, false
			}
		}
	}
	t.text = p.text[start:p.pos]
	return t, true
}

// arg reads one argument. A word is the label of what follows behind a space, or
// a type itself.
func (p *typeParser) arg() (typeArg, bool) {
	start := p.pos
	switch c := p.peek(); {
	case c == '\'':
		return p.quotedArg()
	case c == '-' || '0' <= c && c <= '9':
		p.literal()
		return typeArg{typeName: typeName{text: p.text[start:p.pos]}}, true
	case c == '`':
		label, ok := p.quoted('`')
		if !ok || !p.accept(' ') {
			return typeArg{}, false
		}
		t, ok := p.parse()
		return typeArg{label: label, typeName: t}, ok
	}
	label := p.label()
	switch p.peek() {
	case ' ':
		p.pos++
		if p.accept('=') { // of an old aggregate, or a setting of the type
			p.literal()
			return typeArg{typeName: typeName{text: p.text[start:p.pos]}}, true
		}
		if label == "SKIP" { // a path that a JSON does not keep
			p.literal()
			return typeArg{typeName: typeName{text: p.text[start:p.pos]}}, true
		}
		t, ok := p.parse()
		return typeArg{label: label, typeName: t}, ok
	case '=':
		p.literal()
		return typeArg{typeName: typeName{text: p.text[start:p.pos]}}, true
	}
	p.pos = start
	t, ok := p.parse()
	return typeArg{typeName: t}, ok
}

// quotedArg reads 'name' = 1, or 'Europe/Berlin'.
func (p *typeParser) quotedArg() (typeArg, bool) {
	label, ok := p.quoted('\'')
	if !ok {
		return typeArg{}, false
	}
	p.space()
	if !p.accept('=') {
		return typeArg{label: label}, true
	}
	p.space()
	start := p.pos
	p.literal()
	n, err := strconv.ParseInt(p.text[start:p.pos], 10, 64)
	return typeArg{label: label, number: n}, err == nil
}

// quoted reads a text between quotes with escapes.
func (p *typeParser) quoted(quote byte) (string, bool) {
	p.pos++
	var b strings.Builder
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		p.pos++
		switch {
		case c == quote:
			return b.String(), true
		case c == '\\' && p.pos < len(p.text):
			b.WriteByte(unescape(p.text[p.pos]))
			p.pos++
		default:
			b.WriteByte(c)
		}
	}
	return "", false
}

// unescape returns what a backslash and this character stand for.
// Source: the server's writeAnyEscapedString.
func unescape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case '0':
		return 0
	default:
		return c
	}
}

func (p *typeParser) peek() byte {
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

func (p *typeParser) accept(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.pos++
	return true
}

func (p *typeParser) space() {
	for p.accept(' ') || p.accept('\n') {
	}
}

func (p *typeParser) word() string {
	return p.while(func(c byte) bool { return c == '_' || alphanumeric(c) })
}

// label is a word that may have dots, as the paths of a JSON.
func (p *typeParser) label() string {
	return p.while(func(c byte) bool { return c == '_' || c == '.' || alphanumeric(c) || c >= 0x80 })
}

func (p *typeParser) literal() {
	p.while(func(c byte) bool { return c != ',' && c != ')' })
}

func (p *typeParser) while(in func(byte) bool) string {
	start := p.pos
	for p.pos < len(p.text) && in(p.text[p.pos]) {
		p.pos++
	}
	return p.text[start:p.pos]
}

func alphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// indented is how DESCRIBE breaks long types into lines.
var indented = regexp.MustCompile(`\n\s*`)

// oneLine writes a type of DESCRIBE as the server does elsewhere.
func oneLine(native string) string {
	return strings.ReplaceAll(indented.ReplaceAllString(strings.ReplaceAll(native, ",\n", ", \n"), ""), ",  ", ", ")
}

// int returns an argument that is a number; 0 when there is none.
func (t *typeName) int(i int) int {
	if i >= len(t.args) {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimSpace(t.args[i].text))
	if err != nil {
		return 0
	}
	return n
}

// nullable reports whether values of the type may be NULL.
func (t *typeName) nullable() bool {
	switch t.name {
	case "Nullable", "Variant", "Dynamic", "Nothing", "Geometry":
		return true
	case "LowCardinality":
		return len(t.args) == 1 && t.args[0].nullable()
	case "SimpleAggregateFunction":
		return len(t.args) == 2 && t.args[1].nullable()
	default:
		return false
	}
}

// plain returns the type without what says only how it is stored, or that it
// may be NULL.
func (t *typeName) plain() *typeName {
	switch {
	case (t.name == "Nullable" || t.name == "LowCardinality") && len(t.args) == 1:
		return t.args[0].plain()
	case t.name == "SimpleAggregateFunction" && len(t.args) == 2:
		return t.args[1].plain()
	default:
		return t
	}
}
