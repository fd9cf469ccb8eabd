package catalog

import (
	"sort"
	"strings"
	"unicode"

	"github.com/loam-data/loam/sdk"
)

// Display returns a table's name as it is shown, indexed and asked for: the
// parts that it has, with dots between them. A part with a dot, a double quote
// or something that cannot be read in it stands in double quotes, doubled
// inside, whatever the engine's own quotes are.
// Shape: no two tables have the same, and Snapshot.Find reads it back.
func Display(ref sdk.TableRef) string {
	parts := []string{ref.Catalog, ref.Schema, ref.Name}
	for len(parts) > 1 && parts[0] == "" {
		parts = parts[1:]
	}
	for i, part := range parts {
		if !plain(part) {
			parts[i] = `"` + strings.ReplaceAll(part, `"`, `""`) + `"`
		}
	}
	return strings.Join(parts, ".")
}

// plain reports whether a part of a name can be read without quotes.
func plain(part string) bool {
	unreadable := func(r rune) bool { return r == '.' || r == '"' || !unicode.IsPrint(r) }
	return part != "" && part == strings.TrimSpace(part) && !strings.ContainsFunc(part, unreadable)
}

// Parse reads a name as Display writes it; false for any other text.
func Parse(display string) (sdk.TableRef, bool) {
	ref, ok := undisplay(display)
	return ref, ok && Display(ref) == display
}

// undisplay returns the parts of a name as Display writes it.
func undisplay(display string) (ref sdk.TableRef, ok bool) {
	var parts []string
	for rest := display; ; {
		var part string
		if part, rest, ok = unquote(rest); !ok || len(parts) == 3 {
			return ref, false
		}
		if parts = append(parts, part); rest == "" {
			break
		}
		rest = rest[1:]
	}
	switch len(parts) {
	case 1:
		ref.Name = parts[0]
	case 2:
		ref.Schema, ref.Name = parts[0], parts[1]
	default:
		ref.Catalog, ref.Schema, ref.Name = parts[0], parts[1], parts[2]
	}
	return ref, true
}

// unquote reads the first part of a name; rest begins with a dot or is empty.
func unquote(s string) (part, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexByte(s, '.')
		if end < 0 {
			end = len(s)
		}
		return s[:end], s[end:], true
	}
	var b strings.Builder
	for rest = s[1:]; ; {
		before, after, closed := strings.Cut(rest, `"`)
		if !closed {
			return "", "", false
		}
		b.WriteString(before)
		if rest, ok = strings.CutPrefix(after, `"`); !ok {
			return b.String(), after, after == "" || after[0] == '.'
		}
		b.WriteByte('"')
	}
}

// displayed returns the position of the table that is shown as a string.
func (p *pack) displayed(display string) (int, bool) {
	ref, ok := Parse(display)
	if !ok {
		return 0, false
	}
	return p.position(ref)
}

// position returns the place of a table in the order of catalog, schema and name.
func (p *pack) position(ref sdk.TableRef) (int, bool) {
	return sort.Find(p.len(), func(i int) int { return compareRefs(ref, p.ref(i)) })
}
