// Package edit changes one key of a configuration file that somebody else owns, JSON
// with or without comments, or TOML, and leaves every other byte as it is. A change
// can be reverted: exactly as long as nobody edited the place, and by structure
// afterwards.
package edit

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/sdk"
)

// Format is a format of configuration files.
type Format string

const (
	JSON Format = "json" // with or without comments and trailing commas
	TOML Format = "toml"
)

// Field is one key of an entry.
// Shape: Value is a string, a bool, a []string or an Entry.
type Field struct {
	Name  string
	Value any
}

// Entry is the value of the key, an object. Its fields are written in this order.
type Entry []Field

// Undo says how to revert a change.
type Undo struct {
	// Lead is the offset of the key in New, in bytes. It is negative when New is only the value
	// of the key.
	Lead int `json:"lead"`
	// New is the text that replaced Old.
	New string `json:"new"`
	Old string `json:"old"`
	// Line says that New began at the beginning of a line.
	Line bool `json:"line,omitempty"`
	// Made is the number of containers above the key that the change created.
	Made int `json:"made,omitempty"`
}

// document is a parsed file of one format.
type document interface {
	// find returns the position of the key of path.
	// Errors: KindInvalid when a part of path is no container or exists twice, KindUnsupported
	// when the key cannot be edited at its place.
	find(path []string) (spot, bool, error)
	// insert returns the change that adds the key.
	insert(path []string, entry Entry) (change, error)
	// render returns the text of the entry for the range from at.value to at.end.
	render(path []string, entry Entry, at spot) string
	// drop returns the ranges of the key, and of up to made containers above it that contain
	// nothing else, in ascending order.
	drop(path []string, made int) ([]span, error)
	// tree returns the whole file as values.
	tree() (map[string]any, error)
}

// spot is the position of a key in bytes: its name begins at name, its value is value..end.
type spot struct{ name, value, end int }

type span struct{ from, to int }

// change replaces a span by text. The key's name is at offset lead of text.
type change struct {
	span
	text       string
	lead, made int
}

const bom = "\ufeff"

// open parses a file, and splits off its byte order mark.
func open(f Format, text []byte) (mark string, body []byte, doc document, err error) {
	body = text
	if rest, ok := bytes.CutPrefix(text, []byte(bom)); ok {
		mark, body = bom, rest
	}
	if f == TOML {
		doc, err = parseTOML(body)
	} else {
		doc, err = parseJSON(body)
	}
	return mark, body, doc, err
}

// Find returns the value at path, as encoding/json decodes it, with json.Number for numbers.
// Errors: KindInvalid with the position, for a file that does not parse and for a part of path
// that is no container or exists twice; KindUnsupported for TOML with an infinite number or NaN.
func Find(f Format, text []byte, path []string) (value any, found bool, err error) {
	_, _, doc, err := open(f, text)
	if err != nil {
		return nil, false, err
	}
	tree, err := doc.tree()
	if err != nil {
		return nil, false, err
	}
	if _, _, err := doc.find(path); err != nil && sdk.KindOf(err) != sdk.KindUnsupported {
		return nil, false, err
	}
	value, found = lookup(tree, path)
	return value, found, nil
}

