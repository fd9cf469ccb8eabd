package snippet

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/loam-data/loam/host/internal/semantic/model"
)

// definitionKeys are the keys of a definition of ours, in the order in which items have
// them.
var definitionKeys = strings.Fields(`type agg expr filter segments percentile default non_additive time_dimension numerator denominator
	measure window grain_to_date offset within per to on relationship role dialect format visibility`)

// sections are the lists of a source with what their entries are.
var sections = []struct {
	key  string
	kind ItemKind
}{
	{"dimensions", Column},
	{"columns", Column},
	{"column_overrides", Column},
	{"measures", MeasureItem},
	{"metrics", Metric},
	{"segments", SegmentItem},
	{"joins", JoinItem},
}

// readOwn reads sources, overlays and metrics as files of the semantic layer have them.
// What the model refuses of an entry, the item is left out for.
func readOwn(content string) *Snippet {
	r := newReader(Own, content)
	return r.each(content, func(root *yaml.Node) {
		file := "source.yaml"
		if at(root, "metrics") != nil {
			file = "metrics.yaml"
		}
		// Only this document, at its lines.
		lines := r.lines[root.Line-1:]
		if end := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "---") }); end >= 0 {
			lines = lines[:end]
		}
		document := strings.Repeat("\n", root.Line-1) + strings.Join(lines, "\n")
		o := ownReader{reader: r, problems: model.Parse(file, []byte(document)).Problems}
		o.read(root)
	})
}

type ownReader struct {
	reader   *reader
	problems []model.Problem
	// whole is what is wrong with the document, so that none of it is taken; nil = nothing.
	whole *fault
}

func (r *ownReader) read(root *yaml.Node) {
	name, table := textOf(root, "name"), textOf(root, "table")
	if table == "" {
		table = name
	}
	if name != "" {
		i := Item{Kind: Table, Table: table, Name: name, Description: textOf(root, "description"), Synonyms: texts(at(root, "synonyms"))}
		if textOf(root, "sql") != "" {
			i.refuse(faultf(unsupported, "a source of SQL is written by a person, in a file of its own"))
		}
		r.reader.add(i, root.Line)
	}
	for _, p := range r.problems {
		if p.Path == "" {
			r.whole = faultf(unsupported, "the document: %s", p.Msg)
		}
		if p.Member == "" && p.Path != "name" {
			r.reader.add(r.left(Item{Kind: Table, Table: table, Name: p.Path}, p, root), int(max(p.Line, 1)))
		}
	}
	for _, s := range sections {
		for _, n := range entries(at(root, s.key)) {
			r.entry(s.kind, s.key, table, n, root)
		}
	}
}

func (r *ownReader) entry(kind ItemKind, section, table string, n, root *yaml.Node) {
	i := Item{
		Kind: kind, Table: table, Name: textOf(n, "name"), Label: textOf(n, "label"), Description: textOf(n, "description"),
		Unit: textOf(n, "unit"), Synonyms: texts(at(n, "synonyms")), Values: texts(at(n, "values")), Definition: definition(n),
	}
	switch {
	case kind == Metric:
		i.Table = ""
	case kind == JoinItem && i.Name == "":
		if i.Name = textOf(n, "role"); i.Name == "" {
			i.Name = textOf(n, "to")
		}
	case kind == Column && textOf(n, "expr") != "":
		i.refuse(faultf(unsupported, "a computed dimension is written by a person, in a file of its own"))
	case kind == Column:
		i.Definition = nil
	}
	line := n.Line
	for _, p := range r.problems {
		if p.Member != "" && strings.HasPrefix(p.Path, section+".") && within(n, int(p.Line)) {
			left := r.left(i, p, root)
			if i.LeftOut == "" || i.LeftOut != unknownKey && left.LeftOut == unknownKey { // the key explains what is missing
				i, line = left, int(p.Line)
			}
		}
	}
	switch {
	case i.LeftOut != "":
	case r.whole != nil:
		i.refuse(r.whole)
	case i.Definition == nil && kind != Column:
		i.refuse(faultf(unsupported, "it defines nothing"))
	}
	r.reader.add(i, line)
}

// left leaves an item out for a problem of the model; one at a key is of a key that does
// not belong there.
func (r *ownReader) left(i Item, p model.Problem, root *yaml.Node) Item {
	code := unsupported
	if key := keyAt(root, int(p.Line), int(p.Column)); key != "" && strings.HasSuffix("."+p.Path, "."+key) {
		code = unknownKey
	}
	i.refuse(&fault{code, p.Msg})
	i.Nearest = p.Candidates
	return i
}

// keyAt returns the key of a mapping that stands at a place, "" where there is none.
func keyAt(n *yaml.Node, line, column int) string {
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && c.Line == line && c.Column == column {
			return c.Value
		}
		if key := keyAt(c, line, column); key != "" {
			return key
		}
	}
	return ""
}

// within reports whether a line is one of a node's.
func within(n *yaml.Node, line int) bool { return n.Line <= line && line <= lastLine(n) }

func lastLine(n *yaml.Node) int {
	last := n.Line
	for _, c := range n.Content {
		last = max(last, lastLine(c))
	}
	return last
}

// definition returns the keys of an entry that define it, in their order.
func definition(n *yaml.Node) (all []Key) {
	for _, key := range definitionKeys {
		v := at(n, key)
		switch {
		case key == "on" && v == nil:
			v = at(n, "join_on")
		case key == "role" && v == nil:
			v = at(n, "alias")
		}
		switch {
		case v == nil:
		case v.Kind == yaml.ScalarNode:
			all = append(all, Key{key, v.Value})
		default:
			all = append(all, Key{key, flow(v)})
		}
	}
	return all
}

// flow writes a list or a mapping on one line.
func flow(n *yaml.Node) string {
	var list []string
	for i := 0; i < len(n.Content); i++ {
		c := n.Content[i]
		entry := c.Value
		if c.Kind != yaml.ScalarNode {
			entry = flow(c)
		} else if text, err := yaml.Marshal(c.Value); err == nil && c.ShortTag() == "!!str" {
			entry = strings.TrimSpace(string(text))
			if strings.ContainsAny(c.Value, ",[]{}") && entry == c.Value {
				entry = "'" + entry + "'"
			}
		}
		if n.Kind == yaml.MappingNode && i%2 == 1 {
			list[len(list)-1] += ": " + entry
			continue
		}
		list = append(list, entry)
	}
	if n.Kind == yaml.MappingNode {
		return "{" + strings.Join(list, ", ") + "}"
	}
	return "[" + strings.Join(list, ", ") + "]"
}
