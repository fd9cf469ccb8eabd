package review

import (
	"strings"

	"github.com/loam-data/loam/host/internal/catalog"
	"github.com/loam-data/loam/sdk"
)

// EndText formats a table with columns; parseEnd reads it back.
func EndText(ref sdk.TableRef, columns []string) string {
	quoted := make([]string, len(columns))
	for i, c := range columns {
		if quoted[i] = c; c == "" || c != strings.TrimSpace(c) || strings.ContainsAny(c, `",()`) {
			quoted[i] = `"` + strings.ReplaceAll(c, `"`, `""`) + `"`
		}
	}
	return catalog.Display(ref) + "(" + strings.Join(quoted, ", ") + ")"
}

// splitEnds takes the two ends from a link as it is printed, be it one argument
// or several.
func splitEnds(args []string) []string {
	switch {
	case len(args) == 3 && (args[1] == "→" || args[1] == "->"):
		return []string{args[0], args[2]}
	case len(args) != 1:
		return args
	}
	for i := range args[0] {
		from := strings.TrimSpace(args[0][:i])
		for _, arrow := range []string{"→", "->"} {
			// A name may have an arrow too, but no end ends with its table's name.
			if to, ok := strings.CutPrefix(args[0][i:], arrow); ok && strings.HasSuffix(from, ")") {
				return []string{from, strings.TrimSpace(to)}
			}
		}
	}
	return args
}

// parseEnd reads what EndText writes: a table, and in parentheses its columns.
func parseEnd(text string) (table string, columns []string, ok bool) {
	open, quoted := -1, false
	for i, r := range text {
		switch {
		case r == '"':
			quoted = !quoted
		case r == '(' && !quoted:
			open = i
		}
	}
	inside, closed := strings.CutSuffix(text, ")")
	if open <= 0 || !closed || quoted {
		return "", nil, false
	}
	for rest := inside[open+1:]; ; {
		var column string
		if column, rest, ok = parseColumn(strings.TrimSpace(rest)); !ok {
			return "", nil, false
		}
		columns = append(columns, column)
		if rest == "" {
			return strings.TrimSpace(text[:open]), columns, true
		}
		rest = rest[1:]
	}
}

// parseColumn reads the first column of a list; rest begins with a comma or is
// empty.
func parseColumn(s string) (column, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		column, _, _ = strings.Cut(s, ",")
		rest = s[len(column):]
		column = strings.TrimSpace(column)
		return column, rest, column != ""
	}
	var b strings.Builder
	for rest = s[1:]; ; {
		before, after, closed := strings.Cut(rest, `"`)
		if !closed {
			return "", "", false
		}
		b.WriteString(before)
		if rest, ok = strings.CutPrefix(after, `"`); !ok {
			rest = strings.TrimSpace(after)
			return b.String(), rest, rest == "" || rest[0] == ','
		}
		b.WriteByte('"')
	}
}
