package project

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"gopkg.in/yaml.v3"
)

func (d *decoder) text(n *yaml.Node, path string, into *string) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" {
		d.problem(n, path, "must be text, not %s; quotes make text of anything", kindName(n))
		return
	}
	*into = n.Value
}

func (d *decoder) integer(n *yaml.Node, path string, least, most int, into *int) {
	number, err := strconv.Atoi(n.Value)
	if err != nil || n.Kind != yaml.ScalarNode || n.ShortTag() != "!!int" || number < least || number > most {
		d.problem(n, path, "must be a whole number from %d to %d, not %s", least, most, kindName(n))
		return
	}
	*into = number
}

func (d *decoder) bool(n *yaml.Node, path string, into *bool) {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
		d.problem(n, path, "must be true or false, not %s", kindName(n))
		return
	}
	*into = d.scalar(n, path) == true
}

// globs decodes a list of globs: parts of names with dots between them.
func (d *decoder) globs(n *yaml.Node, path string, into *[]string) {
	if n.Kind != yaml.SequenceNode {
		d.problem(n, path, "must be a list of globs, such as [\"sales.*\"], not %s", kindName(n))
		return
	}
	for i, item := range n.Content {
		item = follow(item)
		at := fmt.Sprintf("%s[%d]", path, i)
		var glob string
		before := len(d.problems)
		d.text(item, at, &glob)
		if len(d.problems) == before && slices.Contains(strings.Split(glob, "."), "") {
			d.problem(item, at, "is no glob: it needs text before and after each dot, such as \"sales.*\"")
			continue
		}
		*into = append(*into, glob)
	}
}

// names decodes a list of names.
func (d *decoder) names(n *yaml.Node, path string, into *[]string) {
	if n.Kind != yaml.SequenceNode {
		d.problem(n, path, "must be a list of names, such as [a, b], not %s", kindName(n))
		return
	}
	for i, item := range n.Content {
		var name string
		d.text(follow(item), fmt.Sprintf("%s[%d]", path, i), &name)
		*into = append(*into, name)
	}
}

func (d *decoder) duration(n *yaml.Node, path string, most time.Duration, into *time.Duration) {
	length, err := time.ParseDuration(n.Value)
	if err != nil || n.Kind != yaml.ScalarNode || length <= 0 || length > most {
		d.problem(n, path, "must be a time above 0 and up to %s, such as 60s, 2m or 1h30m, not %s", most, kindName(n))
		return
	}
	*into = length
}

func (d *decoder) bytes(n *yaml.Node, path string, least, most int64, into *int64) {
	size, err := humanize.ParseBytes(n.Value)
	if err != nil || n.Kind != yaml.ScalarNode || size < uint64(least) || size > uint64(most) {
		d.problem(n, path, "must be a size from %s to %s, such as 512MiB or 4GiB, not %s", byteSize(least), byteSize(most), kindName(n))
		return
	}
	*into = int64(size)
}

// byteSize writes a size exactly, with the largest unit that divides it.
func byteSize(size int64) string {
	for _, unit := range []struct {
		name  string
		bytes int64
	}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if size%unit.bytes == 0 {
			return strconv.FormatInt(size/unit.bytes, 10) + unit.name
		}
	}
	return strconv.FormatInt(size, 10) + "B"
}

func (d *decoder) oneOf(n *yaml.Node, path string, words []string, into *string) {
	for _, word := range words {
		if n.Kind == yaml.ScalarNode && n.Value == word {
			*into = word
			return
		}
	}
	d.problem(n, path, "must be %s, not %s", strings.Join(words, " or "), kindName(n))
}

// notFalse returns a node with the word off for one with false: YAML 1.1 reads off so.
func notFalse(n *yaml.Node) *yaml.Node {
	if n.Kind != yaml.ScalarNode || n.Value != "false" {
		return n
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: "off", Line: n.Line, Column: n.Column}
}

// value decodes what only a connector understands: text, bool, int64, uint64,
// float64, nil, lists and maps. A scalar whose YAML reading would surprise its
// writer (a leading zero, a number too large) is a problem. No problem quotes
// the value: it may be a secret written in the wrong place.
func (d *decoder) value(n *yaml.Node, path string, depth int) any {
	n = follow(n)
	d.nodes++
	if depth > maxDepth || d.nodes > maxNodes {
		if d.nodes <= maxNodes+1 {
			d.problem(n, path, "is nested too deeply or too large")
			d.nodes = maxNodes + 1 // enough said
		}
		return nil
	}
	switch n.Kind {
	case yaml.MappingNode:
		pairs, _ := d.pairs(n, path)
		values := make(map[string]any, len(pairs))
		for _, p := range pairs {
			d.positions[join(path, p.name)] = position{p.key.Line, p.key.Column}
			values[p.name] = d.value(p.value, join(path, p.name), depth+1)
		}
		return values
	case yaml.SequenceNode:
		values := make([]any, len(n.Content))
		for i, item := range n.Content {
			values[i] = d.value(item, fmt.Sprintf("%s[%d]", path, i), depth+1)
		}
		return values
	}
	return d.scalar(n, path)
}

func (d *decoder) scalar(n *yaml.Node, path string) any {
	switch n.ShortTag() {
	case "!!str", "!!timestamp":
		return n.Value
	case "!!null":
		return nil
	case "!!bool":
		return n.Value[0] == 't' || n.Value[0] == 'T'
	case "!!int":
		if i, err := strconv.ParseInt(n.Value, 10, 64); err == nil && strconv.FormatInt(i, 10) == n.Value {
			return i
		}
		if u, err := strconv.ParseUint(n.Value, 10, 64); err == nil && strconv.FormatUint(u, 10) == n.Value {
			return u
		}
	case "!!float":
		// The YAML reader makes a float of an integer that is too large.
		if f, err := strconv.ParseFloat(n.Value, 64); err == nil && strings.ContainsAny(n.Value, ".eE") {
			return f
		}
	default:
		d.problem(n, path, "has a tag, which is not supported; text that starts with ! needs quotes")
		return nil
	}
	d.problem(n, path, "is a number that can be misread; write it in quotes to keep it as text, or as a plain number")
	return nil
}
