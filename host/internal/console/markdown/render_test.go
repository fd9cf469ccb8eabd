package markdown

import (
	"html/template"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// elements and their attributes that a rendered text may have.
var allowed = map[string][]string{
	"html": nil, "head": nil, "body": nil, "h3": {"dir"}, "h4": {"dir"}, "h5": {"dir"}, "h6": {"dir"}, "p": {"dir"}, "hr": nil, "br": nil, "blockquote": nil,
	"pre": {"class", "dir"}, "code": nil, "ul": nil, "ol": {"start"}, "li": {"dir"}, "div": {"class"}, "table": {"class"}, "caption": nil, "tbody": nil, "tr": nil,
	"th": {"scope", "dir", "class"}, "td": {"dir", "class"}, "strong": nil, "em": nil, "del": nil, "a": {"href", "rel"}, "span": {"class"},
	"figure": {"class"}, "figcaption": nil,
}

// check fails for anything in HTML that is not allowed.
func check(t *testing.T, rendered string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(rendered))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		switch n.Type {
		case html.TextNode:
			if strings.ContainsAny(n.Data, "\u202e\u2066\x00\x1b") {
				t.Errorf("a hidden character is left in %q", n.Data)
			}
			continue
		case html.ElementNode:
		default:
			t.Errorf("node %q of type %d", n.Data, n.Type)
			continue
		}
		names, ok := allowed[n.Data]
		if !ok {
			t.Errorf("element %s in %.300q", n.Data, rendered)
		}
		for _, a := range n.Attr {
			if !slices.Contains(names, a.Key) {
				t.Errorf("attribute %s of %s in %.300q", a.Key, n.Data, rendered)
			}
			if a.Key == "href" {
				checkAddress(t, n, a.Val)
			}
		}
		for up := n.Parent; n.Data == "a" && up != nil; up = up.Parent {
			if up.Data == "a" {
				t.Errorf("a link in a link: %.300q", rendered)
			}
		}
	}
}

func checkAddress(t *testing.T, n *html.Node, address string) {
	t.Helper()
	if strings.HasPrefix(address, "/console/wiki/") {
		return
	}
	u, err := url.Parse(address)
	if err != nil || !slices.Contains([]string{"http", "https", "mailto"}, u.Scheme) || u.User != nil || strings.TrimSpace(address) != address {
		t.Errorf("address %q: %v", address, err)
	}
	if !slices.Contains(n.Attr, html.Attribute{Key: "rel", Val: "noopener noreferrer"}) {
		t.Errorf("a link to %q without rel", address)
	}
}

// wikiLinks knows the page arr.
var wikiLinks = Options{
	Page: func(key string) (string, bool) { return "/console/wiki/" + url.PathEscape(key), key == "arr" },
	Relative: func(address string) (string, bool) {
		key, ok := strings.CutSuffix(address, ".md")
		return key, ok
	},
}

