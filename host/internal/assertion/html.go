package assertion

import (
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/loam-data/loam/host/internal/text"
)

var (
	// tag matches an HTML tag, hidden content that is not displayed.
	tag    = text.Pattern(`<[^<>]*>`)
	hidden = text.Pattern(`(?is)<!--.*?-->|<(?:script|style|head|template)\b.*?</(?:script|style|head|template)\s*>`)
	// inlineTag matches a tag that does not end a paragraph.
	inlineTag = text.Pattern(`(?i)^</?(?:b|i|em|strong|a|span|code|u|small|sub|sup|mark|abbr)\b`)
)

// html reads the text between the tags of an HTML block. Every tag that is not inline ends a passage.
func (o *outline) html(n *ast.HTMLBlock, aside bool) {
	lines := n.Lines()
	if lines.Len() == 0 {
		return
	}
	from, to := lines.At(0).Start, lines.At(lines.Len()-1).Stop
	if n.HasClosure() {
		to = max(to, n.ClosureLine.Stop)
	}
	code := []byte(o.doc.Text[from:to])
	for _, at := range hidden().FindAllIndex(code, -1) {
		for i := at[0]; i < at[1]; i++ {
			code[i] = '\x00'
		}
	}
	p := passage{aside: aside}
	var b strings.Builder
	end := func() {
		if p.text = b.String(); strings.TrimSpace(p.text) != "" {
			o.add(p)
		}
		b.Reset()
		p = passage{aside: aside}
	}
	tags := tag().FindAllIndex(code, -1)
	for i := 0; i < len(code); i++ {
		if len(tags) > 0 && i == tags[0][0] {
			if !inlineTag().Match(code[i:tags[0][1]]) {
				end()
			}
			i = tags[0][1] - 1
			tags = tags[1:]
			continue
		}
		meant, width := "", 0
		if code[i] == '&' {
			meant, width = entity(string(code[i:min(len(code), i+longestEntity)]))
		}
		if width > 0 {
			for j := range len(meant) {
				b.WriteByte(meant[j])
				p.at = append(p.at, from+i)
			}
			i += width - 1
		} else if code[i] != 0 {
			b.WriteByte(code[i])
			p.at = append(p.at, from+i)
		}
	}
	end()
}

// longestEntity is the longest name of a character that is read, in bytes.
const longestEntity = 10

// entity returns the character that a text begins with the name of, "&lt;", and the length of that name; 0 = it begins with none.
func entity(s string) (meant string, width int) {
	if s[0] != '&' {
		return "", 0
	}
	end := strings.IndexByte(s[:min(len(s), longestEntity)], ';')
	if end < 0 {
		return "", 0
	}
	if meant = html.UnescapeString(s[:end+1]); meant == s[:end+1] || strings.ContainsFunc(meant, invisible) {
		return "", 0 // what Frame takes out has no other way in
	}
	return text.Retyped(meant), end + 1
}
