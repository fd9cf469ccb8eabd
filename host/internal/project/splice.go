package project

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/connection"
	"github.com/loam-data/loam/host/internal/text"
)

// The YAML library cannot write a file as it read it: blank lines go, comments
// wander. So an edit is a splice of lines at the places that the parsed nodes
// name, and the caller reads the outcome again before it believes it.

// layout is a project file as lines, with the place of its connections.
type layout struct {
	lines []string   // with their line ends
	root  *yaml.Node // a block mapping at the first column
	key   *yaml.Node // "connections"; nil = there is none
	value *yaml.Node
	end   int // index of the line behind the connections
}

func lay(text []byte) (l layout, ok bool) {
	var doc yaml.Node
	if yaml.Unmarshal(text, &doc) != nil || len(doc.Content) == 0 {
		return l, false
	}
	l = layout{lines: slices.Collect(strings.Lines(string(text))), root: doc.Content[0]}
	if l.root.Style&yaml.FlowStyle != 0 || l.root.Column != 1 {
		return l, false
	}
	l.end = len(l.lines)
	for i, line := range l.lines {
		if i >= l.root.Line && strings.HasPrefix(line, "...") {
			l.end = i
			break
		}
	}
	for i := 0; i+1 < len(l.root.Content); i += 2 {
		if l.key != nil {
			l.end = l.root.Content[i].Line - 1
			break
		}
		if l.root.Content[i].Value == "connections" {
			l.key, l.value = l.root.Content[i], l.root.Content[i+1]
		}
	}
	return l, true
}

// newline is the line end of the file.
func (l layout) newline() string {
	if len(l.lines) > 0 && strings.HasSuffix(l.lines[0], "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// contentEnd returns the index behind the last line of lines[from:to] that
// belongs to a block whose lines are indented by at least depth.
func (l layout) contentEnd(from, to, depth int) int {
	for ; to > from; to-- {
		line := strings.TrimRight(l.lines[to-1], " \t\r\n")
		spaces := len(line) - len(strings.TrimLeft(line, " "))
		comment := strings.HasPrefix(line[spaces:], "#")
		if line != "" && (!comment || spaces >= depth) {
			break
		}
	}
	return to
}

var emptyValue = text.Pattern(`^(\{\s*\}|null|Null|NULL|~)`)

// insert adds the lines of a connection behind the others.
func insert(text []byte, c connection.Connection) ([]byte, bool) {
	l, ok := lay(text)
	if !ok {
		return nil, false
	}
	depth, step, at := 2, 2, 0
	switch {
	case l.key == nil:
		at = l.contentEnd(0, l.end, 1)
	case len(l.value.Content) > 0:
		if l.value.Kind != yaml.MappingNode || l.value.Style&yaml.FlowStyle != 0 {
			return nil, false
		}
		last := l.value.Content[len(l.value.Content)-2:]
		depth = last[0].Column - 1
		if inner := last[1]; inner.Kind == yaml.MappingNode && inner.Style&yaml.FlowStyle == 0 && inner.Column > last[0].Column {
			step = inner.Column - last[0].Column
		}
		at = l.contentEnd(l.key.Line, l.end, depth)
	default:
		if !l.dropEmptyValue() {
			return nil, false
		}
		at = l.contentEnd(l.key.Line, l.end, 1)
	}
	entry, err := render(c, step)
	if err != nil {
		return nil, false
	}
	block := indent(entry, strings.Repeat(" ", depth))
	if l.key == nil {
		block = "connections:\n" + block
	}
	if at > 0 && !strings.HasSuffix(l.lines[at-1], "\n") {
		l.lines[at-1] += l.newline()
	}
	block = strings.ReplaceAll(block, "\n", l.newline())
	return []byte(strings.Join(slices.Insert(l.lines, at, block), "")), true
}

// dropEmptyValue takes {} or null from the line of the key, and nothing else.
func (l layout) dropEmptyValue() bool {
	if l.value.Kind == yaml.ScalarNode && l.value.Value == "" {
		return l.value.Style == 0 && l.value.Anchor == ""
	}
	if l.value.Line != l.key.Line || l.value.Anchor != "" {
		return false
	}
	line := []rune(l.lines[l.key.Line-1])
	head, tail := string(line[:l.value.Column-1]), string(line[l.value.Column-1:])
	match := emptyValue().FindString(tail)
	if match == "" {
		return false
	}
	rest := strings.TrimLeft(tail[len(match):], " ")
	head = strings.TrimRight(head, " ")
	if strings.HasPrefix(rest, "#") {
		head += " "
	}
	l.lines[l.key.Line-1] = head + rest
	return true
}

// cut takes out the lines of a connection and the comment right above them.
func cut(text []byte, id connection.ID) ([]byte, bool) {
	l, ok := lay(text)
	if !ok || l.key == nil || l.value.Kind != yaml.MappingNode || l.value.Style&yaml.FlowStyle != 0 {
		return nil, false
	}
	i := find(l.value, string(id))
	if i < 0 {
		return nil, false
	}
	from, to := l.entry(l.value, i, l.end)
	return l.without(from, to, l.value.Content[i].Column-1, l.key.Line), true
}

// find returns the index of a key among the content of a mapping, -1 for none.
func find(mapping *yaml.Node, key string) int {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// entry returns the lines[from:to] of the key at content[i] of a block mapping and of its
// value; end is the index of the line behind the mapping.
func (l layout) entry(mapping *yaml.Node, i, end int) (from, to int) {
	key := mapping.Content[i]
	if i+2 < len(mapping.Content) {
		end = mapping.Content[i+2].Line - 1
	}
	return key.Line - 1, l.contentEnd(key.Line, end, key.Column)
}

// without returns the text without lines[from:to], an entry at a depth, and without the
// comment right above it; no line above the index top goes.
func (l layout) without(from, to, depth, top int) []byte {
	comment := strings.Repeat(" ", depth) + "#"
	for from > top && strings.HasPrefix(l.lines[from-1], comment) {
		from--
	}
	if blank(l.lines, from-1) && (blank(l.lines, to) || to == len(l.lines)) {
		from--
	}
	return []byte(strings.Join(slices.Delete(l.lines, from, to), ""))
}

func blank(lines []string, i int) bool {
	return i >= 0 && i < len(lines) && strings.TrimSpace(lines[i]) == ""
}