func TestRender(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"heading":       {"# A\n\n###### B", "<h3 dir=\"auto\">A</h3>\n<h6 dir=\"auto\">B</h6>\n"},
		"emphasis":      {"a *b* **c** ~~d~~ `e<f`", "<p dir=\"auto\">a <em>b</em> <strong>c</strong> <del>d</del> <code>e&lt;f</code></p>\n"},
		"list":          {"3. a\n4. b", "<ol start=\"3\">\n<li dir=\"auto\">a</li>\n<li dir=\"auto\">b</li>\n</ol>\n"},
		"task":          {"- [x] a", "<ul>\n<li dir=\"auto\">☑ a</li>\n</ul>\n"},
		"table":         {"|a|b|\n|-|-:|\n|1|2|", "<div class=\"scroll\"><table class=\"list\"><caption><span class=\"visually-hidden\">Table of the page</span></caption>\n<tr><th scope=\"col\" dir=\"auto\">a</th><th scope=\"col\" dir=\"auto\" class=\"num\">b</th></tr>\n<tr><td dir=\"auto\">1</td><td dir=\"auto\" class=\"num\">2</td></tr>\n</table></div>\n"},
		"code":          {"```html\n<b>\n```", "<pre class=\"code\" dir=\"auto\"><code>&lt;b&gt;\n</code></pre>\n"},
		"html":          {"<script>alert(1)</script>\n\n<img src=x onerror=y>", "<p dir=\"auto\">&lt;script&gt;alert(1)&lt;/script&gt;</p>\n<p dir=\"auto\">&lt;img src=x onerror=y&gt;</p>\n"},
		"link":          {"[a](https://b.c/d?e=f&g)", "<p dir=\"auto\"><a href=\"https://b.c/d?e=f&amp;g\" rel=\"noopener noreferrer\">a</a></p>\n"},
		"address":       {"https://b.c/d", "<p dir=\"auto\"><a href=\"https://b.c/d\" rel=\"noopener noreferrer\">https://b.c/d</a></p>\n"},
		"another host":  {"[https://bank.example](https://evil.example/x)", "<p dir=\"auto\"><a href=\"https://evil.example/x\" rel=\"noopener noreferrer\">https://bank.example</a> (evil.example)</p>\n"},
		"same host":     {"[https://b.c](https://b.c/x)", "<p dir=\"auto\"><a href=\"https://b.c/x\" rel=\"noopener noreferrer\">https://b.c</a></p>\n"},
		"mail":          {"<a@b.c>", "<p dir=\"auto\"><a href=\"mailto:a@b.c\" rel=\"noopener noreferrer\">a@b.c</a></p>\n"},
		"key":           {"[[arr]] [[arr#x|our *ARR*]] [[none]]", "<p dir=\"auto\"><a href=\"/console/wiki/arr\">arr</a> <a href=\"/console/wiki/arr\">our *ARR*</a> none <span class=\"muted\">(no such page)</span></p>\n"},
		"relative":      {"[a](arr.md)", "<p dir=\"auto\"><a href=\"/console/wiki/arr\">a</a></p>\n"},
		"picture":       {"![a b](https://b.c/d.png)", "<p dir=\"auto\"><a href=\"https://b.c/d.png\" rel=\"noopener noreferrer\">picture: a b</a></p>\n"},
		"link in link":  {"[![a](https://b.c/d.png)](https://e.f)", "<p dir=\"auto\"><a href=\"https://e.f\" rel=\"noopener noreferrer\">picture: a</a></p>\n"},
		"entities":      {`a &amp; b &lt; \* &#x202e;`, "<p dir=\"auto\">a &amp; b &lt; * ⟨U+202E⟩</p>\n"},
		"direction":     {"a\u202eb", "<p dir=\"auto\">a⟨U+202E⟩b</p>\n"},
		"key of a link": {"[[arr]](https://b.c)", "<p dir=\"auto\"><a href=\"/console/wiki/arr\">arr</a>(<a href=\"https://b.c\" rel=\"noopener noreferrer\">https://b.c</a>)</p>\n"},
	} {
		if got := string(Render(test.text, wikiLinks).HTML); got != test.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, test.want)
		}
	}
}

// What would run, load or lead elsewhere is text.
func TestHostileLinks(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"javascript:alert(1)", "JaVaScRiPt:alert(1)", "java&#115;cript:alert(1)", "javascript&colon;alert(1)", "&#1;javascript:alert(1)", "data:text/html,<script>", "vbscript:x",
		"//evil.example/x", `\\evil.example`, `/\evil.example`, "/console/logout", "https:evil.example", "http://", "https://user:pass@b.c/", "https://good@evil.example", "mailto:", "file:///etc/passwd",
		"ht\ttp://b.c", "https://b.c/\u202ex", "x:arr.md", "//b.c/arr.md", "blob:https://b.c/x", "tel:1", "#top",
	} {
		for _, text := range []string{"[a](" + address + ")", "![a](" + address + ")", "<" + address + ">", "[a][b]\n\n[b]: " + address, "[[" + address + "]]", "[a](<" + address + ">)"} {
			got := string(Render(text, wikiLinks).HTML)
			check(t, got)
			if strings.Contains(got, "<a ") && !strings.Contains(got, `<a href="mailto:`) {
				t.Errorf("%q is a link: %s", text, got)
			}
		}
	}
}

