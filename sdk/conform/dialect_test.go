package conform

import (
	"testing"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

func TestEveryPortableFunctionIsCalled(t *testing.T) {
	t.Parallel()
	called := map[string]bool{}
	for _, room := range functionRooms() {
		for _, c := range room.cases {
			called[c.name] = true
		}
	}
	for _, name := range dialect.PortableFunctions() {
		if !called[name] {
			t.Errorf("%s is not called", name)
		}
		delete(called, name)
	}
	for name := range called {
		t.Errorf("%s is not portable", name)
	}
}

// Answers are compared by what they mean, and by type where the dialect's native
// names tell types apart.
func TestDialectAnswers(t *testing.T) {
	t.Parallel()
	const dayOf2024 = 19858 // 2024-05-15
	integer, text, stamp := sdk.TypeInt64, sdk.TypeText, sdk.TypeTimestamp
	for _, tt := range []struct {
		name  string
		want  want
		typ   sdk.Type
		cell  any
		right bool
	}{
		{"NULL", null, text, nil, true},
		{"something for NULL", null, text, []byte(""), false},
		{"NULL for something", words(""), text, nil, false},
		{"a whole number", number("3"), integer, int64(3), true},
		{"another number", number("3"), integer, int64(4), false},
		{"a decimal", number("1.5"), sdk.TypeDecimal, []byte("1.500"), true},
		{"a decimal that is off", number("18446744073709551614"), sdk.TypeDecimal, []byte("18446744073709551615"), false},
		{"a double", double("0.1"), sdk.TypeFloat64, 0.1, true},
		{"a double that is off", double("0.1"), sdk.TypeFloat64, 0.10001, false},
		{"a decimal for a double", double("0.5"), sdk.TypeDecimal, []byte("0.5"), false},
		{"text for a number", number("3"), text, []byte("3"), false},
		{"a truth", yes, sdk.TypeBool, true, true},
		{"a lie", yes, sdk.TypeBool, false, false},
		{"a number for a truth", yes, integer, int64(1), false},
		{"a date", onDay("2024-05-15"), sdk.TypeDate, int64(dayOf2024), true},
		{"text for a date, which has its name", onDay("2024-05-15"), text, []byte("2024-05-15"), true},
		{"a timestamp for a date", onDay("2024-05-15"), stamp, int64(dayOf2024 * 86400e6), false},
		{"a timestamp", atMoment("2024-05-15 00:00:00.25"), stamp, int64(dayOf2024*86400e6 + 250e3), true},
		{"text for a timestamp, which has another name", atMoment("2024-05-15 00:00:00"), text, []byte("2024-05-15 00:00:00"), false},
		{"JSON by value", want{sdk.TypeJSON, `{"a":[1,null]}`}, sdk.TypeJSON, []byte(`{"a": [1, null]}`), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := &script{d: &dialect.Dialect{Boolean: dialect.BooleanNative, Types: map[string]string{
				"date": "TEXT", "text": "TEXT", "timestamp": "TIMESTAMP", "int64": "INT", "float64": "REAL", "bool": "BOOL",
			}}}
			if problem := s.compare(tt.want, sdk.Column{Type: tt.typ}, tt.cell); (problem == "") != tt.right {
				t.Errorf("got %q", problem)
			}
		})
	}
}

func TestUnzoned(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2024-05-15T13:14:15Z": "2024-05-15 13:14:15", "2024-05-15 13:14:15.678000": "2024-05-15 13:14:15.678",
		"2024-05-15 13:14:15+00": "2024-05-15 13:14:15", "13:14:10.000000": "13:14:10", "13:14:15": "13:14:15",
		"2024-05-15": "2024-05-15", "2024-05-15 13:14:15+02:00": "2024-05-15 13:14:15+02:00", "1.50": "1.50", "": "",
	} {
		if got := unzoned(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
