package form

import (
	"bytes"
	"strings"

	"gopkg.in/yaml.v3"
)

// The YAML library cannot write a file as it read it: blank lines go, comments wander. So
// an edit is a splice at the places that the parsed nodes name, and its outcome is read
// again and compared with the tree that was meant, before anybody gets it.
//
// An insertion and its removal are each other's inverse. What a removal has to know of
// the time before, the layout tells: a list below a key that had no value is not indented,
// a list that was made with its key is.

// edit returns the text with a value at a path, or without it where value is nil.
func (d *document) edit(path []step, value *yaml.Node) (string, error) {
	text, err := d.splice(path, value)
	if err != nil {
		return "", err
	}
	after, err := parse(text)
	if err != nil || !equal(after.root, changed(d.root, path, value)) {
		return "", invalid("the YAML is laid out so that %s cannot be changed in its place", path[0].key)
	}
	return text, nil
}

// spot is an entry of a mapping or a list: content[at] of n, and its lines.
type spot struct {
	n        *yaml.Node
	at       int
	from, to int
}

func (d *document) splice(path []step, value *yaml.Node) (string, error) {
	way, n, end, err := d.walk(path)
	left := path[len(way):]
	switch {
	case err != nil:
		return "", err
	case len(left) == 0 && value == nil:
		return d.remove(way), nil
	case len(left) == 0:
		return d.replace(path, way[len(way)-1], value)
	case n != nil && n.Style&yaml.FlowStyle != 0:
		return d.flow(way[len(way)-1], n, left, value)
	case value == nil:
		return d.text, nil
	}
	made := changed(nil, left, value).Content
	return d.insert(way, n, end, left[0], made[len(made)-1])
}

// walk follows a path as far as it leads, and into no brackets.
// Shape: n is the value of the last spot, and end the line behind it.
func (d *document) walk(path []step) (way []spot, n *yaml.Node, end int, err error) {
	n, end = d.root, len(d.lines)
	for _, s := range path {
		at, err := find(n, s)
		if err != nil {
			return nil, nil, 0, err
		}
		if at < 0 || n.Style&yaml.FlowStyle != 0 {
			break
		}
		here := d.spot(n, at, end)
		way, n, end = append(way, here), n.Content[at], here.to
	}
	return way, n, end, nil
}

// spot returns the lines of an entry; end is the line behind its parent. Blank lines
// and comments behind an entry are not its own, unless they are indented more.
func (d *document) spot(n *yaml.Node, at, end int) spot {
	s := spot{n: n, at: at, to: end}
	if n.Kind == yaml.MappingNode {
		s.from = n.Content[at-1].Line - 1
		if at+1 < len(n.Content) {
			s.to = n.Content[at+1].Line - 1
		}
	} else {
		s.from = d.dash(n, at)
		if at+1 < len(n.Content) {
			s.to = d.dash(n, at+1)
		}
	}
	for s.to > s.from+1 {
		text := d.line(s.to - 1)
		rest := strings.TrimLeft(text, " ")
		if strings.TrimSpace(rest) != "" && (rest[0] != '#' || len(text)-len(rest) >= n.Column) {
			break
		}
		s.to--
	}
	return s
}

// dash returns the line with the dash of a list's entry.
func (d *document) dash(n *yaml.Node, at int) int {
	i := n.Content[at].Line - 1
	for ; i > n.Line-1; i-- {
		if text := d.line(i); len(text) >= n.Column && text[n.Column-1] == '-' && strings.TrimSpace(text[:n.Column-1]) == "" {
			break
		}
	}
	return i
}

// insert adds an entry behind the others of n, the value of the last of the way.
func (d *document) insert(way []spot, n *yaml.Node, end int, s step, value *yaml.Node) (string, error) {
	indent, behind := 0, len(d.lines)-1
	switch {
	case n == nil:
		for behind >= 0 && strings.TrimSpace(d.line(behind)) == "" {
			behind--
		}
	case n.Tag == "!!null":
		key := way[len(way)-1]
		indent, behind = key.n.Content[key.at-1].Column-1, key.from
	default:
		indent, behind = n.Column-1, d.spot(n, len(n.Content)-1, end).to-1
	}
	return d.insertBehind(behind, indent, s, value)
}

// insertBehind adds the lines of an entry behind a line, -1 = at the beginning.
func (d *document) insertBehind(behind, indent int, s step, value *yaml.Node) (string, error) {
	text, err := d.entry(indent, s, value)
	if err != nil {
		return "", err
	}
	margin := strings.Repeat(" ", indent)
	if behind < 0 {
		return margin + text + newline(d.text) + d.text, nil
	}
	at := d.lines[behind].end
	return d.text[:at] + newline(d.text) + margin + text + d.text[at:], nil
}

