package dialect

import (
	"strconv"
	"strings"
)

// Matches reports whether the dialect is for this product and version, as
// ServerInfo names them. An unknown version ("") is within no bounds.
func (d *Dialect) Matches(product, version string) bool {
	if d.Product != "" && !strings.EqualFold(d.Product, product) {
		return false
	}
	if d.MinVersion == "" && d.MaxVersion == "" {
		return true
	}
	v := numbers(version)
	return len(v) > 0 &&
		(d.MinVersion == "" || compare(v, numbers(d.MinVersion)) >= 0) &&
		(d.MaxVersion == "" || compare(v, numbers(d.MaxVersion)) < 0)
}

// Pick returns the first dialect that matches, the last one when none matches,
// and nil when there are none.
func Pick(dialects []Dialect, product, version string) *Dialect {
	for i := range dialects {
		if dialects[i].Matches(product, version) {
			return &dialects[i]
		}
	}
	if len(dialects) == 0 {
		return nil
	}
	return &dialects[len(dialects)-1]
}

// numbers returns the first dotted numbers in a version: 15, 20 for
// "PostgreSQL 15.20 (Debian 15.20-0+deb12u1)".
func numbers(version string) []int {
	start := strings.IndexAny(version, "0123456789")
	if start < 0 {
		return nil
	}
	version = version[start:]
	if end := strings.IndexFunc(version, func(r rune) bool { return r != '.' && (r < '0' || r > '9') }); end >= 0 {
		version = version[:end]
	}
	var out []int
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			break
		}
		out = append(out, n)
	}
	return out
}

// compare orders versions; a missing number is 0.
func compare(a, b []int) int {
	for i := range max(len(a), len(b)) {
		var x, y int
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if x != y {
			return x - y
		}
	}
	return 0
}
