package assertion

import (
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	marktext "github.com/yuin/goldmark/text"

	"github.com/loam-data/loam/host/internal/text"
)

// markdown parses GitHub Flavored Markdown.
var markdown = sync.OnceValue(func() parser.Parser {
	return goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
})

// glossaryHeading are words of headings that announce definitions.
var glossaryHeading = text.Words("glossary glossaries term terms terminology metric metrics kpi kpis definition definitions measure measures vocabulary acronyms abbreviations glossar begriff begriffe kennzahl kennzahlen definitionen metriken abkürzungen begriffsklärung")

// passage is a text that sentences are read from: a paragraph, a list item, a cell.
type passage struct {
	section, block int
	// text has no markup except backquotes around code; at has the offset in Document.Text of each
	// of its bytes.
	text   string
	at     []int
	source string // Document.Text
	// bold is the length of a bold lead, in bytes.
	bold int
	// item says that it is a list item, indented that it is an indented block. intro introduces the list, or the block.
	item, indented bool
	intro          string
	// aside is as of Block.Aside.
	aside bool
	// speaker says it in a transcript; "" = it is none. topic says that it is an item of minutes.
	speaker string
	topic   bool
}

// grid is a table: its cells by row, the head first, and the spans of the rows.
type grid struct {
	section, block int
	cells          [][]string
	spans          []Span
	// intro is the paragraph above it.
	intro string
}

// outline collects the sections, blocks and passages of a text.
type outline struct {
	doc      *Document
	source   []byte
	passages []passage
	grids    []grid
	// headings are the current headings by level.
	headings [7]string
	// intro is the last paragraph, which introduces a list below it.
	intro string
	// mail says that a quoted mail or a signature has begun, so that the rest asserts nothing.
	mail bool
}

// front matches the front matter of a page.
var front = text.Pattern(`\A---\n(?s:.*?\n)?---(?:\n|\z)`)

// read fills the sections, blocks and fences of the document.
func (o *outline) read() {
	if o.doc.Text == "" {
		return
	}
	o.section(0)
	rest := 0
	if m := front().FindString(o.doc.Text); m != "" {
		rest = len(m)
		o.block(Span{0, len(strings.TrimRight(m, "\n"))}).Aside = true
	}
	o.source = []byte(o.doc.Text)
	// The front matter is blanked for the parser, so that offsets do not change.
	for i := range rest {
		if o.source[i] != '\n' {
			o.source[i] = ' '
		}
	}
	plainMarkup(o.source)
	root := markdown().Parse(marktext.NewReader(o.source), parser.WithContext(parser.NewContext()))
	starts := o.starts(root, rest)
	i := 0
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		span := o.trim(starts[i], starts[i+1])
		i++
		if span.From < span.To {
			o.top(n, span)
		}
	}
	o.close()
}

// starts returns the offsets at which blocks begin, and the end of the text.
func (o *outline) starts(root ast.Node, from int) []int {
	var out []int
	last := from
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		at := last
		if len(out) > 0 {
			at = max(last, o.line(n.Pos()))
		}
		out = append(out, at)
		last = at
	}
	return append(out, len(o.source))
}

// line returns the beginning of the line with an offset.
func (o *outline) line(at int) int {
	at = min(max(at, 0), len(o.source))
	for at > 0 && o.source[at-1] != '\n' {
		at--
	}
	return at
}

// trim returns a span without surrounding blank lines and spaces.
func (o *outline) trim(from, to int) Span {
	s := string(o.source[from:to])
	from += len(s) - len(strings.TrimLeft(s, " \t\n"))
	return Span{from, from + len(strings.TrimSpace(s))}
}

func (o *outline) section(from int) *Section {
	o.doc.Sections = append(o.doc.Sections, Section{Span: Span{from, from}})
	return &o.doc.Sections[len(o.doc.Sections)-1]
}

// block adds a block to the last section.
func (o *outline) block(span Span) *Block {
	s := &o.doc.Sections[len(o.doc.Sections)-1]
	s.Blocks = append(s.Blocks, Block{Span: span})
	s.To = span.To
	return &s.Blocks[len(s.Blocks)-1]
}

