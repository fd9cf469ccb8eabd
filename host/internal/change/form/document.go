package form

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// maxDepth is how deep a document may nest.
const maxDepth = 20

// document is YAML with a mapping at its root, and where its lines are.
type document struct {
	text  string
	root  *yaml.Node // nil = there is nothing but space and comments
	lines []line
}

// line is a line of a text without its end. Units: bytes.
type line struct{ from, end int }

// parse reads the text of a document.
func parse(text string) (*document, error) {
	root, err := node(text)
	if err != nil {
		return nil, err
	}
	d := &document{text: text, root: root, lines: linesOf(text)}
	if root != nil && root.Tag == "!!null" {
		d.root = nil
	}
	if d.root != nil && (d.root.Kind != yaml.MappingNode || d.root.Style&yaml.FlowStyle != 0) {
		return nil, invalid("the YAML is no list of keys, one a line")
	}
	return d, nil
}

// node returns the root of YAML, nil when there is none. It has no aliases, anchors, merge
// keys or tags, so that it means no more than it shows.
func node(text string) (root *yaml.Node, err error) {
	defer func() {
		// The parser is not ours, and its text is somebody else's.
		if r := recover(); r != nil {
			root, err = nil, invalid("the YAML cannot be read: %v", r)
		}
	}()
	var doc, second yaml.Node
	reader := yaml.NewDecoder(strings.NewReader(text))
	if err := reader.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, invalid("the YAML cannot be read: %w", err)
	}
	if err := reader.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, invalid("the YAML has more than one document")
	}
	return doc.Content[0], guard(doc.Content[0], 1)
}

