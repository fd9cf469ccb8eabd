package wiki

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"net/url"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/text"
)

// Scope is who sees a page.
type Scope string

const (
	Global Scope = "global"
	User   Scope = "user"
)

// Page is a page without its text.
type Page struct {
	// Key names the page: its path below its scope without ".md", with slashes.
	Key   string
	Scope Scope
	// Path of the file, below the wiki's folder, and the SHA-256 of its content.
	Path    string
	Content [32]byte
	// Title is that of the frontmatter, else the first heading, else derived from
	// the key.
	Title, Summary string
	// Aliases are further names of the page.
	Aliases []string
	Tags    []string
	// Refs are the subjects of the page, such as tables, SLRefs the semantic sources and
	// measures.
	Refs, SLRefs []string
	Connections  []string
	// Origin is who wrote the page, and Source what it was written from,
	// according to the frontmatter.
	Origin, Source string
	Reviewed       bool
	// Created and Updated are those of the frontmatter; without one, Updated is
	// the file's time.
	Created, Updated time.Time
	// Links are the keys that the text links to, each once, in order. Their pages
	// may not exist.
	Links []string

	words vocabulary // of the text
}

// Trust returns who vouches for a page: "reviewed", "person", "agent" or
// "imported". A page without an origin is a person's.
func (p *Page) Trust() string {
	switch {
	case p.Reviewed:
		return "reviewed"
	case p.Origin == "agent" || p.Origin == "imported":
		return p.Origin
	}
	return "person"
}

const (
	maxPage        = 1 << 20
	maxFrontmatter = 64 << 10
	maxList        = 1000
)

// matter is the frontmatter of a page. Keys of other programs are left alone.
type matter struct {
	Title       string  `yaml:"title"`
	Summary     string  `yaml:"summary"`
	Aliases     strList `yaml:"aliases"`
	Tags        strList `yaml:"tags"`
	Refs        strList `yaml:"refs"`
	SLRefs      strList `yaml:"sl_refs"`
	Connections strList `yaml:"connections"`
	Origin      string  `yaml:"origin"`
	Source      string  `yaml:"source"`
	Reviewed    bool    `yaml:"reviewed"`
	Created     moment  `yaml:"created"`
	Updated     moment  `yaml:"updated"`
}

// strList is a list of texts, or one of them.
type strList []string

// UnmarshalYAML implements yaml.Unmarshaler.
func (l *strList) UnmarshalYAML(n *yaml.Node) error {
	items := []*yaml.Node{n}
	switch n.Kind {
	case yaml.SequenceNode:
		items = n.Content
	case yaml.ScalarNode:
	default:
		return fmt.Errorf("line %d: a list of texts is wanted", n.Line)
	}
	if len(items) > maxList {
		return fmt.Errorf("line %d: a list has %d entries; the limit is %d", n.Line, len(items), maxList)
	}
	for _, item := range items {
		var s string
		if err := item.Decode(&s); err != nil || item.Kind != yaml.ScalarNode {
			return fmt.Errorf("line %d: a list of texts is wanted", item.Line)
		}
		if s = strings.TrimSpace(s); s != "" {
			*l = append(*l, s)
		}
	}
	return nil
}

// moment is a time, or a date in UTC.
type moment struct{ time.Time }

// UnmarshalYAML implements yaml.Unmarshaler.
func (m *moment) UnmarshalYAML(n *yaml.Node) error {
	if n.Tag == "!!null" || n.Value == "" {
		return nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.Parse(layout, n.Value); err == nil {
			m.Time = t.UTC()
			return nil
		}
	}
	return fmt.Errorf("line %d: %q is no date; write 2006-01-02 or 2006-01-02T15:04:05Z", n.Line, n.Value)
}

// parse reads a page; body is what follows the frontmatter.
func parse(content []byte, key string, modified time.Time) (p Page, body string, err error) {
	if !utf8.Valid(content) {
		return p, "", errors.New("it is not UTF-8 text")
	}
	front, rest, err := split(content)
	if err != nil {
		return p, "", err
	}
	var m matter
	if err := yaml.Unmarshal(front, &m); err != nil {
		return p, "", fmt.Errorf("its frontmatter cannot be read: %w", err)
	}
	body = string(rest)
	links, heading := scan(body, key)
	p = Page{
		Key: key, Title: strings.TrimSpace(m.Title), Summary: strings.TrimSpace(m.Summary), Aliases: m.Aliases, Tags: m.Tags, Refs: m.Refs, SLRefs: m.SLRefs,
		Connections: m.Connections, Origin: m.Origin, Source: m.Source, Reviewed: m.Reviewed,
		Created: m.Created.Time, Updated: m.Updated.Time, Links: links,
	}
	if p.Updated.IsZero() {
		p.Updated = modified.UTC()
	}
	if p.Title == "" {
		p.Title = heading
	}
	if p.Title == "" {
		p.Title = strings.NewReplacer("-", " ", "_", " ").Replace(path.Base(key))
	}
	return p, body, nil
}

