package snippet

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/text"
)

// javaScript matches the calls that define a model in JavaScript.
var javaScript = text.Pattern("(?m)^\\s*(cube|view)\\(\\s*[`'\"]")

// scripted stands for a value that is no literal. It is a template to the reader of cubes, so that nothing is taken from it.
const scripted = "{{ JavaScript() }}"

// spread is the key of what may set any key of an object: ...base, [name]: value.
const spread = "..."

// scriptParser reads the literals of a model in JavaScript. It runs nothing.
type scriptParser struct {
	text      string
	pos, line int
	// outside is the first line of code outside of the calls, 0 = there is none; word is its first word.
	outside int
	word    string
}

// parseScript returns the tree that the same model has in YAML, as far as it can be read.
// Errors: a fault, and the line that it is in.
func parseScript(text string) (root *yaml.Node, p *scriptParser, f *fault) {
	p = &scriptParser{text: text, line: 1}
	calls := map[string]*yaml.Node{"cube": {Kind: yaml.SequenceNode}, "view": {Kind: yaml.SequenceNode}}
	root = &yaml.Node{Kind: yaml.MappingNode, Line: 1, Content: []*yaml.Node{leaf("cubes", 1), calls["cube"], leaf("views", 1), calls["view"]}}
	for f == nil {
		if f = p.blank(); f != nil || p.pos == len(p.text) {
			break
		}
		kind, _, _ := strings.Cut(opening().FindString(p.text[p.pos:]), "(")
		if kind == "" {
			p.pass()
			continue
		}
		var n *yaml.Node
		if n, f = p.call(kind); f == nil {
			calls[kind].Content = append(calls[kind].Content, n)
		}
	}
	return root, p, f
}

// pass passes over code outside of the calls, up to the end of its line or a comment. A lone bracket or semicolon is the end
// of what is around a call.
func (p *scriptParser) pass() {
	end := p.pos + 1
	for end < len(p.text) && p.text[end] != '\n' && !strings.HasPrefix(p.text[end:], "//") && !strings.HasPrefix(p.text[end:], "/*") {
		end++
	}
	words := strings.Fields(strings.Trim(p.text[p.pos:end], " \t;)}"))
	if p.outside == 0 && len(words) > 0 {
		p.outside, p.word = p.line, words[0]
	}
	p.pos = end
}

func (p *scriptParser) fail(message string) *fault {
	return faultf(unsupported, "it is no valid JavaScript, and not read from here: %s", message)
}

// call reads kind("name", { … }).
func (p *scriptParser) call(kind string) (*yaml.Node, *fault) {
	line := p.line
	p.pos += len(kind) + 1
	name, f := p.value(0)
	if f == nil {
		f = p.expect(',')
	}
	if f != nil {
		return nil, f
	}
	body, f := p.value(0)
	if f != nil {
		return nil, f
	}
	p.accept(',')
	if f := p.expect(')'); f != nil {
		return nil, f
	}
	p.accept(';')
	if name.Kind != yaml.ScalarNode || strings.Contains(name.Value, "{") {
		name, body = leaf(kind, line), name
	}
	if body.Kind != yaml.MappingNode { // a function that returns one
		body = mapping(line, "sql_table", leaf(scripted, line))
	}
	snake(body)
	for i := 0; i < len(body.Content); i += 2 {
		if slices.Contains([]string{"measures", "dimensions", "segments", "joins"}, body.Content[i].Value) {
			body.Content[i+1] = members(body.Content[i], body.Content[i+1])
		}
	}
	body.Content = append(mapping(line, "name", name).Content, body.Content...)
	body.Line = line
	return body, nil
}

// ignored are the keys of a cube and of its members that change no number, and often name members as variables do.
var ignored = []string{"drill_members", "drill_member_references", "meta", "pre_aggregations", "refresh_key", "data_source", "hierarchies"}

// members turns an object by name into the list that YAML has. What is no literal is a member that is left out.
func members(key, n *yaml.Node) *yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode, Line: n.Line}
	if n.Kind != yaml.MappingNode {
		list.Content = append(list.Content, unread(key.Value, key.Line))
		return list
	}
	for i := 0; i < len(n.Content); i += 2 {
		name, m := n.Content[i], n.Content[i+1]
		if name.Value == spread { // it may replace each member before it
			for at, before := range list.Content {
				list.Content[at] = unread(textOf(before, "name"), before.Line)
			}
		}
		if m.Kind != yaml.MappingNode || name.Value == spread {
			list.Content = append(list.Content, unread(name.Value, name.Line))
			continue
		}
		snake(m)
		m.Content = append(mapping(name.Line, "name", leaf(name.Value, name.Line)).Content, m.Content...)
		m.Line = name.Line
		list.Content = append(list.Content, m)
	}
	return list
}

