package sdk

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// Row appends one row of Go values: nil, bool, any integer or float, string, []byte,
// time.Time, time.Duration, *big.Rat, *big.Float or fmt.Stringer, each as its
// column's type asks. A value that the type cannot represent exactly is an error.
// Shape: a time.Time is written to a DATE as its date, to a TIME and a TIMESTAMP as
// its clock reading, to a TIMESTAMP_TZ as its instant, each with the column's
// TimeDigits, and to a TEXT in its RFC 3339 form; a time.Duration is a TIME since
// midnight; 0 and 1 fit a BOOL.
func (w *RowWriter) Row(values ...any) error {
	if w.err == nil && len(values) != len(w.columns) {
		return w.fail(Errorf(KindInternal, SourceConnector, "a row has %d values, its result %d columns", len(values), len(w.columns)))
	}
	for _, v := range values {
		w.Value(v)
	}
	return w.EndRow()
}

// Value appends one Go value to the next column; see Row.
func (w *RowWriter) Value(v any) {
	if v == nil || w.err != nil || w.col >= len(w.columns) {
		w.Null()
		return
	}
	c := &w.columns[w.col]
	ok := false
	switch c.Type.Layout() {
	case LayoutBits:
		ok = w.boolValue(v)
	case LayoutFloat64:
		ok = w.floatValue(v)
	case LayoutInt64:
		ok = w.wordValue(c, v)
	case LayoutArena:
		ok = w.arenaValue(c.Type, v)
	}
	if !ok {
		_ = w.fail(Errorf(KindInternal, SourceConnector, "a %T value does not fit column %q of type %s", v, c.Name, c.Type))
	}
}

// integer returns the value of any Go integer that an int64 holds.
func integer(v any) (x int64, ok bool) {
	switch x := v.(type) {
	case int64:
		return x, true
	case int:
		return int64(x), true
	case int32:
		return int64(x), true
	case int16:
		return int64(x), true
	case int8:
		return int64(x), true
	case uint64:
		return int64(x), x <= math.MaxInt64
	case uint:
		return int64(x), uint64(x) <= math.MaxInt64
	case uint32:
		return int64(x), true
	case uint16:
		return int64(x), true
	case uint8:
		return int64(x), true
	}
	return 0, false
}

func (w *RowWriter) boolValue(v any) bool {
	if b, is := v.(bool); is {
		w.Bool(b)
		return true
	}
	x, ok := integer(v)
	if !ok || x < 0 || x > 1 {
		return false
	}
	w.Bool(x == 1)
	return true
}

// wordValue appends to a column of LayoutInt64.
func (w *RowWriter) wordValue(c *Column, v any) bool {
	x, ok := integer(v)
	var nanos int64
	switch v := v.(type) {
	case time.Time:
		x, nanos, ok = timeValue(c.Type, v)
	case time.Duration:
		x, nanos = floorDivide(int64(v), int64(time.Microsecond))
		ok = c.Type == TypeTime
	}
	if ok && (nanos == 0 || c.Finer() && wholeDigits(int(nanos), c.TimeDigits)) {
		w.Moment(x, int(nanos))
		return true
	}
	return false
}

func (w *RowWriter) floatValue(v any) bool {
	switch x := v.(type) {
	case float64:
		w.Float64(x)
		return true
	case float32:
		w.Float64(float64(x))
		return true
	}
	const exact = 1 << 53
	x, ok := integer(v)
	if !ok || x < -exact || x > exact {
		return false
	}
	w.Float64(float64(x))
	return true
}

func (w *RowWriter) arenaValue(t Type, v any) bool {
	switch x := v.(type) {
	case string:
		w.Text(x)
		return true
	case []byte:
		w.Bytes(x)
		return true
	}
	if t == TypeBytes {
		return false
	}
	if x, ok := integer(v); ok {
		w.Text(strconv.FormatInt(x, 10))
		return true
	}
	switch x := v.(type) {
	case uint64:
		w.Text(strconv.FormatUint(x, 10))
	case uint:
		w.Text(strconv.FormatUint(uint64(x), 10))
	case float64:
		return w.floatText(t, x, 64)
	case float32:
		return w.floatText(t, float64(x), 32)
	case bool:
		w.Text(strconv.FormatBool(x))
	case time.Time:
		w.Text(x.Format(time.RFC3339Nano))
	case *big.Rat: // its String is a fraction
		digits, exact := x.FloatPrec()
		if !exact {
			return false
		}
		w.Text(x.FloatString(digits))
	case *big.Float: // its String has ten digits
		if x.IsInf() {
			return false
		}
		w.Text(x.Text('f', -1))
	case fmt.Stringer:
		text := x.String()
		if t == TypeDecimal && !plainDecimal(text) {
			return false
		}
		w.Text(text)
	default:
		return false
	}
	return true
}

// plainDecimal reports whether s is digits with perhaps a sign and a point.
func plainDecimal(s string) bool {
	whole, fraction, point := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	digits := func(s string) bool {
		return s != "" && strings.Trim(s, "0123456789") == ""
	}
	return digits(whole) && (!point || digits(fraction))
}

// floatText writes the shortest text that reads back as x; a DECIMAL has no
// exponent, no NaN and no infinities.
func (w *RowWriter) floatText(t Type, x float64, bits int) bool {
	if t != TypeDecimal {
		w.Text(strconv.FormatFloat(x, 'g', -1, bits))
		return true
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return false
	}
	w.Text(strconv.FormatFloat(x, 'f', -1, bits))
	return true
}

// timeValue encodes t for a column of typ as microseconds and the nanoseconds beyond
// them; false: typ is no time, or t lies outside int64 microseconds.
func timeValue(typ Type, t time.Time) (micros, nanos int64, ok bool) {
	wall := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
	switch typ {
	case TypeDate:
		return DaysOf(t), 0, true
	case TypeTime:
		micros = wall.Sub(time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)).Microseconds()
		return micros, beyondMicros(t), true
	case TypeTimestamp:
		t = wall
	case TypeTimestampTZ:
	default:
		return 0, 0, false
	}
	micros, nanos = t.UnixMicro(), beyondMicros(t)
	return micros, nanos, time.UnixMicro(micros).Add(time.Duration(nanos)).Equal(t)
}

// beyondMicros returns the nanoseconds of t beyond its microsecond.
func beyondMicros(t time.Time) int64 { return int64(t.Nanosecond()) % int64(time.Microsecond) }

// DaysOf returns the days from 1970-01-01 to the date of t in its zone.
func DaysOf(t time.Time) int64 {
	const day = 24 * 60 * 60
	s := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC).Unix()
	return s / day // midnight UTC is a whole number of days, also before 1970
}
