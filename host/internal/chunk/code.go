package chunk

import "strings"

// topLevel are the blocks of code: one begins at a line without indentation that comes after a blank or an
// indented line and closes nothing.
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

// closes reports whether a line ends what was begun above it.
func closes(line string) bool {
	word := strings.TrimSpace(line)
	return strings.ContainsAny(word[:min(1, len(word))], "})]") || word == "end" || word == "fi" || word == "done" || word == "esac"
}

// comment reports whether a line only says what follows.
func comment(line string) bool {
	for _, mark := range []string{"//", "/*", "*", "#", "--", "@", `"""`, "'''", "%", ";"} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return false
}
