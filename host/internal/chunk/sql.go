package chunk

import "strings"

// statements are the blocks of SQL: each ends in the line of its semicolon. What is in quotes, comments and
// dollar quotes ends none. A quote that nobody closes makes the rest one block.
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

// scanner knows in which quote or comment a text is.
type scanner struct {
	// inside is what ends it: a quote, "*/", or a dollar quote; "" = none.
	inside string
}

// read goes on with a line.
// Shape: ended = a statement ends in it, and none begins behind that; words = it has more than comments.
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

// dollar returns the mark that a dollar quote begins with: $$ or $name$; "" = it is none.
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
