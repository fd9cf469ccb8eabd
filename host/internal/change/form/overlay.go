package form

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/change"
)

// Overlay is the form of files of the semantic layer below _memory/.
// Places: measures/<name>, segments/<name>, metrics/<name>, joins/<role, else target>,
// synonyms/<word>, tags/<word>, description, columns/<column>/<key> and columns/<column>/<key>/<entry>;
// name is the source that the file is about, which goes with the file alone.
type Overlay struct{}

var _ Form = Overlay{}

// Apply implements Form.
func (Overlay) Apply(current []byte, blocks []change.Block) ([]byte, error) {
	return apply(openOverlay, current, blocks)
}

// Revert implements Form.
func (Overlay) Revert(current []byte, blocks []change.Block) ([]byte, []change.Block, error) {
	return revert(openOverlay, current, blocks)
}

type overlay struct {
	given    string
	mark     string // a byte order mark, or ""
	document *document
}

func openOverlay(content string) (file, error) {
	text, mark := withoutMark(content)
	d, err := parse(text)
	return &overlay{content, mark, d}, err
}

// withoutMark cuts a byte order mark off.
func withoutMark(content string) (text, mark string) {
	if rest, ok := strings.CutPrefix(content, "\ufeff"); ok {
		return rest, "\ufeff"
	}
	return content, ""
}

func (o *overlay) content() []byte {
	text := o.mark + o.document.text
	if text == "" || text != o.given && (strings.TrimSpace(o.document.text) == "" || o.housekeepingOnly()) {
		return nil
	}
	return []byte(text)
}

// housekeepingOnly reports whether the file says only what it is about, on a line each.
func (o *overlay) housekeepingOnly() bool {
	if o.document.root == nil {
		return false
	}
	for i := 0; i+1 < len(o.document.root.Content); i += 2 {
		if key := o.document.root.Content[i].Value; key != "name" && key != "version" {
			return false
		}
	}
	return !slices.ContainsFunc(o.document.lines, func(l line) bool { return strings.HasPrefix(strings.TrimSpace(o.document.text[l.from:l.end]), "#") })
}

func (o *overlay) apply(b change.Block) error {
	path, before, after, err := overlayBlock(b)
	if err != nil {
		return err
	}
	return o.document.put(b.Place, path, before, after)
}

func (o *overlay) revert(b change.Block) (bool, error) {
	path, before, after, err := overlayBlock(b)
	if err != nil {
		return false, err
	}
	if path[0].key == "name" || path[0].key == "version" {
		return true, nil
	}
	return o.document.take(path, before, after)
}

func (o *overlay) lineOf(b change.Block) int { return o.document.lineAt(overlaySteps(b.Place)) }

// overlayBlock reads a block.
func overlayBlock(b change.Block) (path []step, before, after *yaml.Node, err error) {
	if path = overlaySteps(b.Place); path == nil {
		return nil, nil, nil, unknownPlace(b)
	}
	if before, err = yamlValue(b, path, b.Before); err == nil {
		after, err = yamlValue(b, path, b.After)
	}
	return path, before, after, err
}

// yamlValue reads the value of a block as it is written, nil for "".
func yamlValue(b change.Block, path []step, text string) (*yaml.Node, error) {
	if text == "" {
		return nil, nil
	}
	n, err := node(text)
	if err != nil || n == nil {
		return nil, err
	}
	n = written(n)
	if name := path[len(path)-1].entry; name != "" && !named(n, name) {
		if n.Kind != yaml.MappingNode || keyAt(n, "name") >= 0 || path[0].key == "joins" {
			return nil, invalid("the block at %s has another name", b.Place)
		}
		n.Content = append([]*yaml.Node{scalar("name"), scalar(name)}, n.Content...)
	}
	return n, nil
}

// written returns a tree as Loam writes it: without comments and the styles of others, and
// with notes on a line.
func written(n *yaml.Node) *yaml.Node {
	own := &yaml.Node{Kind: n.Kind, Tag: n.Tag, Value: n.Value}
	if n.Kind == yaml.ScalarNode && plainTag(n) == "!!str" {
		own.Style = scalar(n.Value).Style
	}
	for i, c := range n.Content {
		next := written(c)
		if n.Kind == yaml.MappingNode && i%2 == 1 && isNote(n.Content[i-1].Value) && next.Kind == yaml.MappingNode {
			next.Style = yaml.FlowStyle
		}
		own.Content = append(own.Content, next)
	}
	return own
}

// isNote reports whether a key says where an entry is from and how well it works, and not
// what it is.
func isNote(key string) bool { return key == "learned" || key == "verified" }

// put sets a value that is as before has it.
func (d *document) put(place string, path []step, before, after *yaml.Node) error {
	now, err := d.at(path)
	switch {
	case err != nil:
		return err
	case equal(now, after):
		return nil
	case equal(bare(now, isNote), bare(before, isNote)), equal(decided(now), decided(after)):
		return d.become(path, after)
	case equal(bare(now, isNote), bare(after, isNote)):
		return nil
	}
	return conflict(place)
}

// take sets a value back that is as after has it.
func (d *document) take(path []step, before, after *yaml.Node) (bool, error) {
	now, err := d.at(path)
	switch {
	case err != nil:
		return false, err
	case equal(decided(now), decided(after)):
		return true, d.become(path, before)
	}
	return hollow(now) && hollow(before) || equal(decided(now), decided(before)), nil
}

func (d *document) become(path []step, value *yaml.Node) error {
	text, err := d.edit(path, value)
	if err != nil {
		return err
	}
	fresh, err := parse(text)
	if err == nil {
		*d = *fresh
	}
	return err
}

// bare returns an entry without some of its keys.
func bare(n *yaml.Node, without func(key string) bool) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return n
	}
	own := &yaml.Node{Kind: n.Kind, Tag: n.Tag}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if !without(n.Content[i].Value) {
			own.Content = append(own.Content, n.Content[i], n.Content[i+1])
		}
	}
	return own
}

// decided returns an entry without what review and verification change of it later.
func decided(n *yaml.Node) *yaml.Node {
	own := bare(n, func(key string) bool { return key == "verified" })
	if own == nil {
		return nil
	}
	if at := keyAt(own, "learned"); own.Kind == yaml.MappingNode && at >= 0 {
		own.Content[at+1] = bare(own.Content[at+1], func(key string) bool { return key == "reviewed" })
	}
	return own
}

// lineAt returns the line that a path leads to, as far as it leads anywhere; 0 = nowhere.
func (d *document) lineAt(path []step) int {
	way, _, _, err := d.walk(path)
	if err != nil || len(way) == 0 {
		return 0
	}
	return way[len(way)-1].from + 1
}
