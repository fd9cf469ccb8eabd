package clickhouse

import (
	"slices"

	"github.com/loam-data/loam/sdk"
)

// noVariant is the discriminator of NULL.
const noVariant = 255

// variant is a Variant: which of its types each row has, and per type the values
// of its rows.
type variant struct {
	nested
	types  []column
	kinds  []byte
	places []int // of a row, among the values of its type
	counts []int
}

func newVariant(t *typeName) (column, error) {
	c := &variant{}
	for i := range t.args {
		inner, err := newColumn(&t.args[i].typeName)
		if err != nil {
			return nil, err
		}
		c.types = append(c.types, inner)
	}
	return c, nil
}

func (c *variant) prefix(r *reader) error {
	const oneByOne = 0
	if mode, err := r.UInt64(); err != nil || mode != oneByOne {
		return unexpectedOr(err)
	}
	for _, t := range c.types {
		if err := t.prefix(r); err != nil {
			return err
		}
	}
	return nil
}

func (c *variant) read(r *reader, rows int) (err error) {
	if c.kinds, err = appendBytes(r, c.kinds[:0], uint64(rows)); err != nil {
		return err
	}
	c.places, c.counts = c.places[:0], slices.Grow(c.counts[:0], len(c.types))[:len(c.types)]
	clear(c.counts)
	for _, kind := range c.kinds {
		if kind == noVariant {
			c.places = append(c.places, 0)
			continue
		}
		if int(kind) >= len(c.types) {
			return errBlock()
		}
		c.places = append(c.places, c.counts[kind])
		c.counts[kind]++
	}
	for i, t := range c.types {
		if err := t.read(r, c.counts[i]); err != nil {
			return err
		}
	}
	return nil
}

func (c *variant) null(row int) bool {
	return c.kinds[row] == noVariant || c.types[c.kinds[row]].null(c.places[row])
}

func (c *variant) write(w *sdk.RowWriter, row int) { c.cell(w, c.json, row) }

func (c *variant) json(dst []byte, row int) []byte {
	return c.types[c.kinds[row]].json(dst, c.places[row])
}

// dynamic is a Dynamic: a Variant of types that each block names itself.
type dynamic struct {
	variant
	known map[string]column
}

// sharedVariant is the type of the values for which a Dynamic has no room: each
// has its own type in a form of its own.
const sharedVariant = "SharedVariant"

func (c *dynamic) prefix(r *reader) error {
	const first = 1 // the only version for clients of our revision
	if version, err := r.UInt64(); err != nil || version != first {
		return unexpectedOr(err)
	}
	if _, err := r.UVarInt(); err != nil { // how many types it may have
		return unexpected(err)
	}
	names, err := readNames(r)
	if err != nil {
		return err
	}
	names = append(names, sharedVariant)
	slices.Sort(names)
	c.types = c.types[:0]
	for _, name := range names {
		inner, err := c.column(name)
		if err != nil {
			return err
		}
		c.types = append(c.types, inner)
	}
	return c.variant.prefix(r)
}

func (c *dynamic) column(name string) (column, error) {
	if known, ok := c.known[name]; ok {
		return known, nil
	}
	var inner column = &shared{}
	if name != sharedVariant {
		t, err := parseType(name)
		if err != nil {
			return nil, err
		}
		if inner, err = newColumn(&t); err != nil {
			return nil, err
		}
	}
	if c.known == nil {
		c.known = map[string]column{}
	}
	c.known[name] = inner
	return inner, nil
}

// maxNames bounds the types of a Dynamic and the paths of a JSON.
const maxNames = 1 << 20

func readNames(r *reader) ([]string, error) {
	n, err := r.UVarInt()
	if err != nil || n > maxNames {
		return nil, unexpectedOr(err)
	}
	var names []string
	for range n {
		name, err := r.Str()
		if err != nil {
			return nil, unexpected(err)
		}
		names = append(names, name)
	}
	return names, nil
}

// shared is the column of the values of many types, which cannot be read. It is
// empty unless a column has more types, or a document more paths, than it has
// room for.
type shared struct{ texts }

func (c *shared) read(_ *reader, rows int) error {
	if rows > 0 {
		return sdk.Errorf(sdk.KindUnsupported, sdk.SourceCaller, "a dynamic value is of a type or path beyond those that its column keeps apart").
			WithHint("select toString(x) or the paths that you need")
	}
	return nil
}
