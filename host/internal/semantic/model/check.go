package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/sdk/sqlkit"
	"gopkg.in/yaml.v3"
)

const (
	// maxUnfolded and maxDepth bound what a file may unfold to through aliases.
	maxUnfolded = 10_000
	maxDepth    = 32
	// maxProblems is how many problems of one file are told.
	maxProblems = 100
)

// members are the keys whose entries are broken one by one.
var members = map[string]bool{
	"dimensions": true, "columns": true, "column_overrides": true, "measures": true, "metrics": true,
	"segments": true, "joins": true, "tables": true,
}

// ofMemory are the keys that only files of _memory have.
var ofMemory = map[string]bool{"learned": true, "verified": true}

// checker validates a document by a schema.
type checker struct {
	problems []Problem
	// broken are the members with a problem in them, and the first of it.
	broken map[*yaml.Node]string
	member *yaml.Node // that is looked at; nil = the document
	path   []step
	// keys of keysOf, a mapping of many that is looked at.
	keys   map[string]*yaml.Node
	keysOf *yaml.Node
	// inside is how many aliases lead to where the checker is, and unfolded how
	// many nodes it saw inside of any.
	inside, unfolded int
	over             bool // a limit was passed: nothing more is looked at
	memory           bool // it is a file of _memory
}

// step is a key on the way to a node, or an entry of a list.
type step struct {
	key   string
	entry *yaml.Node
	place int
}

// problem reports a node; below is a key of it that is meant.
func (c *checker) problem(n *yaml.Node, below string, candidates []string, format string, args ...any) {
	var path string
	for _, s := range c.path {
		if s.entry != nil {
			path += entryName(s.entry, s.place)
		} else {
			path = under(path, shortened(s.key))
		}
	}
	if below != "" {
		path = under(path, shortened(below))
	}
	msg := fmt.Sprintf(format, args...)
	c.problems = append(c.problems, Problem{Pos: at(n), Path: path, Msg: msg, Candidates: candidates})
	if path != "" {
		msg = path + ": " + msg
	}
	if _, before := c.broken[c.member]; !before {
		c.broken[c.member] = msg
	}
}

func at(n *yaml.Node) Pos { return Pos{Line: int32(n.Line), Column: int32(n.Column)} }

// check reports everything in which a node does not fit.
func (c *checker) check(n *yaml.Node, s *schema) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
		c.inside++
		defer func() { c.inside-- }()
	}
	if c.beyond(n) {
		return
	}
	if s.ref != nil {
		c.check(n, s.ref)
	}
	if c.over {
		return
	}
	if s.types != 0 && s.types&kindOf(n) == 0 {
		c.problem(n, "", nil, "%s", s.wrongType(n))
		return
	}
	switch n.Kind {
	case yaml.ScalarNode:
		c.scalar(n, s)
	case yaml.SequenceNode:
		if s.items != nil {
			for i := 0; i < len(n.Content) && !c.over; i++ {
				item := n.Content[i]
				c.entry(item, s.items, step{entry: item, place: i})
			}
		}
	case yaml.MappingNode:
		c.mapping(n, s)
	}
	if merge := valueOf(n, "<<", true); merge != nil {
		return // what is missing may be in it
	}
	for _, sub := range s.all {
		c.check(n, sub)
	}
	if !c.over {
		c.combined(n, s)
	}
}

// beyond reports and remembers that the document is too large to go on.
func (c *checker) beyond(n *yaml.Node) bool {
	if c.inside > 0 {
		c.unfolded++
	}
	switch {
	case c.over:
	case len(c.path) > maxDepth || c.unfolded > maxUnfolded:
		c.over, c.member, c.path = true, nil, nil
		c.problem(n, "", nil, "the file nests deeper than %d levels, or its aliases unfold to more than %d values", maxDepth, maxUnfolded)
	case len(c.problems) >= maxProblems:
		c.over, c.member, c.path = true, nil, nil
		c.problem(n, "", nil, "the file has more problems than the %d that are told", maxProblems)
	}
	return c.over
}

