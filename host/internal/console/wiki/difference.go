package wiki

import (
	"html/template"
	"unicode/utf8"

	"github.com/loam-data/loam/host/internal/console/markdown"
	"github.com/loam-data/loam/host/internal/text/diff"
)

const (
	// around is how many unchanged lines stand around each change.
	around = 3
	// maxDiffLine is how much of a line is shown, in characters.
	maxDiffLine = 400
	// rowSize is about what the markup of a line takes, in bytes of HTML, and pieceSize that of a part of it.
	rowSize, pieceSize = 110, 40
	// diffRoom is the room of a difference that stands beside a list or another text, in bytes of HTML.
	diffRoom = 14 << 10
)

// difference is what changed from one text to another.
type difference struct {
	Lines []diff.Line `json:"lines"`
	// More counts the lines that are left out.
	More int `json:"more,omitempty"`
}

// differ returns the difference of two versions of a page, as much of it as has room in so many bytes of HTML; nil when
// they are equal.
func differ(before, after string, room int) (*difference, error) {
	rows, err := diff.Rows(before, after, around)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	d := &difference{}
	all := diff.Lines(rows)
	for i := range all {
		line := &all[i]
		room -= rowSize + diffPieces(line)
		if room < 0 && i > 0 {
			d.More = len(all) - i
			break
		}
		d.Lines = append(d.Lines, *line)
	}
	return d, nil
}

// diffPieces cuts a line to what is shown, and returns its size in bytes of HTML.
func diffPieces(line *diff.Line) (size int) {
	left := maxDiffLine
	for i := range line.Pieces {
		p := &line.Pieces[i]
		whole := utf8.RuneCountInString(p.Text)
		p.Text = cut(markdown.Visible(cut(p.Text, left)), left)
		size += pieceSize + len(template.HTMLEscapeString(p.Text))
		if left -= max(whole, utf8.RuneCountInString(p.Text)); left <= 0 {
			if left < 0 || i+1 < len(line.Pieces) {
				p.Text += "…"
			}
			line.Pieces = line.Pieces[:i+1]
			break
		}
	}
	return size
}

// cut returns at most so many characters of a text.
func cut(s string, most int) string {
	n := 0
	for at := range s {
		if n == most {
			return s[:at]
		}
		n++
	}
	return s
}
