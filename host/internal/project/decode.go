package project

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/sdk/sqlkit"
)

const (
	// maxNodes and maxDepth bound what aliases may unfold to.
	maxNodes = 100_000
	maxDepth = 64
)

// decoder walks the nodes of a file and collects every problem on the way.
type decoder struct {
	problems  Problems
	positions map[string]position // of the keys, by path
	nodes     int
}

type position struct{ line, column int }

func (d *decoder) problem(n *yaml.Node, path, format string, args ...any) {
	d.problems = append(d.problems, Problem{Path: path, Line: n.Line, Column: n.Column, Msg: fmt.Sprintf(format, args...)})
}

// document parses text and returns its root node, nil when there is a problem.
func (d *decoder) document(text []byte) *yaml.Node {
	var doc, second yaml.Node
	reader := yaml.NewDecoder(bytes.NewReader(text))
	switch err := reader.Decode(&doc); {
	case errors.Is(err, io.EOF):
		d.problems = append(d.problems, Problem{Line: 1, Column: 1, Msg: "the file is empty; it starts with version: 1"})
		return nil
	case err != nil:
		d.problems = append(d.problems, unparsed(err))
		return nil
	}
	switch err := reader.Decode(&second); {
	case err == nil:
		d.problem(&second, "", "there is a second document; one file holds one project")
		return nil
	case !errors.Is(err, io.EOF):
		d.problems = append(d.problems, unparsed(err))
		return nil
	}
	return doc.Content[0]
}

var quoted = text.Pattern(`'[^']{2,}'`)

// unparsed is the problem of a file that is no YAML. The parser names the line
// in its message, and quotes from the file where it should not: text behind a
// * or & may be a secret.
func unparsed(err error) Problem {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	return Problem{Msg: "is no valid YAML: " + quoted().ReplaceAllString(text, "'…'")}
}

// key is one key that a mapping may have.
type key struct {
	name     string
	required bool
	decode   func(n *yaml.Node, path string)
}

// mapping decodes a mapping with a closed set of keys. elsewhere says where a
// key that is none of them may belong, or is "".
func (d *decoder) mapping(n *yaml.Node, path string, keys []key, elsewhere string) {
	pairs, ok := d.pairs(n, path)
	if !ok {
		return
	}
	seen := map[string]bool{}
	for _, p := range pairs {
		i := slices.IndexFunc(keys, func(k key) bool { return k.name == p.name })
		if i < 0 {
			d.problem(p.key, join(path, p.name), "unknown key; %s", suggestion(p.name, keys, elsewhere))
			continue
		}
		seen[p.name] = true
		d.positions[join(path, p.name)] = position{p.key.Line, p.key.Column}
		keys[i].decode(p.value, join(path, p.name))
	}
	for _, k := range keys {
		if k.required && !seen[k.name] {
			d.problem(n, join(path, k.name), "is missing")
		}
	}
}

func suggestion(name string, keys []key, elsewhere string) string {
	known := make([]string, len(keys))
	for i, k := range keys {
		known[i] = k.name
	}
	if nearest := sqlkit.Nearest(name, known); len(nearest) > 0 {
		return fmt.Sprintf("did you mean %q?", nearest[0])
	}
	return "known keys: " + strings.Join(known, ", ") + elsewhere
}

type pair struct {
	name       string
	key, value *yaml.Node
}

// pairs returns the entries of a mapping with aliases followed, and reports a
// key that stands there twice or is no text. An empty value is no entries.
func (d *decoder) pairs(n *yaml.Node, path string) ([]pair, bool) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" {
		return nil, true
	}
	if n.Kind != yaml.MappingNode {
		d.problem(n, path, "must be a mapping of keys to values, not %s", kindName(n))
		return nil, false
	}
	var pairs []pair
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		switch line, twice := lines[k.Value]; {
		case k.ShortTag() == "!!merge":
			d.problem(k, join(path, "<<"), "merge keys are not supported; write the keys out")
		case k.Kind != yaml.ScalarNode || k.ShortTag() != "!!str":
			d.problem(k, path, "a key must be text; put it in quotes")
		case twice:
			d.problem(k, join(path, k.Value), "is there twice, first in line %d", line)
		default:
			lines[k.Value] = k.Line
			pairs = append(pairs, pair{k.Value, k, follow(n.Content[i+1])})
		}
	}
	return pairs, true
}

// follow returns the node that an alias stands for.
func follow(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func kindName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	if n.ShortTag() == "!!null" {
		return "nothing"
	}
	const most = 40
	text := []rune(n.Value)
	if len(text) > most {
		text = append(text[:most], '…')
	}
	return fmt.Sprintf("%q", string(text))
}
