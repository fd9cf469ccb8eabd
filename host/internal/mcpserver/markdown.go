package mcpserver

import (
	"fmt"
	"strings"
)

// maxResource is the most that a resource has. Units: bytes.
const maxResource = 32 << 10

// document is the Markdown of a resource.
type document struct {
	text     string
	modified string // RFC 3339; "" = not known
}

// heading is a heading with a name from the project, in which no character has a meaning of Markdown.
func heading(what, name string) string { return "# " + what + " " + codeSpan(name) + "\n\n" }

// codeSpan returns a name as inline code, on one line.
// Source: CommonMark 0.31, section 6.1: the text is delimited by more backticks than it has in a row.
func codeSpan(name string) string {
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

// fenced returns a text as a block of code, in which no character has a meaning of Markdown.
func fenced(text string) string {
	fence := strings.Repeat("`", max(3, longestRun(text)+1))
	return fence + "text\n" + strings.TrimSuffix(text, "\n") + "\n" + fence + "\n"
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

// cutLines keeps the first lines of a text that fit into a number of bytes, and counts the bytes that it leaves out.
func cutLines(text string, most int) (kept string, left int) {
	if len(text) <= most {
		return text, 0
	}
	end := strings.LastIndexByte(text[:max(0, most)+1], '\n')
	if end < 0 {
		kept = strings.ToValidUTF8(text[:max(0, most)], "")
		return kept, len(text) - len(kept)
	}
	return text[:end+1], len(text) - end - 1
}

// leftOut says how much a resource leaves out, and which tool has it.
func leftOut(bytes int, where string) string {
	if bytes == 0 {
		return ""
	}
	return fmt.Sprintf("\nLeft out: %d bytes. Read them with %s.\n", bytes, where)
}

// answered makes the document of a tool's answer: a heading, what comes before the answer, and its text as code.
// text returns the answer for a number of characters; it is asked for less until it fits.
func answered(head string, where string, text func(chars int) (string, error)) (string, error) {
	var all string
	for chars := maxResource * 3 / 4; chars >= maxResource/8; chars /= 2 {
		one, err := text(chars)
		if err != nil {
			return "", err
		}
		if all = one; len(head)+len(fenced(all)) <= maxResource {
			return head + fenced(all), nil
		}
	}
	const rest = 200 // of bytes for the fences and the last line
	kept, left := cutLines(all, maxResource-len(head)-rest-2*longestRun(all))
	return head + fenced(kept) + leftOut(left, where), nil
}
