package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// unit is the indentation if the file has none.
const unit = "  "

type jsonFile struct {
	text  []byte
	root  hujson.Value
	blank bool // nothing but white space
}

func parseJSON(text []byte) (*jsonFile, error) {
	f := &jsonFile{text: text, blank: len(bytes.TrimSpace(text)) == 0}
	if f.blank {
		return f, nil
	}
	if at := tooDeep(text); at >= 0 {
		return nil, unparsed("JSON", text, at)
	}
	var err error
	if f.root, err = hujson.Parse(text); err != nil {
		return nil, unparsed("JSON", text, failedAt(text, err))
	}
	if _, ok := f.root.Value.(*hujson.Object); !ok {
		return nil, inTheWay(text, f.root.StartOffset, "the file", "holds no JSON object")
	}
	return f, nil
}

// maxDepth bounds the nesting, because the parser is recursive. Source: encoding/json.
const maxDepth = 10_000

// tooDeep returns the offset at which the nesting exceeds maxDepth; -1 = it does not.
func tooDeep(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case c == '/' && bytes.HasPrefix(text[i:], []byte("//")):
			i += max(0, bytes.IndexByte(text[i:], '\n'))
		case c == '/' && bytes.HasPrefix(text[i:], []byte("/*")):
			i += max(0, bytes.Index(text[i:], []byte("*/")))
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return i
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return -1
}

// failedAt parses the offset of an error from the parser's message, which begins with
// "hujson: line 3, column 7:"; the column is in bytes.
func failedAt(text []byte, err error) int {
	words := strings.Fields(err.Error())
	if len(words) < 5 {
		return len(text)
	}
	line, errLine := strconv.Atoi(strings.Trim(words[2], ",:"))
	column, errColumn := strconv.Atoi(strings.Trim(words[4], ",:"))
	if errors.Join(errLine, errColumn) != nil {
		return len(text)
	}
	offset := 0
	for range line - 1 {
		offset += bytes.IndexByte(text[offset:], '\n') + 1
	}
	return offset + column - 1
}

func (f *jsonFile) tree() (map[string]any, error) {
	tree := map[string]any{}
	if f.blank {
		return tree, nil
	}
	standard := f.root.Clone()
	standard.Standardize()
	dec := json.NewDecoder(bytes.NewReader(standard.Pack()))
	dec.UseNumber()
	if err := dec.Decode(&tree); err != nil && !errors.Is(err, io.EOF) {
		return nil, unparsed("JSON", f.text, len(f.text))
	}
	return tree, nil
}

// member returns the index of the member with a name; -1 = none.
func (f *jsonFile) member(obj *hujson.Object, name string) (int, error) {
	found := -1
	for i := range obj.Members {
		if literal, ok := obj.Members[i].Name.Value.(hujson.Literal); ok && literal.String() == name {
			if found >= 0 {
				return -1, inTheWay(f.text, obj.Members[i].Name.StartOffset, name, "stands there twice")
			}
			found = i
		}
	}
	return found, nil
}

// step is an object on the path to a key; next is the index of the member that continues the path.
type step struct {
	value  *hujson.Value
	object *hujson.Object
	next   int
}

// walk follows path as far as it exists. If the key does not exist, the last step has next -1.
func (f *jsonFile) walk(path []string) ([]step, error) {
	var steps []step
	value := &f.root
	for i, name := range path {
		object, ok := value.Value.(*hujson.Object)
		if !ok {
			return nil, inTheWay(f.text, value.StartOffset, path[i-1], "is no JSON object")
		}
		next, err := f.member(object, name)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step{value, object, next})
		if next < 0 {
			break
		}
		value = &object.Members[next].Value
	}
	return steps, nil
}

func (f *jsonFile) find(path []string) (spot, bool, error) {
	if f.blank {
		return spot{}, false, nil
	}
	steps, err := f.walk(path)
	if err != nil {
		return spot{}, false, err
	}
	last := steps[len(steps)-1]
	if len(steps) < len(path) || last.next < 0 {
		return spot{}, false, nil
	}
	m := last.object.Members[last.next]
	return spot{m.Name.StartOffset, m.Value.StartOffset, m.Value.EndOffset}, true, nil
}

func (f *jsonFile) render(_ []string, entry Entry, at spot) string {
	lines := bytes.ContainsRune(f.text[at.value:at.end], '\n') || f.alone(at.name)
	return newWriter(f, lines).value(entry, f.indentOf(at.name))
}

