package clickhouse

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"

	chproto "github.com/ClickHouse/ch-go/proto"

	"github.com/loam-data/loam/sdk"
)

// column holds the values of one column of a block and reads the next block's
// into the same memory.
// Source: the server's Serialization*.cpp, for the Native format.
type column interface {
	// prefix reads what stands before the values of a whole column.
	prefix(r *reader) error
	// read reads the values of a block, in the place of those before.
	read(r *reader, rows int) error
	null(row int) bool
	// write appends a value that is not NULL as a cell of the column's type.
	write(w *sdk.RowWriter, row int)
	// json appends a value that is not NULL as it stands in a nested one.
	json(dst []byte, row int) []byte
}

// newColumn returns the column of a type.
// Errors: KindUnsupported for a type whose values only the server can read.
func newColumn(t *typeName) (column, error) {
	if s := newScalar(t); s != nil {
		return &fixed{scalar: s}, nil
	}
	switch t.name {
	case "String":
		return &texts{}, nil
	case "Nullable":
		return wrap(t, 0, func(inner column) column { return &optional{inner: inner} })
	case "LowCardinality":
		return newLowCardinality(t)
	case "SimpleAggregateFunction":
		return wrap(t, 1, func(inner column) column { return inner })
	case "Array":
		return wrap(t, 0, func(inner column) column { return &array{inner: inner} })
	case "Nested":
		return newNested(t)
	case "Map":
		return newMap(t)
	case "Tuple":
		return newTuple(t)
	case "Variant":
		return newVariant(t)
	case "Dynamic":
		return &dynamic{}, nil
	case "JSON":
		return newDocument(t)
	}
	if geo, err := newGeometry(t); geo != nil || err != nil {
		return geo, err
	}
	return nil, unreadable(t)
}

func unreadable(t *typeName) error {
	e := sdk.Errorf(sdk.KindUnsupported, sdk.SourceCaller, "a column of type %s has no form that can be shown", t.text)
	if t.name == "AggregateFunction" {
		return e.WithHint("finish the aggregation in the query: finalizeAggregation(x), or the combinator -Merge")
	}
	return e.WithHint("leave the column out, or select toString(x)")
}

// wrap makes a column of the one that argument i describes.
func wrap(t *typeName, i int, around func(column) column) (column, error) {
	if i >= len(t.args) {
		return nil, unreadable(t)
	}
	inner, err := newColumn(&t.args[i].typeName)
	if err != nil {
		return nil, err
	}
	return around(inner), nil
}

// appendJSON appends a value of a nested one.
func appendJSON(dst []byte, c column, row int) []byte {
	if c.null(row) {
		return append(dst, "null"...)
	}
	return c.json(dst, row)
}

const (
	// maxBlockBytes bounds what is kept of one block: the server sends some
	// megabytes, but a block has one row at least, and a cell of it any length. It is
	// well above sdk.MaxRowBytes, so that long cells can arrive and be clipped.
	maxBlockBytes = 256 << 20
	// keptBytes is how large a block may be whose memory serves the next statement.
	keptBytes = 8 << 20
	// maxCount bounds what a block can say of itself: more is no block.
	maxCount = 1 << 40
)

// reader reads the blocks of results, each within maxBlockBytes.
type reader struct {
	*chproto.Reader
	left uint64 // bytes that the block may still have
	most uint64 // of a block since it was looked at
}

func newReader(r io.Reader) *reader {
	return &reader{Reader: chproto.NewReader(r), left: maxBlockBytes}
}

// keep accounts for n bytes of memory that the block is about to take.
// Errors: KindLimit.
func (r *reader) keep(n uint64) error {
	switch {
	case n > maxCount:
		return errBlock()
	case n > r.left:
		return sdk.Errorf(sdk.KindLimit, sdk.SourceCaller, "a block of the result has more than %d MiB, some rows or a single one", maxBlockBytes>>20).
			WithHint("select parts of long values with substring(x, 1, 1000), their length(x), or fewer columns")
	}
	r.left -= n
	r.most = max(r.most, maxBlockBytes-r.left)
	return nil
}

func errBlock() *sdk.Error {
	return sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "the server's answer is not of the form of the Native format").
		WithHint("check that nothing between rewrites the answer; report it with the server's version if it persists")
}

// errSparse refuses a column that the server does not send whole.
func errSparse(column string) *sdk.Error {
	return sdk.Errorf(sdk.KindUnsupported, sdk.SourceWarehouse, "the server sends the column %s in a form of its own (sparse), as the first releases of 23.7 do", column).
		WithHint("update the server, or have the connection use protocol: http")
}

// appendBytes reads n bytes behind those of buf, which it grows as they come: a
// number that is none must not take all memory.
func appendBytes(r *reader, buf []byte, n uint64) ([]byte, error) {
	const step = 1 << 20
	if err := r.keep(n); err != nil {
		return buf, err
	}
	for end := len(buf) + int(n); len(buf) < end; {
		start := len(buf)
		buf = slices.Grow(buf, min(step, end-start))[:min(start+step, end)]
		if err := r.ReadFull(buf[start:]); err != nil {
			return buf, unexpected(err)
		}
	}
	return buf, nil
}

// unexpected marks the end of the data inside a block.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// sizes reads the ends of the values of arrays and maps.
type sizes struct {
	raw  []byte
	rows int
}

func (s *sizes) read(r *reader, rows int) (total int, err error) {
	s.rows = rows
	if s.raw, err = appendBytes(r, s.raw[:0], 8*uint64(rows)); err != nil || rows == 0 {
		return 0, err
	}
	end := uint64(0)
	for i := range rows {
		next := binary.LittleEndian.Uint64(s.raw[8*i:])
		if next < end || next > maxCount {
			return 0, errBlock()
		}
		end = next
	}
	return int(end), r.keep(end) // each element takes a byte at least
}

// of returns where the elements of a row start and end.
func (s *sizes) of(row int) (start, end int) {
	if row > 0 {
		start = int(binary.LittleEndian.Uint64(s.raw[8*(row-1):]))
	}
	return start, int(binary.LittleEndian.Uint64(s.raw[8*row:]))
}

// texts is a column of strings. They need not be UTF-8.
type texts struct {
	data []byte
	ends []int
}

func (*texts) prefix(*reader) error { return nil }

func (c *texts) read(r *reader, rows int) error {
	c.data, c.ends = c.data[:0], c.ends[:0]
	if err := r.keep(8 * uint64(rows)); err != nil {
		return err
	}
	for range rows {
		n, err := r.UVarInt()
		if err != nil {
			return unexpected(err)
		}
		if c.data, err = appendBytes(r, c.data, n); err != nil {
			return err
		}
		c.ends = append(c.ends, len(c.data))
	}
	return nil
}

func (c *texts) at(row int) []byte {
	start := 0
	if row > 0 {
		start = c.ends[row-1]
	}
	return c.data[start:c.ends[row]]
}

func (*texts) null(int) bool { return false }

func (c *texts) write(w *sdk.RowWriter, row int) { w.Bytes(c.at(row)) }

func (c *texts) json(dst []byte, row int) []byte { return appendQuoted(dst, c.at(row)) }

// appendQuoted appends text as a JSON string; what is not UTF-8 in it becomes
// U+FFFD, for JSON can hold nothing else.
func appendQuoted(dst, text []byte) []byte {
	dst, _ = sdk.AppendJSONText(dst, text)
	return dst
}
