package clickhouse

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"net/netip"
	"strconv"
	"strings"

	"github.com/loam-data/loam/sdk"
)

// scalar is a type whose values have one size. One of the functions reads a
// value: word for the types of sdk.LayoutInt64 and for a BOOL, float for a
// FLOAT64, text for all others. A time finer than microseconds has nanos too, the
// nanoseconds beyond its word.
type scalar struct {
	typ   sdk.Type
	size  int
	word  func(cell []byte) int64
	nanos func(cell []byte) uint32
	float func(cell []byte) float64
	text  func(dst, cell []byte) []byte
}

var little = binary.LittleEndian

// scalars are the types without parameters.
var scalars = map[string]*scalar{
	"Int8":   {typ: sdk.TypeInt64, size: 1, word: func(c []byte) int64 { return int64(int8(c[0])) }},
	"Int16":  {typ: sdk.TypeInt64, size: 2, word: func(c []byte) int64 { return int64(int16(little.Uint16(c))) }},
	"Int32":  {typ: sdk.TypeInt64, size: 4, word: func(c []byte) int64 { return int64(int32(little.Uint32(c))) }},
	"Int64":  {typ: sdk.TypeInt64, size: 8, word: func(c []byte) int64 { return int64(little.Uint64(c)) }},
	"UInt8":  {typ: sdk.TypeInt64, size: 1, word: func(c []byte) int64 { return int64(c[0]) }},
	"UInt16": {typ: sdk.TypeInt64, size: 2, word: func(c []byte) int64 { return int64(little.Uint16(c)) }},
	"UInt32": {typ: sdk.TypeInt64, size: 4, word: func(c []byte) int64 { return int64(little.Uint32(c)) }},
	"UInt64": {typ: sdk.TypeDecimal, size: 8, text: func(dst, c []byte) []byte { return strconv.AppendUint(dst, little.Uint64(c), 10) }},

	"Int128":  {typ: sdk.TypeDecimal, size: 16, text: func(dst, c []byte) []byte { return appendWide(dst, c, true, 0) }},
	"Int256":  {typ: sdk.TypeDecimal, size: 32, text: func(dst, c []byte) []byte { return appendWide(dst, c, true, 0) }},
	"UInt128": {typ: sdk.TypeDecimal, size: 16, text: func(dst, c []byte) []byte { return appendWide(dst, c, false, 0) }},
	"UInt256": {typ: sdk.TypeDecimal, size: 32, text: func(dst, c []byte) []byte { return appendWide(dst, c, false, 0) }},

	"Float32":  {typ: sdk.TypeFloat64, size: 4, float: func(c []byte) float64 { return shortest(math.Float32frombits(little.Uint32(c))) }},
	"Float64":  {typ: sdk.TypeFloat64, size: 8, float: func(c []byte) float64 { return math.Float64frombits(little.Uint64(c)) }},
	"BFloat16": {typ: sdk.TypeFloat64, size: 2, float: func(c []byte) float64 { return shortest(math.Float32frombits(uint32(little.Uint16(c)) << 16)) }},

	"Bool":     {typ: sdk.TypeBool, size: 1, word: func(c []byte) int64 { return int64(c[0]) }},
	"Date":     {typ: sdk.TypeDate, size: 2, word: func(c []byte) int64 { return int64(little.Uint16(c)) }},
	"Date32":   {typ: sdk.TypeDate, size: 4, word: func(c []byte) int64 { return int64(int32(little.Uint32(c))) }},
	"DateTime": {typ: sdk.TypeTimestampTZ, size: 4, word: func(c []byte) int64 { return int64(little.Uint32(c)) * 1e6 }},

	"UUID": {typ: sdk.TypeUUID, size: 16, text: appendUUID},
	"IPv4": {typ: sdk.TypeText, size: 4, text: func(dst, c []byte) []byte {
		return netip.AddrFrom4([4]byte{c[3], c[2], c[1], c[0]}).AppendTo(dst)
	}},
	"IPv6": {typ: sdk.TypeText, size: 16, text: func(dst, c []byte) []byte { return netip.AddrFrom16([16]byte(c)).AppendTo(dst) }},
	// A value of this type is NULL always; its byte means nothing.
	"Nothing": {typ: sdk.TypeText, size: 1, text: func(dst, _ []byte) []byte { return dst }},
}