// A text of any size makes a page of bounded size, and says that it is cut.
func TestBounded(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a megabyte of text": strings.Repeat("All of it. ", 100_000), "one word": strings.Repeat("x", 1<<20), "escapes": strings.Repeat("&", 1<<20), "hidden": strings.Repeat("\u202e", 1<<18),
		"quotes": strings.Repeat("> ", 1<<19), "lists": strings.Repeat("- ", 1<<19), "indented": indented(300), "brackets": strings.Repeat("[a](", 1<<18), "stars": strings.Repeat("*a _b ", 1<<17),
		"wide table": strings.Repeat("|a", 400) + "\n" + strings.Repeat("|-", 400) + "\n" + strings.Repeat("a\n", 1<<19), "bars": strings.Repeat("`\\|`|", 1<<17), "keys": strings.Repeat("[[arr]]", 1<<17),
		"headings": strings.Repeat("# a\n", 1<<18), "lines": strings.Repeat("a  \n", 1<<18), "codes": strings.Repeat("`a` ", 1<<18), "cells": "|a|b|\n|-|-|\n" + strings.Repeat("|c|d|\n", 1<<17),
	} {
		r := Render(text, wikiLinks)
		if len(r.HTML) > maxHTML+4000 || r.Size != len(text) || !r.Cut && len(text) > maxSource {
			t.Errorf("%s: %d bytes of HTML of %d, cut %t", name, len(r.HTML), r.Size, r.Cut)
		}
		check(t, string(r.HTML))
	}
	if r := Render("short", Options{}); r.Cut {
		t.Error("a short text is cut")
	}
}

func indented(levels int) string {
	var b strings.Builder
	for i := range levels {
		b.WriteString(strings.Repeat("  ", i) + "- a\n")
	}
	return b.String()
}

func TestBeside(t *testing.T) {
	t.Parallel()
	text := "# ARR\n\nARR is\nwhat counts.\n\n- first\n- second\n  - third\n"
	if got := Words(text); !slices.Equal(got, []string{"ARR", "ARR is what counts.", "first", "second third"}) {
		t.Errorf("words: %q", got)
	}
	o := Options{Title: "ARR", Beside: func(words string) (b Beside) {
		switch words {
		case "ARR is what counts.":
			b.From = "an agent"
		case "first":
			b.Notes = []template.HTML{"<p>not so</p>"}
		}
		return b
	}}
	want := "<figure class=\"machine\"><figcaption>an agent</figcaption><p dir=\"auto\">ARR is\nwhat counts.</p>\n</figure>\n" +
		"<ul>\n<li dir=\"auto\">first<p>not so</p></li>\n<li dir=\"auto\">second<ul>\n<li dir=\"auto\">third</li>\n</ul>\n</li>\n</ul>\n"
	if got := string(Render(text, o).HTML); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a\n b": "a b", "a\u202eb": "a⟨U+202E⟩b", strings.Repeat("x", 1<<20): strings.Repeat("x", 29) + "…", "\xff": "\ufffd", "": "", "\x00": "⟨U+0000⟩",
		strings.Repeat("y", 30): strings.Repeat("y", 30),
	} {
		if got := Line(text, 30); got != want {
			t.Errorf("%.20q: %q", text, got)
		}
	}
}

// Whatever a text is made of, its HTML has only allowed elements, attributes and addresses.
func FuzzRender(f *testing.F) {
	for _, text := range []string{
		"# a\n\n- [x] b\n\n|c|d|\n|-|-:|\n|1|`\\|`|\n", "[a](javascript:b)", "![a](data:b)", "<script>a</script>", "[[arr|<b>]] [a](arr.md)", "[a]: //b\n\n[a]", "> > ```\n<b>", "*a **b `c",
		"<a@b.c> https://d.e/f_g_(h)?i=\"j\" www.k.l", "&colon; &#0; \\< \u202e", "a  \nb\n---\n", "[a](https://b.c \"d\" onclick=e)", "[[a]](b)[[c", "1) a\n\n    b", "~~a~~ ***b***",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := Render(text, wikiLinks)
		check(t, string(r.HTML))
		if len(r.HTML) > maxHTML+4000 {
			t.Errorf("%d bytes of HTML", len(r.HTML))
		}
		Words(text)
		if line := Line(text, 40); len([]rune(line)) > 40 {
			t.Errorf("line %q", line)
		}
	})
}
