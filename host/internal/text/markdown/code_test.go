package markdown

import (
	"strings"
	"testing"

	"github.com/yuin/goldmark"
)

// No name of a table, a column or a page has a meaning of Markdown, whatever it is made of.
func TestHostileNamesInMarkdown(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"](javascript:alert(1))", "[a](javascript:alert(1))", "a\n# Heading\n\n- list", "a\r\n```\n# Out\n", "`", "``` `` `", "<script>alert(1)</script>",
		"![x](http://a/b)", "a ``\n\n    code", "\n\n---\n", "http://a.b/c", "~~~~\n# Out", "&lt;b&gt;", " ` ",
	} {
		for what, text := range map[string]string{"heading": "# Table " + Code(name) + "\n\n", "block": Block("text", "a\n"+name+"\nb")} {
			var html strings.Builder
			if err := goldmark.Convert([]byte(text), &html); err != nil {
				t.Fatal(err)
			}
			out := html.String()
			for _, never := range []string{"<a ", "<img", "<script", "<li>", "<hr", "<strong"} {
				if strings.Contains(out, never) {
					t.Errorf("%s %q becomes %s", what, name, out)
				}
			}
			if n := strings.Count(out, "<h1"); what == "heading" && n != 1 || what == "block" && (n != 0 || strings.Count(out, "<pre>") != 1) {
				t.Errorf("%s %q becomes %s", what, name, out)
			}
		}
	}
}
