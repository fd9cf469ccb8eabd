package chunk

import "strings"

// statements returns the blocks of SQL: each ends in the line of its semicolon. Semicolons in quotes, comments and
// dollar quotes do not count. After an unclosed quote, the rest is one block.
func statements(lines []string) []block {
	all := []block{{}}
	var s scanner
	begun := false // the block has more than blank lines and comments
	for i, line := range lines {
		ended, words := s.read(line)
		last := &all[len(all)-1]
		if words && last.heading == "" {
			last.heading = strings.TrimSpace(line)
		}
		begun = begun || words
		if ended && begun && i+1 < len(lines) {
			all, begun = append(all, block{line: i + 1}), false
		}
	}
	return all
}

// scanner tracks in which quote or comment the end of a text is.
type scanner struct {
	// inside is the text that ends the current quote or comment: a quote, "*/" or a dollar quote; "" = outside.
	inside string
}

// read reads the next line.
// Shape: ended reports that a statement ends in it and none begins after that; words, that it has more than comments.
func (s *scanner) read(line string) (ended, words bool) {
	for i := 0; i < len(line); {
		if s.inside != "" {
			at := strings.Index(line[i:], s.inside)
			words = words || s.inside != "*/"
			if at < 0 {
				return false, words
			}
			i += at + len(s.inside)
			s.inside = ""
			continue
		}
		switch c := line[i]; {
		case strings.HasPrefix(line[i:], "--"):
			return ended, words
		case strings.HasPrefix(line[i:], "/*"):
			s.inside = "*/"
			i += 2
			continue
		case c == '\'' || c == '"' || c == '`':
			s.inside, ended, words = line[i:i+1], false, true
		case c == '$':
			if mark := dollar(line[i:]); mark != "" {
				s.inside, ended, words = mark, false, true
				i += len(mark)
				continue
			}
			words = true
		case c == ';':
			ended = true
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			ended, words = false, true
		}
		i++
	}
	return ended, words
}

// dollar returns the delimiter of a dollar quote at the beginning of a text: $$ or $name$; "" = there is none.
func dollar(text string) string {
	const longest = 64
	for i := 1; i < min(len(text), longest); i++ {
		c := text[i]
		switch {
		case c == '$':
			return text[:i+1]
		case c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' && i > 1:
		default:
			return ""
		}
	}
	return ""
}