// newScalar returns the scalar of a type, nil if it is none.
func newScalar(t *typeName) *scalar {
	switch {
	case t.name == "Decimal":
		return decimal(t)
	case t.name == "DateTime64":
		return instant(t.int(0))
	case t.name == "Time":
		return clock(4, 0)
	case t.name == "Time64":
		return clock(8, t.int(0))
	case t.name == "FixedString":
		return &scalar{typ: sdk.TypeText, size: t.int(0), text: func(dst, c []byte) []byte { return append(dst, c...) }}
	case t.name == "Enum8" || t.name == "Enum16":
		return enumeration(t)
	case strings.HasPrefix(t.name, "Interval"):
		unit := " " + strings.ToLower(strings.TrimPrefix(t.name, "Interval"))
		return &scalar{typ: sdk.TypeInterval, size: 8, text: func(dst, c []byte) []byte {
			return append(strconv.AppendInt(dst, int64(little.Uint64(c)), 10), unit...)
		}}
	}
	return scalars[t.name]
}

// shortest returns the double whose shortest text is that of a float.
func shortest(x float32) float64 {
	d, err := strconv.ParseFloat(strconv.FormatFloat(float64(x), 'g', -1, 32), 64)
	if err != nil {
		return float64(x)
	}
	return d
}

func decimal(t *typeName) *scalar {
	precision, scale := t.int(0), t.int(1)
	s := &scalar{typ: sdk.TypeDecimal, size: 32}
	switch {
	case precision <= 9:
		s.size = 4
	case precision <= 18:
		s.size = 8
	case precision <= 38:
		s.size = 16
	}
	s.text = func(dst, c []byte) []byte { return appendWide(dst, c, true, scale) }
	return s
}

// instant is a DateTime64: ticks of 10^-precision seconds since 1970.
func instant(precision int) *scalar {
	if precision <= microDigits {
		factor := power10(microDigits - precision)
		return &scalar{typ: sdk.TypeTimestampTZ, size: 8, word: func(c []byte) int64 { return int64(little.Uint64(c)) * factor }}
	}
	perMicro := power10(precision - microDigits)
	split := func(c []byte) (micros, rest int64) {
		ticks := int64(little.Uint64(c))
		rest = (ticks%perMicro + perMicro) % perMicro // counts forward before 1970 too
		return (ticks - rest) / perMicro, rest
	}
	return &scalar{
		typ: sdk.TypeTimestampTZ, size: 8,
		word:  func(c []byte) int64 { micros, _ := split(c); return micros },
		nanos: func(c []byte) uint32 { _, rest := split(c); return uint32(rest * (1000 / perMicro)) },
	}
}

// clock is a Time, of 4 bytes, or a Time64: a time of day, or a longer or
// negative one, in the server's text.
func clock(size, precision int) *scalar {
	perSecond := power10(precision)
	return &scalar{typ: sdk.TypeInterval, size: size, text: func(dst, c []byte) []byte {
		ticks := int64(int32(little.Uint32(c)))
		if size == 8 {
			ticks = int64(little.Uint64(c))
		}
		if ticks < 0 {
			dst, ticks = append(dst, '-'), -ticks
		}
		seconds := ticks / perSecond
		if seconds >= 100*3600 {
			dst = append(dst, byte('0'+seconds/360_000))
		}
		for i, part := range []int64{seconds / 3600, seconds / 60 % 60, seconds % 60} {
			if i > 0 {
				dst = append(dst, ':')
			}
			dst = append(dst, byte('0'+part/10%10), byte('0'+part%10))
		}
		if precision == 0 {
			return dst
		}
		digits := strconv.FormatInt(perSecond+ticks%perSecond, 10)
		return append(append(dst, '.'), digits[1:]...)
	}}
}

