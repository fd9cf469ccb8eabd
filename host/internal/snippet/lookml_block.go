package snippet

import "strings"

// block is one entry of LookML: key: value, or key: name { entries }.
type block struct {
	key, value string
	list       []string // of key: [a, b]; of [a: "x"] the keys and values in turn
	colons     int      // of a list
	entries    []*block
	line       int
}

// all returns the entries of a key.
func (b *block) all(key string) (found []*block) {
	for _, e := range b.entries {
		if e.key == key {
			found = append(found, e)
		}
	}
	return found
}

// text returns the value of a key, "" without it.
func (b *block) text(key string) string {
	for _, e := range b.entries {
		if e.key == key {
			return strings.TrimSpace(e.value)
		}
	}
	return ""
}

// lookParser reads LookML: blocks, lists, and SQL up to two semicolons.
type lookParser struct {
	text      string
	pos, line int
}

// parseLook returns the entries at the top, as far as they can be read: what is broken
// is not among them, and a view has the members before it.
// Errors: a fault, and the line that it is in.
func parseLook(text string) (all []*block, line int, f *fault) {
	p := &lookParser{text: text, line: 1}
	all, f = p.entries(0)
	if f == nil && p.pos < len(p.text) {
		f = p.fail("a } closes nothing")
	}
	return all, p.line, f
}

func (p *lookParser) fail(message string) *fault {
	return faultf(unsupported, "it is no valid LookML, and not read from here: %s", message)
}

// entries reads up to the end of a block, or of the text.
func (p *lookParser) entries(depth int) (all []*block, f *fault) {
	if depth > maxNesting {
		return nil, p.fail("it nests too deep")
	}
	for {
		p.blank()
		if p.pos == len(p.text) || p.text[p.pos] == '}' {
			return all, nil
		}
		b := &block{line: p.line}
		if b.key = p.word(); b.key == "" {
			return all, p.fail("a name is expected")
		}
		p.blank()
		if !p.accept(':') {
			return all, p.fail(": is expected behind " + b.key)
		}
		f := p.value(b, depth)
		if f == nil || b.key == "view" && b.entries != nil {
			all = append(all, b)
		}
		if f != nil {
			return all, f
		}
	}
}

// untilSemicolons reports whether the value of a key goes up to ;;.
func untilSemicolons(key string) bool {
	return strings.HasPrefix(key, "sql") || strings.HasPrefix(key, "expression") || key == "html"
}

func (p *lookParser) value(b *block, depth int) *fault {
	p.blank()
	if untilSemicolons(b.key) {
		end := strings.Index(p.text[p.pos:], ";;")
		if end < 0 {
			return p.fail(";; is missing behind " + b.key)
		}
		b.value = p.text[p.pos : p.pos+end]
		p.line += strings.Count(b.value, "\n")
		p.pos += end + 2
		return nil
	}
	switch {
	case p.accept('['):
		return p.list(b)
	case p.at('"'):
		value, f := p.quoted()
		b.value = value
		return f
	case !p.at('{'):
		if b.value = p.word(); b.value == "" {
			return p.fail("a value is expected behind " + b.key)
		}
		p.blank()
		if !p.at('{') {
			return nil
		}
	}
	p.pos++
	entries, f := p.entries(depth + 1)
	b.entries = entries
	if f == nil && !p.accept('}') {
		f = p.fail("the block of " + b.key + " in line " + itoa(b.line) + " is not closed")
	}
	return f
}

// list reads [a, b: "c"] behind its bracket.
func (p *lookParser) list(b *block) *fault {
	for {
		p.blank()
		switch {
		case p.accept(']'):
			return nil
		case p.accept(','):
		case p.accept(':'):
			b.colons++
		case p.at('"'):
			value, f := p.quoted()
			if f != nil {
				return f
			}
			b.list = append(b.list, value)
		default:
			word := p.word()
			if word == "" {
				return p.fail("the list of " + b.key + " is not closed")
			}
			b.list = append(b.list, word)
		}
	}
}

func (p *lookParser) quoted() (string, *fault) {
	var out strings.Builder
	for i := p.pos + 1; i < len(p.text); i++ {
		switch c := p.text[i]; c {
		case '\\':
			if i++; i < len(p.text) {
				out.WriteByte(p.text[i])
			}
		case '"':
			p.line += strings.Count(p.text[p.pos:i], "\n")
			p.pos = i + 1
			return out.String(), nil
		default:
			out.WriteByte(c)
		}
	}
	return "", p.fail("a text is not closed")
}

// word reads a name, with the signs that names and bare values have.
func (p *lookParser) word() string {
	start := p.pos
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n:,[]{}\"#", p.text[p.pos]) < 0 {
		p.pos++
	}
	return p.text[start:p.pos]
}

// blank passes over white space and comments.
func (p *lookParser) blank() {
	for p.pos < len(p.text) {
		switch c := p.text[p.pos]; {
		case c == '\n':
			p.line++
			p.pos++
		case c == ' ', c == '\t', c == '\r':
			p.pos++
		case c == '#':
			end := strings.IndexByte(p.text[p.pos:], '\n')
			if end < 0 {
				end = len(p.text) - p.pos
			}
			p.pos += end
		default:
			return
		}
	}
}

func (p *lookParser) at(c byte) bool { return p.pos < len(p.text) && p.text[p.pos] == c }

func (p *lookParser) accept(c byte) bool {
	if !p.at(c) {
		return false
	}
	p.pos++
	return true
}
