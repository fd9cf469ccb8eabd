package text

import (
	"cmp"
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
