package request

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/semantic/refusal"
)

// object is a JSON object in the order in which it was written.
type object struct {
	keys   []string
	values []any
}

func (o *object) get(key string) any {
	if i := slices.Index(o.keys, key); i >= 0 {
		return o.values[i]
	}
	return nil
}

// maxNesting is how deep a request may nest.
const maxNesting = 64

// decode reads JSON: objects as *object, lists as []any, numbers as json.Number.
// It refuses what another reader could take for something else: a key that is
// there twice, text that is not valid Unicode.
func decode(raw json.RawMessage) (any, error) {
	const fix = "send one JSON object in UTF-8"
	switch {
	case len(raw) > MaxRequestBytes:
		return nil, refusal.Invalid("request", "it has %d bytes; the limit is %d", len(raw), MaxRequestBytes).Advise("ask for less at once; a long list of values belongs in a table")
	case !utf8.Valid(raw):
		return nil, refusal.Invalid("request", "it is not valid UTF-8").Advise(fix)
	case halfPair(raw):
		return nil, refusal.Invalid("request", "it has half of a surrogate pair, which is no character").Advise(fix)
	}
	d := &decoder{json: json.NewDecoder(bytes.NewReader(raw))}
	d.json.UseNumber()
	v, err := d.value(0)
	if err != nil {
		if e, ok := errors.AsType[*refusal.Error](err); ok {
			return nil, e
		}
		return nil, refusal.Invalid("request", "it is no JSON: %s", jsonProblem(err)).Advise(fix).Because(err)
	}
	if _, err := d.json.Token(); err != io.EOF {
		return nil, refusal.Invalid("request", "something follows the JSON").Advise(fix)
	}
	return v, nil
}

func jsonProblem(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "it ends too early"
	}
	return refusal.Short(err.Error())
}

type decoder struct{ json *json.Decoder }

func (d *decoder) value(depth int) (any, error) {
	if depth > maxNesting {
		return nil, refusal.Invalid("request", "it nests deeper than %d levels", maxNesting).Advise("put the conditions into fewer and, or and not")
	}
	t, err := d.json.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('['):
		list := []any{}
		for d.json.More() {
			v, err := d.value(depth + 1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.json.Token()
		return list, err
	case json.Delim('{'):
		return d.object(depth)
	}
	return t, nil
}

func (d *decoder) object(depth int) (any, error) {
	o := &object{}
	seen := map[string]bool{}
	for d.json.More() {
		t, err := d.json.Token()
		if err != nil {
			return nil, err
		}
		key, ok := t.(string)
		if !ok {
			return nil, refusal.Invalid("request", "a key is no text").Advise("write keys in quotes")
		}
		if seen[key] {
			return nil, refusal.Invalid("request", "the key %s is there twice", refusal.Quote(key)).Advise("say it once")
		}
		seen[key] = true
		v, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		o.keys, o.values = append(o.keys, key), append(o.values, v)
	}
	_, err := d.json.Token()
	return o, err
}

// halfPair reports whether an escape stands for half of a character, which readers
// of JSON replace by something else.
func halfPair(raw []byte) bool {
	if !bytes.Contains(raw, []byte(`\u`)) {
		return false
	}
	high := func(i int) bool { return isSurrogate(raw, i, "89abAB") }
	low := func(i int) bool { return isSurrogate(raw, i, "cdefCDEF") }
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		switch {
		case high(i) && low(i+6):
			i += 11
		case high(i), low(i):
			return true
		default:
			i++ // what is escaped
		}
	}
	return false
}

// isSurrogate reports whether \ud follows at i, and then one of the digits.
func isSurrogate(raw []byte, i int, digits string) bool {
	return i+6 <= len(raw) && raw[i] == '\\' && raw[i+1] == 'u' && raw[i+2]|0x20 == 'd' && strings.IndexByte(digits, raw[i+3]) >= 0
}

// noteList is what was changed, in order. Several changes of one kind are told a
// few times and then counted.
type noteList struct {
	all   []change
	count map[string]int
}

type change struct{ kind, text string }

// maxAlike is how many changes of one kind are told one by one.
const maxAlike = 3

func (n *normaliser) note(kind, text string) {
	l := &n.notes
	if l.count == nil {
		l.count = map[string]int{}
	}
	if l.count[kind]++; l.count[kind] <= maxAlike {
		l.all = append(l.all, change{kind, text})
	}
}

// list counts what is not told behind the last one of its kind.
func (l *noteList) list() []string {
	var all []string
	told := map[string]int{}
	for _, c := range l.all {
		all = append(all, c.text)
		if told[c.kind]++; told[c.kind] < maxAlike {
			continue
		}
		switch more := l.count[c.kind] - maxAlike; more {
		case 0:
		case 1:
			all = append(all, "one more was read in the same way")
		default:
			all = append(all, fmt.Sprintf("%d more were read in the same way", more))
		}
	}
	return all
}
