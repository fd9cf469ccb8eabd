package clickhouse

import (
	"github.com/loam-data/loam/sdk"
)

// optional is a Nullable: a byte per row says that the value is none.
type optional struct {
	inner column
	nulls []byte
}

func (c *optional) prefix(r *reader) error { return c.inner.prefix(r) }

func (c *optional) read(r *reader, rows int) (err error) {
	if c.nulls, err = appendBytes(r, c.nulls[:0], uint64(rows)); err != nil {
		return err
	}
	return c.inner.read(r, rows)
}

func (c *optional) null(row int) bool               { return c.nulls[row] != 0 }
func (c *optional) write(w *sdk.RowWriter, row int) { c.inner.write(w, row) }
func (c *optional) json(dst []byte, row int) []byte { return c.inner.json(dst, row) }

// nested is what the columns have in common that are JSON as a cell.
type nested struct{ buf []byte }

func (n *nested) cell(w *sdk.RowWriter, json func(dst []byte, row int) []byte, row int) {
	n.buf = json(n.buf[:0], row)
	w.Bytes(n.buf)
}

// array is an Array: where each row's elements end, and all elements.
type array struct {
	nested
	inner column
	ends  sizes
}

func (c *array) prefix(r *reader) error { return c.inner.prefix(r) }

func (c *array) read(r *reader, rows int) error {
	total, err := c.ends.read(r, rows)
	if err != nil {
		return err
	}
	return c.inner.read(r, total)
}

func (*array) null(int) bool                     { return false }
func (c *array) write(w *sdk.RowWriter, row int) { c.cell(w, c.json, row) }

func (c *array) json(dst []byte, row int) []byte {
	dst = append(dst, '[')
	start, end := c.ends.of(row)
	for i := start; i < end; i++ {
		if i > start {
			dst = append(dst, ',')
		}
		dst = appendJSON(dst, c.inner, i)
	}
	return append(dst, ']')
}

// dictionary is a Map: an array of pairs. A key may come more than once; the
// pairs are those of a JSON object then too, in the server's order.
type dictionary struct {
	nested
	ends         sizes
	keys, values column
	// quoted: a key is a JSON string already.
	buf []byte
}

func newMap(t *typeName) (column, error) {
	if len(t.args) != 2 {
		return nil, unreadable(t)
	}
	keys, err := newColumn(&t.args[0].typeName)
	if err != nil {
		return nil, err
	}
	values, err := newColumn(&t.args[1].typeName)
	if err != nil {
		return nil, err
	}
	return &dictionary{keys: keys, values: values}, nil
}

func (c *dictionary) prefix(r *reader) error {
	if err := c.keys.prefix(r); err != nil {
		return err
	}
	return c.values.prefix(r)
}

func (c *dictionary) read(r *reader, rows int) error {
	total, err := c.ends.read(r, rows)
	if err != nil {
		return err
	}
	if err := c.keys.read(r, total); err != nil {
		return err
	}
	return c.values.read(r, total)
}

func (*dictionary) null(int) bool                     { return false }
func (c *dictionary) write(w *sdk.RowWriter, row int) { c.cell(w, c.json, row) }

func (c *dictionary) json(dst []byte, row int) []byte {
	dst = append(dst, '{')
	start, end := c.ends.of(row)
	for i := start; i < end; i++ {
		if i > start {
			dst = append(dst, ',')
		}
		dst = c.key(dst, i)
		dst = appendJSON(append(dst, ':'), c.values, i)
	}
	return append(dst, '}')
}

// key appends a key as a JSON string, whatever its type.
func (c *dictionary) key(dst []byte, i int) []byte {
	start := len(dst)
	dst = appendJSON(dst, c.keys, i)
	if dst[start] == '"' {
		return dst
	}
	c.buf = append(c.buf[:0], dst[start:]...)
	return appendQuoted(dst[:start], c.buf)
}

// tuple is a Tuple: an array in JSON or, when its elements have names, an object.
type tuple struct {
	nested
	names    []string // nil when they have none
	elements []column
	empty    []byte
}

func newTuple(t *typeName) (column, error) {
	c := &tuple{}
	for i := range t.args {
		element, err := newColumn(&t.args[i].typeName)
		if err != nil {
			return nil, err
		}
		c.elements = append(c.elements, element)
		if label := t.args[i].label; label != "" {
			c.names = append(c.names, label)
		}
	}
	if len(c.names) != len(c.elements) {
		c.names = nil
	}
	return c, nil
}

// newNested returns the column of a Nested that is one column: an array of
// named tuples.
func newNested(t *typeName) (column, error) {
	inner, err := newTuple(t)
	if err != nil {
		return nil, err
	}
	return &array{inner: inner}, nil
}

func (c *tuple) prefix(r *reader) error {
	for _, e := range c.elements {
		if err := e.prefix(r); err != nil {
			return err
		}
	}
	return nil
}

func (c *tuple) read(r *reader, rows int) (err error) {
	if len(c.elements) == 0 { // a byte per row stands for nothing
		c.empty, err = appendBytes(r, c.empty[:0], uint64(rows))
		return err
	}
	for _, e := range c.elements {
		if err := e.read(r, rows); err != nil {
			return err
		}
	}
	return nil
}

func (*tuple) null(int) bool                     { return false }
func (c *tuple) write(w *sdk.RowWriter, row int) { c.cell(w, c.json, row) }

func (c *tuple) json(dst []byte, row int) []byte {
	open, end := byte('['), byte(']')
	if c.names != nil {
		open, end = '{', '}'
	}
	dst = append(dst, open)
	for i, e := range c.elements {
		if i > 0 {
			dst = append(dst, ',')
		}
		if c.names != nil {
			dst = append(appendQuoted(dst, []byte(c.names[i])), ':')
		}
		dst = appendJSON(dst, e, row)
	}
	return append(dst, end)
}
