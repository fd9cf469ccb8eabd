package markdown

import (
	"html"
	"html/template"
	"iter"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// writer writes the blocks of a text as HTML. Each tag is a constant of this package, and everything else is escaped.
type writer struct {
	source  string
	options Options
	b       strings.Builder
	room    int
	cut     bool
	depth   int
	// linked: the words of a link are written, in which there is no other one.
	linked bool
}

// full reports whether no more may be written, and marks the text as cut.
func (w *writer) full() bool {
	if w.b.Len() < w.room {
		return false
	}
	w.cut = true
	return true
}

// raw writes HTML.
func (w *writer) raw(parts ...string) {
	for _, p := range parts {
		w.b.WriteString(p)
	}
}

// longest is how many bytes of HTML one byte of a text may become.
const longest = 12

// text writes a text without meaning in HTML, as much of it as fits.
func (w *writer) text(s string) {
	escaped := template.HTMLEscapeString(Visible(s))
	if left := max(0, w.room-w.b.Len()); len(escaped) > left {
		w.cut = true
		escaped = template.HTMLEscapeString(Visible(strings.ToValidUTF8(s[:min(len(s), left/longest)], "")))
	}
	w.raw(escaped)
}

// repeatsTitle reports whether a block is the first one and the heading that the page shows already.
func (w *writer) repeatsTitle(n ast.Node) bool {
	return n.Kind() == ast.KindHeading && n.PreviousSibling() == nil && w.options.Title != "" && wordsOf(n, w.source) == strings.Join(strings.Fields(w.options.Title), " ")
}

// top writes a block that is no part of another one, with what stands beside it.
func (w *writer) top(n ast.Node) {
	if n.Kind() == ast.KindList { // its entries are asked for one by one
		w.node(n)
		return
	}
	w.beside(n, func() { w.node(n) })
}

func (w *writer) beside(n ast.Node, write func()) {
	var with Beside
	if w.options.Beside != nil {
		with = w.options.Beside(wordsOf(n, w.source))
	}
	if with.From != "" {
		w.raw(`<figure class="machine"><figcaption>`, string(with.From), `</figcaption>`)
	}
	write()
	if with.From != "" {
		w.raw("</figure>\n")
	}
	for _, note := range with.Notes {
		w.raw(string(note))
	}
}

// parts yields the nodes directly below a node.
func parts(n ast.Node) iter.Seq[ast.Node] {
	return func(yield func(ast.Node) bool) {
		for at := n.FirstChild(); at != nil && yield(at); at = at.NextSibling() {
		}
	}
}

func (w *writer) children(n ast.Node) {
	for part := range parts(n) {
		w.node(part)
	}
}

// wrap writes the content of a node between a tag and its end.
func (w *writer) wrap(n ast.Node, tag, attributes string) {
	w.raw("<", tag, attributes, ">")
	w.children(n)
	w.raw("</", tag, ">")
	if n.Type() == ast.TypeBlock {
		w.raw("\n")
	}
}

// node writes a node. Nothing is deeper than maxDepth or longer than the room.
func (w *writer) node(n ast.Node) {
	if w.full() {
		return
	}
	if w.depth++; w.depth > maxDepth && n.Type() == ast.TypeBlock {
		w.text(wordsOf(n, w.source) + " ")
		w.depth--
		return
	}
	if n.Type() == ast.TypeBlock {
		w.block(n)
	} else {
		w.inline(n)
	}
	w.depth--
}

func (w *writer) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		w.wrap(n, "h"+strconv.Itoa(min(6, n.Level+2)), ` dir="auto"`)
	case *ast.Paragraph:
		w.wrap(n, "p", ` dir="auto"`)
	case *ast.ThematicBreak:
		w.raw("<hr>\n")
	case *ast.Blockquote:
		w.wrap(n, "blockquote", "")
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		w.raw(`<pre class="code" dir="auto"><code>`)
		for i := 0; i < n.Lines().Len() && !w.full(); i++ {
			line := n.Lines().At(i)
			w.text(strings.Repeat(" ", line.Padding) + w.source[line.Start:line.Stop])
		}
		w.raw("</code></pre>\n")
	case *ast.List:
		w.list(n)
	case *east.Table:
		w.table(n)
	default: // a text block
		w.children(n)
	}
}

func (w *writer) list(n *ast.List) {
	tag, attributes := "ul", ""
	if n.IsOrdered() {
		if tag = "ol"; n.Start != 1 {
			attributes = ` start="` + strconv.Itoa(n.Start) + `"`
		}
	}
	w.raw("<", tag, attributes, ">\n")
	for item := range parts(n) {
		if w.full() {
			break
		}
		w.raw(`<li dir="auto">`)
		if w.depth == 1 {
			w.beside(item, func() { w.children(item) })
		} else {
			w.children(item)
		}
		w.raw("</li>\n")
	}
	w.raw("</", tag, ">\n")
}

func (w *writer) table(n *east.Table) {
	w.raw(`<div class="scroll"><table class="list"><caption><span class="visually-hidden">Table of the page</span></caption>`, "\n")
	for row := range parts(n) {
		if w.full() {
			break
		}
		w.raw("<tr>")
		for cell := range parts(row) {
			tag, attributes := "td", ` dir="auto"`
			if row.Kind() == east.KindTableHeader {
				tag, attributes = "th", ` scope="col" dir="auto"`
			}
			if c, ok := cell.(*east.TableCell); ok && c.Alignment == east.AlignRight {
				attributes += ` class="num"`
			}
			w.raw("<", tag, attributes, ">")
			w.children(cell)
			w.raw("</", tag, ">")
			if w.full() {
				break
			}
		}
		w.raw("</tr>\n")
	}
	w.raw("</table></div>\n")
}