// entry writes an entry; its first line begins where the margin ends.
func (d *document) entry(indent int, s step, value *yaml.Node) (string, error) {
	whole := emptyFor(s)
	if s.key != "" {
		whole.Content = append(whole.Content, scalar(s.key))
	}
	whole.Content = append(whole.Content, value)
	text, err := encode(whole)
	if err != nil {
		return "", err
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		if i > 0 && lines[i] != "" {
			lines[i] = strings.Repeat(" ", indent) + lines[i]
		}
	}
	return strings.Join(lines, newline(d.text)), nil
}

// encode writes a tree without a line end behind it.
func encode(n *yaml.Node) (text string, err error) {
	defer func() {
		if r := recover(); r != nil { // the writer is not ours
			err = invalid("the value cannot be written as YAML: %v", r)
		}
	}()
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(n); err != nil {
		return "", invalid("the value cannot be written as YAML: %w", err)
	}
	return strings.TrimSuffix(b.String(), "\n"), e.Close()
}

// remove takes the last entry of a way out, and what only it was in.
func (d *document) remove(way []spot) string {
	last := way[len(way)-1]
	if len(way) > 1 && d.goesWith(way[len(way)-2], last) {
		return d.remove(way[:len(way)-1])
	}
	if last.n.Kind == yaml.MappingNode {
		if at := d.margin(last); at != d.lines[last.from].from {
			// It stands behind the dash of its list's entry, and the next key comes there.
			next := last.n.Content[last.at+1]
			return d.text[:at] + d.text[d.offset(next.Line, next.Column):]
		}
		if value := last.n.Content[last.at]; value.Kind == yaml.ScalarNode && value.Line > last.from+1 {
			last.from = value.Line - 1 // the key was there before
		}
	}
	switch {
	case last.from > 0:
		return d.text[:d.lines[last.from-1].end] + d.text[d.lines[last.to-1].end:]
	case last.to == len(d.lines):
		return ""
	}
	return d.text[d.lines[last.to].from:]
}

// goesWith reports whether nothing is left of a part when the only entry goes: it is the
// entry of a list with nothing else than a name, or a list that was made with its key.
func (d *document) goesWith(part, only spot) bool {
	if only.n.Kind == yaml.MappingNode {
		others := len(only.n.Content) - 2
		return others == 0 || others == 2 && part.n.Kind == yaml.SequenceNode && keyAt(only.n, "name") >= 0
	}
	return len(only.n.Content) == 1 && d.madeWith(part, only)
}

// margin returns where the spaces before an entry begin, or the entry itself where
// something else stands before it.
func (d *document) margin(s spot) int {
	key := s.n.Content[s.at-1]
	at := d.offset(key.Line, key.Column)
	if strings.TrimSpace(d.text[d.lines[s.from].from:at]) == "" {
		return d.lines[s.from].from
	}
	return at
}

// madeWith reports whether a list of one entry was made with its key, and has nothing
// else in it.
func (d *document) madeWith(key, only spot) bool {
	name := key.n.Content[key.at-1]
	rest := d.text[d.offset(name.Line, name.Column)+len(name.Value) : d.lines[key.from].end]
	return only.n.Column > name.Column && key.to-key.from == 1+only.to-only.from && strings.TrimSpace(rest) == ":"
}

// replace writes another value in the place of one.
func (d *document) replace(path []step, s spot, value *yaml.Node) (string, error) {
	old := s.n.Content[s.at]
	switch {
	case equal(old, value):
		return d.text, nil
	case old.Kind == yaml.MappingNode && value.Kind == yaml.MappingNode && old.Style&yaml.FlowStyle == 0:
		return d.merge(path, old, value)
	case hollow(old) && value.Kind == yaml.ScalarNode && s.n.Kind == yaml.MappingNode:
		// On a line of its own, so that a removal leaves the key.
		text, err := d.entry(s.n.Column+1, step{entry: "-"}, value)
		text = strings.TrimPrefix(text, "- ")
		at := d.lines[s.from].end
		return d.text[:at] + newline(d.text) + strings.Repeat(" ", s.n.Column+1) + text + d.text[at:], err
	case old.Kind == yaml.ScalarNode && value.Kind == yaml.ScalarNode && s.to-s.from == 1 && !hollow(old):
		if text, ok := d.replaceScalar(old, value); ok {
			return text, nil
		}
	}
	return d.rewrite(s, path[len(path)-1], value)
}

// rewrite writes the lines of an entry again.
func (d *document) rewrite(s spot, to step, value *yaml.Node) (string, error) {
	column := s.n.Column
	text, err := d.entry(column-1, to, value)
	if err != nil {
		return "", err
	}
	return d.text[:d.offset(s.from+1, column)] + text + d.text[d.lines[s.to-1].end:], nil
}

