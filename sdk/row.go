package sdk

import (
	"fmt"
	"strconv"
	"time"
)

// Row appends one row of Go values: nil, bool, any integer or float, string,
// []byte, time.Time or fmt.Stringer, each as its column's type asks. A value
// that the type cannot hold exactly is an error, never a near one.
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
	if w.err != nil || w.col >= len(w.columns) {
		w.Null()
		return
	}
	if v == nil {
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
		if t, is := v.(time.Time); is {
			w.Int64(timeValue(c.Type, t))
			return
		}
		ok = w.intValue(v)
	case LayoutArena:
		ok = w.arenaValue(v)
	}
	if !ok {
		_ = w.fail(Errorf(KindInternal, SourceConnector, "a %T value does not fit column %q of type %s", v, c.Name, c.Type))
	}
}

func (w *RowWriter) boolValue(v any) bool {
	switch x := v.(type) {
	case bool:
		w.Bool(x)
	case int64:
		if x != 0 && x != 1 {
			return false
		}
		w.Bool(x == 1)
	default:
		return false
	}
	return true
}

func (w *RowWriter) intValue(v any) bool {
	switch x := v.(type) {
	case int64:
		w.Int64(x)
	case int:
		w.Int64(int64(x))
	case int32:
		w.Int64(int64(x))
	case int16:
		w.Int64(int64(x))
	case int8:
		w.Int64(int64(x))
	case uint32:
		w.Int64(int64(x))
	case uint16:
		w.Int64(int64(x))
	case uint8:
		w.Int64(int64(x))
	case time.Duration:
		w.Int64(x.Microseconds())
	default:
		return false
	}
	return true
}

func (w *RowWriter) floatValue(v any) bool {
	switch x := v.(type) {
	case float64:
		w.Float64(x)
	case float32:
		w.Float64(float64(x))
	default:
		return false
	}
	return true
}

func (w *RowWriter) arenaValue(v any) bool {
	switch x := v.(type) {
	case string:
		w.Text(x)
	case []byte:
		w.Bytes(x)
	case fmt.Stringer:
		w.Text(x.String())
	case int64:
		w.Text(strconv.FormatInt(x, 10))
	case uint64:
		w.Text(strconv.FormatUint(x, 10))
	case float64:
		w.Text(strconv.FormatFloat(x, 'g', -1, 64))
	case bool:
		w.Text(strconv.FormatBool(x))
	default:
		return false
	}
	return true
}

// timeValue encodes t for a DATE, TIME, TIMESTAMP (the clock reading, whatever
// its zone) or TIMESTAMP_TZ (the instant) column.
func timeValue(typ Type, t time.Time) int64 {
	wall := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
	switch typ {
	case TypeDate:
		return DaysOf(t)
	case TypeTime:
		return wall.Sub(wall.Truncate(24 * time.Hour)).Microseconds()
	case TypeTimestamp:
		return wall.UnixMicro()
	default:
		return t.UnixMicro()
	}
}

// DaysOf returns the days from 1970-01-01 to the date that t shows in its zone.
func DaysOf(t time.Time) int64 {
	const day = 24 * 60 * 60
	s := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC).Unix()
	return s / day // midnight UTC is a whole number of days, also before 1970
}