func (c *checker) combined(n *yaml.Node, s *schema) {
	if s.not != nil && fits(n, s.not) {
		c.problem(valueOf(n, s.not.required[1], true), "", nil, "%s exclude each other; keep one", list(s.not.required, "and"))
	}
	if s.any != nil && !c.adds(n) && !slices.ContainsFunc(s.any, func(a *schema) bool { return fits(n, a) }) {
		var names []string
		for _, a := range s.any {
			names = append(names, a.required...)
		}
		c.problem(n, "", nil, "%s is missing", list(names, "or"))
	}
	if s.condition == nil {
		return
	}
	chosen := s.otherwise
	if fits(n, s.condition) {
		chosen = s.then
	}
	if chosen != nil {
		c.check(n, chosen)
	}
}

// adds reports whether a member of a file of _memory only says other names of one that
// another layer has.
func (c *checker) adds(n *yaml.Node) bool {
	if !c.memory || valueOf(n, "name", false) == nil || valueOf(n, "synonyms", false) == nil {
		return false
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if key := n.Content[i].Value; key != "name" && key != "synonyms" && !ofMemory[key] {
			return false
		}
	}
	return true
}

// fits reports whether a node fits a schema that a condition is made of.
func fits(n *yaml.Node, s *schema) bool {
	for _, key := range s.required {
		if valueOf(n, key, false) == nil {
			return false
		}
	}
	for key, property := range s.properties {
		v := valueOf(n, key, false)
		if v == nil {
			continue
		}
		if property.hasConst && v.Value != property.constant || property.enum != nil && !slices.Contains(property.enum, v.Value) {
			return false
		}
	}
	return true
}

// valueOf returns the value, or the key itself, of a mapping's entry.
func valueOf(n *yaml.Node, key string, itself bool) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			if itself {
				return n.Content[i]
			}
			return follow(n.Content[i+1])
		}
	}
	return nil
}

// entry checks an entry of a list; one of a list of members is a member.
func (c *checker) entry(n *yaml.Node, s *schema, at step) {
	if c.member == nil && len(c.path) > 0 && members[c.path[len(c.path)-1].key] {
		c.member = follow(n)
		defer func() { c.member = nil }()
	}
	c.below(n, s, at)
}

// below checks a node one step down.
func (c *checker) below(n *yaml.Node, s *schema, at step) {
	c.path = append(c.path, at)
	depth := len(c.path)
	if c.check(n, s); !c.over {
		c.path = c.path[:depth-1]
	}
}

// entryName is the name of a mapping in a list, or its place.
func entryName(n *yaml.Node, i int) string {
	if name := valueOf(follow(n), "name", false); name != nil && name.Kind == yaml.ScalarNode && name.Value != "" && len(name.Value) < 100 {
		return "." + name.Value
	}
	return "[" + strconv.Itoa(i) + "]"
}

func (c *checker) mapping(n *yaml.Node, s *schema) {
	named := s.properties != nil || s.additional != nil
	if merge := valueOf(n, "<<", true); merge != nil {
		c.merge(merge)
		return
	}
	for i := 0; i+1 < len(n.Content) && !c.over; i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if named && !c.key(n, i) {
			continue
		}
		property := s.properties[key.Value]
		if !c.memory && s.closed && ofMemory[key.Value] {
			property = nil
		}
		switch {
		case property != nil:
			c.below(value, property, step{key: key.Value})
		case s.additional != nil && len(c.path) == 1:
			c.entry(value, s.additional, step{key: key.Value})
		case s.additional != nil:
			c.below(value, s.additional, step{key: key.Value})
		case s.closed:
			c.unknown(key, s)
		}
		if s.keys != nil && !slices.Contains(s.keys, key.Value) && !ofMemory[key.Value] {
			c.misplaced(n, key)
		}
	}
	for _, name := range s.required {
		if !c.over && valueOf(n, name, false) == nil && !c.adds(n) {
			c.problem(n, name, nil, "is missing")
		}
	}
}

