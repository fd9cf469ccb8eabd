package wiki

import (
	"strings"

	"github.com/loam-data/loam/host/internal/console/markdown"
	"github.com/loam-data/loam/host/internal/text/diff"
)

const (
	// maxDiff bounds what a page shows of a difference: lines, and characters of a line.
	maxDiff     = 300
	maxDiffLine = 400
	// maxDiffBytes bounds the whole, in bytes of text.
	maxDiffBytes = 24 << 10
)

// difference is what changed from one text to another.
type difference struct {
	Lines []diffLine `json:"lines"`
	// More counts the lines that are left out.
	More int `json:"more,omitempty"`
}

// diffLine is a line of a difference. Class is "diff-add", "diff-del", "diff-head" or "" for an unchanged line.
type diffLine struct {
	Class string `json:"class,omitempty"`
	Text  string `json:"text"`
}

// differ returns the difference of two versions of a page; nil when they are equal.
func differ(before, after string) *difference {
	unified := diff.Unified("a", "b", before, after)
	if unified == "" {
		return nil
	}
	d := &difference{}
	size := 0
	for i, line := range strings.Split(strings.TrimSuffix(unified, "\n"), "\n") {
		if i < 2 { // the names of the files
			continue
		}
		if len(d.Lines) == maxDiff || size > maxDiffBytes {
			d.More++
			continue
		}
		one := diffLine{Text: diffText(line)}
		switch {
		case strings.HasPrefix(line, "+"):
			one.Class = "diff-add"
		case strings.HasPrefix(line, "-"):
			one.Class = "diff-del"
		case strings.HasPrefix(line, "@@"):
			one.Class = "diff-head"
		}
		size += len(one.Text)
		d.Lines = append(d.Lines, one)
	}
	return d
}

// diffText returns a line as it is shown, with its spaces.
func diffText(line string) string {
	cut := len(line) > 4*maxDiffLine
	if cut {
		line = line[:4*maxDiffLine]
	}
	shown := []rune(markdown.Visible(strings.ToValidUTF8(line, "\ufffd")))
	if len(shown) > maxDiffLine || cut {
		return string(shown[:min(len(shown), maxDiffLine)]) + "…"
	}
	return string(shown)
}
