package sdk_test

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

type named string

func (n named) String() string { return string(n) }

func TestValues(t *testing.T) {
	t.Parallel()
	berlin := time.FixedZone("", 2*60*60)
	noon := time.Date(2024, 2, 29, 12, 30, 0, 1000, berlin)
	const bad = "does not fit"
	longFloat, _, err := big.ParseFloat("12345678901234567890.123456789", 10, 127, big.ToNearestEven)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		typ  sdk.Type
		in   any
		want any
	}{
		{"nil", sdk.TypeInt64, nil, nil},
		{"int", sdk.TypeInt64, -1, int64(-1)},
		{"int64", sdk.TypeInt64, int64(math.MinInt64), int64(math.MinInt64)},
		{"uint8", sdk.TypeInt64, uint8(255), int64(255)},
		{"int8", sdk.TypeInt64, int8(-128), int64(-128)},
		{"uint64 that fits", sdk.TypeInt64, uint64(math.MaxInt64), int64(math.MaxInt64)},
		{"uint64 that does not", sdk.TypeInt64, uint64(math.MaxInt64) + 1, bad},
		{"uint that does not", sdk.TypeInt64, uint(math.MaxInt64) + 1, bad},
		{"float in an integer", sdk.TypeInt64, 1.0, bad},
		{"text in an integer", sdk.TypeInt64, "1", bad},
		{"time in an integer", sdk.TypeInt64, noon, bad},
		{"duration in an integer", sdk.TypeInt64, time.Second, bad},

		{"float64", sdk.TypeFloat64, math.Inf(-1), math.Inf(-1)},
		{"float32", sdk.TypeFloat64, float32(0.5), 0.5},
		{"integer a float holds", sdk.TypeFloat64, int64(1) << 53, float64(1 << 53)},
		{"integer no float holds", sdk.TypeFloat64, int64(1)<<53 + 1, bad},
		{"bool in a float", sdk.TypeFloat64, true, bad},

		{"bool", sdk.TypeBool, true, true},
		{"one", sdk.TypeBool, int64(1), true},
		{"zero", sdk.TypeBool, 0, false},
		{"two", sdk.TypeBool, int64(2), bad},

		{"string", sdk.TypeText, "", ""},
		{"bytes", sdk.TypeBytes, []byte{0, 255}, "\x00\xff"},
		{"stringer", sdk.TypeUUID, named("u"), "u"},
		{"stringer in bytes", sdk.TypeBytes, named("u"), bad},
		{"big decimal", sdk.TypeDecimal, big.NewInt(0).Exp(big.NewInt(10), big.NewInt(20), nil), "100000000000000000000"},
		{"uint64 decimal", sdk.TypeDecimal, uint64(math.MaxUint64), "18446744073709551615"},
		{"int32 decimal", sdk.TypeDecimal, int32(-7), "-7"},
		{"float decimal has no exponent", sdk.TypeDecimal, 1e21, "1000000000000000000000"},
		{"small float decimal", sdk.TypeDecimal, 1e-7, "0.0000001"},
		{"fraction decimal", sdk.TypeDecimal, big.NewRat(-25, 2), "-12.5"},
		{"whole fraction decimal", sdk.TypeDecimal, big.NewRat(30, 3), "10"},
		{"fraction without end", sdk.TypeDecimal, big.NewRat(1, 3), bad},
		{"long float decimal", sdk.TypeDecimal, longFloat, "12345678901234567890.123456789"},
		{"infinite long float", sdk.TypeDecimal, new(big.Float).SetInf(true), bad},
		{"stringer decimal", sdk.TypeDecimal, named("-1.50"), "-1.50"},
		{"stringer that is no decimal", sdk.TypeDecimal, named("1/3"), bad},
		{"stringer with an exponent", sdk.TypeDecimal, named("1e3"), bad},
		{"NaN is no decimal", sdk.TypeDecimal, math.NaN(), bad},
		{"infinity is no decimal", sdk.TypeDecimal, math.Inf(1), bad},
		{"float text", sdk.TypeText, 0.1, "0.1"},
		{"float32 text", sdk.TypeText, float32(0.1), "0.1"},
		{"bool text", sdk.TypeText, true, "true"},
		{"time text", sdk.TypeText, noon, "2024-02-29T12:30:00.000001+02:00"},
		{"interval", sdk.TypeInterval, 90 * time.Second, "1m30s"},
		{"struct", sdk.TypeText, struct{}{}, bad},

		{"date", sdk.TypeDate, noon, int64(19782)},
		{"date before the epoch", sdk.TypeDate, time.Date(1969, 12, 31, 23, 0, 0, 0, time.UTC), int64(-1)},
		{"date before our era", sdk.TypeDate, time.Date(-43, 3, 15, 0, 0, 0, 0, time.UTC), int64(-735160)},
		{"days", sdk.TypeDate, int64(19782), int64(19782)},
		{"date at infinity", sdk.TypeDate, int64(sdk.Infinity), int64(math.MaxInt64)},
		{"time of day", sdk.TypeTime, noon, int64(45_000_000_001)},
		{"time of day before our era", sdk.TypeTime, time.Date(-43, 3, 15, 0, 0, 1, 0, time.UTC), int64(1_000_000)},
		{"duration", sdk.TypeTime, 24*time.Hour - time.Microsecond, int64(86_399_999_999)},
		{"nanoseconds of a duration", sdk.TypeTime, time.Nanosecond, bad},
		{"nanoseconds of a time", sdk.TypeTime, noon.Add(1), bad},
		{"clock reading", sdk.TypeTimestamp, noon, int64(1_709_209_800_000_001)},
		{"instant", sdk.TypeTimestampTZ, noon, int64(1_709_202_600_000_001)},
		{"instant before the epoch", sdk.TypeTimestampTZ, time.UnixMicro(-1), int64(-1)},
		{"nanoseconds of a timestamp", sdk.TypeTimestamp, noon.Add(1), bad},
		{"nanoseconds of an instant", sdk.TypeTimestampTZ, noon.Add(999), bad},
		{"year that microseconds do not reach", sdk.TypeTimestamp, time.Date(300_000, 1, 1, 0, 0, 0, 0, time.UTC), bad},
		{"instant that microseconds do not reach", sdk.TypeTimestampTZ, time.Date(-300_000, 1, 1, 0, 0, 0, 0, time.UTC), bad},
		{"duration in a timestamp", sdk.TypeTimestamp, time.Second, bad},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sink := &record{}
			w := sdk.NewRowWriter(sink, sdk.Limits{})
			if err := w.Columns(columns(tt.typ)...); err != nil {
				t.Fatal(err)
			}
			err := w.Row(tt.in)
			if tt.want == any(bad) {
				if sdk.KindOf(err) != sdk.KindInternal {
					t.Fatalf("got %v and %v, want a refusal", err, sink.rows)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([][]any{{tt.want}}, sink.rows); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDaysOf(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", -11*60*60)
	for _, tt := range []struct {
		in   time.Time
		want int64
	}{
		{time.Unix(0, 0).UTC(), 0},
		{time.Date(1970, 1, 1, 23, 59, 0, 0, zone), 0}, // the day it shows, not the day in UTC
		{time.Date(1969, 12, 31, 0, 0, 0, 0, time.UTC), -1},
		{time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), 2_932_896},
	} {
		if got := sdk.DaysOf(tt.in); got != tt.want {
			t.Errorf("%s: got %d, want %d", tt.in, got, tt.want)
		}
	}
}
