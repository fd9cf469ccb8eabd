package markdown

import (
	"net/url"
	"path"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	marktext "github.com/yuin/goldmark/text"

	"github.com/loam-data/loam/host/internal/text"
)

// maxAddress is the longest address that is a link, in bytes.
const maxAddress = 2000

// outside returns the address of a link that leaves the console, and whether it may be one: http, https or mailto.
func outside(address string) (string, bool) {
	u := parseAddress(address)
	if u == nil {
		return "", false
	}
	switch u.Scheme {
	case "http", "https":
		return u.String(), u.Host != "" && u.User == nil && u.Opaque == ""
	case "mailto":
		return u.String(), u.Opaque != "" && strings.Contains(u.Opaque, "@")
	}
	return "", false
}

// parseAddress returns an address without characters that browsers drop or read in another way; nil = it is none.
func parseAddress(address string) *url.URL {
	if len(address) > maxAddress || strings.ContainsFunc(address, func(r rune) bool {
		return text.Unseen(r) || unicode.IsSpace(r) || r == '\\' || r == unicode.ReplacementChar
	}) {
		return nil
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	return u
}

// page returns the key of the wiki page that an address leads to.
func (w *writer) page(address string) (key string, ok bool) {
	u := parseAddress(address)
	if u == nil || w.options.Relative == nil || u.Scheme != "" || u.Host != "" || u.User != nil || strings.HasPrefix(address, "/") {
		return "", false
	}
	return w.options.Relative(address)
}

// keyLink is a link to a page by its key: [[key]], [[key#heading|words]].
type keyLink struct {
	ast.BaseInline
	key   string
	words marktext.Segment
}

var kindKeyLink = ast.NewNodeKind("KeyLink")

// Kind implements ast.Node.
func (*keyLink) Kind() ast.NodeKind { return kindKeyLink }

// Dump implements ast.Node.
func (n *keyLink) Dump(source []byte, level int) {
	ast.DumpHelper(n, source, level, map[string]string{"Key": n.key}, nil)
}

// keyParser reads links to pages by their keys.
type keyParser struct{}

var _ parser.InlineParser = keyParser{}

// Trigger implements parser.InlineParser.
func (keyParser) Trigger() []byte { return []byte{'['} }

// Parse implements parser.InlineParser.
func (keyParser) Parse(_ ast.Node, block marktext.Reader, _ parser.Context) ast.Node {
	line, segment := block.PeekLine()
	if len(line) < 5 || line[1] != '[' {
		return nil
	}
	inner := string(line[2:min(len(line), maxAddress)])
	end := strings.IndexAny(inner, "[]\n")
	if end <= 0 || !strings.HasPrefix(inner[end:], "]]") {
		return nil
	}
	target, words, named := strings.Cut(inner[:end], "|")
	key, _, _ := strings.Cut(target, "#")
	if key = strings.TrimSuffix(strings.TrimSpace(key), ".md"); key == "" {
		return nil
	}
	from := segment.Start + 2
	to := from + end
	if named && strings.TrimSpace(words) != "" {
		from = to - len(words)
	}
	block.Advance(2 + end + 2)
	return &keyLink{key: key, words: marktext.NewSegment(from, to)}
}

// nameOf returns the last part of an address, for a picture without words.
func nameOf(address string) string {
	if u := parseAddress(address); u != nil && path.Base(u.Path) != "." && path.Base(u.Path) != "/" {
		return path.Base(u.Path)
	}
	return "picture"
}