// Set sets the key path to entry, and returns the new text and how to undo the change. last is
// the Undo of the current value if Set wrote it; nil = it is somebody else's, and Remove with
// undo restores it.
// Errors: those of Find; KindUnsupported for a place that cannot be edited and for an entry with
// invalid UTF-8.
func Set(f Format, text []byte, path []string, entry Entry, last *Undo) (after []byte, undo Undo, err error) {
	if !valid(entry) {
		return nil, Undo{}, sdk.Errorf(sdk.KindUnsupported, sdk.SourceCaller, "a path in the entry is no valid UTF-8").
			WithHint("move loam or the project to a folder whose name is")
	}
	mark, body, doc, err := open(f, text)
	if err != nil {
		return nil, Undo{}, err
	}
	at, found, err := doc.find(path)
	if err != nil {
		return nil, Undo{}, err
	}
	var c change
	if found {
		c = change{span: span{at.value, at.end}, text: doc.render(path, entry, at), lead: at.name - at.value}
	} else if c, err = doc.insert(path, entry); err != nil {
		return nil, Undo{}, err
	}
	undo = Undo{Lead: c.lead, New: c.text, Old: string(body[c.from:c.to]), Line: beginsLine(body, c.from), Made: c.made}
	if found && last != nil {
		undo = last.carry(body, at, c.text)
	}
	after = splice(body, c.span, c.text)
	if err := verify(f, body, after, path, entry); err != nil {
		return nil, Undo{}, err
	}
	return append([]byte(mark), after...), undo, nil
}

// Remove reverts a change of Set. If the key does not exist any more, it returns text unchanged.
// Errors: those of Set.
func Remove(f Format, text []byte, path []string, undo Undo) (after []byte, err error) {
	mark, body, doc, err := open(f, text)
	if err != nil {
		return nil, err
	}
	at, found, err := doc.find(path)
	if err != nil || !found {
		return text, err
	}
	done := func(after []byte) bool {
		_, found, err := Find(f, after, path)
		return err == nil && found == undo.replaced() && same(f, body, after, path)
	}
	if after, ok := undo.revert(body, at); ok && done(after) {
		return append([]byte(mark), after...), nil
	}
	if undo.replaced() {
		after = splice(body, span{at.value, at.end}, undo.Old)
	} else if after, err = dropped(doc, body, path, undo.Made); err != nil {
		return nil, err
	}
	if !done(after) {
		return nil, uneditable(path)
	}
	return append([]byte(mark), after...), nil
}

func dropped(doc document, text []byte, path []string, made int) ([]byte, error) {
	spans, err := doc.drop(path, made)
	if err != nil {
		return nil, err
	}
	for i := len(spans) - 1; i >= 0; i-- {
		text = splice(text, spans[i], "")
	}
	return text, nil
}

// Bare reports whether a file is empty: no key and no comment.
func Bare(text []byte) bool {
	switch string(bytes.Join(bytes.Fields(bytes.TrimPrefix(text, []byte(bom))), nil)) {
	case "", "{}":
		return true
	}
	return false
}

// replaced reports whether the change replaced a value that Set did not write.
func (u Undo) replaced() bool { return u.Lead <= 0 && strings.TrimSpace(u.Old) != "" }

// Adopt returns the Undo for a change inside containers that a removed change had created: now
// removing this change removes up to made of them.
func (u Undo) Adopt(made int) Undo {
	if u.replaced() {
		return u
	}
	return Undo{Made: made}
}

// revert restores Old if New is unchanged in the text.
func (u Undo) revert(text []byte, at spot) ([]byte, bool) {
	s, ok := u.stands(text, at)
	if !ok {
		return nil, false
	}
	return splice(text, s, u.Old), true
}

// stands returns the range of New; false when the text was edited there.
func (u Undo) stands(text []byte, at spot) (span, bool) {
	from := at.name - u.Lead
	ok := u.New != "" && from >= 0 && bytes.HasPrefix(text[from:], []byte(u.New)) && beginsLine(text, from) == u.Line
	return span{from, from + len(u.New)}, ok
}

func beginsLine(text []byte, offset int) bool { return offset == 0 || text[offset-1] == '\n' }

// carry returns the Undo after the value of the key was replaced again. If the text around it was
// edited, the result reverts by structure instead of restoring bytes.
func (u Undo) carry(text []byte, at spot, value string) Undo {
	s, ok := u.stands(text, at)
	switch {
	case u.replaced():
		return Undo{Lead: at.name - at.value, New: value, Old: u.Old, Line: beginsLine(text, at.value)}
	case !ok || at.end > s.to:
		return Undo{Made: u.Made}
	}
	u.New = string(text[s.from:at.value]) + value + string(text[at.end:s.to])
	return u
}