// unread is a member whose definition is no literal.
func unread(name string, line int) *yaml.Node {
	n := mapping(line, "name", leaf(name, line))
	n.Content = append(n.Content, leaf("sql", line), leaf(scripted, line))
	return n
}

func mapping(line int, key string, value *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Line: line, Content: []*yaml.Node{leaf(key, line), value}}
}

func leaf(value string, line int) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value, Line: line}
}

// snake writes the keys of an object as the current version does: sqlTable is sql_table. A reference outside of SQL is a
// variable.
func snake(n *yaml.Node) {
	for i := 0; i < len(n.Content); i += 2 {
		key, v := n.Content[i], n.Content[i+1]
		switch key.Value = text.Snaked(key.Value); {
		case slices.Contains(ignored, key.Value):
			n.Content[i+1] = leaf("", v.Line)
		case v.Kind == yaml.ScalarNode && !strings.HasPrefix(key.Value, "sql") && strings.Contains(v.Value, "{"):
			v.Value = scripted
		case key.Value == "type" && v.Kind == yaml.ScalarNode:
			v.Value = text.Snaked(v.Value)
		}
	}
}

// value reads a literal; any other expression is passed over, and is scripted.
func (p *scriptParser) value(depth int) (n *yaml.Node, f *fault) {
	if depth > maxNesting {
		return nil, p.fail("it nests too deep")
	}
	if f := p.blank(); f != nil {
		return nil, f
	}
	line := p.line
	switch {
	case p.pos == len(p.text):
		return nil, p.fail("a value is expected")
	case p.at('{'):
		n, f = p.object(depth)
	case p.at('['):
		n, f = p.array(depth)
	case strings.IndexByte("`'\"", p.text[p.pos]) >= 0:
		n, f = p.quoted(depth)
	default:
		if m := word().FindString(p.text[p.pos:]); m != "" {
			p.pos += len(m)
			switch n = leaf(m, line); {
			case m == "null" || m == "undefined":
				n.Tag = "!!null"
			case !constant().MatchString(m):
				n.Value = scripted
			}
		}
	}
	if f == nil {
		f = p.blank()
	}
	if f != nil || n != nil && p.pos < len(p.text) && strings.IndexByte(",}])", p.text[p.pos]) >= 0 {
		return n, f
	}
	return leaf(scripted, line), p.skip(depth, ",}])")
}

var (
	opening  = text.Pattern(`^(?:cube|view)\(`)
	word     = text.Pattern(`^[-+]?[A-Za-z0-9_$.]+`)
	constant = text.Pattern(`^(?:[-+]?\d+(?:\.\d+)?|true|false)$`)
	// interpolated is the reference to a member, or to a cube.
	interpolated = text.Pattern(`^\$\{\s*([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*\}`)
	// context are the variables of Cube that stand for what a request brings.
	context = text.Pattern(`^(?:FILTER_PARAMS|FILTER_GROUP|SECURITY_CONTEXT|COMPILE_CONTEXT|USER_CONTEXT|SQL_UTILS)\b`)
)

// object reads { key: value, … }; of a key that is written twice, the last value counts.
func (p *scriptParser) object(depth int) (*yaml.Node, *fault) {
	n, places := &yaml.Node{Kind: yaml.MappingNode, Line: p.line}, map[string]int{}
	p.pos++
	for {
		if p.accept('}') {
			return n, nil
		}
		key, f := p.key(depth)
		if f != nil {
			return nil, f
		}
		v := leaf(scripted, p.line)
		if p.accept(':') {
			v, f = p.value(depth + 1)
		} else { // a method, or a variable of this name
			f = p.skip(depth, ",}")
		}
		if f != nil {
			return nil, f
		}
		if at, twice := places[key.Value]; twice && key.Value != spread {
			n.Content[at] = v
		} else {
			n.Content = append(n.Content, key, v)
			places[key.Value] = len(n.Content) - 1
		}
		if !p.accept(',') && !p.at('}') {
			return nil, p.fail("a , or } is expected behind " + key.Value)
		}
	}
}

// key reads the name of a property.
func (p *scriptParser) key(depth int) (*yaml.Node, *fault) {
	if f := p.blank(); f != nil {
		return nil, f
	}
	n := leaf(spread, p.line)
	switch {
	case p.pos == len(p.text):
		return nil, p.fail("an object is not closed")
	case p.at('['):
		p.pos++
		if f := p.skip(depth, "]"); f != nil {
			return nil, f
		}
		p.pos++
		return n, nil
	case strings.HasPrefix(p.text[p.pos:], spread):
		return n, nil
	case p.at('\'') || p.at('"'):
		return p.quoted(depth)
	}
	n.Value = strings.TrimLeft(word().FindString(p.text[p.pos:]), "+-")
	if n.Value == "" || !strings.HasPrefix(p.text[p.pos:], n.Value) {
		return nil, p.fail("a name is expected")
	}
	p.pos += len(n.Value)
	return n, nil
}