// split cuts the frontmatter off: what stands between a first line "---" and
// the next one.
func split(content []byte) (front, body []byte, err error) {
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	first, rest, more := bytes.Cut(content, []byte("\n"))
	if string(bytes.TrimRight(first, " \t\r")) != "---" || !more {
		return nil, content, nil
	}
	for at := 0; at < len(rest) && at <= maxFrontmatter; {
		line, after, _ := bytes.Cut(rest[at:], []byte("\n"))
		if end := string(bytes.TrimRight(line, " \t\r")); end == "---" || end == "..." {
			return rest[:at], bytes.TrimLeft(after, "\r\n"), nil
		}
		at += len(line) + 1
	}
	return nil, nil, fmt.Errorf("its frontmatter has no end within %d bytes: add a line ---", maxFrontmatter)
}

var (
	wikiLink     = text.Pattern(`\[\[([^\[\]|#\n]+)(?:#[^\[\]|\n]*)?(?:\|[^\[\]\n]*)?\]\]`)
	markdownLink = text.Pattern(`\[[^\]\n]*\]\(<?([^()<>\s]+)>?(?:\s+"[^"\n]*")?\)`)
	inlineCode   = text.Pattern("`[^`\n]*`")
)

// prose yields the lines of a text without the spaces around them, and without
// code.
func prose(body string) iter.Seq[string] {
	return func(yield func(string) bool) {
		fence := ""
		for line := range strings.Lines(body) {
			text := strings.TrimSpace(line)
			switch {
			case fence != "":
				if strings.HasPrefix(text, fence) && strings.Trim(text, fence[:1]) == "" {
					fence = ""
				}
			case strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~"):
				fence = text[:3]
			case !yield(text):
				return
			}
		}
	}
}

// scan returns the keys that a text links to and its first heading. Code has
// neither.
func scan(body, key string) (links []string, heading string) {
	seen := map[string]bool{}
	for text := range prose(body) {
		if heading == "" && strings.HasPrefix(text, "# ") {
			heading = strings.TrimSpace(strings.TrimLeft(text, "#"))
		}
		if !strings.Contains(text, "[[") && !strings.Contains(text, "](") {
			continue
		}
		if strings.Contains(text, "`") {
			text = inlineCode().ReplaceAllString(text, "``")
		}
		for _, link := range lineLinks(text, key) {
			if !seen[link] && len(links) < maxList {
				seen[link] = true
				links = append(links, link)
			}
		}
	}
	return links, heading
}

// lineLinks returns the keys that a line links to, in order.
func lineLinks(line, key string) (links []string) {
	type found struct {
		at  int
		key string
	}
	var all []found
	for _, m := range wikiLink().FindAllStringSubmatchIndex(line, -1) {
		if to := strings.TrimSuffix(strings.TrimSpace(line[m[2]:m[3]]), ".md"); valid(to) {
			all = append(all, found{m[0], to})
		}
	}
	for _, m := range markdownLink().FindAllStringSubmatchIndex(line, -1) {
		if m[0] > 0 && line[m[0]-1] == '!' {
			continue // an image
		}
		if to, ok := relative(line[m[2]:m[3]], key); ok {
			at := len(all)
			for at > 0 && all[at-1].at > m[0] {
				at--
			}
			all = append(all[:at], append([]found{{m[0], to}}, all[at:]...)...)
		}
	}
	for _, f := range all {
		links = append(links, f.key)
	}
	return links
}

// relative returns the key that a link of a page leads to: one to a file of the
// same scope, or through the scopes' folders to one of another.
func relative(target, key string) (string, bool) {
	target, _, _ = strings.Cut(target, "#")
	u, err := url.Parse(target)
	if err != nil || u.IsAbs() || u.Host != "" || strings.HasPrefix(u.Path, "/") || !strings.HasSuffix(u.Path, ".md") {
		return "", false
	}
	// As if the page stood two folders below its scope's parent, like
	// user/<id>/key: what leads further up may come down in global.
	to := path.Join("user/me", path.Dir(key), u.Path)
	if own, ok := strings.CutPrefix(to, "user/me/"); ok {
		to = own
	} else if _, global, ok := strings.Cut("/"+to, "/global/"); ok {
		to = global
	} else {
		return "", false
	}
	to = strings.TrimSuffix(to, ".md")
	return to, valid(to)
}

// maxKey is how long a key may be, and maxDepth how many folders it may have.
const (
	maxKey   = 512
	maxDepth = 8
)

// valid reports whether a key can be that of a page.
func valid(key string) bool {
	if key == "" || len(key) > maxKey || !utf8.ValidString(key) || strings.ContainsAny(key, "\\\x00\n") {
		return false
	}
	parts := strings.Split(key, "/")
	for _, p := range parts {
		if p == "" || strings.HasPrefix(p, ".") {
			return false
		}
	}
	return len(parts) <= maxDepth
}
