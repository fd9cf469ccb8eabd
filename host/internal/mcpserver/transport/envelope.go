package transport

import (
	"encoding/json"
	"slices"
	"unicode/utf8"
)

// maxEnvelopeText bounds an id that is read from a message that is not kept, in
// bytes.
const maxEnvelopeText = 1024

// envelope finds the id of a message that is too large to be kept, so that its
// sender does not wait for an answer for ever. It is fed the message in parts.
// Units: at most maxEnvelopeText bytes, whatever it is fed.
type envelope struct {
	depth    int
	objects  int // that began at the top
	inString bool
	escaped  bool
	name     string // of the member being read at the top
	text     []byte // of its value, or of the next name

	id     json.RawMessage
	method bool // the message has one
}

// request returns the id when the message is a request. A response has the id of
// a request of ours, and a notification none.
func (e *envelope) request() json.RawMessage {
	if e.objects != 1 || !e.method || len(e.id) == 0 || !json.Valid(e.id) || !utf8.Valid(e.id) || !validID(e.id) {
		return nil
	}
	return e.id
}

func (e *envelope) feed(part []byte) {
	for _, c := range part {
		if e.inString {
			e.keep(c)
			switch {
			case e.escaped:
				e.escaped = false
			case c == '\\':
				e.escaped = true
			case c == '"':
				e.inString = false
			}
			continue
		}
		e.structure(c)
	}
}

// structure reads a byte outside of strings.
func (e *envelope) structure(c byte) {
	switch c {
	case '"':
		e.inString = true
		e.keep(c)
	case '{':
		if e.depth == 0 {
			e.objects++
		}
		e.depth++
	case '[':
		e.depth++
		if e.depth == 1 {
			e.depth++ // a batch: what is inside of it is not at the top
		}
	case '}', ']':
		e.member()
		e.depth--
	case ',':
		e.member()
	case ':':
		if e.depth == 1 {
			e.name, e.text = string(e.text), e.text[:0]
		}
	case ' ', '\t', '\r', '\n':
	default:
		e.keep(c)
	}
}

// keep keeps a byte of a name or a value at the top. What is too long is no id.
func (e *envelope) keep(c byte) {
	if e.depth == 1 && len(e.text) < maxEnvelopeText {
		e.text = append(e.text, c)
	}
}

// member ends a member at the top.
func (e *envelope) member() {
	if e.depth != 1 {
		return
	}
	switch e.name {
	case `"id"`:
		e.id = slices.Clone(e.text)
	case `"method"`:
		e.method = len(e.text) > 0 && e.text[0] == '"'
	}
	e.name, e.text = "", e.text[:0]
}