// close drops the empty section before the first heading.
func (o *outline) close() {
	if s := o.doc.Sections; len(s) > 1 && len(s[0].Blocks) == 0 && s[0].Path == nil {
		o.doc.Sections = s[1:]
		for i := range o.passages {
			o.passages[i].section--
		}
		for i := range o.grids {
			o.grids[i].section--
		}
		for i := range o.doc.Fences {
			o.doc.Fences[i].Section--
		}
	}
}

// top reads a top-level block.
func (o *outline) top(n ast.Node, span Span) {
	if h, ok := n.(*ast.Heading); ok {
		o.heading(h, span)
		return
	}
	b := o.block(span)
	raw := o.doc.Text[span.From:span.To]
	if b.Instruction = Instructs(raw); b.Instruction {
		o.fences(n)
		return
	}
	if anyIn(strings.ToLower(raw), replyCues) && reply().MatchString(raw) || farewell().MatchString(raw) {
		o.mail = true
	}
	if _, quote := n.(*ast.Blockquote); quote || o.mail {
		b.Aside = true
	}
	count := len(o.passages)
	o.inside(n, "", b.Aside)
	if _, list := n.(*ast.List); list && count < len(o.passages) {
		b.Aside = true
		for _, p := range o.passages[count:] {
			b.Aside = b.Aside && p.aside
		}
	}
	if _, ok := n.(*ast.Paragraph); ok && count < len(o.passages) {
		o.intro = o.passages[len(o.passages)-1].text
	} else {
		o.intro = ""
	}
}

func (o *outline) heading(h *ast.Heading, span Span) {
	p := o.plain(h)
	title := clean(p.text)
	o.headings[h.Level] = title
	clear(o.headings[h.Level+1:])
	s := o.section(span.From)
	s.To = span.To
	for _, above := range o.headings {
		if above != "" {
			s.Path = append(s.Path, above)
		}
	}
	for _, title := range s.Path {
		for _, w := range lowered(title) {
			s.Glossary = s.Glossary || glossaryHeading(w)
		}
	}
	o.intro, o.mail = "", false
}

// inside collects the passages, tables and fences of a block.
func (o *outline) inside(n ast.Node, intro string, aside bool) {
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		p := o.plain(n)
		p.uncomment()
		p.aside = p.aside || aside
		if _, p.item = n.Parent().(*ast.ListItem); !p.item {
			if !p.aside && (o.unfenced(&p) || o.piped(&p)) {
				return
			}
			p.align()
			o.terms(&p)
			p.title()
			p.aside = o.inlineQuery(n, p.aside) || p.aside
		} else if !p.aside && o.unfenced(&p) {
			return
		}
		p.intro = intro
		o.add(p)
		return
	case *ast.CodeBlock:
		p := o.indented(n)
		if m := labelled().FindString(p.text); m != "" && computes(p.text[len(m):]) && Format("", p.text) == "" {
			p.aside, p.intro, p.indented = aside, o.intro, true
			o.add(p)
			return
		}
		o.fences(n)
		return
	case *ast.FencedCodeBlock:
		o.fences(n)
		return
	case *ast.HTMLBlock:
		o.html(n, aside)
		return
	case *east.Table:
		if !aside {
			o.table(n)
		}
		return
	case *ast.List:
		if intro == "" {
			intro = o.intro
		}
	case *ast.ListItem:
		// The text of an item introduces the list inside it.
		own := intro
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			o.inside(c, own, aside)
			if _, list := c.(*ast.List); !list && c == n.FirstChild() && len(o.passages) > 0 {
				own = o.passages[len(o.passages)-1].text
			}
		}
		return
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		o.inside(c, intro, aside)
	}
}

// terms writes a term with its definition indented below it as "term: definition".
// Units: linear in the length of the text.
func (o *outline) terms(p *passage) {
	indent := func(at int) int { return at - o.line(at) }
	var text strings.Builder
	var at []int
	from := 0
	for i := strings.IndexByte(p.text, '\n'); i >= 0; {
		next := i + 1 + strings.IndexByte(p.text[i+1:], '\n')
		if line := p.text[from:i]; i > 0 && i+1 < len(p.text) && indent(p.at[i+1]) > indent(p.at[from])+1 && nominal(line) && !strings.ContainsAny(line, ":=.,") {
			text.WriteString(line + ": ")
			at = append(append(at, p.at[from:i+1]...), p.at[i])
		} else {
			text.WriteString(p.text[from : i+1])
			at = append(at, p.at[from:i+1]...)
		}
		if from = i + 1; next <= i {
			break
		}
		i = next
	}
	if from > 0 {
		p.text, p.at = text.String()+p.text[from:], append(at, p.at[from:]...)
	}
}

