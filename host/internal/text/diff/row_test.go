package diff

import (
	"fmt"
	"strings"
	"testing"
)

// show writes rows as text: "[" and "]" around marked words.
func show(rows []Row) string {
	side := func(s Side) string {
		if s.Line == 0 {
			return "-"
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%d ", s.Line)
		for _, p := range s.Pieces {
			if p.Marked {
				b.WriteString("[" + p.Text + "]")
			} else {
				b.WriteString(p.Text)
			}
		}
		return b.String()
	}
	var all []string
	for _, r := range rows {
		all = append(all, string(r.Kind)+"|"+side(r.Left)+"|"+side(r.Right))
	}
	return strings.Join(all, "\n")
}

func TestRows(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, before, after, want string }{
		{"equal", "a\n", "a\n", ""},
		{"both empty", "", "", ""},
		{"new", "", "a\nb\n", "add|-|1 a\nadd|-|2 b"},
		{"gone", "a\n", "", "del|1 a|-"},
		{"a word", "x: sum(amount_cents)\n", "x: sum(amount_cents) / 100\n", "change|1 x: sum(amount_cents)|1 x: sum(amount_cents)[ / 100]"},
		{"words in other scripts", "売上 は 純額\n", "売上 は 総額\n", "change|1 売上 は [純額]|1 売上 は [総額]"},
		{"little in common", "apples\n", "net revenue of all\n", "change|1 apples|1 net revenue of all"},
		{"more new lines", "a b c\n", "a b d\ne\n", "change|1 a b [c]|1 a b [d]\nadd|-|2 e"},
		{"fewer", "a b c\ne\n", "a b d\n", "change|1 a b [c]|1 a b [d]\ndel|2 e|-"},
		{
			"gaps", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n",
			"gap|-|-\nsame|3 3|3 3\nsame|4 4|4 4\nchange|5 5|5 x\nsame|6 6|6 6\nsame|7 7|7 7\ngap|-|-",
		},
		{"no line end", "a", "a\n", "change|1 a|1 a"},
		{"to the end", "1\n2\n", "1\nx\n", "same|1 1|1 1\nchange|2 2|2 x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rows, err := Rows(tt.before, tt.after, 2)
			if got := show(rows); got != tt.want || err != nil {
				t.Errorf("%v\n%s\nwant\n%s", err, got, tt.want)
			}
		})
	}
}

// Old and new lines of a run stand below each other, and no line is lost.
func TestLines(t *testing.T) {
	t.Parallel()
	rows, err := Rows("k\na 1 x\nb 1 x\nl\n", "k\na 2 x\nb 2 x\nc\nl\n", 3)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range Lines(rows) {
		text := ""
		for _, p := range l.Pieces {
			text += p.Text
		}
		got = append(got, fmt.Sprintf("%s %d %d %s", l.Kind, l.Left, l.Right, text))
	}
	want := "same 1 1 k\ndel 2 0 a 1 x\ndel 3 0 b 1 x\nadd 0 2 a 2 x\nadd 0 3 b 2 x\nadd 0 4 c\nsame 4 5 l"
	if all := strings.Join(got, "\n"); all != want {
		t.Errorf("%s\nwant\n%s", all, want)
	}
}

// The pieces of a side are the line, whatever it is: none is lost, in lines of any length.
func FuzzRows(f *testing.F) {
	f.Add("a b\nc\n", "a c\nd\n")
	f.Add("\r\n\u202e", "\xff\n\x00")
	f.Add(strings.Repeat("word ", 600), strings.Repeat("other ", 600)+"\n")
	f.Fuzz(func(t *testing.T, before, after string) {
		rows, err := Rows(before, after, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if before == after {
			return
		}
		var left, right []string
		for _, r := range rows {
			for side, into := range map[*Side]*[]string{&r.Left: &left, &r.Right: &right} {
				text := ""
				for _, p := range side.Pieces {
					text += p.Text
				}
				if side.Line > 0 {
					*into = append(*into, text)
				}
			}
		}
		for text, got := range map[string]string{before: strings.Join(left, "\n"), after: strings.Join(right, "\n")} {
			if got != strings.TrimSuffix(text, "\n") {
				t.Errorf("%q, want %q", got, text)
			}
		}
	})
}
