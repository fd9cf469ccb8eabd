package assertion

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"github.com/loam-data/loam/host/internal/text"
)

// plain returns the text of a block without markup, except for backquotes around code.
func (o *outline) plain(n ast.Node) passage {
	w := &inline{outline: o}
	w.children(n)
	w.p.text = w.b.String()
	if w.lead {
		w.p.bold = w.bold
	}
	return w.p
}

// inline writes the plain text of a block.
type inline struct {
	outline *outline
	p       passage
	b       strings.Builder
	// lead says that the text began with bold words; they have bold bytes.
	lead bool
	bold int
}

func (w *inline) children(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.node(c)
	}
}

func (w *inline) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.Text:
		w.text(n)
	case *ast.CodeSpan:
		w.code(n)
	case *ast.Emphasis:
		leads := n.Level == 2 && w.b.Len() == 0
		w.children(n)
		if leads {
			w.lead, w.bold = true, w.b.Len()
		}
	case *ast.Image, *ast.RawHTML, *east.Strikethrough:
		// Pictures, tags and struck-out words are left out.
		if w.b.Len() > 0 {
			w.write(" ", w.p.at[len(w.p.at)-1])
		}
	case *ast.AutoLink:
		at := 0
		if len(w.p.at) > 0 {
			at = w.p.at[len(w.p.at)-1] + 1
		} else if l := n.Parent().Lines(); l != nil && l.Len() > 0 {
			at = l.At(0).Start
		}
		w.write(string(n.Label(w.outline.source)), at)
	case *east.TaskCheckBox:
		w.p.aside = true
	default:
		w.children(n)
	}
}

// text writes a text node, without backslashes that escape punctuation.
func (w *inline) text(n *ast.Text) {
	src := w.outline.doc.Text
	w.b.Grow(n.Segment.Len())
	w.p.at = slices.Grow(w.p.at, n.Segment.Len())
	for i := n.Segment.Start; i < n.Segment.Stop; i++ {
		if src[i] == '\\' && i+1 < n.Segment.Stop && src[i+1] < utf8.RuneSelf && unicode.IsPunct(rune(src[i+1])) {
			continue
		}
		if meant, width := entity(src[i:n.Segment.Stop]); width > 0 {
			w.write(meant, i)
			i += width - 1
			continue
		}
		c, width := text.Typed(src, i)
		w.b.WriteByte(c)
		w.p.at = append(w.p.at, i)
		i += width - 1
	}
	if n.SoftLineBreak() || n.HardLineBreak() {
		w.b.WriteByte('\n')
		w.p.at = append(w.p.at, max(n.Segment.Stop-1, 0))
	}
}

func (w *inline) code(n *ast.CodeSpan) {
	first, ok := n.FirstChild().(*ast.Text)
	if !ok {
		return
	}
	w.write("`", first.Segment.Start)
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			for i := t.Segment.Start; i < t.Segment.Stop; i++ {
				b, width := text.Typed(w.outline.doc.Text, i)
				if b == '\n' || b == '`' {
					b = ' '
				}
				w.b.WriteByte(b)
				w.p.at = append(w.p.at, i)
				i += width - 1
			}
		}
	}
	w.write("`", w.p.at[len(w.p.at)-1])
}

// write writes text that differs from the source; all of it has one offset.
func (w *inline) write(s string, at int) {
	w.b.WriteString(s)
	for range len(s) {
		w.p.at = append(w.p.at, at)
	}
}

// clean returns a part of a passage without backquotes, surrounding quotes and surrounding space.
func clean(s string) string {
	s = strings.Join(strings.Fields(strings.ReplaceAll(s, "`", "")), " ")
	s = strings.TrimRight(s, ".,;: 。")
	s = strings.TrimSpace(s)
	for _, pair := range []string{"“”", "„“", "\"\"", "«»", "‚‘", "‘’", "「」"} {
		open, n := utf8.DecodeRuneInString(pair)
		end, m := utf8.DecodeLastRuneInString(pair)
		if len(s) > n+m && strings.HasPrefix(s, string(open)) && strings.HasSuffix(s, string(end)) &&
			!strings.ContainsRune(s[n:len(s)-m], end) {
			return s[n : len(s)-m]
		}
	}
	return s
}
