// Package markdown renders texts that people and agents wrote as HTML for the console. It writes each element itself:
// there is no HTML of the text, no style, no id and no picture; a link leads to http, https, mailto or a page of the
// wiki. The package is pure.
package markdown

import (
	"cmp"
	"html/template"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	marktext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Options are what Render knows beside the text.
type Options struct {
	// Room is the most HTML that is made of the text, in bytes, but for what stands beside its blocks; 0 = 40 KiB.
	Room int
	// Title is shown above the text: a first heading with the same words is left out.
	Title string
	// Page returns the address of a wiki page and whether there is one; nil = no link leads to a page.
	Page func(key string) (href string, found bool)
	// Relative returns the key of the page that a relative address leads to; nil = none does.
	Relative func(address string) (key string, ok bool)
	// Beside returns what is shown with a block, by its words as Words returns them; nil = nothing.
	Beside func(words string) Beside
}

// Beside is what is shown with a block.
type Beside struct {
	// From frames the block and says who wrote it; "" = no frame.
	From template.HTML
	// Notes stand below the block.
	Notes []template.HTML
}

// Rendered is a text as HTML.
type Rendered struct {
	HTML template.HTML
	// Size is the length of the text in bytes. Cut: the HTML has only its beginning.
	Size int
	Cut  bool
}

// engine parses GitHub Flavored Markdown without HTML.
var engine = sync.OnceValue(func() parser.Parser {
	blocks := []util.PrioritizedValue{
		util.Prioritized(parser.NewSetextHeadingParser(), 100), util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(parser.NewListParser(), 300), util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500), util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700), util.Prioritized(parser.NewBlockquoteParser(), 800),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	}
	inlines := []util.PrioritizedValue{
		util.Prioritized(extension.NewTaskCheckBoxParser(), 0), util.Prioritized(parser.NewCodeSpanParser(), 100),
		util.Prioritized(keyParser{}, 150), util.Prioritized(parser.NewLinkParser(), 200), util.Prioritized(parser.NewAutoLinkParser(), 300),
		util.Prioritized(parser.NewEmphasisParser(), 500), util.Prioritized(extension.NewStrikethroughParser(), 500),
		util.Prioritized(extension.NewLinkifyParser(), 999),
	}
	return parser.NewParser(
		parser.WithBlockParsers(blocks...), parser.WithInlineParsers(inlines...),
		parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(), util.Prioritized(extension.NewTableParagraphTransformer(), 200))...),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	)
})

// parse returns the blocks of a text.
func parse(source string) ast.Node {
	tame := []byte(source)
	bound(tame)
	return engine().Parse(marktext.NewReader(tame), parser.WithContext(parser.NewContext()))
}

// Render renders a text as HTML.
// Shape: headings are h3 to h6. A text of any size is cut to what a page may have.
// Concurrency: it may be called concurrently, if the functions of the options may.
func Render(source string, o Options) Rendered {
	shown, cut := beginning(source)
	w := &writer{source: shown, options: o, cut: cut, room: cmp.Or(o.Room, maxHTML)}
	for n := range parts(parse(shown)) {
		if w.full() {
			break
		}
		if !w.repeatsTitle(n) {
			w.top(n)
		}
	}
	return Rendered{HTML: template.HTML(w.b.String()), Size: len(source), Cut: w.cut} //nolint:gosec // the writer escaped it
}

// beginning returns as much of a text as is rendered, with line ends \n, up to the end of a line.
func beginning(source string) (shown string, cut bool) {
	if len(source) > maxSource {
		shown, cut = source[:maxSource], true
		if at := strings.LastIndexByte(shown, '\n'); at > maxSource/2 {
			shown = shown[:at]
		}
		for len(shown) > 0 && !utf8.RuneStart(source[len(shown)]) {
			shown = shown[:len(shown)-1]
		}
		source = shown
	}
	return strings.ToValidUTF8(strings.ReplaceAll(source, "\r\n", "\n"), "\ufffd"), cut
}

// Words returns the words of the blocks of a text, as Options.Beside is asked about them: of each block, and of each
// entry of a list that is no part of another block.
func Words(source string) (all []string) {
	shown, _ := beginning(source)
	for n := range parts(parse(shown)) {
		if n.Kind() != ast.KindList {
			all = append(all, wordsOf(n, shown))
			continue
		}
		for item := range parts(n) {
			all = append(all, wordsOf(item, shown))
		}
	}
	return all
}

// wordsOf returns the words of a block, without the marks of lists and quotes, separated by blanks.
func wordsOf(n ast.Node, source string) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n.Type() != ast.TypeBlock {
			return ast.WalkContinue, nil
		}
		for i := range n.Lines().Len() {
			line := n.Lines().At(i)
			b.WriteString(source[line.Start:line.Stop])
			b.WriteByte(' ')
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}