func splice(text []byte, s span, with string) []byte {
	out := make([]byte, 0, len(text)-(s.to-s.from)+len(with))
	out = append(out, text[:s.from]...)
	out = append(out, with...)
	return append(out, text[s.to:]...)
}

// verify returns an error if a change did not set the key or changed anything else.
func verify(f Format, before, after []byte, path []string, entry Entry) error {
	value, found, err := Find(f, after, path)
	if err != nil || !found || !Same(entry, value) || !same(f, before, after, path) {
		return uneditable(path)
	}
	return nil
}

func uneditable(path []string) *sdk.Error {
	return sdk.Errorf(sdk.KindUnsupported, sdk.SourceHost, "%s stands where it cannot be edited in place", strings.Join(path, "."))
}

// same reports whether two texts have the same values apart from path.
func same(f Format, before, after []byte, path []string) bool {
	a, errA := pruned(f, before, path)
	b, errB := pruned(f, after, path)
	return errA == nil && errB == nil && reflect.DeepEqual(a, b)
}

// pruned returns the values of a file without path, and without containers that only contained it.
func pruned(f Format, text []byte, path []string) (map[string]any, error) {
	_, _, doc, err := open(f, text)
	if err != nil {
		return nil, err
	}
	tree, err := doc.tree()
	if err == nil {
		prune(tree, path)
	}
	return tree, err
}

func prune(tree map[string]any, path []string) {
	if len(path) == 1 {
		delete(tree, path[0])
		return
	}
	if below, ok := tree[path[0]].(map[string]any); ok {
		if prune(below, path[1:]); len(below) == 0 {
			delete(tree, path[0])
		}
	}
}

func lookup(tree map[string]any, path []string) (any, bool) {
	value, found := tree[path[0]]
	if !found || len(path) == 1 {
		return value, found
	}
	below, ok := value.(map[string]any)
	if !ok {
		return nil, false
	}
	return lookup(below, path[1:])
}

// Same reports whether a value of Find equals the entry.
func Same(entry Entry, value any) bool { return reflect.DeepEqual(entry.tree(), value) }

// tree returns the entry as encoding/json would decode it.
func (e Entry) tree() map[string]any {
	tree := map[string]any{}
	for _, f := range e {
		switch v := f.Value.(type) {
		case Entry:
			tree[f.Name] = v.tree()
		case []string:
			list := make([]any, len(v))
			for i, s := range v {
				list[i] = s
			}
			tree[f.Name] = list
		default:
			tree[f.Name] = v
		}
	}
	return tree
}

func valid(e Entry) bool {
	for _, f := range e {
		switch v := f.Value.(type) {
		case Entry:
			if !valid(v) {
				return false
			}
		case []string:
			for _, s := range v {
				if !utf8.ValidString(s) {
					return false
				}
			}
		case string:
			if !utf8.ValidString(v) {
				return false
			}
		}
	}
	return true
}

// quoted returns a string literal that is valid in both formats.
func quoted(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string is always encoded
	return strings.TrimSuffix(strings.ReplaceAll(b.String(), "\x7f", `\u007f`), "\n")
}

// newline returns the line ending of a text.
func newline(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// unparsed returns the error of a file that does not parse. It does not quote the file, which
// may contain secrets.
func unparsed(format string, text []byte, offset int) *sdk.Error {
	e := sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "it is no valid %s", format)
	e.Pos = sdk.PositionAtByte(string(text), offset)
	return e
}

// inTheWay returns the error of a file with something unexpected on the path.
func inTheWay(text []byte, offset int, name, problem string) *sdk.Error {
	e := sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%q %s", name, problem)
	e.Pos = sdk.PositionAtByte(string(text), offset)
	return e
}
