// Package markdown writes names and texts from anywhere into Markdown so that no character of them has a meaning.
package markdown

import "strings"

// Code returns a name as inline code, on one line.
// Source: CommonMark 0.31, section 6.1: more backticks than the text has in a row delimit it.
func Code(name string) string {
	name = strings.Join(strings.Fields(name), " ")
	if name == "" {
		return "(no name)"
	}
	fence := strings.Repeat("`", longestRun(name)+1)
	if len(fence) == 1 {
		return fence + name + fence
	}
	return fence + " " + name + " " + fence
}

// Block returns a text as a block of code. info names its language.
func Block(info, text string) string {
	fence := strings.Repeat("`", max(3, longestRun(text)+1))
	return fence + info + "\n" + strings.TrimSuffix(text, "\n") + "\n" + fence + "\n"
}

// longestRun is the length of the longest run of backticks.
func longestRun(text string) (longest int) {
	run := 0
	for _, r := range text {
		if run++; r != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}
