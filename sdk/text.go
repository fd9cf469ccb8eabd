package sdk

import (
	"encoding/base64"
	"math"
	"strconv"
)

const (
	microsPerSecond = 1_000_000
	microsPerDay    = 24 * 60 * 60 * microsPerSecond
	nanosPerMicro   = 1000
)

// AppendText appends the text form of a value in JSON results and profiles,
// without the quotes of a JSON string. The value must not be NULL.
// Shape: numbers as AppendFloat writes them; dates and times in the form of RFC
// 3339, an instant in UTC with "Z"; bytes in base64; all others unchanged.
func (v *Vector) AppendText(dst []byte, t Type, row int) []byte {
	switch t {
	case TypeBool:
		return strconv.AppendBool(dst, v.Bool(row))
	case TypeInt64:
		return strconv.AppendInt(dst, v.I64[row], 10)
	case TypeFloat64:
		return AppendFloat(dst, v.F64[row])
	case TypeDate, TypeTime, TypeTimestamp, TypeTimestampTZ:
		return appendMoment(dst, t, v.I64[row], int64(v.Nano(row)))
	case TypeBytes:
		return base64.StdEncoding.AppendEncode(dst, v.Bytes(row))
	default:
		return append(dst, v.Bytes(row)...)
	}
}

// AppendFloat appends the shortest number that reads back as f, in the form of
// ECMA-262, section 6.1.6.1.20: plain from 1e-6 to below 1e21, else with an
// exponent; NaN, Infinity and -Infinity.
func AppendFloat(dst []byte, f float64) []byte {
	switch {
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	if size := math.Abs(f); size != 0 && (size < 1e-6 || size >= 1e21) {
		dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
		if n := len(dst); dst[n-4] == 'e' && dst[n-2] == '0' { // e-07
			dst[n-2] = dst[n-1]
			dst = dst[:n-1]
		}
		return dst
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}

// appendMoment writes a DATE, TIME, TIMESTAMP or TIMESTAMP_TZ. A fraction of a
// second is as long as it needs to be.
func appendMoment(dst []byte, t Type, n, nanos int64) []byte {
	switch {
	case t == TypeTime:
		return appendClock(dst, n, nanos)
	case n == Infinity:
		return append(dst, "infinity"...)
	case n == NegativeInfinity:
		return append(dst, "-infinity"...)
	case t == TypeDate:
		return appendDate(dst, n)
	}
	days, micros := floorDivide(n, microsPerDay)
	dst = appendClock(append(appendDate(dst, days), 'T'), micros, nanos)
	if t == TypeTimestampTZ {
		dst = append(dst, 'Z')
	}
	return dst
}

// appendDate writes the date that is days after 1970-01-01, in the proleptic
// Gregorian calendar. A year outside 0…9999 has a sign and at least six digits
// (ECMA-262, section 21.4.1.32.1, "Expanded Years"; year 0 is 1 BC).
func appendDate(dst []byte, days int64) []byte {
	year, month, day := civil(days)
	switch {
	case year > 9999:
		dst = appendPadded(append(dst, '+'), year, 6)
	case year < 0:
		dst = appendPadded(append(dst, '-'), -year, 6)
	default:
		dst = appendPadded(dst, year, 4)
	}
	dst = appendPadded(append(dst, '-'), month, 2)
	return appendPadded(append(dst, '-'), day, 2)
}

// civil converts days since 1970-01-01 for every int64, which time.Time does
// not. Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms",
// civil_from_days: eras of 400 years that start on a 1 March.
func civil(days int64) (year, month, day int64) {
	const daysPerEra, toEra = 146_097, 719_468
	era, rest := floorDivide(days, daysPerEra)
	more, dayOfEra := floorDivide(rest+toEra, daysPerEra)
	era += more
	yearOfEra := (dayOfEra - dayOfEra/1460 + dayOfEra/36524 - dayOfEra/146096) / 365
	dayOfYear := dayOfEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	fromMarch := (5*dayOfYear + 2) / 153
	day = dayOfYear - (153*fromMarch+2)/5 + 1
	month = fromMarch + 3
	year = era*400 + yearOfEra
	if month > 12 {
		month, year = month-12, year+1
	}
	return year, month, day
}

// appendClock writes a time of day, or a longer or negative time as some
// engines have them ("-838:59:59").
func appendClock(dst []byte, micros, nanos int64) []byte {
	if micros < 0 {
		dst = append(dst, '-')
		if nanos > 0 { // which count forward, to zero
			micros, nanos = micros+1, nanosPerMicro-nanos
		}
	}
	seconds, fraction := abs(micros/microsPerSecond), abs(micros%microsPerSecond)*nanosPerMicro+nanos
	dst = appendPadded(dst, seconds/3600, 2)
	dst = appendPadded(append(dst, ':'), seconds/60%60, 2)
	dst = appendPadded(append(dst, ':'), seconds%60, 2)
	if fraction == 0 {
		return dst
	}
	digits := nanoDigits
	for ; fraction%10 == 0; fraction /= 10 {
		digits--
	}
	return appendPadded(append(dst, '.'), fraction, digits)
}

func appendPadded(dst []byte, n int64, digits int) []byte {
	for limit := int64(10); digits > 1; digits-- {
		if n < limit {
			for range digits - 1 {
				dst = append(dst, '0')
			}
			break
		}
		limit *= 10
	}
	return strconv.AppendInt(dst, n, 10)
}

// floorDivide rounds the quotient down, so that the remainder is never negative.
func floorDivide(n, by int64) (quotient, remainder int64) {
	quotient, remainder = n/by, n%by
	if remainder < 0 {
		quotient, remainder = quotient-1, remainder+by
	}
	return quotient, remainder
}

func abs(n int64) int64 {
	if n < 0 {
		return -n
	}
	return n
}
