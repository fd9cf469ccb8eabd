package snippet

import (
	"errors"
	"io"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/sdk/sqlkit"
)

// maxNesting is how deep a document may nest, maxDocuments how many a text may have.
const (
	maxNesting   = 20
	maxDocuments = 50
)

// documents returns the roots of the documents of a text.
// Errors: a fault for what is no YAML, nests too deep, or has aliases, merge keys or
// tags: a pasted definition needs none, and a few lines of them unfold to gigabytes.
func documents(text string) (roots []*yaml.Node, f *fault) {
	defer func() {
		// The parser is not ours, and a text must not end the process.
		if r := recover(); r != nil {
			roots, f = nil, faultf(unsupported, "it is no valid YAML: %v", r)
		}
	}()
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for {
		var doc yaml.Node
		err := decoder.Decode(&doc)
		switch {
		case errors.Is(err, io.EOF):
			return roots, nil
		case err != nil:
			return nil, faultf(unsupported, "it is no valid YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
		}
		if len(doc.Content) == 0 {
			continue
		}
		if f := plain(doc.Content[0], 0); f != nil {
			return nil, f
		}
		if roots = append(roots, doc.Content[0]); len(roots) > maxDocuments {
			return nil, faultf(unsupported, "there are more than %d documents", maxDocuments)
		}
	}
}

// plain refuses what a definition has no need of.
func plain(n *yaml.Node, depth int) *fault {
	switch {
	case depth > maxNesting:
		return faultf(unsupported, "line %d: it nests deeper than %d levels", n.Line, maxNesting)
	case n.Kind == yaml.AliasNode, n.Anchor != "":
		return faultf(unsupported, "line %d: anchors and aliases are not read; write the value out", n.Line)
	case n.Style&yaml.TaggedStyle != 0:
		return faultf(unsupported, "line %d: tags are not read", n.Line)
	}
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && c.Value == "<<" {
			return faultf(unsupported, "line %d: merge keys are not read; write the keys out", c.Line)
		}
		if f := plain(c, depth+1); f != nil {
			return f
		}
	}
	return nil
}

// at returns the value of a key, nil without it.
func at(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// textOf returns the scalar of a key, "" without it.
func textOf(n *yaml.Node, key string) string {
	if v := at(n, key); v != nil && v.Kind == yaml.ScalarNode && v.ShortTag() != "!!null" {
		return strings.TrimSpace(v.Value)
	}
	return ""
}

// yes reports whether a key says true.
func yes(n *yaml.Node, key string) bool { return textOf(n, key) == "true" }

// entries returns the mappings of a list, or the one mapping in its place.
func entries(n *yaml.Node) []*yaml.Node {
	if n == nil {
		return nil
	}
	if n.Kind == yaml.MappingNode {
		return []*yaml.Node{n}
	}
	var all []*yaml.Node
	for _, c := range n.Content {
		if n.Kind == yaml.SequenceNode && c.Kind == yaml.MappingNode {
			all = append(all, c)
		}
	}
	return all
}

// texts returns the scalars of a list, or one in its place.
func texts(n *yaml.Node) []string {
	if n == nil || n.Kind == yaml.MappingNode || n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return nil
	}
	if n.Kind == yaml.ScalarNode {
		return []string{n.Value}
	}
	var all []string
	for _, c := range n.Content {
		if c.Kind == yaml.ScalarNode {
			all = append(all, c.Value)
		}
	}
	return all
}

// keys are what a reader knows of a construct: the keys that it reads or may pass over,
// separated by spaces.
type keys string

func (k keys) list() []string { return strings.Fields(string(k)) }

// unknown leaves an item out that has a key which the reader does not know: it may
// change what the item means.
func (k keys) unknown(i *Item, n *yaml.Node) {
	for at := 0; i.LeftOut == "" && n.Kind == yaml.MappingNode && at+1 < len(n.Content); at += 2 {
		k.unknownKey(i, n.Content[at].Value)
	}
}

// unknownKey leaves an item out for a key that is not known, and reports whether it did.
func (k keys) unknownKey(i *Item, key string) bool {
	if slices.Contains(k.list(), key) {
		return false
	}
	i.refuse(faultf(unknownKey, "%s is no key of a %s that is known", key, i.Kind))
	i.Nearest = sqlkit.Nearest(key, k.list())
	return true
}

// others reports the keys of a document or a construct that none of its items is for.
func (r *reader) others(n *yaml.Node, kind ItemKind, table string, known keys) {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		if key := n.Content[i]; !slices.Contains(known.list(), key.Value) {
			r.add(Item{Kind: kind, Table: table, Name: key.Value, LeftOut: unknownKey, Message: key.Value + " is not read", Nearest: sqlkit.Nearest(key.Value, known.list())}, key.Line)
		}
	}
}

// each calls f for the documents of a text, or says why they are not read.
func (r *reader) each(content string, f func(root *yaml.Node)) *Snippet {
	roots, problem := documents(content)
	if problem != nil {
		r.add(Item{Kind: Table, LeftOut: problem.code, Message: problem.message}, 1)
	}
	for _, root := range roots {
		if root.Kind == yaml.MappingNode {
			f(root)
		} else {
			r.add(Item{Kind: Table, LeftOut: unsupported, Message: "the document is no mapping of keys"}, root.Line)
		}
	}
	return r.snippet
}
