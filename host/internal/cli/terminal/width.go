package terminal

import (
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"golang.org/x/term"
)

// Width returns the width of a text in terminal columns.
func Width(s string) int {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return uniseg.StringWidth(s)
		}
	}
	return len(s)
}

// columnsOf returns the width of the terminal that w is, 0 if it is none.
func columnsOf(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// Cut shortens a text to a width in terminal columns, on one line, with an ellipsis.
func Cut(s string, most int) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), " ")
	if Width(s) <= most {
		return s
	}
	taken, end, state := 0, 0, -1
	for rest := s; rest != ""; {
		cluster, tail, width, next := uniseg.FirstGraphemeClusterInString(rest, state)
		if taken+width > most-1 {
			break
		}
		taken, end, rest, state = taken+width, end+len(cluster), tail, next
	}
	return s[:end] + "…"
}

// narrowest is the width below which a column is not shortened.
const narrowest = 8

// fit shortens the widest columns until a line is no longer than most, as far as that
// goes; fixed columns keep their width.
func fit(widths []int, fixed []bool, most int) {
	total := 2 * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	for total > most {
		widest, second := -1, narrowest
		for i, w := range widths {
			switch {
			case fixed[i] || w <= narrowest:
			case widest < 0 || w > widths[widest]:
				if widest >= 0 {
					second = max(second, widths[widest])
				}
				widest = i
			default:
				second = max(second, w)
			}
		}
		if widest < 0 {
			return
		}
		// Down to the second widest at once; equals take turns.
		less := min(total-most, max(1, widths[widest]-second))
		widths[widest] -= less
		total -= less
	}
}
