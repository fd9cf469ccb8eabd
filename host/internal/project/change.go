package project

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// splice changes one key below a connection: its line alone where it has one, a flow
// mapping or list as a whole.
func splice(text []byte, id string, change difference) ([]byte, bool) {
	l, ok := lay(text)
	if !ok || l.key == nil || !block(l.value) {
		return nil, false
	}
	path := append([]string{id}, change.path...)
	in, end, top := l.value, l.end, l.key.Line
	for {
		i := find(in, path[0])
		switch {
		case i < 0 && change.gone:
			return text, true
		case i < 0:
			return l.inserted(in, end, path, change.value)
		}
		from, to := l.entry(in, i, end)
		key, value := in.Content[i], in.Content[i+1]
		if len(path) > 1 && block(value) && value.Line > key.Line {
			inner := find(value, path[1])
			if !change.gone || len(path) > 2 || inner < 0 || len(value.Content) > 2 {
				in, end, top, path = value, to, key.Line, path[1:]
				continue
			}
			path = path[:1] // the last key of a mapping goes with it
		}
		if change.gone && (len(path) == 1 || !block(value) && lone(value, path[1:])) {
			return l.without(from, to, key.Column-1, top), true
		}
		return l.replaced(key, value, from, to, path[1:], change)
	}
}

// block reports whether a node is a mapping of one key per line.
func block(n *yaml.Node) bool {
	return n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle == 0 && n.Anchor == "" && len(n.Content) > 0
}

// lone reports whether a mapping holds nothing but the key of a path.
func lone(n *yaml.Node, path []string) bool {
	return n.Kind == yaml.MappingNode && len(n.Content) == 2 && n.Content[0].Value == path[0] &&
		(len(path) == 1 || lone(n.Content[1], path[1:]))
}

// inserted returns the text with a key behind the others of a block mapping that ends
// before a line.
func (l layout) inserted(mapping *yaml.Node, end int, path []string, value any) ([]byte, bool) {
	last := mapping.Content[len(mapping.Content)-2]
	_, at := l.entry(mapping, len(mapping.Content)-2, end)
	var node yaml.Node
	if node.Encode(nested(path[1:], value)) != nil {
		return nil, false
	}
	return l.with(at, at, last.Column-1, keyNode(path[0]), &node)
}

// replaced returns the text with a new value in lines[from:to], which hold a key and its
// value.
func (l layout) replaced(key, value *yaml.Node, from, to int, path []string, change difference) ([]byte, bool) {
	if key.Anchor != "" || value.Anchor != "" || value.Kind == yaml.AliasNode {
		return nil, false
	}
	plain := *key
	plain.HeadComment, plain.FootComment = "", "" // their lines stay
	if l.oneLine(key, value) {
		to = key.Line // what is behind is a comment
	}
	if len(path) > 0 && value.Kind == yaml.MappingNode && len(value.Content) > 0 {
		if !setNode(value, path, change) {
			return nil, false
		}
		return l.with(from, to, key.Column-1, &plain, value)
	}
	var node yaml.Node
	if node.Encode(nested(path, change.value)) != nil {
		return nil, false
	}
	if len(value.Content) > 0 && value.Kind == node.Kind {
		node.Style = value.Style
	}
	node.LineComment = value.LineComment
	return l.with(from, to, key.Column-1, &plain, &node)
}

// oneLine reports whether the line of a key holds all of its value.
func (l layout) oneLine(key, value *yaml.Node) bool {
	var alone yaml.Node
	if len(value.Content) > 0 || yaml.Unmarshal([]byte(l.lines[key.Line-1]), &alone) != nil || alone.Kind != yaml.DocumentNode {
		return false
	}
	pair := alone.Content[0].Content
	return len(pair) == 2 && pair[1].Kind == value.Kind && pair[1].Value == value.Value && value.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0
}

// setNode sets or removes the key of a path in a mapping.
func setNode(mapping *yaml.Node, path []string, change difference) bool {
	if mapping.Kind != yaml.MappingNode || mapping.Anchor != "" {
		return false
	}
	i := find(mapping, path[0])
	switch {
	case change.gone && i < 0:
		return true
	case change.gone && (len(path) == 1 || lone(mapping.Content[i+1], path[1:])):
		mapping.Content = slices.Delete(mapping.Content, i, i+2)
		return true
	case i >= 0 && len(path) > 1 && len(mapping.Content[i+1].Content) > 0:
		return setNode(mapping.Content[i+1], path[1:], change)
	}
	var node yaml.Node
	if node.Encode(nested(path[1:], change.value)) != nil {
		return false
	}
	if i < 0 {
		mapping.Content = append(mapping.Content, keyNode(path[0]), &node)
		return true
	}
	mapping.Content[i+1] = &node
	return true
}

// nested puts a value below the keys of a path.
func nested(path []string, value any) any {
	for _, key := range slices.Backward(path) {
		value = map[string]any{key: value}
	}
	return value
}

func keyNode(name string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(name)
	return n
}

// with returns the text with a key and its value, at a depth, in the place of
// lines[from:to].
func (l layout) with(from, to, depth int, key, value *yaml.Node) ([]byte, bool) {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	err := encoder.Encode(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{key, value}})
	if errors.Join(err, encoder.Close()) != nil {
		return nil, false
	}
	if from > 0 && !strings.HasSuffix(l.lines[from-1], "\n") {
		l.lines[from-1] += l.newline()
	}
	lines := strings.ReplaceAll(indent(out.String(), strings.Repeat(" ", depth)), "\n", l.newline())
	return []byte(strings.Join(slices.Replace(l.lines, from, to, lines), "")), true
}
