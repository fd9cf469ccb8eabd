package diff

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
	"github.com/aymanbagabas/go-udiff/lcs"
)

// Kind is the kind of a row.
type Kind string

// The kinds of rows.
const (
	Same    Kind = "same"
	Added   Kind = "add"
	Deleted Kind = "del"
	Changed Kind = "change" // a line that took the place of another
	Gap     Kind = "gap"    // unchanged lines that are left out
)

// Row is a line of a comparison with the old text on the left and the new one on the right.
// Shape: Left is zero of an added line, Right of a deleted one, both of a gap.
type Row struct {
	Kind  Kind `json:"kind"`
	Left  Side `json:"left,omitzero"`
	Right Side `json:"right,omitzero"`
}

// Side is a line of one text.
type Side struct {
	// Line is its number, from 1; 0 = there is no line.
	Line   int     `json:"line"`
	Pieces []Piece `json:"pieces,omitempty"`
}

// Piece is a part of a line.
type Piece struct {
	Text string `json:"text"`
	// Marked: the other line has not these words.
	Marked bool `json:"marked,omitempty"`
}

// Line is a line of a comparison with old and new lines below each other.
// Shape: Kind is none of Changed; Left is 0 of an added line, Right of a deleted one.
type Line struct {
	Kind        Kind    `json:"kind"`
	Left, Right int     `json:"-"`
	Pieces      []Piece `json:"pieces,omitempty"`
}

// Rows compares two texts by lines, with so many unchanged lines around each change, and marks the words that differ in
// lines that took the place of others.
// Shape: nil = the texts are equal.
func Rows(before, after string, context int) ([]Row, error) {
	edits := udiff.Lines(before, after)
	d, err := udiff.ToUnifiedDiff("a", "b", before, edits, context)
	if err != nil {
		return nil, err
	}
	var all []Row
	next := 1 // the line of before that is not shown yet
	for _, h := range d.Hunks {
		if h.FromLine > next {
			all = append(all, Row{Kind: Gap})
		}
		all = append(all, hunk(h)...)
		next = h.FromLine
		for _, l := range h.Lines {
			if l.Kind != udiff.Insert {
				next++
			}
		}
	}
	if last := lineCount(before); len(all) > 0 && next <= last {
		all = append(all, Row{Kind: Gap})
	}
	return all, nil
}

func lineCount(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// hunk returns the rows of a hunk. The n-th deleted line of a run is beside the n-th added one.
func hunk(h *udiff.Hunk) (all []Row) {
	left, right := h.FromLine, h.ToLine
	var old, fresh []string
	flush := func() {
		for i := range max(len(old), len(fresh)) {
			row := Row{Kind: Changed}
			switch {
			case i >= len(fresh):
				row.Kind, row.Left = Deleted, Side{left, plain(old[i])}
			case i >= len(old):
				row.Kind, row.Right = Added, Side{right, plain(fresh[i])}
			default:
				a, b := words(old[i], fresh[i])
				row.Left, row.Right = Side{left, a}, Side{right, b}
			}
			if i < len(old) {
				left++
			}
			if i < len(fresh) {
				right++
			}
			all = append(all, row)
		}
		old, fresh = nil, nil
	}
	for _, l := range h.Lines {
		text := strings.TrimSuffix(l.Content, "\n")
		switch l.Kind {
		case udiff.Delete:
			old = append(old, text)
		case udiff.Insert:
			fresh = append(fresh, text)
		default:
			flush()
			all = append(all, Row{Same, Side{left, plain(text)}, Side{right, plain(text)}})
			left, right = left+1, right+1
		}
	}
	flush()
	return all
}

func plain(text string) []Piece { return []Piece{{Text: text}} }

// Lines puts the lines of a comparison below each other: of each run of changes the old ones first.
func Lines(rows []Row) (all []Line) {
	for i := 0; i < len(rows); {
		r := &rows[i]
		if r.Kind == Same || r.Kind == Gap {
			all = append(all, Line{r.Kind, r.Left.Line, r.Right.Line, r.Left.Pieces})
			i++
			continue
		}
		end := i
		for end < len(rows) && rows[end].Kind != Same && rows[end].Kind != Gap {
			end++
		}
		for _, r := range rows[i:end] {
			if r.Left.Line > 0 {
				all = append(all, Line{Deleted, r.Left.Line, 0, r.Left.Pieces})
			}
		}
		for _, r := range rows[i:end] {
			if r.Right.Line > 0 {
				all = append(all, Line{Added, 0, r.Right.Line, r.Right.Pieces})
			}
		}
		i = end
	}
	return all
}

const (
	// maxWords bounds the words of a line that are compared.
	maxWords = 1000
	// leastAlike is the part of a line, in percent, that must be alike for words to be marked.
	leastAlike = 25
)

// words marks the words in which two lines differ. Lines that have little in common are not marked.
func words(a, b string) (left, right []Piece) {
	old, fresh := split(a), split(b)
	if len(old) > maxWords || len(fresh) > maxWords {
		return plain(a), plain(b)
	}
	var differs int
	at, to := 0, 0
	for _, d := range lcs.DiffLines(old, fresh) {
		left = add(left, old[at:d.Start], false)
		right = add(right, fresh[to:d.ReplStart], false)
		left, right = add(left, old[d.Start:d.End], true), add(right, fresh[d.ReplStart:d.ReplEnd], true)
		differs += size(old[d.Start:d.End]) + size(fresh[d.ReplStart:d.ReplEnd])
		at, to = d.End, d.ReplEnd
	}
	left, right = add(left, old[at:], false), add(right, fresh[to:], false)
	if alike := len(a) + len(b) - differs; alike*100 < leastAlike*(len(a)+len(b)) {
		return plain(a), plain(b)
	}
	return left, right
}

func add(to []Piece, words []string, marked bool) []Piece {
	if len(words) == 0 {
		return to
	}
	return append(to, Piece{strings.Join(words, ""), marked})
}

func size(words []string) (n int) {
	for _, w := range words {
		n += len(w)
	}
	return n
}

// split returns the words of a line, the spaces between them, and each other character.
func split(line string) (all []string) {
	for line != "" {
		c, n := utf8.DecodeRuneInString(line)
		if kind := kindOf(c); kind != 0 {
			if end := strings.IndexFunc(line, func(o rune) bool { return kindOf(o) != kind }); end > 0 {
				n = end
			} else if end < 0 {
				n = len(line)
			}
		}
		all, line = append(all, line[:n]), line[n:]
	}
	return all
}

// kindOf is 1 of the characters of words, 2 of spaces and 0 of others.
func kindOf(c rune) int {
	switch {
	case c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c):
		return 1
	case unicode.IsSpace(c):
		return 2
	}
	return 0
}
