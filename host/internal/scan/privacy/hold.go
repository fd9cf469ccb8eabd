package privacy

import (
	"slices"
	"strings"
	"unicode"
)

// holds says what a value must be like to be, or to be part of one, in a column
// withheld for a reason with one of the words. A reason with none may hold anything.
var holds = []struct {
	reasons []string
	fits    func(v string) bool
}{
	{[]string{"e-mail", "password", "secret", "tokens"}, func(v string) bool { return !strings.Contains(v, " ") }},
	{[]string{"papers", "account", "card"}, func(v string) bool { return strings.ContainsFunc(v, unicode.IsDigit) }},
	{[]string{"phone", "birth", "earns"}, func(v string) bool {
		return strings.ContainsFunc(v, unicode.IsDigit) && !strings.ContainsFunc(v, unicode.IsLetter)
	}},
	{[]string{"device"}, func(v string) bool { return strings.Trim(v, "0123456789abcdefABCDEF.:/-") == "" }},
	{[]string{"name of a person", "names of persons"}, func(v string) bool {
		return strings.ContainsFunc(v, unicode.IsLetter) && !strings.ContainsAny(v, "0123456789@_/=")
	}},
}

// MayHold reports whether a column withheld for a reason may hold a value, whole
// or as a part, by how such values are written.
func MayHold(reason, v string) bool {
	if !strings.HasPrefix(reason, byNameReason) && !strings.HasPrefix(reason, byTypeReason) && !strings.HasPrefix(reason, byValueReason) {
		return true // the project withholds it, or a neighbour names many kinds
	}
	for _, h := range holds {
		if slices.ContainsFunc(h.reasons, func(word string) bool { return strings.Contains(reason, word) }) {
			return h.fits(v)
		}
	}
	return true
}
