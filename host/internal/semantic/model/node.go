package model

import (
	"fmt"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// follow returns the node that an alias stands for.
func follow(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// kindOf returns the JSON type of a node; 0 for what JSON does not have. A date
// is text.
func kindOf(n *yaml.Node) kinds {
	switch n.Kind {
	case yaml.MappingNode:
		return kindObject
	case yaml.SequenceNode:
		return kindArray
	}
	switch n.ShortTag() {
	case "!!str", "!!timestamp":
		return kindString
	case "!!int":
		return kindInteger
	case "!!float":
		if f, err := strconv.ParseFloat(n.Value, 64); err != nil || f != f {
			return 0 // .inf and .nan
		}
		return kindNumber
	case "!!bool":
		return kindBoolean
	case "!!null":
		return kindNull
	}
	return 0
}

// wrongType says what should stand in the place of a node.
func (s *schema) wrongType(n *yaml.Node) string {
	var wanted []string
	for _, w := range []struct {
		kind kinds
		name string
	}{
		{kindArray, "a list"},
		{kindObject, "a mapping of keys to values"},
		{kindString, "text"},
		{kindInteger, "a number"},
		{kindBoolean, "true or false"},
		{kindNull, "null"},
	} {
		if s.types&w.kind != 0 {
			wanted = append(wanted, w.name)
		}
	}
	hint := ""
	if s.types&kindString != 0 && kindOf(n)&(kindInteger|kindNumber|kindBoolean) != 0 {
		hint = "; put it in quotes"
	}
	if strings.HasPrefix(n.Value, "{") || n.Kind == yaml.MappingNode && s.types&kindString != 0 {
		hint = "; text that starts with a brace needs quotes"
	}
	return fmt.Sprintf("must be %s, not %s%s", list(wanted, "or"), shown(n), hint)
}

// mismatch says how a text should look.
func (s *schema) mismatch(n *yaml.Node) string {
	if strings.HasPrefix(s.pattern.String(), "^[1-9]") {
		return fmt.Sprintf("must be a number and a unit, such as 28 days or 1 year, not %s", shown(n))
	}
	return fmt.Sprintf("must be a name without control characters, not %s", shown(n))
}

// shown is a node for a message.
func shown(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	if n.ShortTag() == "!!null" {
		return "nothing"
	}
	return fmt.Sprintf("%q", shortened(n.Value))
}

// shortened cuts a text that is too long for a message.
func shortened(s string) string {
	const most = 60
	text := []rune(s[:min(len(s), 4*most+4)])
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return s
}

func under(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// list writes names as "a, b and c".
func list(names []string, last string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " " + last + " " + names[len(names)-1]
}
