package edit

import (
	"bytes"
	"strings"

	"github.com/tailscale/hujson"
)

// writer renders entries in the style of the file around them.
type writer struct {
	lines         bool // one key per line
	newline, unit string
	space         string // after commas and colons on one line
}

func newWriter(f *jsonFile, lines bool) writer {
	w := writer{lines: lines, newline: newline(f.text), unit: unit, space: " "}
	if f.blank {
		return w
	}
	root, _ := f.root.Value.(*hujson.Object)
	if len(root.Members) == 0 {
		return w
	}
	first := root.Members[0]
	if f.alone(first.Name.StartOffset) {
		indent, ok := strings.CutPrefix(f.indentOf(first.Name.StartOffset), f.indentOf(f.root.StartOffset))
		if ok && indent != "" {
			w.unit = indent
		}
	}
	if !lines && len(first.Value.BeforeExtra) == 0 && bytes.HasPrefix(f.text[first.Name.EndOffset:], []byte(":")) {
		w.space = ""
	}
	return w
}

// members renders the fields of an entry without braces; indent is their indentation.
func (w writer) members(e Entry, indent string) string {
	parts := make([]string, len(e))
	for i, f := range e {
		colon := ": "
		if !w.lines {
			colon = ":" + w.space
		}
		parts[i] = quoted(f.Name) + colon + w.value(f.Value, indent)
	}
	if !w.lines {
		return strings.Join(parts, ","+w.space)
	}
	return strings.Join(parts, ","+w.newline+indent)
}

// value renders a value; indent is the indentation of the line on which it begins.
func (w writer) value(v any, indent string) string {
	switch v := v.(type) {
	case bool:
		if v {
			return "true"
		}
		return "false"
	case string:
		return quoted(v)
	case []string:
		items := make([]string, len(v))
		for i, s := range v {
			items[i] = quoted(s)
		}
		return "[" + strings.Join(items, ","+w.space) + "]"
	case Entry:
		if !w.lines {
			return "{" + w.members(v, "") + "}"
		}
		inner := indent + w.unit
		return "{" + w.newline + inner + w.members(v, inner) + w.newline + indent + "}"
	}
	panic("an entry holds strings, lists of them, bools and entries")
}

// drop removes a member with its comma. Comments stay, because a person wrote them.
func (f *jsonFile) drop(path []string, made int) ([]span, error) {
	steps, err := f.walk(path)
	if err != nil {
		return nil, err
	}
	at := steps[len(steps)-1]
	for i := len(steps) - 1; i > 0 && made > 0 && f.only(steps[i]); i-- {
		at, made = steps[i-1], made-1
	}
	members := at.object.Members
	m := members[at.next]
	own := span{m.Name.StartOffset, m.Value.EndOffset}
	blank := func(extra hujson.Extra) int { // its length if it has no comment, else 0
		if len(bytes.TrimSpace(extra)) > 0 {
			return 0
		}
		return len(extra)
	}
	if comma := f.commaAfter(at, at.next); comma >= 0 {
		if behind := comma + 1; at.next+1 < len(members) && blank(members[at.next+1].Name.BeforeExtra) > 0 {
			return merge(own, span{comma, behind + len(members[at.next+1].Name.BeforeExtra)}), nil
		}
		own.from -= blank(m.Name.BeforeExtra)
		return merge(own, span{comma, comma + 1}), nil
	}
	own.from -= blank(m.Name.BeforeExtra)
	if at.next == 0 {
		own.to += blank(at.object.AfterExtra)
		return []span{own}, nil
	}
	comma := f.commaAfter(at, at.next-1)
	return merge(span{comma, comma + 1}, own), nil
}

// only reports whether an object has one member and no comment.
func (f *jsonFile) only(s step) bool {
	if len(s.object.Members) != 1 {
		return false
	}
	m := s.object.Members[0]
	around := [][]byte{m.Name.BeforeExtra, m.Name.AfterExtra, m.Value.BeforeExtra, m.Value.AfterExtra, s.object.AfterExtra}
	return len(bytes.TrimSpace(bytes.Join(around, nil))) == 0
}

// commaAfter returns the offset of the comma after a member; -1 = it is the last and has none.
func (f *jsonFile) commaAfter(s step, member int) int {
	v := s.object.Members[member].Value
	at := v.EndOffset + len(v.AfterExtra)
	if f.text[at] == ',' {
		return at
	}
	return -1
}

func merge(a, b span) []span {
	if a.to == b.from {
		return []span{{a.from, b.to}}
	}
	return []span{a, b}
}
