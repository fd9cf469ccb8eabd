package text

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Family returns a name with # for each run of digits, and its digits: copies of a table,
// one for each day or part, have one pattern.
func Family(name string) (pattern, digits string) {
	var p, d strings.Builder
	within := false
	for _, r := range name {
		digit := r >= '0' && r <= '9'
		switch {
		case digit:
			d.WriteRune(r)
			if !within {
				p.WriteByte('#')
			}
		default:
			p.WriteRune(r)
		}
		within = digit
	}
	return p.String(), d.String()
}

// CompareInFamily orders names of one Family by their numbers: part 9 before part 10, an
// earlier day before a later one.
func CompareInFamily(a, b string) int {
	_, x := Family(a)
	_, y := Family(b)
	return cmp.Or(len(x)-len(y), strings.Compare(x, y), strings.Compare(a, b))
}

// behindShort is what the names of copies have behind the name that is short for them.
const behindShort = "0123456789_-$."

// Short returns the name that is short for a copy and those like it: orders for
// orders_20240101.
func Short(name string) string { return strings.TrimRight(name, behindShort) }

// ShortFor reports whether a name, in any case, is short for a copy.
func ShortFor(short, name string) bool {
	if len(name) <= len(short) || !strings.EqualFold(name[:len(short)], short) {
		return false
	}
	rest := name[len(short):]
	return strings.Trim(rest, behindShort) == "" && strings.ContainsAny(rest, "0123456789")
}

// Newest returns, of each Family that a name is short for, the newest.
func Newest(short string, names []string) []string {
	newest := map[string]string{}
	for _, name := range names {
		if !ShortFor(short, name) {
			continue
		}
		family, _ := Family(name)
		if last, known := newest[family]; !known || CompareInFamily(last, name) < 0 {
			newest[family] = name
		}
	}
	return slices.Sorted(maps.Values(newest))
}
