package agents

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// around is the number of context lines of a diff.
const around = 3

// unified returns the unified diff of two versions of a file. It has one hunk, because all
// changes of a file are in one place.
func unified(path string, before, after []byte, existed, gone bool) string {
	if string(before) == string(after) && existed != gone {
		return ""
	}
	from, to := path, path
	if !existed {
		from = "/dev/null"
	}
	if gone {
		to = "/dev/null"
	}
	head := fmt.Sprintf("--- %s\n+++ %s\n", from, to)
	if !utf8.Valid(before) || !utf8.Valid(after) {
		return head + "Binary files differ\n"
	}
	a, b := lines(before), lines(after)
	start := 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < min(len(a), len(b))-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	lead, trail := min(start, around), min(end, around)
	var out strings.Builder
	fmt.Fprintf(&out, "%s@@ -%s +%s @@\n", head, hunk(start-lead, len(a)-end+trail), hunk(start-lead, len(b)-end+trail))
	write := func(mark string, lines []string) {
		for _, line := range lines {
			out.WriteString(mark + line)
			if !strings.HasSuffix(line, "\n") {
				out.WriteString("\n\\ No newline at end of file\n")
			}
		}
	}
	write(" ", a[start-lead:start])
	write("-", a[start:len(a)-end])
	write("+", b[start:len(b)-end])
	write(" ", a[len(a)-end:len(a)-end+trail])
	return out.String()
}

// hunk formats the lines from..to, counted from 0, as a range of a diff.
func hunk(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

func lines(text []byte) []string {
	var all []string
	for line := range strings.Lines(string(text)) {
		all = append(all, line)
	}
	return all
}
