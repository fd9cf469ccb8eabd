package model

import (
	"cmp"
	"strings"
	"unicode"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// fold returns a name as it is compared: without regard to case.
func fold(name string) string {
	for i := range len(name) {
		if c := name[i]; c >= 0x80 || 'A' <= c && c <= 'Z' {
			return strings.ToLower(strings.ToUpper(name))
		}
	}
	return name
}

// compareFolded is strings.Compare of a name's folded form and a folded key.
func compareFolded(name, key string) int {
	for i := range min(len(name), len(key)) {
		c := name[i]
		if c >= 0x80 {
			return strings.Compare(fold(name), key)
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != key[i] {
			return cmp.Compare(c, key[i])
		}
	}
	return cmp.Compare(len(name), len(key))
}

// split returns the parts of a name like analytics.orders, of which any may be
// in quotes; false when it has none or more than three.
func split(name string, d *dialect.Dialect) (sdk.TableRef, bool) {
	if name != "" && strings.IndexFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) < 0 {
		return sdk.TableRef{Name: name}, true
	}
	var parts []string
	for rest := strings.TrimSpace(name); ; {
		var part string
		var ok bool
		if part, rest, ok = cutPart(rest, d); !ok || len(parts) == 3 {
			return sdk.TableRef{}, false
		}
		if parts = append(parts, part); rest == "" {
			break
		}
		rest = rest[1:]
	}
	all := append(make([]string, 3-len(parts), 3), parts...)
	return sdk.TableRef{Catalog: all[0], Schema: all[1], Name: all[2]}, true
}

// cutPart cuts the first part off; rest begins with a dot or is empty.
func cutPart(s string, d *dialect.Dialect) (part, rest string, ok bool) {
	if s != "" && (unicode.IsLetter(rune(s[0])) || s[0] == '_') {
		return cutPlain(s)
	}
	for _, q := range quotes(d) {
		inner, opened := strings.CutPrefix(s, q.Open)
		if q.Open == "" || q.Prefix != "" || !opened {
			continue
		}
		part, rest, ok = strings.Cut(inner, q.Close)
		for ok && q.Doubled && strings.HasPrefix(rest, q.Close) {
			var more string
			more, rest, ok = strings.Cut(rest[len(q.Close):], q.Close)
			part += q.Close + more
		}
		return part, rest, ok && part != "" && (rest == "" || rest[0] == '.')
	}
	return cutPlain(s)
}

func cutPlain(s string) (part, rest string, ok bool) {
	end := strings.IndexByte(s, '.')
	if end < 0 {
		end = len(s)
	}
	return s[:end], s[end:], end > 0
}

func quotes(d *dialect.Dialect) []dialect.Quote {
	standard := dialect.Quote{Open: `"`, Close: `"`, Doubled: true}
	if d == nil {
		return []dialect.Quote{standard}
	}
	return append([]dialect.Quote{standard, d.Identifier}, d.Lexis.Identifiers...)
}

// identity writes the parts of a name that are set, with dots; what cannot be
// told from a dot or a quote is in double quotes.
func identity(r sdk.TableRef) string {
	if r.Catalog == "" && r.Schema == "" {
		return quoted(r.Name)
	}
	parts := []string{r.Catalog, r.Schema, r.Name}
	for parts[0] == "" {
		parts = parts[1:]
	}
	for i, p := range parts {
		parts[i] = quoted(p)
	}
	return strings.Join(parts, ".")
}

// reference writes a member of a source as a request can say it.
func reference(source sdk.TableRef, member string) string {
	parts := []string{source.Catalog, source.Schema, source.Name, member}
	for len(parts) > 1 && parts[0] == "" {
		parts = parts[1:]
	}
	return (&expression.Name{Parts: parts}).String()
}

func quoted(part string) string {
	odd := func(r rune) bool { return r == '.' || r == '"' || !unicode.IsPrint(r) }
	if part != "" && !strings.ContainsFunc(part, odd) && strings.TrimSpace(part) == part {
		return part
	}
	return `"` + strings.ReplaceAll(part, `"`, `""`) + `"`
}

// Covers reports whether a table name, which may leave out catalog and schema,
// means the table of a full name, without regard to case.
func Covers(short, whole sdk.TableRef) bool {
	return strings.EqualFold(short.Name, whole.Name) &&
		(short.Schema == "" || strings.EqualFold(short.Schema, whole.Schema)) &&
		(short.Catalog == "" || strings.EqualFold(short.Catalog, whole.Catalog))
}
