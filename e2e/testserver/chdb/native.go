//go:build cgo && linux

package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	chproto "github.com/ClickHouse/ch-go/proto"
	"github.com/ClickHouse/clickhouse-go/v2/lib/column"
	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"
)

// revise writes blocks in the Native format as a server does for a client that
// speaks the protocol revision; the library writes them for revision 0. Only
// what surrounds the columns changes: their bytes are copied. The driver's own
// columns find where each one ends.
func revise(blocks []byte, revision int) ([]byte, error) {
	if revision == 0 {
		return blocks, nil
	}
	raw := bytes.NewReader(blocks)
	buffered := bufio.NewReaderSize(raw, 1<<17) // as large as the driver's reader wants it, or it buffers again
	in := blockReader{
		blocks: blocks, raw: raw, buffered: buffered, reader: chproto.NewReader(buffered),
		out: make([]byte, 0, len(blocks)+256), revision: revision,
	}
	for in.position() < len(blocks) {
		if err := in.block(); err != nil {
			return nil, err
		}
	}
	return in.out, nil
}

// blockReader reads blocks and knows how far it has come.
type blockReader struct {
	blocks   []byte
	raw      *bytes.Reader
	buffered *bufio.Reader
	reader   *chproto.Reader
	out      []byte
	revision int
}

// position is how many bytes of the blocks have been read.
func (r *blockReader) position() int {
	return len(r.blocks) - r.raw.Len() - r.buffered.Buffered()
}

func (r *blockReader) block() error {
	// The block's info: no overflow row (field 1), no bucket (field 2), the end.
	r.out = append(r.out, 1, 0, 2, 0xff, 0xff, 0xff, 0xff, 0)
	columns, err := r.reader.UVarInt()
	if err != nil {
		return err
	}
	rows, err := r.reader.UVarInt()
	if err != nil {
		return err
	}
	r.out = binary.AppendUvarint(binary.AppendUvarint(r.out, columns), rows)
	for range columns {
		if err := r.column(int(rows)); err != nil {
			return err
		}
	}
	return nil
}

func (r *blockReader) column(rows int) error {
	start := r.position()
	name, nameErr := r.reader.Str()
	typeName, typeErr := r.reader.Str()
	if err := errors.Join(nameErr, typeErr); err != nil {
		return err
	}
	r.out = append(r.out, r.blocks[start:r.position()]...)
	if r.revision >= proto.DBMS_MIN_REVISION_WITH_CUSTOM_SERIALIZATION {
		r.out = append(r.out, 0) // the type's usual serialization
	}
	if rows == 0 {
		return nil
	}
	start = r.position()
	c, err := column.Type(typeName).Column(name, &column.ServerContext{})
	if err != nil {
		return err
	}
	if custom, ok := c.(column.CustomSerialization); ok {
		if err := custom.ReadStatePrefix(r.reader); err != nil {
			return err
		}
	}
	if err := c.Decode(r.reader, rows); err != nil {
		return fmt.Errorf("column %s %s: %w", name, typeName, err)
	}
	r.out = append(r.out, r.blocks[start:r.position()]...)
	return nil
}