// merge reports a merge key, once for all the parts of a schema that see it.
func (c *checker) merge(key *yaml.Node) {
	if len(c.problems) == 0 || c.problems[len(c.problems)-1].Pos != at(key) {
		c.problem(key, "<<", nil, "merge keys are not supported; write the keys out")
	}
}

// key reports a key that is no text or stands there twice.
func (c *checker) key(n *yaml.Node, i int) bool {
	key := n.Content[i]
	switch first := c.first(n, i); {
	case key.Kind != yaml.ScalarNode || key.ShortTag() != "!!str":
		c.problem(key, "", nil, "a key must be text; put it in quotes")
	case first != nil:
		c.problem(key, key.Value, nil, "is there twice, first in line %d", first.Line)
	default:
		return true
	}
	return false
}

// first returns an earlier key that is the same, or nil.
func (c *checker) first(n *yaml.Node, i int) *yaml.Node {
	const few = 40 // keys that are compared with each other
	if len(n.Content) > 2*few {
		if c.keys == nil || c.keysOf != n {
			c.keysOf, c.keys = n, make(map[string]*yaml.Node, len(n.Content)/2)
		}
		key := n.Content[i]
		before := c.keys[key.Value]
		if before == nil {
			c.keys[key.Value] = key
		}
		return before
	}
	for j := 0; j < i; j += 2 {
		if n.Content[j].Value == n.Content[i].Value {
			return n.Content[j]
		}
	}
	return nil
}

func (c *checker) unknown(key *yaml.Node, s *schema) {
	names := s.names
	if !c.memory {
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return ofMemory[name] })
	}
	if near := sqlkit.Nearest(key.Value, names); len(near) > 0 {
		c.problem(key, key.Value, near, "unknown key; did you mean %q?", near[0])
		return
	}
	c.problem(key, key.Value, nil, "unknown key; known keys: %s", strings.Join(names, ", "))
}

// misplaced reports a key that a member of this type has no use for. A key that
// no type knows was reported already.
func (c *checker) misplaced(n, key *yaml.Node) {
	for i := range c.problems {
		if c.problems[i].Pos == at(key) {
			return
		}
	}
	if kind := valueOf(n, "type", false); kind != nil {
		c.problem(key, key.Value, nil, "has no meaning with type: %s", kind.Value)
		return
	}
	c.problem(key, key.Value, nil, "has no meaning without a type; add the type that it belongs to")
}

func (c *checker) scalar(n *yaml.Node, s *schema) {
	text := kindOf(n) == kindString
	switch size := utf8.RuneCountInString(n.Value); {
	case text && size < s.minLength:
		c.problem(n, "", nil, "is empty")
	case text && s.maxLength > 0 && size > s.maxLength:
		c.problem(n, "", nil, "has %d characters; the limit is %d", size, s.maxLength)
	case s.hasConst && n.Value != s.constant:
		c.problem(n, "", nil, "must be %s, not %s", s.constant, shown(n))
	case s.enum != nil && !slices.Contains(s.enum, n.Value):
		near := sqlkit.Nearest(n.Value, s.enum)
		c.problem(n, "", near, "must be one of %s, not %s", strings.Join(s.enum, ", "), shown(n))
	case text && s.pattern != nil && !s.pattern.MatchString(n.Value):
		c.problem(n, "", nil, "%s", s.mismatch(n))
	case s.minimum != nil || s.maximum != nil:
		c.bounds(n, s)
	}
}

func (c *checker) bounds(n *yaml.Node, s *schema) {
	v, err := strconv.ParseFloat(n.Value, 64)
	if err != nil || s.minimum != nil && v < *s.minimum || s.maximum != nil && v > *s.maximum {
		c.problem(n, "", nil, "must be a number from %v to %v, not %s", *s.minimum, *s.maximum, shown(n))
	}
}
