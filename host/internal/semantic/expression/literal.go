package expression

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// Null makes NULL.
func Null() *Literal { return &Literal{} }

// Text makes a text.
func Text(s string) *Literal { return &Literal{base: base{typ: sdk.TypeText}, Value: s} }

// Bool makes TRUE or FALSE.
func Bool(b bool) *Literal {
	return &Literal{base: base{typ: sdk.TypeBool}, Value: strconv.FormatBool(b)}
}

// Int makes a whole number; a negative one is a Unary.
func Int(n int64) Node {
	if n < 0 {
		return minus(strconv.FormatUint(-uint64(n), 10))
	}
	l, _ := number(strconv.FormatInt(n, 10))
	return l
}

// Float makes a number with all digits of f; false for NaN and the infinities.
func Float(f float64) (Node, bool) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, false
	}
	s := strconv.FormatFloat(math.Abs(f), 'e', -1, 64)
	if math.Signbit(f) {
		return minus(s), true
	}
	l, _ := number(s)
	return l, true
}

func minus(s string) Node {
	l, _ := number(s)
	return &Unary{base: base{typ: l.typ}, Op: Negate, X: l}
}

// number makes a literal of a number token: without a point it is an integer if
// it fits, with an exponent a float, else a decimal. It is false for a float
// beyond all doubles.
func number(s string) (*Literal, bool) {
	n := &Literal{}
	mantissa, exponent, float := strings.Cut(strings.ToLower(s), "e")
	whole, fraction, point := strings.Cut(mantissa, ".")
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	n.Value = whole
	if point {
		n.Value += "." + fraction
	}
	switch {
	case float:
		n.typ = sdk.TypeFloat64
		sign := ""
		if strings.HasPrefix(exponent, "-") {
			sign = "-"
		}
		exponent = strings.TrimLeft(exponent, "+-0")
		if exponent == "" {
			sign, exponent = "", "0"
		}
		n.Value += "e" + sign + exponent
		_, err := strconv.ParseFloat(n.Value, 64)
		return n, err == nil
	case point:
		n.typ = sdk.TypeDecimal
	default:
		n.typ = sdk.TypeInt64
		if _, err := strconv.ParseInt(whole, 10, 64); err != nil {
			n.typ = sdk.TypeDecimal
		}
	}
	return n, true
}

// timeHint says how times are written.
const timeHint = "write a date as '2024-05-15', a timestamp as '2024-05-15 13:14:15' and an instant with its offset, as '2024-05-15 13:14:15+02:00'"

const (
	dateLayout = "2006-01-02"
	timeLayout = "2006-01-02 15:04:05.999999999"
	zoneLayout = "2006-01-02 15:04:05.999999999Z07:00"
)

// Date makes a date of "2024-05-15"; false for anything else.
func Date(s string) (*Literal, bool) {
	t, err := time.Parse(dateLayout, s)
	return &Literal{base: base{typ: sdk.TypeDate}, Value: s}, err == nil && t.Year() > 0
}

// Timestamp makes a timestamp without zone of "2024-05-15 13:14:15.5", with a
// space or a T, the seconds or the whole time of day left out or not.
func Timestamp(s string) (*Literal, bool) {
	t, ok := parseTime(s, dateLayout, "2006-01-02 15:04", "2006-01-02 15:04:05")
	return &Literal{base: base{typ: sdk.TypeTimestamp}, Value: t.Format(timeLayout)}, ok
}

// TimestampTZ makes an instant of a timestamp with an offset or a Z. Its value is
// in UTC, "2024-05-15 11:14:15+00:00".
func TimestampTZ(s string) (*Literal, bool) {
	t, ok := parseTime(s, "2006-01-02 15:04Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05Z07")
	t = t.UTC()
	return &Literal{base: base{typ: sdk.TypeTimestampTZ}, Value: t.Format(timeLayout) + "+00:00"}, ok && t.Year() > 0 && t.Year() < 10000
}

// parseTime tries the layouts; a fraction of up to nine digits may follow seconds.
func parseTime(s string, layouts ...string) (time.Time, bool) {
	if len(s) > len(dateLayout) && s[len(dateLayout)] == 'T' {
		s = s[:len(dateLayout)] + " " + s[len(dateLayout)+1:]
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, s); err == nil {
			return t, t.Year() > 0 && SecondDigits(s) <= dialect.MaxFineDigits
		}
	}
	return time.Time{}, false
}

// SecondDigits returns how many digits of a second a time is written with. time.Parse
// drops those behind the ninth.
func SecondDigits(s string) int {
	_, fraction, _ := strings.Cut(strings.Replace(s, ",", ".", 1), ".")
	return len(fraction) - len(strings.TrimLeft(fraction, "0123456789"))
}
