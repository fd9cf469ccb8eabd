package planner

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/change"
)

// layouts are the same text as mails, wikis and word processors have it.
var layouts = map[string]func(string) string{
	"lines of 50":    func(s string) string { return wrapped(s, 50) },
	"lines of 72":    func(s string) string { return wrapped(s, 72) },
	"CRLF":           func(s string) string { return strings.ReplaceAll(wrapped(s, 60), "\n", "\r\n") },
	"item":           func(s string) string { return "- " + s },
	"numbered":       func(s string) string { return "1. " + s },
	"heading":        func(s string) string { return "# Notes\n\n" + s },
	"mail":           func(s string) string { return "Hi all,\n\n" + s + "\n\nBest,\nAnna" },
	"two spaces":     func(s string) string { return strings.ReplaceAll(s, ". ", ".  ") },
	"no full stop":   func(s string) string { return strings.TrimSuffix(s, ".") },
	"wide spaces":    func(s string) string { return strings.ReplaceAll(s, " = ", "\u00a0=\u202f") },
	"typographic":    func(s string) string { return quotedValue.ReplaceAllString(s, "$1‘$2’") },
	"more is said":   func(s string) string { return s + "\n\nThe lift was repaired on Tuesday." },
	"blank and tabs": func(s string) string { return "\n\n" + strings.ReplaceAll(s, ", ", ",\t") + "\n\n\n" },
}

var (
	quotedValue = regexp.MustCompile(`([ (=])'([^']*)'`)
	// markup is the beginning of a line that is no text: an item, a quotation, a heading.
	markup = regexp.MustCompile(`(?m)^(?:[-+*>#]|\d+[.)])`)
)

func wrapped(s string, width int) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(s) {
		switch {
		case column == 0:
		case column+1+len(word) > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}

// laid are the texts of some files, each with the measures that it makes.
func laid(t *testing.T, pattern string, each func(file string, texts []unseen, measures func(text string) []string)) {
	readVoices(t, pattern, func(file string, v *voices) {
		each(file, v.Texts, func(text string) (all []string) {
			for _, c := range warehouse(t, &v.Tables, v.Values).plan(text).Changes {
				if c.Kind == change.Measure {
					all = append(all, measureOf(t, c))
				}
			}
			return all
		})
	})
}

// TestLayout has the same measures made of a text however it is laid out.
func TestLayout(t *testing.T) {
	compared := 0
	laid(t, "testdata/blind[46][0-27-9]/*.yaml", func(file string, texts []unseen, measures func(string) []string) {
		for _, u := range texts {
			if strings.Contains(strings.TrimSpace(u.Text), "\n") {
				continue // its lines are meant
			}
			plain := measures(u.Text)
			for name, lay := range layouts {
				text := lay(strings.TrimSpace(u.Text))
				if text == u.Text || (strings.HasPrefix(name, "lines") || name == "CRLF") && markup.MatchString(text) {
					continue
				}
				compared++
				if got := measures(text); !slices.Equal(got, plain) {
					t.Errorf("%s, %s, %s: %q, but %q of\n%s", file, u.Name, name, plain, got, text)
				}
			}
		}
	})
	t.Logf("%d layouts of the same texts", compared)
}

// TestBeside has no measure made of two texts in one that neither has alone. A heading says of what the texts below it are.
func TestBeside(t *testing.T) {
	pairs := 0
	laid(t, "testdata/blind49/*.yaml", func(file string, texts []unseen, measures func(string) []string) {
		alone := make([][]string, len(texts))
		for i, u := range texts {
			alone[i] = measures(u.Text)
		}
		for i, a := range texts {
			for j, b := range texts {
				if i == j || strings.HasPrefix(a.Text, "#") {
					continue
				}
				pairs++
				for _, m := range measures(strings.TrimSpace(a.Text) + "\n\n" + strings.TrimSpace(b.Text)) {
					if !slices.Contains(alone[i], m) && !slices.Contains(alone[j], m) {
						t.Errorf("%s: %q of %q and %q", file, m, a.Name, b.Name)
					}
				}
			}
		}
	})
	t.Logf("%d pairs", pairs)
}
