package markdown

import (
	"bytes"

	"github.com/loam-data/loam/host/internal/text/markdown"
)

const (
	// maxSource is how much of a text is rendered, and maxHTML how much HTML is made of it unless Options.Room says so,
	// in bytes.
	maxSource = 48 << 10
	maxHTML   = 40 << 10
	// maxDepth is how deep elements nest; what is deeper is plain text.
	maxDepth = 12
	// maxCells bounds the cells of one table: rows are filled up to the width of the widest one.
	maxCells = 10_000
	// maxEscaped bounds the escaped bars, which the parser compares with each other.
	maxEscaped = 200
)

// bound blanks markup that would cost the parser more than linear time or memory, in the copy that it reads.
func bound(source []byte) {
	markdown.Bound(source)
	escaped := 0
	lines, bars, from := 0, 0, 0 // of the paragraph that began at from
	flush := func(to int) {
		if lines*bars > maxCells {
			blank(source[from:to])
		}
		lines, bars, from = 0, 0, to
	}
	for at := 0; at < len(source); {
		end := len(source)
		if n := bytes.IndexByte(source[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		line := source[at:end]
		lines++
		bars = max(bars, bytes.Count(line, []byte{'|'}))
		if escaped += bytes.Count(line, []byte(`\|`)); escaped > maxEscaped {
			blank(line)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			flush(end)
		}
		at = end
	}
	flush(len(source))
}

// blank removes the bars, so that nothing is a table.
func blank(part []byte) {
	for i, c := range part {
		if c == '|' {
			part[i] = ' '
		}
	}
}