func (w *writer) inline(n ast.Node) {
	deep := w.depth > 2*maxDepth
	switch n := n.(type) {
	case *ast.Text:
		w.text(plain(w.source[n.Segment.Start:n.Segment.Stop]))
		if n.HardLineBreak() {
			w.raw("<br>\n")
		} else if n.SoftLineBreak() {
			w.raw("\n")
		}
	case *ast.String:
		w.text(string(n.Value))
	case *ast.CodeSpan:
		w.raw("<code>")
		for part := range parts(n) {
			if t, ok := part.(*ast.Text); ok {
				w.text(strings.ReplaceAll(w.source[t.Segment.Start:t.Segment.Stop], "\n", " "))
			}
		}
		w.raw("</code>")
	case *ast.Emphasis:
		w.emphasis(n, map[bool]string{true: "strong", false: "em"}[n.Level == 2], deep)
	case *east.Strikethrough:
		w.emphasis(n, "del", deep)
	case *east.TaskCheckBox:
		w.text(map[bool]string{true: "☑ ", false: "☐ "}[n.IsChecked])
	case *ast.Link:
		w.link(plain(string(n.Destination)), func() { w.children(n) })
	case *ast.Image:
		w.picture(n)
	case *ast.AutoLink:
		w.autoLink(n)
	case *keyLink:
		w.key(n.key, func() { w.text(w.source[n.words.Start:n.words.Stop]) })
	default:
		w.children(n)
	}
}

func (w *writer) emphasis(n ast.Node, tag string, deep bool) {
	if deep {
		w.children(n)
		return
	}
	w.wrap(n, tag, "")
}

// link writes words that lead to an address, or the words and the address where that may be no link.
func (w *writer) link(address string, words func()) {
	if href, ok := outside(address); ok {
		at := w.b.Len()
		w.anchor(href, ` rel="noopener noreferrer"`, words)
		w.reveal(href, w.b.String()[at:])
		return
	}
	if key, ok := w.page(address); ok {
		w.key(key, words)
		return
	}
	words()
	w.raw(" (")
	w.text(Line(address, 200))
	w.raw(")")
}

// reveal writes the host of an address behind a link whose words, written as HTML, name another one.
func (w *writer) reveal(href, written string) {
	u := parseAddress(href)
	if w.linked || u == nil || u.Host == "" {
		return
	}
	_, shown, _ := strings.Cut(written, ">")
	if strings.Contains(shown, "://") && !strings.Contains(shown, "://"+template.HTMLEscapeString(u.Host)) {
		w.text(" (" + Line(u.Host, 100) + ")")
	}
}

// key writes words that lead to a page of the wiki.
func (w *writer) key(key string, words func()) {
	if w.options.Page == nil {
		words()
		return
	}
	href, found := w.options.Page(key)
	if !found {
		words()
		w.raw(` <span class="muted">(no such page)</span>`)
		return
	}
	w.anchor(href, "", words)
}

// anchor writes a link, or its words alone inside of another link.
func (w *writer) anchor(href, attributes string, words func()) {
	if w.linked {
		words()
		return
	}
	w.linked = true
	w.raw(`<a href="`, template.HTMLEscapeString(href), `"`, attributes, ">")
	words()
	w.raw("</a>")
	w.linked = false
}

// picture writes a link to a picture: none is loaded.
func (w *writer) picture(n *ast.Image) {
	address := plain(string(n.Destination))
	w.link(address, func() {
		w.raw("picture: ")
		if n.FirstChild() == nil {
			w.text(nameOf(address))
			return
		}
		w.text(words(n, w.source))
	})
}

func (w *writer) autoLink(n *ast.AutoLink) {
	label := string(n.Label([]byte(w.source)))
	address := string(n.URL([]byte(w.source)))
	if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(address), "mailto:") {
		address = "mailto:" + address
	}
	href, ok := outside(address)
	if !ok {
		w.text(label)
		return
	}
	w.anchor(href, ` rel="noopener noreferrer"`, func() { w.text(label) })
}

// words returns the text of inline nodes.
func words(n ast.Node, source string) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.WriteString(plain(source[t.Segment.Start:t.Segment.Stop]) + " ")
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(b.String())
}

// plain returns a text without backslashes before punctuation, and with characters for their entities.
// Source: CommonMark 0.31, sections 2.4 and 2.5.
func plain(s string) string {
	if !strings.ContainsAny(s, `\&`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && punctuation(s[i+1]):
			i++
			b.WriteByte(s[i])
		case s[i] == '&':
			end := strings.IndexByte(s[i:min(len(s), i+maxEntity)], ';')
			if end < 0 {
				b.WriteByte('&')
				continue
			}
			b.WriteString(html.UnescapeString(s[i : i+end+1]))
			i += end
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// maxEntity is longer than any name of a character.
const maxEntity = 40

func punctuation(c byte) bool {
	return '!' <= c && c <= '/' || ':' <= c && c <= '@' || '[' <= c && c <= '`' || '{' <= c && c <= '~'
}