// indented returns the text of an indented block.
func (o *outline) indented(n *ast.CodeBlock) (p passage) {
	var text strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		text.WriteString(o.doc.Text[line.Start:line.Stop])
		for at := line.Start; at < line.Stop; at++ {
			p.at = append(p.at, at)
		}
	}
	p.text = text.String()
	return p
}

// uncomment removes the signs of a comment, if the whole passage is one: "-- …" on each line, "/* … */".
func (p *passage) uncomment() {
	block := strings.HasPrefix(p.text, "/*") && strings.HasSuffix(p.text, "*/")
	if !block && !strings.HasPrefix(p.text, "--") && !strings.HasPrefix(p.text, "//") {
		return
	}
	var text strings.Builder
	var at []int
	for from := 0; from < len(p.text); {
		line, _, _ := strings.Cut(p.text[from:], "\n")
		rest := strings.TrimLeft(line, "-/* ")
		if !block && rest == line {
			return
		}
		to := from + len(line)
		from = to - len(rest)
		if to == len(p.text) && block {
			to = from + len(strings.TrimRight(rest, "*/ "))
		} else if to < len(p.text) {
			to++
		}
		text.WriteString(p.text[from:to])
		at = append(at, p.at[from:to]...)
		if from = to; block && strings.HasPrefix(p.text[to:], "*/") {
			break
		}
	}
	p.text, p.at = text.String(), at
}

func (o *outline) add(p passage) {
	p.source = o.doc.Text
	p.section = len(o.doc.Sections) - 1
	p.block = len(o.doc.Sections[p.section].Blocks) - 1
	o.passages = append(o.passages, p)
}

// fences records the code blocks in a block.
func (o *outline) fences(n ast.Node) {
	info := ""
	switch n := n.(type) {
	case *ast.FencedCodeBlock:
		info = strings.ToLower(string(n.Language(o.source)))
	case *ast.CodeBlock:
	default:
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if c.Type() == ast.TypeBlock {
				o.fences(c)
			}
		}
		return
	}
	lines := n.Lines()
	if lines.Len() == 0 {
		return
	}
	span := Span{lines.At(0).Start, lines.At(lines.Len() - 1).Stop}
	o.doc.Fences = append(o.doc.Fences, Fence{Info: info, Code: span, Section: len(o.doc.Sections) - 1, intro: o.intro})
}

// inlineQuery records a paragraph as a fence that is no more than a query in backquotes; false = it is none.
func (o *outline) inlineQuery(n ast.Node, aside bool) bool {
	code, ok := n.FirstChild().(*ast.CodeSpan)
	if !ok || aside || n.ChildCount() > 1 || code.ChildCount() == 0 {
		return false
	}
	first, _ := code.FirstChild().(*ast.Text)
	last, _ := code.LastChild().(*ast.Text)
	if first == nil || last == nil {
		return false
	}
	span := Span{first.Segment.Start, last.Segment.Stop}
	if query := o.doc.Text[span.From:span.To]; len(query) < 7 || !strings.EqualFold(query[:7], "select ") {
		return false
	}
	o.doc.Fences = append(o.doc.Fences, Fence{Info: "sql", Code: span, Section: len(o.doc.Sections) - 1, intro: o.intro})
	return true
}

func (o *outline) table(t *east.Table) {
	g := grid{section: len(o.doc.Sections) - 1, intro: o.intro}
	g.block = len(o.doc.Sections[g.section].Blocks) - 1
	for row := t.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for c := row.FirstChild(); c != nil; c = c.NextSibling() {
			cells = append(cells, strings.TrimSpace(o.plain(c).text))
		}
		from := o.line(row.Pos())
		to := from
		for to < len(o.source) && o.source[to] != '\n' {
			to++
		}
		g.cells = append(g.cells, cells)
		g.spans = append(g.spans, o.trim(from, to))
	}
	o.grids = append(o.grids, g)
}
