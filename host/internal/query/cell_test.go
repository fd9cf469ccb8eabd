package query

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

// rows is a Sink that keeps the rows as JSON text.
type rows struct {
	columns []sdk.Column
	rows    []string
	fail    error // of Row, once failAt rows came
	failAt  int
}

func (r *rows) Columns(columns []sdk.Column) error {
	r.columns = columns
	return nil
}

func (r *rows) Row(cells [][]byte) error {
	if r.fail != nil && len(r.rows) == r.failAt {
		return r.fail
	}
	texts := make([]string, len(cells))
	for i, cell := range cells {
		texts[i] = string(cell)
	}
	r.rows = append(r.rows, "["+strings.Join(texts, ",")+"]")
	return nil
}

// text is the rows as one JSON array.
func (r *rows) text() string { return "[" + strings.Join(r.rows, ",") + "]" }

// encode sends one row of values through the writer that connectors use.
func encode(t *testing.T, typ sdk.Type, values ...any) (string, cellEncoder) {
	t.Helper()
	var sink rows
	r := newResult(&sink, -1, NewProgress(nil))
	w := sdk.NewRowWriter(r, sdk.Limits{})
	columns := make([]sdk.Column, len(values))
	for i := range columns {
		columns[i] = sdk.Column{Name: "x", Type: typ}
	}
	for _, err := range []error{w.Columns(columns...), w.Row(values...), w.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if !json.Valid([]byte(sink.text())) {
		t.Fatalf("%s of %v is no JSON: %s", typ, values, sink.text())
	}
	return strings.TrimSuffix(strings.TrimPrefix(sink.text(), "[["), "]]"), r.encoder
}

func TestCells(t *testing.T) {
	t.Parallel()
	const day = 24 * 60 * 60 * 1_000_000
	at := func(year int, month time.Month, dayOfMonth, hour, minute, second, micros int) int64 {
		return time.Date(year, month, dayOfMonth, hour, minute, second, micros*1000, time.UTC).UnixMicro()
	}
	days := func(year int, month time.Month, dayOfMonth int) int64 {
		return sdk.DaysOf(time.Date(year, month, dayOfMonth, 0, 0, 0, 0, time.UTC))
	}
	tests := []struct {
		name  string
		typ   sdk.Type
		value any
		want  string
	}{
		{"true", sdk.TypeBool, true, `true`},
		{"false", sdk.TypeBool, false, `false`},
		{"zero", sdk.TypeInt64, int64(0), `0`},
		{"2^53-1", sdk.TypeInt64, int64(1<<53 - 1), `9007199254740991`},
		{"2^53", sdk.TypeInt64, int64(1 << 53), `9007199254740992`},
		{"2^53+1", sdk.TypeInt64, int64(1<<53 + 1), `"9007199254740993"`},
		{"-2^53", sdk.TypeInt64, int64(-1 << 53), `-9007199254740992`},
		{"-2^53-1", sdk.TypeInt64, int64(-1<<53 - 1), `"-9007199254740993"`},
		{"largest integer", sdk.TypeInt64, int64(math.MaxInt64), `"9223372036854775807"`},
		{"smallest integer", sdk.TypeInt64, int64(math.MinInt64), `"-9223372036854775808"`},
		{"float", sdk.TypeFloat64, 0.1, `0.1`},
		{"whole float", sdk.TypeFloat64, 3.0, `3`},
		{"negative zero", sdk.TypeFloat64, math.Copysign(0, -1), `-0`},
		{"largest float", sdk.TypeFloat64, math.MaxFloat64, `1.7976931348623157e+308`},
		{"smallest float", sdk.TypeFloat64, math.SmallestNonzeroFloat64, `5e-324`},
		{"small float", sdk.TypeFloat64, 1e-6, `0.000001`},
		{"smaller float", sdk.TypeFloat64, 1.5e-7, `1.5e-7`},
		{"large float", sdk.TypeFloat64, 1e20, `100000000000000000000`},
		{"larger float", sdk.TypeFloat64, -1e21, `-1e+21`},
		{"not a number", sdk.TypeFloat64, math.NaN(), `"NaN"`},
		{"infinity", sdk.TypeFloat64, math.Inf(1), `"Infinity"`},
		{"negative infinity", sdk.TypeFloat64, math.Inf(-1), `"-Infinity"`},
		{"empty text", sdk.TypeText, "", `""`},
		{"text", sdk.TypeText, "Zoë 🙂", `"Zoë 🙂"`},
		{"escapes", sdk.TypeText, "\"\\/\b\f\n\r\t\x00\x1f\x7f<&>\u2028", `"\"\\/\u0008\u000c\n\r\t\u0000\u001f` + "\x7f<&>\u2028" + `"`},
		{"decimal", sdk.TypeDecimal, "-12345678901234567890123456789.1234567890", `"-12345678901234567890123456789.1234567890"`},
		{"decimal that is no number", sdk.TypeDecimal, "NaN", `"NaN"`},
		{"uuid", sdk.TypeUUID, "00000000-0000-0000-0000-000000000000", `"00000000-0000-0000-0000-000000000000"`},
		{"interval", sdk.TypeInterval, "1 mon 2 days 03:04:05.6", `"1 mon 2 days 03:04:05.6"`},
		{"geometry", sdk.TypeGeoWKT, "POINT (1 2)", `"POINT (1 2)"`},
		{"type of a later version", sdk.TypeUnspecified, "x", `"x"`},
		{"no bytes", sdk.TypeBytes, []byte{}, `""`},
		{"one byte", sdk.TypeBytes, []byte{0xff}, `"/w=="`},
		{"bytes", sdk.TypeBytes, []byte{0, 1, 2, 0xfb, 0xff}, `"AAEC+/8="`},
		{"epoch", sdk.TypeDate, int64(0), `"1970-01-01"`},
		{"leap day", sdk.TypeDate, days(2024, 2, 29), `"2024-02-29"`},
		{"first day of year 0", sdk.TypeDate, days(0, 1, 1), `"0000-01-01"`},
		{"1 BC is year 0", sdk.TypeDate, days(0, 12, 31), `"0000-12-31"`},
		{"2 BC", sdk.TypeDate, days(-1, 12, 31), `"-000001-12-31"`},
		{"4713 BC", sdk.TypeDate, days(-4712, 1, 1), `"-004712-01-01"`},
		{"last four-digit year", sdk.TypeDate, days(9999, 12, 31), `"9999-12-31"`},
		{"first five-digit year", sdk.TypeDate, days(10000, 1, 1), `"+010000-01-01"`},
		{"seven-digit year", sdk.TypeDate, days(5874897, 12, 31), `"+5874897-12-31"`},
		{"date at infinity", sdk.TypeDate, int64(sdk.Infinity), `"infinity"`},
		{"date at minus infinity", sdk.TypeDate, int64(sdk.NegativeInfinity), `"-infinity"`},
		{"largest date", sdk.TypeDate, int64(math.MaxInt64 - 1), `"+25252734927768524-07-26"`},
		{"smallest date", sdk.TypeDate, int64(math.MinInt64 + 1), `"-25252734927764585-06-08"`},
		{"midnight", sdk.TypeTime, int64(0), `"00:00:00"`},
		{"last microsecond", sdk.TypeTime, int64(day - 1), `"23:59:59.999999"`},
		{"end of day", sdk.TypeTime, int64(day), `"24:00:00"`},
		{"one microsecond", sdk.TypeTime, int64(1), `"00:00:00.000001"`},
		{"millisecond", sdk.TypeTime, int64(120_000), `"00:00:00.12"`},
		{"long time", sdk.TypeTime, int64(838*3600+59*60+59) * 1e6, `"838:59:59"`},
		{"negative time", sdk.TypeTime, int64(-1_500_000), `"-00:00:01.5"`},
		{"smallest time", sdk.TypeTime, int64(math.MinInt64), `"-2562047788:00:54.775808"`},
		{"timestamp", sdk.TypeTimestamp, at(2026, 3, 1, 12, 30, 5, 0), `"2026-03-01T12:30:05"`},
		{"microseconds", sdk.TypeTimestamp, at(2026, 3, 1, 12, 30, 5, 123456), `"2026-03-01T12:30:05.123456"`},
		{"before the epoch", sdk.TypeTimestamp, int64(-1), `"1969-12-31T23:59:59.999999"`},
		{"timestamp BC", sdk.TypeTimestamp, at(-43, 3, 15, 12, 0, 0, 0), `"-000043-03-15T12:00:00"`},
		{"instant", sdk.TypeTimestampTZ, at(2026, 3, 1, 12, 30, 5, 100000), `"2026-03-01T12:30:05.1Z"`},
		{"instant far off", sdk.TypeTimestampTZ, at(294246, 12, 31, 23, 59, 59, 999999), `"+294246-12-31T23:59:59.999999Z"`},
		{"instant at infinity", sdk.TypeTimestampTZ, int64(sdk.Infinity), `"infinity"`},
		{"timestamp at minus infinity", sdk.TypeTimestamp, int64(sdk.NegativeInfinity), `"-infinity"`},
		{"smallest timestamp", sdk.TypeTimestamp, int64(math.MinInt64 + 1), `"-290308-12-21T19:59:05.224193"`},
		{"json", sdk.TypeJSON, `{"a":[1,2.50,"x",null,true]}`, `{"a":[1,2.50,"x",null,true]}`},
		{"json with white space", sdk.TypeJSON, " {\n\t\"a b\" : [ 1 , \"x y\\\" z\" ] }\r\n", `{"a b":[1,"x y\" z"]}`},
		{"json scalar", sdk.TypeJSON, `"x"`, `"x"`},
		{"json null is null", sdk.TypeJSON, `null`, `null`},
		{"json key twice", sdk.TypeJSON, `{"a":1,"a":2}`, `{"a":1,"a":2}`},
		{"json numbers", sdk.TypeJSON, `[-0,1e400,-1.5E+3,9007199254740992,-9007199254740992,9007199254740993.5]`, `[-0,1e400,-1.5E+3,9007199254740992,-9007199254740992,9007199254740993.5]`},
		{"large integers in json", sdk.TypeNestedJSON, `{"9007199254740993":[9007199254740993,-9007199254740993,123456789012345678901]}`, `{"9007199254740993":["9007199254740993","-9007199254740993","123456789012345678901"]}`},
		{"nested", sdk.TypeNestedJSON, `[["a",null],[]]`, `[["a",null],[]]`},
		{"no json", sdk.TypeJSON, `{"a":NaN}`, `"{\"a\":NaN}"`},
		{"two documents", sdk.TypeJSON, `1 2`, `"1 2"`},
		{"empty json", sdk.TypeNestedJSON, ``, `""`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, _ := encode(t, tt.typ, tt.value)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.typ, diff)
			}
			got, _ = encode(t, tt.typ, nil, tt.value, nil)
			if diff := cmp.Diff("null,"+tt.want+",null", got); diff != "" {
				t.Errorf("%s between NULLs (-want +got):\n%s", tt.typ, diff)
			}
		})
	}
}

