package review

import (
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize"

	"github.com/loam-data/loam/host/internal/console/markdown"
	"github.com/loam-data/loam/host/internal/text"
	"github.com/loam-data/loam/host/internal/text/diff"
)

// shown returns a text of an agent or a file for a page: characters that are invisible or that turn the direction of
// writing are replaced by their codes, and what is longer than so many characters is cut, with the number of the
// others.
func shown(s string, most int) string {
	cut, left := s, 0
	if len(s) > most {
		n := 0
		for i := range s {
			if n == most {
				cut, left = s[:i], utf8.RuneCountInString(s[i:])
				break
			}
			n++
		}
	}
	out := visible(cut)
	if left > 0 {
		out += "… " + humanize.Comma(int64(left)) + " more " + plural(left, "character")
	}
	return out
}

// visible replaces characters that a reader cannot see by their codes.
func visible(s string) string { return markdown.Visible(strings.ToValidUTF8(s, "\ufffd")) }

// hiddenIn counts the hidden characters of a text.
func hiddenIn(s string) (n int) {
	for _, c := range s {
		if text.Unseen(c) && c != '\r' {
			n++
		}
	}
	return n
}

func plural(n int, one string) string { return strings.TrimLeft(text.Count(n, one), "0123456789 ") }

const (
	// maxRows bounds the rows of a diff, maxLine the characters of one line and maxDiff those of all.
	maxRows, maxLine, maxDiff = 200, 400, 12_000
)

// bounded returns rows that fit on a page, and how many are left out.
func bounded(rows []diff.Row) (shownRows []diff.Row, more int) {
	left := maxDiff
	for i := range rows {
		if i == maxRows || left <= 0 {
			return rows[:i:i], len(rows) - i
		}
		for _, side := range []*diff.Side{&rows[i].Left, &rows[i].Right} {
			side.Pieces = boundedPieces(side.Pieces)
			for _, p := range side.Pieces {
				left -= len(p.Text)
			}
		}
	}
	return rows, 0
}

// boundedPieces cuts a line.
func boundedPieces(pieces []diff.Piece) (out []diff.Piece) {
	left, dropped := maxLine, 0
	for _, p := range pieces {
		n := utf8.RuneCountInString(p.Text)
		if left <= 0 {
			dropped += n
			continue
		}
		if n > left {
			cut := []rune(p.Text)
			p.Text, dropped = string(cut[:left]), dropped+n-left
		}
		left -= n
		p.Text = visible(p.Text)
		out = append(out, p)
	}
	if dropped > 0 {
		out = append(out, diff.Piece{Text: "… " + humanize.Comma(int64(dropped)) + " more " + plural(dropped, "character")})
	}
	return out
}
