package snowflake

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// cell is a value of a result: nil for NULL, *big.Int for the units of a number,
// float64, string, bool, []byte, or a clock.
type cell any

// clock is a date (days), a time of day (nanoseconds) or an instant.
type clock struct {
	days    int64
	seconds int64
	nanos   int64 // below a second, never negative; of a time of day: all
	offset  int   // minutes, of a TIMESTAMP_TZ
}

func readText(v any) (cell, error) {
	if s, ok := v.(string); ok {
		return s, nil
	}
	return nil, unread(v)
}

func readReal(v any) (cell, error) {
	if f, ok := v.(float64); ok {
		return f, nil
	}
	return nil, unread(v)
}

func readBool(v any) (cell, error) {
	if b, ok := v.(bool); ok {
		return b, nil
	}
	return nil, unread(v)
}

func readBytes(v any) (cell, error) {
	if b, ok := v.([]byte); ok {
		return b, nil
	}
	return nil, unread(v)
}

func readDays(v any) (cell, error) {
	if n, ok := v.(int64); ok {
		return clock{days: n}, nil
	}
	return nil, unread(v)
}

// readFixed reads a number's units of the scale.
func readFixed(scale int) func(any) (cell, error) {
	return func(v any) (cell, error) {
		s, _ := v.(string)
		whole, fraction, _ := strings.Cut(s, ".")
		if len(fraction) > scale {
			return nil, unread(v)
		}
		n, ok := new(big.Int).SetString(whole+fraction+strings.Repeat("0", scale-len(fraction)), 10)
		if !ok {
			return nil, unread(v)
		}
		return n, nil
	}
}

// readTime reads 10:20:30.123456789.
func readTime(v any) (cell, error) {
	s, _ := v.(string)
	s, fraction, _ := strings.Cut(s, ".")
	parts := strings.Split(s, ":")
	if len(parts) != 3 || len(fraction) > 9 {
		return nil, unread(v)
	}
	var n int64
	for _, p := range append(parts, fraction+strings.Repeat("0", 9-len(fraction))) {
		part, err := strconv.ParseInt(p, 10, 64)
		if err != nil {
			return nil, unread(v)
		}
		factor := int64(60)
		if len(p) == 9 {
			factor = 1e9
		}
		n = n*factor + part
	}
	return clock{nanos: n}, nil
}

// readStamp reads a count since 1970 and its unit, and the minutes of an offset.
func readStamp(v any) (cell, error) {
	s, _ := v.(string)
	parts := strings.Fields(s)
	if len(parts) < 2 {
		return nil, unread(v)
	}
	n, err := strconv.ParseInt(parts[0], 10, 64)
	if err != nil {
		return nil, unread(v)
	}
	each := map[string]int64{"s": 1, "us": 1e6, "ns": 1e9}[parts[1]]
	if each == 0 {
		return nil, unread(v)
	}
	c := clock{seconds: n / each, nanos: n % each * (1e9 / each)}
	if c.nanos < 0 {
		c.seconds, c.nanos = c.seconds-1, c.nanos+1e9
	}
	if len(parts) == 3 {
		c.offset = atoi(parts[2])
	}
	return c, nil
}

func unread(v any) error { return fmt.Errorf("the fixture cannot read the value %v (%T)", v, v) }

// jsonText writes a value as results in JSON have it; nil for NULL.
func jsonText(t sqlType, v cell) *string {
	var s string
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		s = v
	case bool:
		s = "0"
		if v {
			s = "1"
		}
	case float64:
		s = realText(v)
	case []byte:
		s = strings.ToUpper(fmt.Sprintf("%x", v))
	case *big.Int:
		s = fixedText(v, t.scale)
	case clock:
		s = clockText(t, v)
	}
	return &s
}

// realText writes a float as the service does: inf and NaN by these names.
func realText(f float64) string {
	switch s := strconv.FormatFloat(f, 'g', -1, 64); s {
	case "+Inf":
		return "inf"
	case "-Inf":
		return "-inf"
	default:
		return s
	}
}

func fixedText(n *big.Int, scale int) string {
	digits := new(big.Int).Abs(n).String()
	if scale > 0 {
		if len(digits) <= scale {
			digits = strings.Repeat("0", scale+1-len(digits)) + digits
		}
		digits = digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	}
	if n.Sign() < 0 {
		return "-" + digits
	}
	return digits
}

// clockText writes a clock as one decimal number: half a second before 1970 is -0.5.
func clockText(t sqlType, c clock) string {
	if t.name == "date" {
		return strconv.FormatInt(c.days, 10)
	}
	n := new(big.Int).Mul(big.NewInt(c.seconds), big.NewInt(1e9))
	n.Add(n, big.NewInt(c.nanos))
	digits := fixedText(n, 9)
	digits = strings.TrimSuffix(digits[:len(digits)-9+t.scale], ".")
	if t.name == "timestamp_tz" {
		digits += " " + strconv.Itoa(c.offset+1440)
	}
	return digits
}
