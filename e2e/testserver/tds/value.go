package tds

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/encoding/charmap"
)

// appendValue writes a value that is not NULL in a row.
// Errors: a value that the type does not hold.
func (t Type) appendValue(b []byte, value any) ([]byte, error) {
	k := kinds[t.Name]
	if t.Name == "sql_variant" {
		return appendVariant(b, value)
	}
	switch v := value.(type) {
	case bool:
		if t.Name == "bit" && v {
			return append(b, 1, 1), nil
		} else if t.Name == "bit" {
			return append(b, 1, 0), nil
		}
	case int64:
		if k.token == kinds["int"].token {
			if shift := 64 - 8*int(k.bytes); t.Name != "tinyint" && v<<shift>>shift != v || t.Name == "tinyint" && (v < 0 || v > 255) {
				return nil, fmt.Errorf("%d is no %s", v, t)
			}
			return append(append(b, k.bytes), little.AppendUint64(nil, uint64(v))[:k.bytes]...), nil
		}
	case float64:
		if t.Name == "float" {
			return little.AppendUint64(append(b, 8), math.Float64bits(v)), nil
		} else if t.Name == "real" {
			return little.AppendUint32(append(b, 4), math.Float32bits(float32(v))), nil
		}
	case string:
		return t.appendText(b, k, v)
	case []byte:
		if k.unit == 1 && !k.text {
			return t.appendBytes(b, v)
		}
	case time.Time:
		return t.appendTime(b, v)
	}
	return nil, fmt.Errorf("a %T for %s", value, t)
}

// appendVariant writes a value of an sql_variant: its length, its own type, the length of
// that type's properties and these.
func appendVariant(b []byte, value any) ([]byte, error) {
	var of []byte
	switch v := value.(type) {
	case int64:
		of = little.AppendUint64([]byte{0x7F, 0}, uint64(v))
	case string:
		of = append(append([]byte{kinds["nvarchar"].token, 7}, collation...), 0x40, 0x1F) // 8000 bytes at most
		of = append(of, utf16Bytes(v)...)
	case []byte:
		of = append([]byte{kinds["varbinary"].token, 2, 0x40, 0x1F}, v...)
	default:
		return nil, fmt.Errorf("a %T for sql_variant", value)
	}
	return append(little.AppendUint32(b, uint32(len(of))), of...), nil
}

func (t Type) appendText(b []byte, k kind, v string) ([]byte, error) {
	switch t.Name {
	case "nchar", "nvarchar":
		return t.appendBytes(b, utf16Bytes(v))
	case "char", "varchar":
		one, err := charmap.Windows1252.NewEncoder().String(v)
		if err != nil {
			return nil, fmt.Errorf("%q is no %s in this collation", v, t)
		}
		return t.appendBytes(b, []byte(one))
	case "xml":
		return appendLong(b, utf16Bytes(v)), nil
	case "decimal":
		units, err := scaled(v, t.Scale)
		if err != nil || len(new(big.Int).Abs(units).String()) > t.Precision {
			return nil, fmt.Errorf("%s is no %s", v, t)
		}
		n := decimalBytes(t.Precision)
		sign := byte(1)
		if units.Sign() < 0 {
			sign = 0
		}
		digits := units.FillBytes(make([]byte, n))
		slices.Reverse(digits)
		return append(append(b, n+1, sign), digits...), nil
	case "money", "smallmoney":
		units, err := scaled(v, 4)
		if err != nil || !units.IsInt64() || k.bytes == 4 && int64(int32(units.Int64())) != units.Int64() {
			return nil, fmt.Errorf("%s is no %s", v, t)
		}
		n := units.Int64()
		if b = append(b, k.bytes); k.bytes == 4 {
			return little.AppendUint32(b, uint32(n)), nil
		}
		// The upper half stands first.
		return little.AppendUint32(little.AppendUint32(b, uint32(n>>32)), uint32(n)), nil
	case "uniqueidentifier":
		raw, err := hex.DecodeString(strings.ReplaceAll(v, "-", ""))
		if err != nil || len(raw) != 16 {
			return nil, fmt.Errorf("%q is no %s", v, t)
		}
		// Its first three groups are numbers, and little-endian.
		slices.Reverse(raw[:4])
		slices.Reverse(raw[4:6])
		slices.Reverse(raw[6:8])
		return append(append(b, 16), raw...), nil
	}
	return nil, fmt.Errorf("a text for %s", t)
}

