package conform

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/loam-data/loam/sdk"
)

func typeNamed(name string) sdk.Type {
	for _, t := range sdk.Types() {
		if t.String() == name {
			return t
		}
	}
	return sdk.TypeUnspecified
}

// literal converts a cell, as Vector.Value returns it, to the form of the package
// documentation. NULL is nil, JSON is a decoded value.
func literal(t sdk.Type, v any) any {
	switch x := v.(type) {
	case nil:
		return nil
	case bool:
		return x
	case int64:
		return wordLiteral(t, x)
	case finer:
		return momentLiteral(t, time.UnixMicro(x.micros).Add(time.Duration(x.nanos)).UTC())
	case float64:
		return floatLiteral(x)
	case []byte:
		return arenaLiteral(t, x)
	default:
		return fmt.Sprintf("%T %v", v, v)
	}
}

// finer is a time with nanoseconds beyond its microseconds.
type finer struct {
	micros int64
	nanos  uint32
}

func wordLiteral(t sdk.Type, x int64) string {
	if t == sdk.TypeDate || t == sdk.TypeTimestamp || t == sdk.TypeTimestampTZ {
		switch x {
		case sdk.Infinity:
			return "infinity"
		case sdk.NegativeInfinity:
			return "-infinity"
		}
	}
	switch t {
	case sdk.TypeDate:
		const day = 24 * 60 * 60
		return date(time.Unix(x*day, 0).UTC())
	case sdk.TypeTime:
		if x == 24*60*60*1_000_000 {
			return "24:00:00"
		}
		return momentLiteral(t, time.UnixMicro(x).UTC())
	case sdk.TypeTimestamp, sdk.TypeTimestampTZ:
		return momentLiteral(t, time.UnixMicro(x).UTC())
	default:
		return strconv.FormatInt(x, 10)
	}
}

func momentLiteral(t sdk.Type, at time.Time) string {
	switch t {
	case sdk.TypeTime:
		return clock(at)
	case sdk.TypeTimestampTZ:
		return date(at) + "T" + clock(at) + "Z"
	default:
		return date(at) + "T" + clock(at)
	}
}

// date writes years outside 0 to 9999 in ISO 8601's expanded form.
func date(t time.Time) string {
	year := fmt.Sprintf("%04d", t.Year())
	switch {
	case t.Year() > 9999:
		year = fmt.Sprintf("+%d", t.Year())
	case t.Year() < 0:
		year = fmt.Sprintf("-%04d", -t.Year())
	}
	return year + t.Format("-01-02")
}

func clock(t time.Time) string { return t.Format("15:04:05.999999999") }

func floatLiteral(x float64) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "Infinity"
	case math.IsInf(x, -1):
		return "-Infinity"
	default:
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
}

func arenaLiteral(t sdk.Type, x []byte) any {
	switch {
	case t == sdk.TypeJSON || t == sdk.TypeNestedJSON:
		if v, err := decodeJSON(x); err == nil {
			if v == nil {
				return map[string]any{"$json": nil}
			}
			return v
		}
	case t != sdk.TypeBytes && utf8.Valid(x):
		return string(x)
	}
	return map[string]any{"$hex": hex.EncodeToString(x)}
}

func decodeJSON(x []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(x))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return nil, err
	}
	if decoder.More() {
		return nil, fmt.Errorf("text behind the JSON value")
	}
	return v, nil
}

// matches reports whether a cell is what a case expects.
func matches(t sdk.Type, want, got any) bool {
	if want == nil || got == nil {
		return want == nil && got == nil
	}
	switch t.Layout() {
	case sdk.LayoutBits:
		return want == got
	case sdk.LayoutFloat64:
		w, ok := wantFloat(want)
		g := got.(float64)
		return ok && (w == g || math.IsNaN(w) && math.IsNaN(g))
	case sdk.LayoutInt64:
		return scalar(want) == literal(t, got)
	}
	cell := got.([]byte)
	if raw, ok := wantBytes(want); ok {
		return bytes.Equal(raw, cell)
	}
	if t == sdk.TypeJSON || t == sdk.TypeNestedJSON {
		return reflect.DeepEqual(normal(want), literal(t, cell))
	}
	return t != sdk.TypeBytes && scalar(want) == string(cell)
}

func wantFloat(want any) (float64, bool) {
	switch w := want.(type) {
	case float64:
		return w, true
	case int:
		return float64(w), true
	}
	x, err := strconv.ParseFloat(strings.Replace(scalar(want), "Infinity", "Inf", 1), 64)
	return x, err == nil
}

// wantBytes converts {"$hex": …}, {"$repeat": …, "$times": n} and a []byte to bytes; false = want is none of them.
func wantBytes(want any) ([]byte, bool) {
	if raw, ok := want.([]byte); ok {
		return raw, true
	}
	form, ok := want.(map[string]any)
	if !ok {
		return nil, false
	}
	if digits, ok := form["$hex"].(string); ok {
		raw, err := hex.DecodeString(digits)
		return raw, err == nil
	}
	unit, ok := form["$repeat"].(string)
	if !ok {
		return nil, false
	}
	times, err := strconv.Atoi(scalar(form["$times"]))
	return bytes.Repeat([]byte(unit), max(times, 0)), err == nil
}

// scalar formats an expected number or string as text.
func scalar(want any) string {
	if s, ok := want.(string); ok {
		return s
	}
	return fmt.Sprint(want)
}

// normal converts an expected JSON value that was written in Go to the types of a decoded one.
func normal(want any) any {
	raw, err := json.Marshal(want)
	if err != nil {
		return want
	}
	v, err := decodeJSON(raw)
	if err != nil {
		return want
	}
	return v
}

// brief shortens a literal for a message.
func brief(v any) string {
	const longest = 120
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if len(raw) > longest {
		return fmt.Sprintf("%s… (%d bytes)", raw[:longest], len(raw))
	}
	return string(raw)
}