// merge makes a mapping of another one key by key, so that comments stay.
func (d *document) merge(path []step, old, value *yaml.Node) (string, error) {
	now, before := d, ""
	again := func(text string, err error) error {
		if err == nil {
			now, err = parse(text)
		}
		return err
	}
	for i := 0; i+1 < len(value.Content); i += 2 {
		key := value.Content[i].Value
		own := append(path[:len(path):len(path)], step{key: key})
		var err error
		if keyAt(old, key) >= 0 || before == "" {
			err = again(now.splice(own, value.Content[i+1]))
		} else {
			way, _, end, failed := now.walk(append(path[:len(path):len(path)], step{key: before}))
			if failed != nil {
				return "", failed
			}
			err = again(now.insertBehind(end-1, way[len(way)-1].n.Column-1, step{key: key}, value.Content[i+1]))
		}
		if err != nil {
			return "", err
		}
		before = key
	}
	for i := 0; i+1 < len(old.Content); i += 2 {
		if key := old.Content[i].Value; keyAt(value, key) < 0 {
			if err := again(now.splice(append(path[:len(path):len(path)], step{key: key}), nil)); err != nil {
				return "", err
			}
		}
	}
	return now.text, nil
}

// replaceScalar writes another value where one stands on a line; quotes stay, where the new
// one is text.
func (d *document) replaceScalar(old, value *yaml.Node) (string, bool) {
	own := *value
	if own.Style == 0 && plainTag(&own) == "!!str" {
		own.Style = old.Style & (yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle)
	}
	text, err := encode(&own)
	if err != nil || strings.Contains(text, "\n") {
		return "", false
	}
	from := d.offset(old.Line, old.Column)
	rest := d.text[from:d.lines[old.Line-1].end]
	size := scalarSize(rest, old.Style)
	if size < 0 {
		return "", false
	}
	return d.text[:from] + text + d.text[from+size:], true
}

// scalarSize returns how long the scalar at the beginning of a line's rest is, -1 = it
// does not end there.
func scalarSize(rest string, style yaml.Style) int {
	switch {
	case style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return -1
	case style&yaml.SingleQuotedStyle != 0:
		for i := 1; i < len(rest); i++ {
			if rest[i] != '\'' {
				continue
			}
			if i+1 == len(rest) || rest[i+1] != '\'' {
				return i + 1
			}
			i++
		}
		return -1
	case style&yaml.DoubleQuotedStyle != 0:
		for i := 1; i < len(rest); i++ {
			switch rest[i] {
			case '\\':
				i++
			case '"':
				return i + 1
			}
		}
		return -1
	}
	if at := strings.Index(rest, " #"); at >= 0 {
		rest = rest[:at]
	}
	return len(strings.TrimRight(rest, " \t"))
}

// flow changes something within a list or mapping in brackets, the value of a spot: one
// text of a list on one line in its place, anything else by writing the entry again.
func (d *document) flow(s spot, n *yaml.Node, path []step, value *yaml.Node) (string, error) {
	if n.Kind == yaml.SequenceNode && len(path) == 1 {
		if text, ok := d.flowEntry(n, path[0].entry, value); ok {
			return text, nil
		}
	}
	whole := changed(n, path, value)
	if whole == nil {
		whole = emptyFor(path[0])
		whole.Style = yaml.FlowStyle
	}
	to := step{entry: "-"}
	if s.n.Kind == yaml.MappingNode {
		to = step{key: s.n.Content[s.at-1].Value}
	}
	return d.rewrite(s, to, whole)
}

func (d *document) flowEntry(n *yaml.Node, entry string, value *yaml.Node) (string, bool) {
	from := d.offset(n.Line, n.Column) + 1
	rest := d.text[from:d.lines[n.Line-1].end]
	size := bracket(rest)
	if size < 0 {
		return "", false
	}
	text, err := encode(&yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle, Content: []*yaml.Node{scalar(entry)}})
	text = strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	inside := strings.TrimRight(rest[:size], " ")
	if err != nil || strings.HasSuffix(inside, ",") || strings.Contains(text, "\n") {
		return "", false
	}
	at := from + len(inside)
	switch {
	case value != nil && strings.TrimSpace(inside) == "":
		return d.text[:from] + text + d.text[from:], true
	case value != nil:
		return d.text[:at] + ", " + text + d.text[at:], true
	case inside == text:
		return d.text[:from] + d.text[at:], true
	case strings.HasSuffix(inside, ", "+text):
		return d.text[:at-len(", "+text)] + d.text[at:], true
	}
	return "", false
}

// bracket returns where a list ends whose opening bracket stands before the text, -1 =
// not in this line, or it has lists or comments in it.
func bracket(rest string) int {
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case ']':
			return i
		case '[', '{', '#':
			return -1
		case '"', '\'':
			style := yaml.DoubleQuotedStyle
			if rest[i] == '\'' {
				style = yaml.SingleQuotedStyle
			}
			size := scalarSize(rest[i:], style)
			if size < 0 {
				return -1
			}
			i += size - 1
		}
	}
	return -1
}