// array reads [value, …].
func (p *scriptParser) array(depth int) (*yaml.Node, *fault) {
	n := &yaml.Node{Kind: yaml.SequenceNode, Line: p.line}
	p.pos++
	for {
		if p.accept(']') {
			return n, nil
		}
		v, f := p.value(depth + 1)
		if f != nil {
			return nil, f
		}
		n.Content = append(n.Content, v)
		if !p.accept(',') && !p.at(']') {
			return nil, p.fail("a , or ] is expected")
		}
	}
}

// quoted reads a text in any quotes, with its members as YAML has them: {name}. A text with another bracket is scripted, for
// the bracket would be read as that of a member.
func (p *scriptParser) quoted(depth int) (*yaml.Node, *fault) {
	n, quote := leaf("", p.line), p.text[p.pos]
	var out strings.Builder
	known := true
	for p.pos++; p.pos < len(p.text); {
		c := p.text[p.pos]
		switch {
		case c == quote:
			p.pos++
			if n.Value = out.String(); !known {
				n.Value = scripted
			}
			return n, nil
		case c == '\\' && p.pos+1 < len(p.text):
			to, ok := escapes[p.text[p.pos+1]]
			known = known && ok
			out.WriteString(to)
			p.lines(2)
		case c == '\n' && quote != '`':
			return nil, p.fail("a text is not closed")
		case strings.HasPrefix(p.text[p.pos:], "${"):
			if m := interpolated().FindStringSubmatch(p.text[p.pos:]); m != nil && !context().MatchString(m[1]) {
				out.WriteString("{" + m[1] + "}")
				p.lines(len(m[0]))
				continue
			}
			known = false
			p.pos += len("${")
			if f := p.skip(depth+1, "}"); f != nil {
				return nil, f
			}
			p.pos++
		default:
			known = known && c != '{' && c != '}'
			out.WriteByte(c)
			p.lines(1)
		}
	}
	return nil, p.fail("a text is not closed")
}

// escapes are the characters that are written behind a backslash.
var escapes = map[byte]string{'\\': `\`, '\'': "'", '"': `"`, '`': "`", 'n': "\n", 't': "\t", 'r': "\r", '$': "$", '\n': ""}

// skip passes over an expression, up to one of the characters that end it outside of brackets.
func (p *scriptParser) skip(depth int, ends string) *fault {
	if depth > maxNesting {
		return p.fail("it nests too deep")
	}
	open := 0
	for {
		if f := p.blank(); f != nil {
			return f
		}
		if p.pos == len(p.text) {
			return p.fail("an expression is not closed")
		}
		switch c := p.text[p.pos]; {
		case open == 0 && strings.IndexByte(ends, c) >= 0:
			return nil
		case strings.IndexByte("`'\"", c) >= 0:
			if _, f := p.quoted(depth + 1); f != nil {
				return f
			}
			continue
		case c == '/': // a division, or a pattern whose quotes close nothing
			return p.fail("a / is not read")
		case strings.IndexByte("([{", c) >= 0:
			open++
		case strings.IndexByte(")]}", c) >= 0:
			if open--; open < 0 {
				return p.fail("a bracket closes nothing")
			}
		}
		p.pos++
	}
}

// lines passes over n bytes, and counts their lines.
func (p *scriptParser) lines(n int) {
	p.line += strings.Count(p.text[p.pos:p.pos+n], "\n")
	p.pos += n
}

// blank passes over white space and comments.
func (p *scriptParser) blank() *fault {
	for p.pos < len(p.text) {
		rest := p.text[p.pos:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			p.lines(1)
		case strings.HasPrefix(rest, "//"):
			line, _, _ := strings.Cut(rest, "\n")
			p.pos += len(line)
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return p.fail("a comment is not closed")
			}
			p.lines(end + 4)
		default:
			return nil
		}
	}
	return nil
}

func (p *scriptParser) at(c byte) bool { return p.pos < len(p.text) && p.text[p.pos] == c }

// accept passes over a character behind white space, and reports whether it stands there.
func (p *scriptParser) accept(c byte) bool {
	if f := p.blank(); f != nil || !p.at(c) {
		return false
	}
	p.pos++
	return true
}

func (p *scriptParser) expect(c byte) *fault {
	if !p.accept(c) {
		return p.fail("a " + string(c) + " is expected")
	}
	return nil
}