// scaled returns a number's units of 10 to the power of -scale, exactly.
func scaled(text string, scale int) (*big.Int, error) {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, fmt.Errorf("%q is no number", text)
	}
	r.Mul(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)))
	if !r.IsInt() {
		return nil, fmt.Errorf("%s has more digits than %d", text, scale)
	}
	return r.Num(), nil
}

func (t Type) appendBytes(b, v []byte) ([]byte, error) {
	if t.Length == Max {
		return appendLong(b, v), nil
	}
	if len(v) > t.size() {
		return nil, fmt.Errorf("%d bytes for %s", len(v), t)
	}
	return append(little.AppendUint16(b, uint16(len(v))), v...), nil
}

// appendLong writes a value in parts, as the types without a limit have it.
func appendLong(b, v []byte) []byte {
	const part = 3000
	b = little.AppendUint64(b, uint64(len(v)))
	for chunk := range slices.Chunk(v, part) {
		b = append(little.AppendUint32(b, uint32(len(chunk))), chunk...)
	}
	return little.AppendUint32(b, 0)
}

// Days that types count from.
var (
	dayOne  = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	day1900 = time.Date(1900, 1, 1, 0, 0, 0, 0, time.UTC)
)

// daysBetween works where a Duration would not.
func daysBetween(from, to time.Time) int64 { return (to.Unix() - from.Unix()) / 86400 }

func (t Type) appendTime(b []byte, v time.Time) ([]byte, error) {
	_, offset := v.Zone()
	wall := time.Date(v.Year(), v.Month(), v.Day(), v.Hour(), v.Minute(), v.Second(), v.Nanosecond(), time.UTC)
	if t.Name == "datetimeoffset" {
		wall = v.UTC()
	}
	if wall.Year() < 1 || wall.Year() > 9999 {
		return nil, fmt.Errorf("%s is no %s", v, t)
	}
	midnight := time.Date(wall.Year(), wall.Month(), wall.Day(), 0, 0, 0, 0, time.UTC)
	clock, unit := wall.Sub(midnight), time.Duration(math.Pow10(9-t.Scale))
	if kinds[t.Name].scaled && clock%unit != 0 {
		return nil, fmt.Errorf("%s has more digits than %s", v, t)
	}
	date := little.AppendUint32(nil, uint32(daysBetween(dayOne, midnight)))[:3]
	ticks := little.AppendUint64(nil, uint64(clock/unit))[:clockBytes(t.Scale)]
	switch t.Name {
	case "date":
		return append(append(b, 3), date...), nil
	case "time":
		return append(append(b, byte(len(ticks))), ticks...), nil
	case "datetime2":
		return append(append(append(b, byte(len(ticks)+3)), ticks...), date...), nil
	case "datetimeoffset":
		b = append(append(append(b, byte(len(ticks)+5)), ticks...), date...)
		return little.AppendUint16(b, uint16(int16(offset/60))), nil
	case "datetime":
		b = little.AppendUint32(append(b, 8), uint32(daysBetween(day1900, midnight)))
		return little.AppendUint32(b, uint32((clock*300+time.Second/2)/time.Second)), nil
	case "smalldatetime":
		b = little.AppendUint16(append(b, 4), uint16(daysBetween(day1900, midnight)))
		return little.AppendUint16(b, uint16(clock/time.Minute)), nil
	}
	return nil, fmt.Errorf("a time for %s", t)
}

// clockBytes is how many bytes a time of day takes.
func clockBytes(scale int) int {
	switch {
	case scale <= 2:
		return 3
	case scale <= 4:
		return 4
	}
	return 5
}
