package snowflake

import "testing"

func TestClocksAreDecimals(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		of    sqlType
		value clock
		want  string
	}{
		{sqlType{name: "timestamp_ntz", scale: 9}, clock{seconds: -1, nanos: 500000000}, "-0.500000000"},
		{sqlType{name: "timestamp_ntz", scale: 3}, clock{seconds: 5, nanos: 250000000}, "5.250"},
		{sqlType{name: "timestamp_ntz"}, clock{seconds: -86400}, "-86400"},
		{sqlType{name: "timestamp_tz", scale: 9}, clock{seconds: 1, nanos: 1, offset: -480}, "1.000000001 960"},
		{sqlType{name: "time", scale: 9}, clock{nanos: 36000123456789}, "36000.123456789"},
		{sqlType{name: "date"}, clock{days: -1}, "-1"},
	} {
		if got := *jsonText(test.of, test.value); got != test.want {
			t.Errorf("%v is %s, want %s", test.value, got, test.want)
		}
	}
}
