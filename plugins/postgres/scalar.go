package postgres

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/loam-data/loam/sdk"
)

// The formats of a value on the wire.
const (
	textFormat   = pgtype.TextFormatCode
	binaryFormat = pgtype.BinaryFormatCode
)

// voidOID is missing in pgtype. Source: src/include/catalog/pg_type.dat.
const voidOID = 2278

// decoder writes one value, never NULL, to a result.
type decoder func(w *sdk.RowWriter, raw []byte) error

// scalar is a built-in type that is known without asking the server.
type scalar struct {
	name   string // as format_type writes it for the modifier -1
	typ    sdk.Type
	format int16
	decode decoder
	// modifier appends what a type modifier says to the name, or gives up on it:
	// then the server is asked.
	modifier func(name string, mod int32) (string, bool)
}

// scalars by OID. Binary is used where it is exact and cheaper than text; what
// travels as text is taken over as it is, in the form that the session's
// settings fix (see config.parameters).
// Source: src/include/catalog/pg_type.dat; the send functions of each type.
var scalars = map[uint32]scalar{
	pgtype.BoolOID:        {"boolean", sdk.TypeBool, binaryFormat, decodeBool, nil},
	pgtype.Int2OID:        {"smallint", sdk.TypeInt64, binaryFormat, decodeInt2, nil},
	pgtype.Int4OID:        {"integer", sdk.TypeInt64, binaryFormat, decodeInt4, nil},
	pgtype.Int8OID:        {"bigint", sdk.TypeInt64, binaryFormat, decodeInt8, nil},
	pgtype.OIDOID:         {"oid", sdk.TypeInt64, binaryFormat, decodeUint4, nil},
	pgtype.XIDOID:         {"xid", sdk.TypeInt64, binaryFormat, decodeUint4, nil},
	pgtype.CIDOID:         {"cid", sdk.TypeInt64, binaryFormat, decodeUint4, nil},
	pgtype.XID8OID:        {"xid8", sdk.TypeDecimal, textFormat, decodeText, nil}, // unsigned
	pgtype.Float4OID:      {"real", sdk.TypeFloat64, textFormat, decodeFloat4, nil},
	pgtype.Float8OID:      {"double precision", sdk.TypeFloat64, binaryFormat, decodeFloat8, nil},
	pgtype.NumericOID:     {"numeric", sdk.TypeDecimal, textFormat, decodeText, numericModifier},
	pgtype.TextOID:        {"text", sdk.TypeText, textFormat, decodeText, nil},
	pgtype.VarcharOID:     {"character varying", sdk.TypeText, textFormat, decodeText, lengthModifier},
	pgtype.BPCharOID:      {"bpchar", sdk.TypeText, textFormat, decodeText, characterModifier},
	pgtype.NameOID:        {"name", sdk.TypeText, textFormat, decodeText, nil},
	pgtype.QCharOID:       {`"char"`, sdk.TypeText, textFormat, decodeText, nil},
	pgtype.ByteaOID:       {"bytea", sdk.TypeBytes, binaryFormat, decodeText, nil},
	pgtype.DateOID:        {"date", sdk.TypeDate, binaryFormat, decodeDate, nil},
	pgtype.TimeOID:        {"time without time zone", sdk.TypeTime, binaryFormat, decodeInt8, timeModifier},
	pgtype.TimetzOID:      {"time with time zone", sdk.TypeText, textFormat, decodeText, timeModifier},
	pgtype.TimestampOID:   {"timestamp without time zone", sdk.TypeTimestamp, binaryFormat, decodeTimestamp, timeModifier},
	pgtype.TimestamptzOID: {"timestamp with time zone", sdk.TypeTimestampTZ, binaryFormat, decodeTimestamp, timeModifier},
	pgtype.IntervalOID:    {"interval", sdk.TypeInterval, textFormat, decodeText, noModifier},
	pgtype.JSONOID:        {"json", sdk.TypeJSON, textFormat, decodeText, nil},
	pgtype.JSONBOID:       {"jsonb", sdk.TypeJSON, textFormat, decodeText, nil},
	pgtype.UUIDOID:        {"uuid", sdk.TypeUUID, textFormat, decodeText, nil},
	pgtype.XMLOID:         {"xml", sdk.TypeText, textFormat, decodeText, nil},
	voidOID:               {"void", sdk.TypeText, textFormat, decodeText, nil},
	pgtype.RecordOID:      {"record", sdk.TypeText, textFormat, decodeText, nil},
	pgtype.UnknownOID:     {"unknown", sdk.TypeText, textFormat, decodeText, nil},
}

// native returns the name of the type with its modifier, as format_type does.
func (s *scalar) native(mod int32) (string, bool) {
	if mod < 0 {
		return s.name, true
	}
	if s.modifier == nil {
		return s.name, true
	}
	return s.modifier(s.name, mod)
}

// varHeader is what PostgreSQL adds to the modifiers of types of variable length.
const varHeader = 4

