package postgres

import (
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/loam-data/loam/sdk"
)

// shape says how the text of a value becomes JSON, for the values inside
// arrays, composite types and ranges. A shape may contain itself.
type shape struct {
	kind   shapeKind
	oid    uint32 // of the type, or of what a domain is based on
	elem   *shape // of an array, a range and a multirange
	delim  byte   // between the elements of an array
	fields []shapeField
}

type shapeField struct {
	name  string
	shape *shape
}

type shapeKind uint8

const (
	shapeText shapeKind = iota
	shapeBool
	shapeInt
	shapeFloat
	shapeJSON
	shapeBytes
	shapeTime // dates and timestamps
	shapeArray
	shapeRecord
	shapeRange
	shapeMultirange
)

// leafShapes of the built-in types that are more than text. A decimal is text:
// JSON readers would round it.
var leafShapes = map[uint32]shapeKind{
	pgtype.BoolOID:        shapeBool,
	pgtype.Int2OID:        shapeInt,
	pgtype.Int4OID:        shapeInt,
	pgtype.OIDOID:         shapeInt,
	pgtype.Int8OID:        shapeInt,
	pgtype.Float4OID:      shapeFloat,
	pgtype.Float8OID:      shapeFloat,
	pgtype.JSONOID:        shapeJSON,
	pgtype.JSONBOID:       shapeJSON,
	pgtype.ByteaOID:       shapeBytes,
	pgtype.DateOID:        shapeTime,
	pgtype.TimestampOID:   shapeTime,
	pgtype.TimestamptzOID: shapeTime,
}

// typ returns the logical type of a column of this shape.
func (s *shape) typ() sdk.Type {
	switch s.kind {
	case shapeArray, shapeRecord, shapeRange, shapeMultirange:
		return sdk.TypeNestedJSON
	default:
		return sdk.TypeText
	}
}

// decoder returns the decoder of a column of this shape.
func (s *shape) decoder() decoder {
	if s.typ() == sdk.TypeText {
		return decodeText
	}
	var buf []byte
	return func(w *sdk.RowWriter, raw []byte) error {
		out, err := s.json(buf[:0], raw)
		if err != nil {
			return err
		}
		buf = out
		w.Bytes(out)
		return nil
	}
}
