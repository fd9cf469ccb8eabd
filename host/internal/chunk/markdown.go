package chunk

import "strings"

// sections returns the blocks of Markdown: one per heading. A block's heading begins with the headings above it.
func sections(lines []string) []block {
	all := []block{{}}
	var path [7]string // by level
	fence := ""
	start := frontMatter(lines)
	if start > 0 {
		all = append(all, block{line: start})
	}
	for i := start; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], "\r\n")
		if mark := fenceOf(line); mark != "" {
			switch {
			case fence == "":
				fence = mark
			case mark[0] == fence[0] && len(mark) >= len(fence) && strings.Trim(line, " "+mark[:1]) == "":
				fence = ""
			}
			continue
		}
		if fence != "" {
			continue
		}
		level, title, at := headingAt(lines, i, start)
		if level == 0 {
			continue
		}
		path[level] = title
		clear(path[level+1:])
		if all[len(all)-1].line < at {
			all = append(all, block{line: at})
		}
		all[len(all)-1].heading = joined(path[1:])
	}
	return all
}

// joined joins headings: "A › B".
func joined(path []string) string {
	var names []string
	for _, name := range path {
		if name != "" {
			names = append(names, name)
		}
	}
	return strings.Join(names, " › ")
}

// frontMatter returns the first line after the front matter of a file; 0 = it has none.
func frontMatter(lines []string) int {
	if strings.TrimRight(lines[0], "\r\n") != "---" {
		return 0
	}
	for i := 1; i < len(lines); i++ {
		if end := strings.TrimRight(lines[i], "\r\n"); end == "---" || end == "..." {
			return i + 1
		}
	}
	return 0
}

// fenceOf returns the fence that opens or closes a code block; "" = the line is not a fence.
func fenceOf(line string) string {
	text := strings.TrimLeft(line, " ")
	if len(line)-len(text) > 3 || len(text) < 3 || text[0] != '`' && text[0] != '~' {
		return ""
	}
	n := len(text) - len(strings.TrimLeft(text, text[:1]))
	if n < 3 || text[0] == '`' && strings.Contains(text[n:], "`") {
		return ""
	}
	return text[:n]
}

// headingAt returns the heading that ends in line i, and the line where it begins; level 0 = there is none.
func headingAt(lines []string, i, start int) (level int, title string, at int) {
	text := strings.TrimLeft(strings.TrimRight(lines[i], " \t\r\n"), " ")
	if len(lines[i])-len(strings.TrimLeft(lines[i], " ")) > 3 || text == "" {
		return 0, "", 0
	}
	if n := len(text) - len(strings.TrimLeft(text, "#")); n > 0 {
		if n > 6 || len(text) > n && text[n] != ' ' && text[n] != '\t' {
			return 0, "", 0
		}
		title := strings.TrimSpace(text[n:])
		if closed := strings.TrimRight(title, "#"); closed == "" || strings.HasSuffix(closed, " ") {
			title = strings.TrimSpace(closed)
		}
		return n, title, i
	}
	if level = underline(text); level == 0 || i == start || !paragraph(lines[i-1]) {
		return 0, "", 0
	}
	return level, strings.TrimSpace(lines[i-1]), i - 1
}

// underline returns the level of the heading that a line underlines (setext); 0 = it is not an underline.
func underline(text string) int {
	switch {
	case strings.Trim(text, "=") == "":
		return 1
	case strings.Trim(text, "-") == "":
		return 2
	}
	return 0
}

// paragraph reports whether a line can be the text of an underlined heading.
func paragraph(line string) bool {
	text := strings.TrimSpace(line)
	if text == "" || strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t") {
		return false
	}
	return !strings.ContainsAny(text[:1], "#>-*+|`~=")
}
