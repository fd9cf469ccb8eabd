package conform

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

func micros(t *testing.T, text string) int64 {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return at.UnixMicro()
}

func TestLiteralsReadBack(t *testing.T) {
	t.Parallel()
	const day = 24 * 60 * 60 * 1_000_000
	for _, tt := range []struct {
		typ  sdk.Type
		cell any
		want any
	}{
		{sdk.TypeBool, true, true},
		{sdk.TypeInt64, int64(math.MinInt64), "-9223372036854775808"},
		{sdk.TypeInt64, int64(math.MaxInt64), "9223372036854775807"}, // no infinity here
		{sdk.TypeFloat64, 0.1, "0.1"},
		{sdk.TypeFloat64, math.NaN(), "NaN"},
		{sdk.TypeFloat64, math.Inf(1), "Infinity"},
		{sdk.TypeFloat64, math.Inf(-1), "-Infinity"},
		{sdk.TypeText, []byte(""), ""},
		{sdk.TypeText, []byte("a\xff"), map[string]any{"$hex": "61ff"}},
		{sdk.TypeBytes, []byte("a"), map[string]any{"$hex": "61"}},
		{sdk.TypeDecimal, []byte("1.50"), "1.50"},
		{sdk.TypeDate, int64(0), "1970-01-01"},
		{sdk.TypeDate, int64(-1), "1969-12-31"},
		{sdk.TypeDate, int64(-719528), "0000-01-01"},
		{sdk.TypeDate, int64(-719529), "-0001-12-31"},
		{sdk.TypeDate, int64(2932897), "+10000-01-01"},
		{sdk.TypeDate, int64(sdk.Infinity), "infinity"},
		{sdk.TypeDate, int64(sdk.NegativeInfinity), "-infinity"},
		{sdk.TypeTime, int64(0), "00:00:00"},
		{sdk.TypeTime, int64(day - 1), "23:59:59.999999"},
		{sdk.TypeTime, int64(day), "24:00:00"},
		{sdk.TypeTimestamp, micros(t, "2024-02-29T12:30:00.5Z"), "2024-02-29T12:30:00.5"},
		{sdk.TypeTimestampTZ, micros(t, "2024-02-29T12:30:00.5+02:00"), "2024-02-29T10:30:00.5Z"},
		{sdk.TypeTimestampTZ, int64(sdk.Infinity), "infinity"},
		{sdk.TypeTimestamp, finer{-1, 999}, "1969-12-31T23:59:59.999999999"},
		{sdk.TypeTimestampTZ, finer{0, 10}, "1970-01-01T00:00:00.00000001Z"},
		{sdk.TypeTime, finer{day - 1, 1}, "23:59:59.999999001"},
		{sdk.TypeJSON, []byte(`{"b": [1, "x"], "a": 2}`), map[string]any{"b": []any{1, "x"}, "a": 2}},
		{sdk.TypeJSON, []byte("null"), map[string]any{"$json": nil}},
		{sdk.TypeJSON, []byte("{"), map[string]any{"$hex": "7b"}},
		{sdk.TypeInterval, []byte("1 mon"), "1 mon"},
		{sdk.TypeText, nil, nil},
	} {
		got := literal(tt.typ, tt.cell)
		if diff := cmp.Diff(normal(tt.want), normal(got)); diff != "" {
			t.Errorf("%s %v (-want +got):\n%s", tt.typ, tt.cell, diff)
		}
		if !matches(tt.typ, tt.want, tt.cell) {
			t.Errorf("%s: the literal %s does not match its own cell", tt.typ, brief(tt.want))
		}
	}
}

func TestMatches(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		typ  sdk.Type
		want any
		cell any
		ok   bool
	}{
		{"an int", sdk.TypeInt64, 5, int64(5), true},
		{"another int", sdk.TypeInt64, 5, int64(6), false},
		{"digits", sdk.TypeInt64, "5", int64(5), true},
		{"NULL for a value", sdk.TypeInt64, nil, int64(0), false},
		{"a value for NULL", sdk.TypeText, "", nil, false},
		{"a float", sdk.TypeFloat64, 0.5, 0.5, true},
		{"an int for a float", sdk.TypeFloat64, 2, 2.0, true},
		{"a float that is near", sdk.TypeFloat64, 0.1, 0.1 + 1e-12, false},
		{"NaN", sdk.TypeFloat64, math.NaN(), math.NaN(), true},
		{"NaN for a number", sdk.TypeFloat64, "NaN", 1.0, false},
		{"a bool as text", sdk.TypeBool, "true", true, false},
		{"a decimal with another scale", sdk.TypeDecimal, "1.5", []byte("1.50"), false},
		{"bytes of Go", sdk.TypeBytes, []byte{0}, []byte{0}, true},
		{"bytes as text", sdk.TypeBytes, "a", []byte("a"), false},
		{"hex of text", sdk.TypeText, map[string]any{"$hex": "61"}, []byte("a"), true},
		{"no hex", sdk.TypeText, map[string]any{"$hex": "6"}, []byte("6"), false},
		{"a repetition", sdk.TypeText, map[string]any{"$repeat": "ab", "$times": 2}, []byte("abab"), true},
		{"a repetition too many", sdk.TypeText, map[string]any{"$repeat": "ab", "$times": 3}, []byte("abab"), false},
		{"JSON in another order", sdk.TypeJSON, map[string]any{"a": 1, "b": 2}, []byte(`{"b":2,"a":1}`), true},
		{"JSON with another number", sdk.TypeJSON, []any{1}, []byte(`[1.0]`), false},
		{"JSON with more behind", sdk.TypeJSON, []any{1}, []byte(`[1] 2`), false},
		{"NULL for JSON's null", sdk.TypeJSON, nil, []byte(`null`), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := matches(tt.typ, tt.want, tt.cell); got != tt.ok {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestBrief(t *testing.T) {
	t.Parallel()
	if got := brief(strings.Repeat("x", 500)); len(got) > 200 || !strings.Contains(got, "502 bytes") {
		t.Errorf("got %q", got)
	}
}
