package request

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/sdk/sqlkit"
)

// list reads a list; a single entry, or a list as JSON in a text, stands for one.
// Units: at most most entries.
func (n *normaliser) list(g given, most int) []given {
	var all []any
	inner, encoded := decodeList(g.value)
	switch v := g.value.(type) {
	case []any:
		all = v
	default:
		if !encoded {
			n.note("single", fmt.Sprintf("%s was read as a list of one", g.key))
			return []given{g}
		}
		n.note("encoded", fmt.Sprintf("%s was read from a JSON text", g.key))
		all = inner
	}
	if len(all) > most {
		n.invalid(g.key, "it has %d entries; the limit is %d", len(all), most).Advise("ask for less at once")
	}
	if n.refused != nil {
		return nil
	}
	entries := make([]given, len(all))
	for i, v := range all {
		entries[i] = given{fmt.Sprintf("%s[%d]", g.key, i), v}
	}
	return entries
}

// decodeList reads a list that is written as JSON in a text. No reference and no
// expression begins as one.
func decodeList(v any) ([]any, bool) {
	text, _ := v.(string)
	if !strings.HasPrefix(strings.TrimSpace(text), "[") {
		return nil, false
	}
	v, err := decode(json.RawMessage(text))
	all, ok := v.([]any)
	return all, err == nil && ok
}

func isText(v any) bool {
	_, ok := v.(string)
	return ok
}

// unpacked is a value, or the object that it is as JSON in a text. No reference has a
// colon, so that {name} is none.
func (n *normaliser) unpacked(g given) any {
	text, _ := g.value.(string)
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		if v, err := decode([]byte(text)); err == nil {
			n.note("encoded", g.key+" was read from a JSON text")
			return v
		}
	}
	return g.value
}

// text reads a text that is not empty.
func (n *normaliser) text(g given, what string) string {
	s, ok := g.value.(string)
	switch {
	case !ok:
		n.invalid(g.key, "%s is a text, not %s", what, ValueWords(g.value)).Advise("write it in quotes")
	case strings.TrimSpace(s) == "":
		n.invalid(g.key, "the text is empty").Advise("write %s, or leave the key out", what)
	}
	return s
}

// name reads a reference.
func (n *normaliser) name(g given) string {
	s := n.text(g, "a name")
	if n.refused == nil {
		n.checkName(g.key, s)
	}
	return n.trimmed(g.key, s)
}

// names reads a list of references.
func (n *normaliser) names(g given) (names []string) {
	for _, one := range n.list(g, maxMembers) {
		names = append(names, n.name(one))
	}
	return names
}

func (n *normaliser) checkName(where, s string) {
	if len(s) > maxName {
		n.invalid(where, "the name has %d bytes; the limit is %d", len(s), maxName).Advise("write source.name")
	} else if _, err := ParseName(where, s); err != nil {
		n.fail(err)
	}
}

// ParseName reads a reference of the request.
func ParseName(where, text string) (*expression.Name, error) {
	n, err := expression.ParseName(text)
	if err != nil {
		return nil, refusal.InExpression(where, text, err)
	}
	return n, nil
}

// trimmed drops spaces around a text.
func (n *normaliser) trimmed(where, s string) string {
	t := strings.TrimSpace(s)
	if t != s {
		n.note("space", fmt.Sprintf("spaces around %s were dropped", where))
	}
	return t
}

// expression reads an expression of the portable language.
func (n *normaliser) expression(g given) string {
	return n.parsed(g, expression.ParseValue)
}

// condition reads a filter in the portable language.
func (n *normaliser) condition(g given) string {
	return n.parsed(g, expression.ParseCondition)
}

func (n *normaliser) parsed(g given, parse func(string) (expression.Node, error)) string {
	s := n.text(g, "an expression")
	if n.refused == nil {
		if _, err := parse(s); err != nil {
			n.fail(refusal.InExpression(g.key, s, err))
		}
	}
	return s
}

// column reads the name of a column of the result.
func (n *normaliser) column(g given) string {
	s := n.text(g, "the name of a column")
	switch {
	case len(s) > maxName:
		n.invalid(g.key, "the name has %d bytes; the limit is %d", len(s), maxName).Advise("write a shorter name")
	case strings.ContainsFunc(s, func(r rune) bool { return refusal.Visible(r) != r }):
		n.invalid(g.key, "the name %s has characters that cannot be seen", refusal.Quote(s)).Advise("write a name of letters, digits and spaces")
	}
	return s
}

// oneOf reads one of a few words.
func (n *normaliser) oneOf(g given, words ...string) string {
	s, _ := g.value.(string)
	if !slices.Contains(words, s) {
		n.invalid(g.key, "it is one of %s, not %s", refusal.Listed(words), ValueWords(g.value)).Meant(sqlkit.Nearest(s, words)).Advise("write %q", words[0])
	}
	return s
}

// truth reads true or false.
func (n *normaliser) truth(g given) bool {
	switch v := g.value.(type) {
	case bool:
		return v
	case string:
		if v == "true" || v == "false" {
			n.note("truth", fmt.Sprintf("%s was read as %s", g.key, v))
			return v == "true"
		}
	}
	n.invalid(g.key, "it is true or false, not %s", ValueWords(g.value)).Advise("write true or false, without quotes")
	return false
}

// count reads a whole number; most is the largest that its place takes.
func (n *normaliser) count(g given, most int) int {
	v := g.value
	if s, ok := v.(string); ok {
		if number, err := decode([]byte(s)); err == nil {
			if _, ok := number.(json.Number); ok {
				n.note("number", fmt.Sprintf("%s was read as a number", g.key))
				v = number
			}
		}
	}
	f, ok := numberValue(v)
	switch {
	case !ok || f != math.Trunc(f):
		n.invalid(g.key, "it is a whole number, not %s", ValueWords(g.value)).Advise("write a number without quotes, as in 100")
	case math.Abs(f) > maxCount:
		n.invalid(g.key, "%s is too large", ValueWords(g.value)).Advise("write a number up to %d", most)
		return most
	}
	return int(f)
}

// maxCount is the greatest whole number below which a float64 has all of them.
const maxCount = 1 << 53

func numberValue(v any) (float64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}

// CheckText returns an error for a text that no engine could store, or that is too
// long.
func CheckText(where, text string) error {
	switch {
	case len(text) > expression.MaxTextBytes:
		return refusal.Invalid(where, "the text has %d bytes; the limit is %d", len(text), expression.MaxTextBytes).Advise("send a shorter text")
	case strings.IndexByte(text, 0) >= 0:
		return refusal.Invalid(where, "the text has a NUL character").Advise("send text without NUL characters")
	case !utf8.ValidString(text):
		return refusal.Invalid(where, "the text is not valid UTF-8").Advise("send valid UTF-8")
	}
	return nil
}

// ValueWords describes a value in a sentence.
func ValueWords(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return "the text " + refusal.Quote(v)
	case bool:
		return strconv.FormatBool(v)
	case []any:
		return "a list"
	case *object:
		return "an object"
	}
	return "the number " + ValueText(v)
}

// ValueText formats a value for a message.
func ValueText(v any) string { return refusal.Short(fmt.Sprint(v)) }