// alone reports whether a member begins its line.
func (f *jsonFile) alone(offset int) bool {
	before := bytes.TrimRight(f.text[:offset], " \t")
	return len(before) > 0 && before[len(before)-1] == '\n'
}

// indentOf returns the indentation of the line with an offset.
func (f *jsonFile) indentOf(offset int) string {
	line := f.text[bytes.LastIndexByte(f.text[:offset], '\n')+1 : offset]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

func (f *jsonFile) insert(path []string, entry Entry) (change, error) {
	if f.blank {
		w := newWriter(f, true)
		text := w.value(Entry{{path[0], nest(path[1:], entry)}}, "") + w.newline
		return change{span: span{0, len(f.text)}, text: text, lead: keyIn(text, path), made: len(path) - 1}, nil
	}
	steps, err := f.walk(path)
	if err != nil {
		return change{}, err
	}
	last := steps[len(steps)-1]
	rest := path[len(steps)-1:]
	made := len(rest) - 1
	member := Entry{{rest[0], nest(rest[1:], entry)}}
	var c change
	if len(last.object.Members) == 0 {
		c = f.first(last, member)
	} else {
		c = f.after(last, member)
	}
	c.lead, c.made = c.lead+keyIn(c.text[c.lead:], rest), made
	return c, nil
}

// nest wraps an entry in the objects of path.
func nest(path []string, entry Entry) Entry {
	for i := len(path) - 1; i >= 0; i-- {
		entry = Entry{{path[i], entry}}
	}
	return entry
}

// keyIn returns the offset of the last name of path in a rendered text.
func keyIn(text string, path []string) int {
	start, end := 0, 0
	for _, name := range path { // there are no other names between those of nested objects
		start = end + strings.Index(text[end:], quoted(name))
		end = start + len(quoted(name))
	}
	return start
}

// first adds a member to an empty object, after its comments.
func (f *jsonFile) first(at step, member Entry) change {
	inner := span{at.value.StartOffset + 1, at.value.EndOffset - 1}
	whole := f.text[f.root.StartOffset:f.root.EndOffset]
	w := newWriter(f, bytes.ContainsRune(whole, '\n') || at.value == &f.root)
	if !w.lines {
		head, tail := comments(f.text[inner.from:inner.to])
		return change{span: inner, text: head + w.members(member, "") + tail, lead: len(head)}
	}
	head, tail := comments(f.text[inner.from:inner.to])
	closing := f.indentOf(at.value.StartOffset)
	if !strings.Contains(tail, "\n") {
		tail = w.newline + closing
	}
	head += w.newline + closing + w.unit
	return change{span: inner, text: head + w.members(member, closing+w.unit) + tail, lead: len(head)}
}

// after adds a member after the last one and the comments that follow it.
func (f *jsonFile) after(at step, member Entry) change {
	last := &at.object.Members[len(at.object.Members)-1]
	from := last.Value.EndOffset
	to := at.value.EndOffset - 1
	w := newWriter(f, bytes.ContainsRune(f.text[at.value.StartOffset:to], '\n'))
	comma, trailing := ",", ""
	head, tail := comments(f.text[from:to])
	if at := f.commaAfter(at, len(at.object.Members)-1); at >= 0 {
		comma, trailing = "", "," // the file has a trailing comma: keep it so
		end := max(at+1, from+len(head))
		head, tail = string(f.text[from:end]), string(f.text[end:to])
	}
	between, indent := w.space, ""
	if w.lines {
		indent = f.indentOf(last.Name.StartOffset)
		if !f.alone(last.Name.StartOffset) {
			indent = f.indentOf(at.value.StartOffset) + w.unit
		}
		between = w.newline + indent
	}
	text := comma + head + between
	lead := len(text)
	return change{span: span{from, to - len(tail)}, text: text + w.members(member, indent) + trailing, lead: lead}
}

// comments splits the text between two tokens after its last comment.
func comments(text []byte) (head, tail string) {
	end := 0
	for i := 0; i < len(text); {
		switch {
		case bytes.HasPrefix(text[i:], []byte("//")):
			length := bytes.IndexByte(text[i:], '\n')
			if length < 0 {
				length = len(text) - i
			}
			i += length
			end = i
			if end > 0 && text[end-1] == '\r' {
				end--
			}
		case bytes.HasPrefix(text[i:], []byte("/*")):
			i += 2 + bytes.Index(text[i+2:], []byte("*/")) + 2
			end = i
		default:
			i++
		}
	}
	return string(text[:end]), string(text[end:])
}
