//go:build cgo

package duckdb

import (
	"bytes"
	"fmt"
	"strconv"

	duck "github.com/duckdb/duckdb-go-bindings"

	"github.com/loam-data/loam/plugins/duckdb/internal/engine"
	"github.com/loam-data/loam/sdk"
)

// appendText appends a row, which is not NULL, in DuckDB's own text form: what
// CAST(… AS VARCHAR) gives.
func appendText(dst []byte, v *engine.Vector, row int) []byte {
	switch v.Type.ID {
	case duck.TypeVarchar, duck.TypeBlob:
		return append(dst, v.Bytes(row)...)
	case duck.TypeEnum:
		return append(dst, v.Word(row)...)
	case duck.TypeUBigInt:
		return strconv.AppendUint(dst, engine.Get[uint64](v, row), 10)
	case duck.TypeHugeInt, duck.TypeUHugeInt:
		return hugeint(v, row).Append(dst, 10)
	case duck.TypeBigNum:
		return bignum(v, row).Append(dst, 10)
	case duck.TypeDecimal:
		return appendDecimal(dst, v, row)
	case duck.TypeBit:
		return appendBits(dst, v.Bytes(row))
	case duck.TypeUUID:
		return appendUUID(dst, engine.Get[engine.Hugeint](v, row))
	case duck.TypeInterval:
		return appendInterval(dst, engine.Get[interval](v, row))
	case duck.TypeTimeTZ:
		return appendTimeTZ(dst, engine.Get[uint64](v, row))
	default:
		return strconv.AppendInt(dst, integer(v, row), 10)
	}
}

// appendDecimal writes a DECIMAL with all digits of its scale.
func appendDecimal(dst []byte, v *engine.Vector, row int) []byte {
	start := len(dst)
	switch v.Type.Internal {
	case duck.TypeSmallInt:
		dst = strconv.AppendInt(dst, int64(engine.Get[int16](v, row)), 10)
	case duck.TypeInteger:
		dst = strconv.AppendInt(dst, int64(engine.Get[int32](v, row)), 10)
	case duck.TypeBigInt:
		dst = strconv.AppendInt(dst, engine.Get[int64](v, row), 10)
	default:
		dst = hugeint(v, row).Append(dst, 10)
	}
	scale := v.Type.Scale
	if scale == 0 {
		return dst
	}
	if dst[start] == '-' {
		start++
	}
	digits := dst[start:]
	if missing := scale + 1 - len(digits); missing > 0 {
		dst = append(dst, "0000000000000000000000000000000000000000"[:missing]...)
		copy(dst[start+missing:], digits)
		for i := range missing {
			dst[start+i] = '0'
		}
	}
	dst = append(dst, 0)
	point := len(dst) - 1 - scale
	copy(dst[point+1:], dst[point:])
	dst[point] = '.'
	return dst
}

// appendBits writes a BIT; its first byte is how many bits of the second are
// padding.
func appendBits(dst, data []byte) []byte {
	if len(data) < 2 {
		return dst
	}
	for i := int(data[0]); i < 8*(len(data)-1); i++ {
		dst = append(dst, '0'+data[1+i/8]>>(7-i%8)&1)
	}
	return dst
}

// appendUUID writes a UUID, which is stored with its first bit flipped so that
// it sorts as a signed number.
func appendUUID(dst []byte, h engine.Hugeint) []byte {
	const digits = "0123456789abcdef"
	words := [2]uint64{uint64(h.High) ^ 1<<63, h.Low}
	for i := range 32 {
		if i == 8 || i == 12 || i == 16 || i == 20 {
			dst = append(dst, '-')
		}
		dst = append(dst, digits[words[i/16]>>(60-4*(i%16))&15])
	}
	return dst
}

// interval is how an INTERVAL is stored.
type interval struct {
	months, days int32
	micros       int64
}

// appendInterval writes "1 year 2 months 3 days 04:05:06.789".
// Source: IntervalToStringCast of DuckDB.
func appendInterval(dst []byte, i interval) []byte {
	start := len(dst)
	part := func(n int32, unit string) {
		if n == 0 {
			return
		}
		if len(dst) > start {
			dst = append(dst, ' ')
		}
		dst = append(strconv.AppendInt(dst, int64(n), 10), unit...)
		if n != 1 && n != -1 {
			dst = append(dst, 's')
		}
	}
	part(i.months/12, " year")
	part(i.months%12, " month")
	part(i.days, " day")
	if i.micros == 0 && len(dst) > start {
		return dst
	}
	if len(dst) > start {
		dst = append(dst, ' ')
	}
	if i.micros < 0 {
		dst = append(dst, '-')
	}
	micros := uint64(i.micros)
	if i.micros < 0 {
		micros = -micros
	}
	const hour = 3_600_000_000
	dst = fmt.Appendf(dst, "%02d", micros/hour)
	return appendFraction(fmt.Appendf(dst, ":%02d:%02d", micros/60_000_000%60, micros/1_000_000%60), int64(micros%1_000_000), 6)
}

// appendTimeTZ writes a time and its offset, which lie in one word.
// Source: dtime_tz_t of DuckDB: 40 bits of microseconds, 24 bits of
// 15:59:59 - offset.
func appendTimeTZ(dst []byte, bits uint64) []byte {
	const maxOffset = 16*60*60 - 1
	dst = appendClock(dst, int64(bits>>24))
	offset := maxOffset - int(bits&(1<<24-1))
	sign := byte('+')
	if offset < 0 {
		sign, offset = '-', -offset
	}
	dst = fmt.Appendf(append(dst, sign), "%02d", offset/3600)
	if offset%3600 != 0 {
		dst = fmt.Appendf(dst, ":%02d", offset/60%60)
	}
	if offset%60 != 0 {
		dst = fmt.Appendf(dst, ":%02d", offset%60)
	}
	return dst
}

// appendClock writes a time of day.
func appendClock(dst []byte, micros int64) []byte {
	return appendMoment(dst, sdk.TypeTime, micros)
}

// appendFraction writes ".5" for 500000 of six digits, nothing for zero.
func appendFraction(dst []byte, n int64, digits int) []byte {
	if n == 0 {
		return dst
	}
	return bytes.TrimRight(fmt.Appendf(dst, ".%0*d", digits, n), "0")
}

// appendMoment writes a date or time as results show it.
func appendMoment(dst []byte, t sdk.Type, n int64) []byte {
	return (&sdk.Vector{I64: []int64{n}}).AppendText(dst, t, 0)
}
