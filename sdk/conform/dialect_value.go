package conform

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// want is what an expression must come to; the zero value is NULL. TypeDecimal
// stands for a number of any type, TypeFloat64 for a double.
type want struct {
	is   sdk.Type
	text string
}

var (
	null    = want{}
	yes, no = want{sdk.TypeBool, "1"}, want{sdk.TypeBool, "0"}
)

func number(text string) want   { return want{sdk.TypeDecimal, text} }
func whole(text string) want    { return want{sdk.TypeInt64, text} }
func double(text string) want   { return want{sdk.TypeFloat64, text} }
func words(text string) want    { return want{sdk.TypeText, text} }
func onDay(text string) want    { return want{sdk.TypeDate, text} }
func atMoment(text string) want { return want{sdk.TypeTimestamp, text} }
func (w want) describe() string { return fmt.Sprintf("%s %q", w.is, w.text) }
func isNumber(t sdk.Type) bool {
	return t == sdk.TypeInt64 || t == sdk.TypeFloat64 || t == sdk.TypeDecimal
}

// native is the type of the engine that a logical type is written as.
func (s *script) native(t sdk.Type) string { return s.d.Types[t.String()] }

// compare returns what is wrong with a cell, or "".
func (s *script) compare(w want, column sdk.Column, cell any) string {
	got := readable(column.Type, cell)
	switch {
	case w == null && cell == nil:
		return ""
	case w == null:
		return fmt.Sprintf("%s %q, want NULL", column.Type, got)
	case cell == nil:
		return "NULL, want " + w.describe()
	case !s.fits(w.is, column.Type):
		return fmt.Sprintf("%s %q (%s), want %s", column.Type, got, column.NativeType, w.describe())
	case !same(w, column.Type, got):
		return fmt.Sprintf("%q, want %s", got, w.describe())
	}
	return ""
}

// fits reports whether an answer's type is one that the dialect leaves open:
// where two logical types have one native name, nobody can tell them apart.
func (s *script) fits(want, got sdk.Type) bool {
	switch {
	case s.untyped || want == got:
		return true
	case want == sdk.TypeDecimal:
		return isNumber(got)
	case want == sdk.TypeBool && s.d.Boolean != dialect.BooleanNative:
		return isNumber(got)
	}
	return s.native(want) != "" && s.native(want) == s.native(got)
}

// same compares by value: numbers as numbers, doubles to nine digits, times
// without regard to how they are written.
func same(w want, t sdk.Type, got string) bool {
	if isNumber(w.is) || w.is == sdk.TypeBool {
		x, ok := new(big.Rat).SetString(got)
		y, fine := new(big.Rat).SetString(w.text)
		if !ok || !fine {
			return false
		}
		if t != sdk.TypeFloat64 && w.is != sdk.TypeFloat64 {
			return x.Cmp(y) == 0
		}
		a, _ := x.Float64()
		b, _ := y.Float64()
		return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b))
	}
	if w.is == sdk.TypeJSON || w.is == sdk.TypeNestedJSON {
		return strings.Join(strings.Fields(got), "") == strings.Join(strings.Fields(w.text), "")
	}
	return got == w.text
}

// readable writes a cell the same way whatever type an engine has for it: a
// truth as 1 or 0, a time as "2024-05-15 13:14:15.678".
func readable(t sdk.Type, cell any) string {
	switch x := cell.(type) {
	case nil:
		return "NULL"
	case bool:
		if x {
			return "1"
		}
		return "0"
	case []byte:
		return unzoned(string(x))
	}
	return unzoned(fmt.Sprint(literal(t, cell)))
}

var clockReading = pattern(`^(\d{4}-\d\d-\d\d)?[T ]?(\d\d:\d\d:\d\d)(\.\d+?)?0*(?:Z|\+00(?::00)?)?$`)

// unzoned writes a clock reading without its zone, and leaves other text as it is.
func unzoned(text string) string {
	m := clockReading().FindStringSubmatch(text)
	if m == nil {
		return text
	}
	return strings.TrimSpace(m[1] + " " + m[2] + strings.TrimSuffix(strings.TrimRight(m[3], "0"), "."))
}