func TestWhatCannotBeShownIsCounted(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		typ    sdk.Type
		values []any
		want   string
		counts cellEncoder
	}{
		{"bytes that are no text", sdk.TypeText, []any{"a\xff\xfeb", "é\xc3", "fine"}, `"a��b","é�","fine"`, cellEncoder{badUTF8: 2}},
		{"half of a surrogate pair", sdk.TypeText, []any{"\xed\xa0\x80"}, `"���"`, cellEncoder{badUTF8: 1}},
		{"replacement character itself", sdk.TypeText, []any{"\uFFFD"}, `"�"`, cellEncoder{}},
		{"bytes that are no text in json", sdk.TypeJSON, []any{"[\"a\xff\"]"}, `["a�"]`, cellEncoder{badUTF8: 1}},
		{"no json", sdk.TypeJSON, []any{"[", "]", "[]"}, `"[","]",[]`, cellEncoder{badJSON: 2}},
		{"large integers", sdk.TypeJSON, []any{"[9007199254740993, 9007199254740993]", "1"}, `["9007199254740993","9007199254740993"],1`, cellEncoder{bigInJSON: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, counts := encode(t, tt.typ, tt.values...)
			if diff := cmp.Diff(tt.want, got); diff != "" || counts != tt.counts {
				t.Errorf("counted %+v, want %+v (-want +got):\n%s", counts, tt.counts, diff)
			}
		})
	}
}

