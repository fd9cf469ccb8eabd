package chunk

import "strings"

// topLevel returns the blocks of code. A block begins at a line without indentation that follows a blank or indented
// line and does not close a block.
func topLevel(lines []string) []block {
	all := []block{{}}
	before := false // the line before was at the top level
	for i, line := range lines {
		top := !blank(line) && line[0] != ' ' && line[0] != '\t'
		if top && !before && !closes(line) && i > 0 {
			all = append(all, block{line: i})
		}
		if last := &all[len(all)-1]; top && last.heading == "" && !comment(line) {
			last.heading = strings.TrimSpace(line)
		}
		before = top && !closes(line)
	}
	return all
}

// closes reports whether a line closes a block that began above it.
func closes(line string) bool {
	word := strings.TrimSpace(line)
	return strings.ContainsAny(word[:min(1, len(word))], "})]") || word == "end" || word == "fi" || word == "done" || word == "esac"
}

// comment reports whether a line is a comment or an annotation, and so no good heading.
func comment(line string) bool {
	for _, mark := range []string{"//", "/*", "*", "#", "--", "@", `"""`, "'''", "%", ";"} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return false
}
