package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/loam-data/loam/sdk"
)

type tomlFile struct {
	text   []byte
	values map[string]any
	blocks []block
}

// block is a table: its header and keys, without what follows the last key.
type block struct {
	path []string
	list bool // of an array of tables
	span
}

func parseTOML(text []byte) (*tomlFile, error) {
	f := &tomlFile{text: text, values: map[string]any{}}
	if err := toml.Unmarshal(text, &f.values); err != nil {
		offset := 0
		if e, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, column := e.Position()
			for range line - 1 {
				offset += bytes.IndexByte(text[offset:], '\n') + 1
			}
			offset += column - 1
		}
		return nil, unparsed("TOML", text, offset)
	}
	var p unstable.Parser
	for p.Reset(text); p.NextExpression(); {
		node := p.Expression()
		switch node.Kind {
		case unstable.Table, unstable.ArrayTable:
			b := block{list: node.Kind == unstable.ArrayTable}
			first := -1
			for keys := node.Key(); keys.Next(); {
				if first < 0 {
					first = int(keys.Node().Raw.Offset)
				}
				b.path = append(b.path, string(keys.Node().Data))
			}
			b.from = bytes.LastIndexByte(text[:first], '\n') + 1
			b.to = f.lineEnd(first)
			f.blocks = append(f.blocks, b)
		case unstable.KeyValue:
			if len(f.blocks) > 0 {
				last := &f.blocks[len(f.blocks)-1]
				last.to = f.lineEnd(int(node.Raw.Offset + node.Raw.Length))
			}
		}
	}
	if p.Error() != nil {
		return nil, unparsed("TOML", text, 0) // Unmarshal has read it all
	}
	return f, nil
}

// lineEnd returns the end of the line with an offset, without its line ending.
func (f *tomlFile) lineEnd(offset int) int {
	end := bytes.IndexByte(f.text[offset:], '\n')
	if end < 0 {
		return len(f.text)
	}
	if end += offset; end > 0 && f.text[end-1] == '\r' {
		end--
	}
	return end
}

// tree returns the values with the types of encoding/json.
func (f *tomlFile) tree() (map[string]any, error) {
	text, err := json.Marshal(f.values)
	if err != nil {
		return nil, sdk.Errorf(sdk.KindUnsupported, sdk.SourceCaller, "it has a number that is not finite")
	}
	tree := map[string]any{}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return tree, dec.Decode(&tree)
}

func (f *tomlFile) find(path []string) (spot, bool, error) {
	for i := range path[:len(path)-1] {
		value, found := lookup(f.values, path[:i+1])
		if _, table := value.(map[string]any); found && !table {
			return spot{}, false, inTheWay(f.text, 0, path[i], "is no TOML table")
		}
	}
	if _, found := lookup(f.values, path); !found {
		return spot{}, false, nil
	}
	for _, b := range f.blocks {
		if slices.Equal(b.path, path) && !b.list {
			return spot{b.from, b.from, b.to}, true, nil
		}
	}
	return spot{}, false, uneditable(path)
}

func (f *tomlFile) render(path []string, entry Entry, _ spot) string {
	end := newline(f.text)
	keys := make([]string, len(path))
	for i, key := range path {
		keys[i] = bareOrQuoted(key)
	}
	lines := []string{"[" + strings.Join(keys, ".") + "]"}
	for _, field := range entry {
		lines = append(lines, bareOrQuoted(field.Name)+" = "+writer{space: " "}.value(field.Value, ""))
	}
	return strings.Join(lines, end)
}

func bareOrQuoted(key string) string {
	plain := func(r rune) bool {
		return r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	if key != "" && strings.IndexFunc(key, func(r rune) bool { return !plain(r) }) < 0 {
		return key
	}
	return quoted(key)
}

// insert adds the table at the end, after an empty line. A file without a line ending at its end
// stays without one.
func (f *tomlFile) insert(path []string, entry Entry) (change, error) {
	end := newline(f.text)
	before, behind := "", end
	switch blank := len(bytes.TrimSpace(f.text)) == 0; {
	case blank:
		return change{span: span{0, len(f.text)}, text: f.render(path, entry, spot{}) + end, made: 1}, nil
	case !bytes.HasSuffix(f.text, []byte("\n")):
		before, behind = end+end, ""
	case !bytes.HasSuffix(f.text, []byte(end+end)):
		before = end
	}
	size := len(f.text)
	return change{span: span{size, size}, text: before + f.render(path, entry, spot{}) + behind, lead: len(before)}, nil
}

// drop removes the table and its subtables, each with the empty line before it.
func (f *tomlFile) drop(path []string, _ int) ([]span, error) {
	var spans []span
	end := newline(f.text)
	for _, b := range f.blocks {
		if len(b.path) < len(path) || !slices.Equal(b.path[:len(path)], path) {
			continue
		}
		s := b.span
		if bytes.HasPrefix(f.text[s.to:], []byte(end)) {
			s.to += len(end)
		}
		if bytes.HasSuffix(f.text[:s.from], []byte(end+end)) {
			s.from -= len(end)
		}
		if n := len(spans); n > 0 && spans[n-1].to > s.from {
			s.from = spans[n-1].to
		}
		spans = append(spans, s)
	}
	return spans, nil
}