// TestEveryTypeIsEncoded fails for a type that the encoder reads from the wrong
// part of a vector.
func TestEveryTypeIsEncoded(t *testing.T) {
	t.Parallel()
	samples := map[sdk.Layout]any{sdk.LayoutBits: true, sdk.LayoutInt64: int64(7), sdk.LayoutFloat64: 7.0, sdk.LayoutArena: "7"}
	for _, typ := range append(sdk.Types(), sdk.TypeUnspecified) {
		if got, _ := encode(t, typ, samples[typ.Layout()], nil); !strings.HasSuffix(got, ",null") {
			t.Errorf("%s: %s", typ, got)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, text := range []string{"", "plain", "\xff\x00\"\\", "\xed\xa0\x80", "🙂\n"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		out, valid := sdk.AppendJSONText(nil, text)
		var got string
		if err := json.Unmarshal(out, &got); err != nil || !utf8.Valid(out) {
			t.Fatalf("%q is %s: %v", text, out, err)
		}
		if want := string([]rune(string(text))); got != want || valid != utf8.Valid(text) {
			t.Errorf("%q is %q (valid: %t), want %q", text, got, valid, want)
		}
	})
}

func FuzzJSON(f *testing.F) {
	for _, text := range []string{`{"a": [1, 2.5e3, "x\"y", null]}`, `[9007199254740993, -9007199254740993]`, "[", "\"\xff\"", "1 "} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var e cellEncoder
		out := e.appendJSON(nil, slices.Clone(text))
		if !json.Valid(out) || !utf8.Valid(out) || strings.ContainsAny(string(out), "\n\r") {
			t.Fatalf("%q became %q", text, out)
		}
		if e.badJSON+e.badUTF8 == 0 && decode(t, text) != decode(t, out) {
			t.Errorf("%q became %q", text, out)
		}
	})
}

// decode returns a document's values, large integers as their digits.
func decode(t *testing.T, text []byte) string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(v)
}