// guard refuses what people do not write and readers of text cannot see through.
func guard(n *yaml.Node, depth int) error {
	refuse := func(what string) error { return invalid("line %d of the YAML has %s", n.Line, what) }
	switch {
	case depth > maxDepth:
		return refuse(fmt.Sprintf("more than %d levels", maxDepth))
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return refuse("an anchor or an alias")
	case n.Style&yaml.TaggedStyle != 0:
		return refuse("a tag")
	}
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			switch {
			case c.Tag == "!!merge":
				return refuse("a merge key")
			case c.Kind != yaml.ScalarNode:
				return refuse("a key that is no text")
			case keyAt(n, c.Value) != i:
				return refuse("a key twice")
			}
		}
		if err := guard(c, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// keyAt returns the place of a key in a mapping's content, -1 = none.
func keyAt(n *yaml.Node, key string) int {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// find returns the place in n's content of what a step leads to, -1 = nothing.
// Errors: KindInvalid where n has another shape.
func find(n *yaml.Node, s step) (int, error) {
	switch {
	case n == nil || n.Tag == "!!null":
		return -1, nil
	case s.key != "" && n.Kind == yaml.MappingNode:
		if at := keyAt(n, s.key); at >= 0 {
			return at + 1, nil
		}
		return -1, nil
	case s.key == "" && n.Kind == yaml.SequenceNode:
		return slices.IndexFunc(n.Content, func(item *yaml.Node) bool { return named(item, s.entry) }), nil
	case s.key == "":
		return -1, invalid("line %d of the YAML has no list", n.Line)
	}
	return -1, invalid("line %d of the YAML has no keys", n.Line)
}

// named reports whether an entry of a list is that text, or has that name. A join is
// known by its role, else by its target.
func named(item *yaml.Node, name string) bool {
	if item.Kind == yaml.ScalarNode {
		return item.Value == name
	}
	for _, key := range []string{"name", "role", "alias", "to"} {
		if at := keyAt(item, key); item.Kind == yaml.MappingNode && at >= 0 {
			return item.Content[at+1].Value == name
		}
	}
	return false
}

// at returns the node that a path leads to, nil = none.
func (d *document) at(path []step) (*yaml.Node, error) {
	n := d.root
	for _, s := range path {
		at, err := find(n, s)
		if at < 0 || err != nil {
			return nil, err
		}
		n = n.Content[at]
	}
	return n, nil
}

// changed returns a tree with the value at a path, or without it where value is nil.
// Shape: what has nothing left goes, a list entry of which a name is left too. n stays as it is.
func changed(n *yaml.Node, path []step, value *yaml.Node) *yaml.Node {
	if len(path) == 0 {
		return value
	}
	s := path[0]
	at, err := find(n, s)
	if err != nil {
		return n
	}
	var child *yaml.Node
	switch {
	case at >= 0:
		child = n.Content[at]
	case s.entry != "" && len(path) > 1:
		child = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{scalar("name"), scalar(s.entry)}}
	}
	next := changed(child, path[1:], value)
	if value == nil && s.entry != "" && next != nil && nameOnly(next) {
		next = nil
	}
	own := emptyFor(s)
	if n != nil && n.Tag != "!!null" {
		copied := *n
		own = &copied
		own.Content = slices.Clone(n.Content)
	}
	switch {
	case next == nil && at >= 0 && s.key != "":
		own.Content = slices.Delete(own.Content, at-1, at+1)
	case next == nil && at >= 0:
		own.Content = slices.Delete(own.Content, at, at+1)
	case next == nil:
	case at >= 0:
		own.Content[at] = next
	case s.key != "":
		own.Content = append(own.Content, scalar(s.key), next)
	default:
		own.Content = append(own.Content, next)
	}
	if len(own.Content) == 0 {
		return nil
	}
	return own
}

func emptyFor(s step) *yaml.Node {
	if s.key != "" {
		return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	}
	return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
}

func nameOnly(n *yaml.Node) bool {
	return n.Kind == yaml.MappingNode && len(n.Content) == 2 && n.Content[0].Value == "name"
}

func scalar(text string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	// A block of lines with space at its edges is more than the writer gets right.
	if strings.Contains(text, "\n") && (strings.TrimSpace(text) != text || strings.Contains(text, " \n")) {
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

// equal reports whether two trees mean the same. The order of keys does not count, and a
// key without a value is none.
func equal(a, b *yaml.Node) bool {
	if hollow(a) || hollow(b) {
		return hollow(a) && hollow(b)
	}
	if a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case yaml.ScalarNode:
		return a.Value == b.Value && plainTag(a) == plainTag(b)
	case yaml.SequenceNode:
		return slices.EqualFunc(a.Content, b.Content, equal)
	}
	return within(a, b) && within(b, a)
}

// within reports whether the other mapping has every key with the same value.
func within(n, other *yaml.Node) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		var there *yaml.Node
		if at := keyAt(other, n.Content[i].Value); at >= 0 {
			there = other.Content[at+1]
		}
		if !equal(n.Content[i+1], there) {
			return false
		}
	}
	return true
}

func hollow(n *yaml.Node) bool {
	return n == nil || n.Tag == "!!null" || n.Kind != yaml.ScalarNode && len(n.Content) == 0
}

// plainTag takes a date for the text that it is written as.
func plainTag(n *yaml.Node) string {
	if n.Tag == "!!timestamp" {
		return "!!str"
	}
	return n.Tag
}

// linesOf splits a text where YAML does.
func linesOf(text string) (all []line) {
	from := 0
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch r {
		case '\r', '\n', '\u0085', '\u2028', '\u2029':
			all = append(all, line{from, at})
			if r == '\r' && strings.HasPrefix(text[at:], "\r\n") {
				size = 2
			}
			from = at + size
		}
		at += size
	}
	if from < len(text) {
		all = append(all, line{from, len(text)})
	}
	return all
}

// offset returns where a line and column of the parser are in the text.
func (d *document) offset(row, column int) int {
	l := d.lines[row-1]
	at := l.from
	for range column - 1 {
		if at >= l.end {
			break
		}
		_, size := utf8.DecodeRuneInString(d.text[at:l.end])
		at += size
	}
	return at
}

func (d *document) line(i int) string { return d.text[d.lines[i].from:d.lines[i].end] }

// newline is the line end of a text.
func newline(text string) string {
	if at := strings.IndexByte(text, '\n'); at > 0 && text[at-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
