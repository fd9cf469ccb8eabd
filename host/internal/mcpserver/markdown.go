package mcpserver

import (
	"fmt"
	"strings"

	"github.com/loam-data/loam/host/internal/text/markdown"
)

// maxResource is the most that a resource has. Units: bytes.
const maxResource = 32 << 10

// document is the Markdown of a resource.
type document struct {
	text     string
	modified string // RFC 3339; "" = not known
}

// heading is a heading with a name from the project, in which no character has a meaning of Markdown.
func heading(what, name string) string { return "# " + what + " " + markdown.Code(name) + "\n\n" }

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

// answered makes the document of a tool's answer: a heading, what comes before the answer, and its text as code, whose language
// info names.
// text returns the answer for a number of characters; it is asked for less until it fits.
func answered(head, info, where string, text func(chars int) (string, error)) (string, error) {
	var all string
	for chars := maxResource * 3 / 4; chars >= maxResource/8; chars /= 2 {
		one, err := text(chars)
		if err != nil {
			return "", err
		}
		if all = one; len(head)+len(markdown.Block(info, all)) <= maxResource {
			return head + markdown.Block(info, all), nil
		}
	}
	const rest = 200 // of bytes for the last line
	fences := len(markdown.Block(info, all)) - len(all)
	kept, left := cutLines(all, maxResource-len(head)-rest-fences)
	return head + markdown.Block(info, kept) + leftOut(left, where), nil
}