func power10(n int) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}

func enumeration(t *typeName) *scalar {
	names := make(map[int16]string, len(t.args))
	for _, a := range t.args {
		names[int16(a.number)] = a.label
	}
	number := func(c []byte) int16 { return int16(int8(c[0])) }
	s := &scalar{typ: sdk.TypeText, size: 1}
	if t.name == "Enum16" {
		s.size, number = 2, func(c []byte) int16 { return int16(little.Uint16(c)) }
	}
	s.text = func(dst, c []byte) []byte {
		if name, ok := names[number(c)]; ok {
			return append(dst, name...)
		}
		return strconv.AppendInt(dst, int64(number(c)), 10)
	}
	return s
}

// appendUUID writes the two halves, each of which is stored backwards.
func appendUUID(dst, c []byte) []byte {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], little.Uint64(c))
	binary.BigEndian.PutUint64(b[8:], little.Uint64(c[8:]))
	for i, part := range [][]byte{b[:4], b[4:6], b[6:8], b[8:10], b[10:]} {
		if i > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, part)
	}
	return dst
}

// fixed is a column of a scalar type.
type fixed struct {
	scalar *scalar
	data   []byte
	buf    []byte
	moment sdk.Vector // of one time, to write it
}

func (*fixed) prefix(*reader) error { return nil }

func (c *fixed) read(r *reader, rows int) (err error) {
	c.data, err = appendBytes(r, c.data[:0], uint64(rows)*uint64(c.scalar.size))
	return err
}

func (c *fixed) at(row int) []byte { return c.data[row*c.scalar.size : (row+1)*c.scalar.size] }

func (*fixed) null(int) bool { return false }

func (c *fixed) write(w *sdk.RowWriter, row int) {
	cell := c.at(row)
	switch c.scalar.typ.Layout() {
	case sdk.LayoutInt64:
		if c.scalar.nanos != nil {
			w.Moment(c.scalar.word(cell), int(c.scalar.nanos(cell)))
			return
		}
		w.Int64(c.scalar.word(cell))
	case sdk.LayoutFloat64:
		w.Float64(c.scalar.float(cell))
	case sdk.LayoutBits:
		w.Bool(c.scalar.word(cell) != 0)
	case sdk.LayoutArena:
		c.buf = c.scalar.text(c.buf[:0], cell)
		w.Bytes(c.buf)
	}
}

// json follows the rules of a result's cells: integers beyond ±2^53, decimals,
// NaN and infinities are strings, times are of RFC 3339.
func (c *fixed) json(dst []byte, row int) []byte {
	cell := c.at(row)
	switch c.scalar.typ {
	case sdk.TypeBool:
		return strconv.AppendBool(dst, c.scalar.word(cell) != 0)
	case sdk.TypeInt64:
		return sdk.AppendJSONInteger(dst, c.scalar.word(cell))
	case sdk.TypeFloat64:
		return sdk.AppendJSONFloat(dst, c.scalar.float(cell))
	case sdk.TypeDate, sdk.TypeTime, sdk.TypeTimestampTZ:
		c.moment.I64 = append(c.moment.I64[:0], c.scalar.word(cell))
		if c.scalar.nanos != nil {
			c.moment.Nanos = append(c.moment.Nanos[:0], c.scalar.nanos(cell))
		}
		return append(c.moment.AppendText(append(dst, '"'), c.scalar.typ, 0), '"')
	default:
		c.buf = c.scalar.text(c.buf[:0], cell)
		return appendQuoted(dst, c.buf)
	}
}

// float returns a value of a Float64, for geometry.
func (c *fixed) float64(row int) float64 { return c.scalar.float(c.at(row)) }
