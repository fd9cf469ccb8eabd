package mysql

import (
	"bytes"
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"strconv"
	"time"

	"github.com/loam-data/loam/sdk"
)

// decoder appends a value, which is not NULL, to the next column.
// Errors: errOdd, and plain ones for what a column of the type cannot have.
type decoder func(w *sdk.RowWriter, v driver.Value) error

// decoderOf returns the decoder for a column of a native type.
func decoderOf(native string, typ sdk.Type) decoder {
	switch native {
	case "BIT":
		return decodeBits
	case "FLOAT":
		return decodeFloat
	case "VECTOR":
		return decodeVector
	}
	switch typ {
	case sdk.TypeInt64:
		return decodeInteger
	case sdk.TypeFloat64:
		return decodeDouble
	case sdk.TypeDecimal:
		return decodeDecimal
	case sdk.TypeDate, sdk.TypeTimestamp, sdk.TypeTimestampTZ:
		return decodeDate
	case sdk.TypeGeoWKT:
		return decodeGeometry
	default:
		return decodeText
	}
}

func unexpected(v driver.Value, what string) error {
	return fmt.Errorf("the driver gave a %T for %s", v, what)
}

func decodeInteger(w *sdk.RowWriter, v driver.Value) error {
	n, ok := v.(int64)
	if !ok {
		return unexpected(v, "an integer")
	}
	w.Int64(n)
	return nil
}

func decodeDouble(w *sdk.RowWriter, v driver.Value) error {
	f, ok := v.(float64)
	if !ok {
		return unexpected(v, "a double")
	}
	w.Float64(f)
	return nil
}

// decodeFloat gives a single-precision number the double that reads the same:
// 0.1, not 0.10000000149011612.
func decodeFloat(w *sdk.RowWriter, v driver.Value) error {
	f, ok := v.(float32)
	if !ok {
		return unexpected(v, "a float")
	}
	if wide := float64(f); wide == float64(int64(f)) && wide < 1<<24 && wide > -1<<24 {
		w.Float64(wide)
		return nil
	}
	var buf [32]byte
	wide, err := strconv.ParseFloat(string(strconv.AppendFloat(buf[:0], float64(f), 'g', -1, 32)), 64)
	if err != nil {
		return err
	}
	w.Float64(wide)
	return nil
}

// decodeDecimal writes a decimal, or an integer of 64 bits without a sign. The
// zeros that ZEROFILL puts in front are no part of the number.
func decodeDecimal(w *sdk.RowWriter, v driver.Value) error {
	var buf [20]byte
	switch v := v.(type) {
	case int64:
		w.Bytes(strconv.AppendInt(buf[:0], v, 10))
	case uint64:
		w.Bytes(strconv.AppendUint(buf[:0], v, 10))
	case []byte:
		for len(v) > 1 && v[0] == '0' && v[1] != '.' {
			v = v[1:]
		}
		w.Bytes(v)
	default:
		return unexpected(v, "a decimal")
	}
	return nil
}

// decodeBits writes bits as the number that they are, the last one for 1.
func decodeBits(w *sdk.RowWriter, v driver.Value) error {
	raw, ok := v.([]byte)
	if !ok || len(raw) > 8 {
		return unexpected(v, "bits")
	}
	var word [8]byte
	copy(word[8-len(raw):], raw)
	var buf [20]byte
	w.Bytes(strconv.AppendUint(buf[:0], binary.BigEndian.Uint64(word[:]), 10))
	return nil
}

// decodeText writes text, bytes, JSON and lengths of time as they are.
func decodeText(w *sdk.RowWriter, v driver.Value) error {
	raw, ok := v.([]byte)
	if !ok {
		return unexpected(v, "text")
	}
	w.Bytes(raw)
	return nil
}

// decodeVector writes MySQL's vector, little-endian floats, as a list.
func decodeVector(w *sdk.RowWriter, v driver.Value) error {
	raw, ok := v.([]byte)
	if !ok || len(raw)%4 != 0 {
		return unexpected(v, "a vector")
	}
	list := []byte{'['}
	for ; len(raw) > 0; raw = raw[4:] {
		if len(list) > 1 {
			list = append(list, ',')
		}
		list = strconv.AppendFloat(list, float64(float32At(raw)), 'g', -1, 32)
	}
	w.Bytes(append(list, ']'))
	return nil
}

// decodeDate writes "2024-02-29" as a date and "2024-02-29 12:30:00.000001" as a
// time on a day; both have these forms only.
func decodeDate(w *sdk.RowWriter, v driver.Value) error {
	raw, ok := v.([]byte)
	if !ok {
		return unexpected(v, "a date")
	}
	if !isDate(raw) {
		return errOdd
	}
	day := daysOf(number(raw[0:4]), number(raw[5:7]), number(raw[8:10]))
	if len(raw) == dateSize {
		w.Int64(day)
		return nil
	}
	seconds := (day*24+number(raw[11:13]))*60*60 + number(raw[14:16])*60 + number(raw[17:19])
	micros := int64(0)
	if len(raw) > timestampSize {
		micros = number(raw[timestampSize+1:])
		for range timestampSize + 1 + 6 - len(raw) {
			micros *= 10
		}
	}
	w.Int64(seconds*1_000_000 + micros)
	return nil
}

const (
	dateSize      = len("2024-02-29")
	timestampSize = len("2024-02-29 12:30:00")
)

// isDate reports whether text starts with a day of the calendar.
func isDate(raw []byte) bool {
	if len(raw) != dateSize && len(raw) < timestampSize || bytes.IndexByte(raw[:dateSize], '-') != 4 {
		return false
	}
	month, day := number(raw[5:7]), number(raw[8:10])
	if month < 1 || month > 12 || day < 1 {
		return false
	}
	return day <= 28 || day <= lengthOf(number(raw[0:4]), month)
}

// lengthOf returns the days of a month.
func lengthOf(year, month int64) int64 {
	return int64(time.Date(int(year), time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day())
}

// number reads digits.
func number(digits []byte) int64 {
	var n int64
	for _, d := range digits {
		n = n*10 + int64(d-'0')
	}
	return n
}

// daysOf counts the days from 1970-01-01 to a day of the Gregorian calendar.
// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
func daysOf(year, month, day int64) int64 {
	if month <= 2 {
		year, month = year-1, month+12
	}
	era := year / 400
	if year < 0 { // January and February of year 0
		era = -1
	}
	ofEra := year - era*400
	ofYear := (153*(month-3)+2)/5 + day - 1
	return era*146097 + ofEra*365 + ofEra/4 - ofEra/100 + ofYear - 719468
}
