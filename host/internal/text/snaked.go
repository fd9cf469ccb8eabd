package text

import "strings"

// Snaked returns a name in lower case, with an underscore between the words that are written in one: routeKm is route_km, GMV is gmv.
func Snaked(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		if 'A' <= c && c <= 'Z' {
			if i > 0 && 'a' <= name[i-1] && name[i-1] <= 'z' {
				b.WriteByte('_')
			}
			c += 'a' - 'A'
		}
		b.WriteByte(c)
	}
	return b.String()
}
