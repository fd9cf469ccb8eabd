package clickhouse

import (
	"github.com/loam-data/loam/sdk"
)

// revision is the protocol's that we speak: the last one without profile events,
// custom serializations and settings of the client's that we have no use for.
// Statements with parameters need bindingRevision. A server that accepts
// bindingRevision still sends all columns whole: sparse ones come from 54465 on,
// except for the first releases of 23.7.
// Source: the server's ProtocolDefines.h, and pull request 52835.
const (
	revision              = 54450
	bindingRevision       = 54459
	revisionWithBlockInfo = 51903
	revisionWithKinds     = 54454 // a byte behind a column's type says how it is serialized
	revisionWithAddendum  = 54458 // a client sends a quota key behind the hellos
	maxColumns            = 1 << 16
	blockInfoOverflows    = 1
	blockInfoBucket       = 2
)

// block is a piece of a result. Its columns are overwritten by the next one.
type block struct {
	names   []string
	types   []string
	columns []column
	rows    int
}

// next reads a block in the place of the one before, whose columns it keeps as
// far as they have the same types.
// Errors: io.EOF before the first byte.
func (b *block) next(r *reader, revision int) error {
	columns, err := r.UVarInt()
	if err != nil {
		return err
	}
	if revision >= revisionWithBlockInfo {
		if err := skipBlockInfo(r, columns); err != nil {
			return err
		}
		if columns, err = r.UVarInt(); err != nil {
			return unexpected(err)
		}
	}
	rows, err := r.UVarInt()
	if err != nil {
		return unexpected(err)
	}
	if columns > maxColumns || rows > maxBlockBytes {
		return errBlock()
	}
	r.left = maxBlockBytes
	b.rows = int(rows)
	b.resize(int(columns))
	for i := range b.columns {
		if err := b.column(r, i, revision); err != nil {
			return err
		}
	}
	return nil
}

func (b *block) resize(n int) {
	if n != len(b.columns) {
		b.names, b.types, b.columns = make([]string, n), make([]string, n), make([]column, n)
	}
}

// column reads one column.
// Errors: errSparse for a column that is not sent whole.
func (b *block) column(r *reader, i, revision int) (err error) {
	if b.names[i], err = r.Str(); err != nil {
		return unexpected(err)
	}
	native, err := r.Str()
	if err != nil {
		return unexpected(err)
	}
	if revision >= revisionWithKinds {
		custom, err := r.Bool()
		if err != nil {
			return unexpected(err)
		}
		if custom {
			return errSparse(b.names[i])
		}
	}
	if b.columns[i] == nil || b.types[i] != native {
		t, err := parseType(native)
		if err != nil {
			return err
		}
		if b.columns[i], err = newColumn(&t); err != nil {
			return err
		}
		b.types[i] = native
	}
	if b.rows == 0 {
		return nil
	}
	if err := b.columns[i].prefix(r); err != nil {
		return err
	}
	return b.columns[i].read(r, b.rows)
}

// skipBlockInfo reads numbered fields until the number 0.
func skipBlockInfo(r *reader, field uint64) (err error) {
	for field != 0 {
		switch field {
		case blockInfoOverflows:
			_, err = r.Bool()
		case blockInfoBucket:
			_, err = r.Int32()
		default:
			return errBlock()
		}
		if err == nil {
			field, err = r.UVarInt()
		}
		if err != nil {
			return unexpected(err)
		}
	}
	return nil
}

// describe returns the columns of the block.
func (b *block) describe() ([]sdk.Column, error) {
	columns := make([]sdk.Column, len(b.columns))
	for i := range columns {
		c, err := describe(b.names[i], b.types[i])
		if err != nil {
			return nil, err
		}
		columns[i] = c
	}
	return columns, nil
}

// write appends the rows to a result.
func (b *block) write(w *sdk.RowWriter) error {
	for row := range b.rows {
		for _, c := range b.columns {
			if c.null(row) {
				w.Null()
			} else {
				c.write(w, row)
			}
		}
		if err := w.EndRow(); err != nil {
			return err
		}
	}
	return nil
}
