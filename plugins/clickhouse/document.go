package clickhouse

import (
	"slices"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// The forms of a JSON column.
const (
	documentPaths = 0 // a column per path
	documentText  = 1 // JSON text
)

// document is a JSON: one column per path that it knows. A path that a row has
// not is NULL there.
type document struct {
	nested
	form    uint64
	text    texts
	paths   []path // in the order of their names
	typed   []path
	rest    sizes
	known   map[string]*dynamic
	dynamic []path
}

type path struct {
	name   string
	values column
}

func newDocument(t *typeName) (column, error) {
	c := &document{known: map[string]*dynamic{}}
	for i := range t.args {
		if t.args[i].label == "" { // a setting of the type
			continue
		}
		values, err := newColumn(&t.args[i].typeName)
		if err != nil {
			return nil, err
		}
		c.typed = append(c.typed, path{t.args[i].label, values})
	}
	slices.SortFunc(c.typed, func(a, b path) int { return strings.Compare(a.name, b.name) })
	return c, nil
}

func (c *document) prefix(r *reader) (err error) {
	if c.form, err = r.UInt64(); err != nil || c.form > documentText {
		return unexpectedOr(err)
	}
	if c.form == documentText {
		return nil
	}
	if _, err := r.UVarInt(); err != nil { // how many paths it may have
		return unexpected(err)
	}
	names, err := readNames(r)
	if err != nil {
		return err
	}
	for _, p := range c.typed {
		if err := p.values.prefix(r); err != nil {
			return err
		}
	}
	c.dynamic = c.dynamic[:0]
	for _, name := range names {
		if c.known[name] == nil {
			c.known[name] = &dynamic{}
		}
		if err := c.known[name].prefix(r); err != nil {
			return err
		}
		c.dynamic = append(c.dynamic, path{name, c.known[name]})
	}
	c.paths = append(append(c.paths[:0], c.typed...), c.dynamic...)
	slices.SortFunc(c.paths, func(a, b path) int { return slices.Compare(strings.Split(a.name, "."), strings.Split(b.name, ".")) })
	return nil
}

func (c *document) read(r *reader, rows int) error {
	if c.form == documentText {
		return c.text.read(r, rows)
	}
	for _, p := range slices.Concat(c.typed, c.dynamic) {
		if err := p.values.read(r, rows); err != nil {
			return err
		}
	}
	// What has no column of its own comes as pairs of paths and values.
	total, err := c.rest.read(r, rows)
	if err != nil {
		return err
	}
	return (&shared{}).read(r, total)
}

func (*document) null(int) bool { return false }

func (c *document) write(w *sdk.RowWriter, row int) { c.cell(w, c.json, row) }

// json puts the paths together: a.b and a.c are one object a.
func (c *document) json(dst []byte, row int) []byte {
	if c.form == documentText {
		return append(dst, c.text.at(row)...)
	}
	dst = append(dst, '{')
	var open []string // the objects around the value that was written last
	first := true
	for _, p := range c.paths {
		if p.values.null(row) {
			continue
		}
		parts := strings.Split(p.name, ".")
		shared := 0
		for shared < len(open) && shared < len(parts)-1 && open[shared] == parts[shared] {
			shared++
		}
		for range len(open) - shared {
			dst = append(dst, '}')
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		for _, name := range parts[shared : len(parts)-1] {
			dst = append(appendQuoted(dst, []byte(name)), ":{"...)
		}
		dst = append(appendQuoted(dst, []byte(parts[len(parts)-1])), ':')
		dst = p.values.json(dst, row)
		open = parts[:len(parts)-1]
	}
	for range open {
		dst = append(dst, '}')
	}
	return append(dst, '}')
}
