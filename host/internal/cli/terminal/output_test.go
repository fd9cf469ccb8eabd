package terminal

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
)

func TestTableStreams(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	table := NewTable(&out, []string{"n"}, nil)
	for range 10 * sampleRows {
		if err := table.Row([]string{"1"}); err != nil {
			t.Fatal(err)
		}
	}
	if len(table.sample) != 0 {
		t.Errorf("%d rows are held back after the sample", len(table.sample))
	}
	if err := table.Flush(); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(out.String(), "\n"); lines != 10*sampleRows+1 {
		t.Errorf("%d lines", lines)
	}
}

func TestExitCodesCoverEveryKind(t *testing.T) {
	t.Parallel()
	seen := map[int]bool{}
	for _, row := range ExitCodes {
		if seen[row.Code] {
			t.Errorf("exit code %d has two meanings", row.Code)
		}
		seen[row.Code] = true
	}
	for _, kind := range sdk.Kinds() {
		code := ExitCode(&sdk.Error{Kind: kind})
		if code == 0 || code == 1 && kind != sdk.KindInternal {
			t.Errorf("kind %s has exit code %d", kind, code)
		}
	}
	if code := ExitCode(errors.New("any")); code != 1 {
		t.Errorf("a foreign error has exit code %d", code)
	}
}

func TestNoControlCharacterReachesATerminal(t *testing.T) {
	t.Parallel()
	if got, want := Escape("a\x1b[2Jb\u009bc\x00\a\tZürich 日本\\n"), `a\x1b[2Jb\u009bc\x00\a\tZürich 日本\n`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"", 3, ""},
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"日本語です", 7, "日本語…"},
		{"日本語です", 6, "日本…"},
		{"日本語", 6, "日本語"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…"},
		{"a\r\nb\nc", 9, "a b c"},
	} {
		if got := Cut(c.text, c.most); got != c.want {
			t.Errorf("Cut(%q, %d) is %q, want %q", c.text, c.most, got, c.want)
		}
	}
}

func TestWarningsAreCounted(t *testing.T) {
	t.Parallel()
	for want, n := range map[string]int{"": 0, ", but a warning": 1, ", but 2 warnings": 2} {
		if got := warned(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

// TestTableAlignsWhatATerminalShows: a wide letter takes two columns, a combining mark
// none.
func TestTableAlignsWhatATerminalShows(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	table := NewTable(&out, []string{"name", "x"}, nil)
	if err := table.Rows([][]string{{"日本", "1"}, {"e\u0301", "2"}, {"🙂", "3"}}); err != nil {
		t.Fatal(err)
	}
	if want := "name  x\n日本  1\ne\u0301     2\n🙂    3\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

// TestTableFitsTheTerminal: texts are shortened, numbers never, and nothing where the
// output is no terminal.
func TestTableFitsTheTerminal(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 8) + "end"
	rows := [][]string{{"1", long, "short"}, {"12345678901234567890", "日本語日本語日本語日本語日本語", long}}
	for _, columns := range []int{0, 200, 60, 45, 10} {
		var out bytes.Buffer
		table := NewTable(&out, []string{"n", "a", "b"}, []bool{true, false, false})
		table.columns = columns
		if err := table.Rows(rows); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "12345678901234567890  ") {
			t.Errorf("%d: a number is shortened:\n%s", columns, out.String())
		}
		whole := columns == 0 || columns == 200
		if table.Shortened == whole || strings.Contains(out.String(), long) != whole {
			t.Errorf("%d: shortened is %t:\n%s", columns, table.Shortened, out.String())
		}
		for line := range strings.Lines(out.String()) {
			if w := Width(strings.TrimSuffix(line, "\n")); columns >= 45 && w > columns {
				t.Errorf("%d: a line of %d columns: %s", columns, w, line)
			}
		}
	}
}