func lengthModifier(name string, mod int32) (string, bool) {
	return name + "(" + strconv.Itoa(int(mod)-varHeader) + ")", true
}

// characterModifier: bpchar of a length is called character.
func characterModifier(_ string, mod int32) (string, bool) { return lengthModifier("character", mod) }

func numericModifier(name string, mod int32) (string, bool) {
	precision, scale := numericPrecision(mod)
	return fmt.Sprintf("%s(%d,%d)", name, precision, scale), true
}

// numericPrecision splits the modifier of a numeric; the scale may be negative
// from PostgreSQL 15 on. Source: src/backend/utils/adt/numeric.c.
func numericPrecision(mod int32) (precision, scale int) {
	mod -= varHeader
	return int(mod >> 16 & 0xffff), int(mod&0x7ff^0x400) - 0x400
}

// timeModifier puts the precision behind the first word: "time(3) with …".
func timeModifier(name string, mod int32) (string, bool) {
	for i := range name {
		if name[i] == ' ' {
			return name[:i] + "(" + strconv.Itoa(int(mod)) + ")" + name[i:], true
		}
	}
	return name, false
}

func noModifier(string, int32) (string, bool) { return "", false }

// decodeText takes the bytes as they are: text, and the binary form of bytea.
func decodeText(w *sdk.RowWriter, raw []byte) error {
	w.Bytes(raw)
	return nil
}

func decodeBool(w *sdk.RowWriter, raw []byte) error {
	if len(raw) != 1 {
		return malformed("boolean", raw)
	}
	w.Bool(raw[0] != 0)
	return nil
}

func decodeInt2(w *sdk.RowWriter, raw []byte) error {
	if len(raw) != 2 {
		return malformed("smallint", raw)
	}
	w.Int64(int64(int16(binary.BigEndian.Uint16(raw))))
	return nil
}

func decodeInt4(w *sdk.RowWriter, raw []byte) error {
	if len(raw) != 4 {
		return malformed("integer", raw)
	}
	w.Int64(int64(int32(binary.BigEndian.Uint32(raw))))
	return nil
}

func decodeUint4(w *sdk.RowWriter, raw []byte) error {
	if len(raw) != 4 {
		return malformed("oid", raw)
	}
	w.Int64(int64(binary.BigEndian.Uint32(raw)))
	return nil
}

// decodeInt8 also reads a time, which is microseconds since midnight.
func decodeInt8(w *sdk.RowWriter, raw []byte) error {
	if len(raw) != 8 {
		return malformed("bigint", raw)
	}
	w.Int64(int64(binary.BigEndian.Uint64(raw)))
	return nil
}

// decodeFloat4 reads the shortest decimal that is this 32-bit float, so that
// 0.1 stays 0.1 in 64 bits.
func decodeFloat4(w *sdk.RowWriter, raw []byte) error {
	x, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return malformed("real", raw)
	}
	w.Float64(x)
	return nil
}

func decodeFloat8(w *sdk.RowWriter, raw []byte) error {
	if len(raw) != 8 {
		return malformed("double precision", raw)
	}
	w.Float64(math.Float64frombits(binary.BigEndian.Uint64(raw)))
	return nil
}

// PostgreSQL counts days and microseconds from 2000-01-01.
const (
	epochDays   = 10957
	epochMicros = epochDays * 24 * 60 * 60 * 1_000_000
)

func decodeDate(w *sdk.RowWriter, raw []byte) error {
	if len(raw) != 4 {
		return malformed("date", raw)
	}
	switch days := int32(binary.BigEndian.Uint32(raw)); days {
	case math.MaxInt32:
		w.Int64(sdk.Infinity)
	case math.MinInt32:
		w.Int64(sdk.NegativeInfinity)
	default:
		w.Int64(int64(days) + epochDays)
	}
	return nil
}

// decodeTimestamp reads both kinds of timestamp. The last 30 years that
// PostgreSQL knows, up to the end of 294276, lie beyond what 64-bit microseconds
// since 1970 can say.
func decodeTimestamp(w *sdk.RowWriter, raw []byte) error {
	if len(raw) != 8 {
		return malformed("timestamp", raw)
	}
	switch micros := int64(binary.BigEndian.Uint64(raw)); {
	case micros == math.MaxInt64:
		w.Int64(sdk.Infinity)
	case micros == math.MinInt64:
		w.Int64(sdk.NegativeInfinity)
	case micros >= math.MaxInt64-epochMicros:
		return sdk.Errorf(sdk.KindUnsupported, sdk.SourceConnector, "a timestamp lies after the year 294246").
			WithHint("cast the column to text")
	default:
		w.Int64(micros + epochMicros)
	}
	return nil
}

func malformed(typ string, raw []byte) *sdk.Error {
	return sdk.Errorf(sdk.KindInternal, sdk.SourceConnector, "the server sent a %s of %d bytes that cannot be one", typ, len(raw))
}
