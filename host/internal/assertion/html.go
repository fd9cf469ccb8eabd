package assertion

import (
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
		if code[i] != 0 {
			b.WriteByte(code[i])
			p.at = append(p.at, from+i)
		}
	}
	end()
}
