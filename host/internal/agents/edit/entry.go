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

// Format is a language of configuration files.
type Format string

const (
	JSON Format = "json" // with comments and trailing commas where the client reads them
	TOML Format = "toml"
)

// Field is one key of an entry.
// Shape: Value is a string, a bool, a []string or an Entry.
type Field struct {
	Name  string
	Value any
}

// Entry is what stands at the key, in the order in which it is written.
type Entry []Field

// Undo says how a change is taken back.
type Undo struct {
	// Lead is how far the key stands behind the start of New; it is negative when
	// only the key's value was replaced.
	Lead int `json:"lead"`
	// New took the place of Old.
	New string `json:"new"`
	Old string `json:"old"`
	// Line: New began a line.
	Line bool `json:"line,omitempty"`
	// Made is how many containers above the key the change made.
	Made int `json:"made,omitempty"`
}

// document is a parsed file of one format.
type document interface {
	// find returns where the key of path stands.
	// Errors: KindInvalid when a part of path is in the way or there twice,
	// KindUnsupported when it stands where it cannot be edited.
	find(path []string) (spot, bool, error)
	// insert returns the change that adds the key.
	insert(path []string, entry Entry) (change, error)
	// render writes the entry as it stands between value and end of the spot.
	render(path []string, entry Entry, at spot) string
	// drop returns the ranges that hold the key, and up to made containers above
	// it that hold nothing else, in ascending order.
	drop(path []string, made int) ([]span, error)
	// tree is the whole file as values.
	tree() (map[string]any, error)
}

// spot is where a key stands: its name from name, what it holds from value to end.
type spot struct{ name, value, end int }

type span struct{ from, to int }

// change puts text in the place of a span. The key's name is lead bytes into it.
type change struct {
	span
	text       string
	lead, made int
}

const bom = "\ufeff"

// open parses a file behind its byte order mark.
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

// Find returns what stands at path, as values of encoding/json.
// Errors: KindInvalid with the line for a file that does not parse or has
// something else where the path leads.
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

// Set makes path hold entry. last is the undo of the change of ours that is
// there, or nil: what stands there then is somebody's, and undo brings it back.
// Errors: those of Find; KindUnsupported for a place that cannot be edited.
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

// Remove takes back what Set did. A key that is gone already leaves the file as
// it is.
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

// Bare reports whether a file holds nothing: no key and no comment.
func Bare(text []byte) bool {
	switch string(bytes.Join(bytes.Fields(bytes.TrimPrefix(text, []byte(bom))), nil)) {
	case "", "{}":
		return true
	}
	return false
}

// replaced reports whether the change took the place of somebody's value.
func (u Undo) replaced() bool { return u.Lead <= 0 && strings.TrimSpace(u.Old) != "" }

// Adopt is the undo of a change in containers that another change made, which was
// taken back before: made of them go with this one.
func (u Undo) Adopt(made int) Undo {
	if u.replaced() {
		return u
	}
	return Undo{Made: made}
}

// revert takes a change back where it still stands as it was made.
func (u Undo) revert(text []byte, at spot) ([]byte, bool) {
	s, ok := u.stands(text, at)
	if !ok {
		return nil, false
	}
	return splice(text, s, u.Old), true
}

// stands is where New stands, if it does as it was made.
func (u Undo) stands(text []byte, at spot) (span, bool) {
	from := at.name - u.Lead
	ok := u.New != "" && from >= 0 && bytes.HasPrefix(text[from:], []byte(u.New)) && beginsLine(text, from) == u.Line
	return span{from, from + len(u.New)}, ok
}

func beginsLine(text []byte, offset int) bool { return offset == 0 || text[offset-1] == '\n' }

// carry is the undo after the value of the key was replaced once more. Where the
// change no longer stands as it was made, its surroundings are forgotten.
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

// verify reports a change that did anything but what it should: better none.
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

// same reports whether two texts say the same but for path.
func same(f Format, before, after []byte, path []string) bool {
	a, errA := pruned(f, before, path)
	b, errB := pruned(f, after, path)
	return errA == nil && errB == nil && reflect.DeepEqual(a, b)
}

// pruned is what a file says without path and the containers that held nothing else.
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

// Same reports whether a value that Find returned is what the entry says.
func Same(entry Entry, value any) bool { return reflect.DeepEqual(entry.tree(), value) }

// tree is the entry as encoding/json would read it.
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

// quoted is a string as both formats write it.
func quoted(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string is always encoded
	return strings.TrimSuffix(strings.ReplaceAll(b.String(), "\x7f", `\u007f`), "\n")
}

// newline is how the lines of a text end.
func newline(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// unparsed is the error of a file that does not parse. It quotes nothing: what
// stands there may be a secret.
func unparsed(format string, text []byte, offset int) *sdk.Error {
	e := sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "it is no valid %s", format)
	e.Pos = sdk.PositionAtByte(string(text), offset)
	return e
}

// inTheWay is the error of a file that holds something else on the path.
func inTheWay(text []byte, offset int, name, problem string) *sdk.Error {
	e := sdk.Errorf(sdk.KindInvalid, sdk.SourceCaller, "%q %s", name, problem)
	e.Pos = sdk.PositionAtByte(string(text), offset)
	return e
}
