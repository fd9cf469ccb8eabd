package clickhouse

import (
	"github.com/loam-data/loam/sdk"
)

// lowCardinality is a LowCardinality: the distinct values of a block, and their
// numbers by row. If it is nullable, number 0 is NULL.
type lowCardinality struct {
	values   column
	optional bool
	numbers  []byte
	width    int // of a number
}

func newLowCardinality(t *typeName) (column, error) {
	if len(t.args) != 1 {
		return nil, unreadable(t)
	}
	inner := &t.args[0].typeName
	c := &lowCardinality{optional: inner.name == "Nullable"}
	if c.optional && len(inner.args) == 1 {
		inner = &inner.args[0].typeName
	}
	values, err := newColumn(inner)
	c.values = values
	return c, err
}

// prefix reads the version of the form, of which there is one.
func (c *lowCardinality) prefix(r *reader) error {
	const sharedDictionaries = 1
	version, err := r.UInt64()
	if err == nil && version != sharedDictionaries {
		err = errBlock()
	}
	return unexpected(err)
}

func (c *lowCardinality) read(r *reader, rows int) error {
	const (
		widths          = 0xff
		wholeDictionary = 1 << 8 // stands elsewhere: not in this format
		additionalKeys  = 1 << 9
	)
	c.numbers = c.numbers[:0]
	if rows == 0 {
		return nil
	}
	flags, err := r.UInt64()
	if err != nil {
		return unexpected(err)
	}
	if flags&wholeDictionary != 0 || flags&additionalKeys == 0 || flags&widths > 3 {
		return errBlock()
	}
	c.width = 1 << (flags & widths)
	keys, err := r.UInt64()
	if err != nil || keys > maxBlockBytes {
		return unexpectedOr(err)
	}
	if err := c.values.read(r, int(keys)); err != nil {
		return err
	}
	count, err := r.UInt64()
	if err != nil || count != uint64(rows) {
		return unexpectedOr(err)
	}
	if c.numbers, err = appendBytes(r, c.numbers, uint64(rows)*uint64(c.width)); err != nil {
		return err
	}
	for row := range rows {
		if c.number(row) >= int(keys) {
			return errBlock()
		}
	}
	return nil
}

// unexpectedOr is for a number that could not be read or is not what it must be.
func unexpectedOr(err error) error {
	if err == nil {
		return errBlock()
	}
	return unexpected(err)
}

func (c *lowCardinality) number(row int) int {
	at := c.numbers[row*c.width:]
	switch c.width {
	case 1:
		return int(at[0])
	case 2:
		return int(little.Uint16(at))
	case 4:
		return int(little.Uint32(at))
	default:
		return int(little.Uint64(at) & (maxCount - 1))
	}
}

func (c *lowCardinality) null(row int) bool { return c.optional && c.number(row) == 0 }

func (c *lowCardinality) write(w *sdk.RowWriter, row int) { c.values.write(w, c.number(row)) }

func (c *lowCardinality) json(dst []byte, row int) []byte { return c.values.json(dst, c.number(row)) }
