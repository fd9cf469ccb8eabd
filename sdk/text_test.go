package sdk

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// What JSON results show between quotes is tested with them; this is the rest.
func TestAppendText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		typ   Type
		value any
		want  string
	}{
		{"boolean", TypeBool, true, "true"},
		{"integer beyond 2^53", TypeInt64, int64(math.MinInt64), "-9223372036854775808"},
		{"float", TypeFloat64, 1.5e-7, "1.5e-7"},
		{"not a number", TypeFloat64, math.NaN(), "NaN"},
		{"infinity", TypeFloat64, math.Inf(-1), "-Infinity"},
		{"date", TypeDate, int64(-735_160), "-000043-03-15"},
		{"instant", TypeTimestampTZ, int64(1_500_000), "1970-01-01T00:00:01.5Z"},
		{"time", TypeTime, int64(-1), "-00:00:00.000001"},
		{"bytes", TypeBytes, []byte{0xff}, "/w=="},
		{"text", TypeText, "a \"b\"\n", "a \"b\"\n"},
		{"decimal", TypeDecimal, "1.50", "1.50"},
		{"json", TypeJSON, `{"a": 1}`, `{"a": 1}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sink := &shown{typ: tt.typ}
			w := NewRowWriter(sink, Limits{})
			if err := w.Columns(Column{Name: "c", Type: tt.typ}); err != nil {
				t.Fatal(err)
			}
			if err := w.Row(tt.value); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if sink.text != "x"+tt.want {
				t.Errorf("got %q, want %q", sink.text, "x"+tt.want)
			}
		})
	}
}

func TestAppendFloat(t *testing.T) {
	t.Parallel()
	for x, want := range map[float64]string{
		0: "0", 0.1: "0.1", -2.5: "-2.5", 1e20: "100000000000000000000", 1e21: "1e+21", 1e-6: "0.000001", 1e-7: "1e-7", 5e-324: "5e-324",
		1.5e300: "1.5e+300", math.Inf(1): "Infinity", math.Inf(-1): "-Infinity",
	} {
		got := string(AppendFloat([]byte("e-01 "), x))
		if got != "e-01 "+want {
			t.Errorf("%g: %s", x, got)
		}
		if back, err := strconv.ParseFloat(want, 64); err != nil || back != x {
			t.Errorf("%s reads back as %g, %v", want, back, err)
		}
	}
}

func TestAppendJSON(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{
		MaxJSONInteger: "9007199254740992", -MaxJSONInteger: "-9007199254740992", MaxJSONInteger + 1: `"9007199254740993"`, math.MinInt64: `"-9223372036854775808"`,
	} {
		if got := string(AppendJSONInteger([]byte("["), n)); got != "["+want {
			t.Errorf("%d: %s", n, got)
		}
	}
	for _, tt := range []struct {
		x    float64
		want string
	}{{1e21, "1e+21"}, {math.NaN(), `"NaN"`}, {math.Inf(-1), `"-Infinity"`}} {
		if got := string(AppendJSONFloat([]byte("["), tt.x)); got != "["+tt.want {
			t.Errorf("%g: %s", tt.x, got)
		}
	}
	for text, want := range map[string]string{"é\"\\\n\x01": `"é\"\\\n\u0001"`, "a\xffb": "\"a\uFFFDb\""} {
		got, valid := AppendJSONText([]byte("["), []byte(text))
		if string(got) != "["+want || valid != utf8.ValidString(text) {
			t.Errorf("%q: %s, valid: %t", text, got, valid)
		}
	}
}

// shown appends the first value of a result to an x.
type shown struct {
	typ  Type
	text string
}

func (*shown) Started(string) error   { return nil }
func (*shown) Columns([]Column) error { return nil }
func (*shown) Progress(Progress)      {}
func (*shown) Notice(Warning)         {}

func (s *shown) Batch(b *Batch) error {
	s.text = string(b.Columns[0].AppendText([]byte("x"), s.typ, 0))
	return nil
}

func FuzzMoment(f *testing.F) {
	for _, n := range []int64{0, -1, 719_468, math.MaxInt64, math.MinInt64} {
		f.Add(n, uint16(0))
		f.Add(n, uint16(999))
	}
	f.Fuzz(func(t *testing.T, n int64, rest uint16) {
		nanos := int64(rest % 1000)
		for _, typ := range []Type{TypeDate, TypeTime, TypeTimestamp, TypeTimestampTZ} {
			for _, c := range appendMoment(nil, typ, n, nanos) {
				if !strings.ContainsRune("0123456789+-:.TZinfty", rune(c)) {
					t.Errorf("%s %d is %s", typ, n, appendMoment(nil, typ, n, nanos))
				}
			}
		}
		// The years that time.Time can print.
		days := n % 3_652_059 // 0001-01-01 … 9999-12-31 around the epoch
		want := time.Unix(days*24*60*60, 0).UTC()
		if want.Year() < 0 || want.Year() > 9999 {
			return
		}
		if got := string(appendDate(nil, days)); got != want.Format(time.DateOnly) {
			t.Errorf("day %d is %s, want %s", days, got, want.Format(time.DateOnly))
		}
	})
}
