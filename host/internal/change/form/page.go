package form

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/change"
)

// Page is the form of pages of the wiki: markdown with frontmatter.
// Places: front:<key> with JSON of the value, front:<key>/<entry> for one text of a list,
// body:<Heading>/<Sub> for a paragraph, list item or fence at the end of that section.
// A first heading of the first level, the only one of it, is the page's title: the places
// are below it.
//
// The keys origin, source, reviewed, created and updated are housekeeping. They go with
// the file: a page from which one of several changes is taken back is still an agent's.
type Page struct{}

var _ Form = Page{}

// Apply implements Form.
func (Page) Apply(current []byte, blocks []change.Block) ([]byte, error) {
	return apply(openPage, current, blocks)
}

// Revert implements Form.
func (Page) Revert(current []byte, blocks []change.Block) ([]byte, []change.Block, error) {
	return revert(openPage, current, blocks)
}

var housekeeping = []string{"origin", "source", "reviewed", "created", "updated"}

// page is an opened page: the texts before, in, and behind its frontmatter.
type page struct {
	given      string
	mark       string
	begin, end string // the lines around the frontmatter, "" = there is none
	filled     bool   // the frontmatter was not empty
	front      *document
	body       string
}

func openPage(content string) (file, error) {
	text, mark := withoutMark(content)
	p := &page{given: content, mark: mark, body: text}
	front, err := p.split(text)
	if err == nil {
		p.filled = strings.TrimSpace(front) != ""
		p.front, err = parse(front)
	}
	return p, err
}

// split cuts the frontmatter off, as the wiki reads it.
func (p *page) split(text string) (front string, err error) {
	lines := slices.Collect(strings.Lines(text))
	if len(lines) < 2 || strings.TrimRight(lines[0], " \t\r\n") != "---" {
		return "", nil
	}
	at := len(lines[0])
	for _, l := range lines[1:] {
		if mark := strings.TrimRight(l, " \t\r\n"); mark == "---" || mark == "..." {
			p.begin, p.end, p.body = lines[0], l, text[at+len(l):]
			return text[len(lines[0]):at], nil
		}
		at += len(l)
	}
	return "", invalid("the page's frontmatter has no end")
}

func (p *page) content() []byte {
	text := p.text()
	if text == "" || text != p.given && strings.TrimSpace(p.body) == "" && !p.says() {
		return nil
	}
	return []byte(text)
}

func (p *page) text() string {
	front, nl := p.front.text, newline(p.begin+p.body)
	switch empty := strings.TrimSpace(front) == ""; {
	case p.begin == "" && empty:
		return p.mark + p.body
	case p.begin == "":
		return p.mark + "---" + nl + front + "---" + nl + nl + p.body
	case empty && p.filled:
		return p.mark + strings.TrimPrefix(p.body, nl)
	}
	return p.mark + p.begin + front + p.end + p.body
}

// says reports whether the frontmatter says more than housekeeping needs.
func (p *page) says() bool {
	if p.front.root == nil {
		return strings.TrimSpace(p.front.text) != ""
	}
	for i := 0; i+1 < len(p.front.root.Content); i += 2 {
		if !slices.Contains(housekeeping, p.front.root.Content[i].Value) {
			return true
		}
	}
	return strings.Contains(p.front.text, "#")
}

func (p *page) apply(b change.Block) error {
	if path, ok := strings.CutPrefix(b.Place, bodyPlace); ok {
		return p.write(headings(path), b)
	}
	path, before, after, err := frontBlock(b)
	if err != nil {
		return err
	}
	now, err := p.front.at(path)
	switch key := path[0].key; {
	case err != nil:
		return err
	case (key == "updated" || key == "reviewed") && after != nil:
		before = now // the later one counts, whatever it was
	case now != nil && before == nil && slices.Contains(housekeeping, key):
		return nil
	}
	return p.front.put(b.Place, path, before, after)
}

func (p *page) revert(b change.Block) (bool, error) {
	if path, ok := strings.CutPrefix(b.Place, bodyPlace); ok {
		return p.takeBack(headings(path), b)
	}
	path, before, after, err := frontBlock(b)
	if err != nil {
		return false, err
	}
	quiet := slices.Contains(housekeeping, path[0].key)
	if quiet && before == nil {
		return true, nil
	}
	done, err := p.front.take(path, before, after)
	return done || quiet, err
}

func (p *page) lineOf(b change.Block) int {
	if path, ok := strings.CutPrefix(b.Place, bodyPlace); ok {
		if at := p.like(headings(path), b.After); at >= 0 {
			return 1 + strings.Count(p.text(), "\n") - strings.Count(p.body[at:], "\n")
		}
		return 0
	}
	if at := p.front.lineAt(frontSteps(b.Place)); at > 0 {
		return at + 1
	}
	return 0
}

// frontBlock reads a block of the frontmatter.
func frontBlock(b change.Block) (path []step, before, after *yaml.Node, err error) {
	if !strings.HasPrefix(b.Place, frontPlace) || b.Place == frontPlace {
		return nil, nil, nil, unknownPlace(b)
	}
	path = frontSteps(b.Place)
	if before, err = jsonValue(b, path, b.Before); err == nil {
		after, err = jsonValue(b, path, b.After)
	}
	return path, before, after, err
}

// jsonValue reads the value of a block of the frontmatter, nil for "".
func jsonValue(b change.Block, path []step, text string) (*yaml.Node, error) {
	if text == "" {
		return nil, nil
	}
	var value any
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&value); err != nil || d.More() {
		return nil, invalid("the block at %s is no JSON", b.Place)
	}
	n := nodeOf(value, 1)
	if n == nil {
		return nil, invalid("the block at %s nests deeper than %d levels", b.Place, maxDepth)
	}
	if key := path[0].key; (key == "created" || key == "updated") && (&yaml.Node{Kind: yaml.ScalarNode, Value: n.Value}).ShortTag() == "!!timestamp" {
		n.Tag = "!!timestamp"
	}
	if entry := path[len(path)-1].entry; entry != "" && !named(n, entry) {
		return nil, invalid("the block at %s has another text", b.Place)
	}
	return n, nil
}

// nodeOf returns a value of JSON as YAML, with its keys in order; nil = it nests too deep.
func nodeOf(value any, depth int) *yaml.Node {
	if depth > maxDepth {
		return nil
	}
	switch v := value.(type) {
	case string:
		return scalar(v)
	case json.Number:
		n := &yaml.Node{Kind: yaml.ScalarNode, Value: v.String()}
		n.Tag = n.ShortTag()
		return n
	case bool:
		text := "false"
		if v {
			text = "true"
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: text}
	case []any:
		n := emptyFor(step{entry: "-"})
		for _, item := range v {
			if n.Content = append(n.Content, nodeOf(item, depth+1)); n.Content[len(n.Content)-1] == nil {
				return nil
			}
		}
		return n
	case map[string]any:
		n := emptyFor(step{key: "-"})
		for _, key := range slices.Sorted(maps.Keys(v)) {
			item := nodeOf(v[key], depth+1)
			if item == nil {
				return nil
			}
			n.Content = append(n.Content, scalar(key), item)
		}
		return n
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
}
