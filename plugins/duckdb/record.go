//go:build cgo

package duckdb

import (
	"strings"

	"github.com/loam-data/loam/sdk"
)

// describe adds to a column of the catalogue what its type says beyond its name: the
// digits of its seconds, whether it is a list, and the fields of its records.
func describe(c *sdk.Column) {
	c.TimeDigits = timeDigits(c.NativeType)
	inner := c.NativeType
	if strings.HasSuffix(inner, "]") {
		c.Repeated = true
		inner = inner[:strings.LastIndexByte(inner, '[')]
	}
	record, isRecord := strings.CutPrefix(inner, "STRUCT(")
	switch {
	case isRecord && strings.HasSuffix(record, ")"):
		for _, member := range members(strings.TrimSuffix(record, ")")) {
			if name, native, ok := cutName(member); ok {
				c.Fields = append(c.Fields, field(name, native))
			}
		}
	case c.Repeated:
		c.Fields = []sdk.Column{field("", inner)}
	}
}

func field(name, native string) sdk.Column {
	f := sdk.Column{Name: name, NativeType: native, Type: declared(native), Nullable: true}
	describe(&f)
	return f
}

// members splits the text between the parentheses of a record at the commas outside of
// quotes and inner parentheses.
func members(text string) (all []string) {
	depth, quoted, start := 0, false, 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			all = append(all, strings.TrimSpace(text[start:i]))
			start = i + 1
		}
	}
	return append(all, strings.TrimSpace(text[start:]))
}

// cutName cuts a member of a record into its name, without quotes, and its type; false
// for a member without a name.
func cutName(member string) (name, native string, ok bool) {
	inner, quoted := strings.CutPrefix(member, `"`)
	if !quoted {
		return strings.Cut(member, " ")
	}
	for {
		part, rest, closed := strings.Cut(inner, `"`)
		if name += part; !closed {
			return "", "", false
		}
		if !strings.HasPrefix(rest, `"`) {
			return name, strings.TrimSpace(rest), true
		}
		name, inner = name+`"`, rest[1:]
	}
}
