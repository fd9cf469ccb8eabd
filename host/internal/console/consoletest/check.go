package consoletest

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/loam-data/loam/host/internal/console/page"
)

// reader walks over a page and collects what tests look at.
type reader struct {
	t    *testing.T
	page *Page
	text []string
	ids  map[string]bool
	h1   int
	form *Form
}

// parse reads a page. It fails the test for what no page may have: scripts and styles of its own, ids that occur
// twice, several or no headings of the first level, forms that post without a token, fields without a label, links
// that leave the server without rel.
func parse(t *testing.T, body string) *Page {
	t.Helper()
	r := &reader{t: t, page: &Page{Body: body}, ids: map[string]bool{}}
	r.walk(document(t, body))
	if r.h1 != 1 {
		t.Errorf("the page has %d headings of the first level", r.h1)
	}
	r.page.Text = strings.Join(strings.Fields(strings.Join(r.text, " ")), " ")
	return r.page
}

func (r *reader) walk(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		if n.Parent.Data != "script" && n.Parent.Data != "style" {
			r.text = append(r.text, n.Data)
		}
		if n.Parent.Data == "script" && strings.TrimSpace(n.Data) != "" {
			r.t.Errorf("a script stands in the page: %.80q", n.Data)
		}
	case html.ElementNode:
		r.element(n)
	}
	inside := r.form
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		r.walk(c)
	}
	if n.Type == html.ElementNode && n.Data == "form" {
		r.end(n)
		inside = nil
	}
	r.form = inside
}

func (r *reader) element(n *html.Node) {
	r.attributes(n)
	switch n.Data {
	case "style", "iframe", "object", "embed", "base", "img":
		r.t.Errorf("the page has an element %s", n.Data)
	case "h1":
		r.h1++
	case "a":
		r.link(n)
	case "form":
		r.page.Forms = append(r.page.Forms, Form{Method: strings.ToLower(attr(n, "method")), To: attr(n, "action"), Fields: url.Values{}})
		r.form = &r.page.Forms[len(r.page.Forms)-1]
	case "input", "select", "textarea", "button":
		r.field(n)
	case "table":
		if !has(n, "caption") && !strings.Contains(attr(n, "class"), "diff") {
			r.t.Errorf("a table has no caption: %.80q", textOf(n))
		}
	}
}

func (r *reader) attributes(n *html.Node) {
	for _, a := range n.Attr {
		switch {
		case a.Key == "style" || strings.HasPrefix(a.Key, "on"):
			r.t.Errorf("an element %s has the attribute %s", n.Data, a.Key)
		case a.Key == "id" && r.ids[a.Val]:
			r.t.Errorf("the id %s occurs twice", a.Val)
		case a.Key == "id":
			r.ids[a.Val] = true
		}
	}
}

func (r *reader) link(n *html.Node) {
	to := attr(n, "href")
	if to == "" {
		return
	}
	u, err := url.Parse(to)
	switch {
	case err != nil:
		r.t.Errorf("a link leads to %.80q: %v", to, err)
	case u.Scheme == "" && u.Host == "" && (strings.HasPrefix(to, page.Root) || to[0] == '#' || to[0] == '?'):
	case u.Scheme == "http" || u.Scheme == "https" || u.Scheme == "mailto":
		if !strings.Contains(attr(n, "rel"), "noreferrer") {
			r.t.Errorf("a link to %.80q has no rel", to)
		}
	default:
		r.t.Errorf("a link leads to %.80q", to)
	}
	r.page.Links = append(r.page.Links, Link{to, textOf(n)})
}

func (r *reader) field(n *html.Node) {
	name, kind := attr(n, "name"), attr(n, "type")
	if n.Data == "button" {
		if text := textOf(n); text == "" && attr(n, "aria-label") == "" {
			r.t.Errorf("a button has no text")
		} else if r.form != nil {
			r.form.Buttons = append(r.form.Buttons, text)
		}
		return
	}
	if kind != "hidden" && attr(n, "aria-label") == "" && attr(n, "aria-labelledby") == "" && attr(n, "id") == "" && !inside(n, "label") {
		r.t.Errorf("the field %s has no label", name)
	}
	if r.form == nil || name == "" || kind == "checkbox" || kind == "radio" && !given(n, "checked") {
		return
	}
	switch n.Data {
	case "textarea":
		r.form.Fields.Add(name, textOf(n))
	case "select":
		r.form.Fields.Add(name, chosen(n))
	default:
		r.form.Fields.Add(name, attr(n, "value"))
	}
}

// end checks a form when all of its fields were read.
func (r *reader) end(n *html.Node) {
	f := r.form
	if f == nil || f.Method != "post" {
		return
	}
	if f.Fields.Get("token") == "" && !strings.HasSuffix(f.To, "/login") {
		r.t.Errorf("the form to %s has no token", f.To)
	}
	if !strings.HasPrefix(f.To, page.Root) {
		r.t.Errorf("a form posts to %.80q", f.To)
	}
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func given(n *html.Node, name string) bool {
	for _, a := range n.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}

func inside(n *html.Node, element string) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Data == element {
			return true
		}
	}
	return false
}

func has(n *html.Node, element string) bool {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && c.Data == element {
			return true
		}
	}
	return false
}

// chosen returns the value of a menu: that of the selected entry, else of the first.
func chosen(n *html.Node) (value string) {
	first := true
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && c.Data == "option" && (first || given(c, "selected")) {
			value, first = attr(c, "value"), false
			if !given(c, "value") {
				value = textOf(c)
			}
		}
	}
	return value
}

func textOf(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var all strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		all.WriteString(textOf(c))
	}
	return strings.TrimSpace(all.String())
}
