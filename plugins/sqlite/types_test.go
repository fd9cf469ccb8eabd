package sqlite

import (
	"testing"
	"time"

	"github.com/loam-data/loam/plugins/sqlite/internal/engine"
	"github.com/loam-data/loam/sdk"
)

func TestDeclared(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]sdk.Type{
		"INTEGER": sdk.TypeInt64, "bigint": sdk.TypeInt64, "UNSIGNED BIG INT": sdk.TypeInt64, "int(11)": sdk.TypeInt64,
		"VARCHAR(255)": sdk.TypeText, "NVARCHAR": sdk.TypeText, "text": sdk.TypeText, "CLOB": sdk.TypeText, "": sdk.TypeText, "odd": sdk.TypeText,
		"BLOB": sdk.TypeBytes, "VARBINARY(16)": sdk.TypeBytes,
		"REAL": sdk.TypeFloat64, "double precision": sdk.TypeFloat64, "FLOAT": sdk.TypeFloat64, "NUMERIC(10,2)": sdk.TypeFloat64, "decimal": sdk.TypeFloat64,
		"BOOLEAN": sdk.TypeBool, "bool": sdk.TypeBool, "DATE": sdk.TypeDate,
		"DATETIME": sdk.TypeTimestamp, "timestamp(3)": sdk.TypeTimestamp, "TIMESTAMP WITH TIME ZONE": sdk.TypeTimestampTZ,
		"TIME": sdk.TypeText, "JSON": sdk.TypeText, "UUID": sdk.TypeText, "INTERVAL": sdk.TypeText, "ANY": sdk.TypeText,
	} {
		if got := declared(name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}

func TestDecide(t *testing.T) {
	t.Parallel()
	integer := func(n int64) func(*seen) { return func(s *seen) { s.add(engine.Integer, n, nil) } }
	text := func(v string) func(*seen) { return func(s *seen) { s.add(engine.Text, 0, []byte(v)) } }
	float := func(s *seen) { s.add(engine.Float, 0, nil) }
	blob := func(s *seen) { s.add(engine.Blob, 0, []byte("2024-01-01")) }
	null := func(s *seen) { s.add(engine.Null, 0, nil) }
	for _, tt := range []struct {
		name, declared string
		values         []func(*seen)
		want           sdk.Type
	}{
		{"nothing", "", nil, sdk.TypeText},
		{"nothing declared as integer", "INT", []func(*seen){null}, sdk.TypeInt64},
		{"nothing declared as date", "DATE", nil, sdk.TypeDate},
		{"nothing declared as timestamp", "DATETIME", nil, sdk.TypeText},
		{"nothing declared as bool", "BOOL", nil, sdk.TypeBool},
		{"integers", "", []func(*seen){integer(1), null, integer(1 << 60)}, sdk.TypeInt64},
		{"bools", "BOOLEAN", []func(*seen){integer(1), integer(0)}, sdk.TypeBool},
		{"bools not declared", "", []func(*seen){integer(1), integer(0)}, sdk.TypeInt64},
		{"no bools", "BOOLEAN", []func(*seen){integer(1), integer(2)}, sdk.TypeInt64},
		{"whole decimals", "DECIMAL(9,2)", []func(*seen){integer(10)}, sdk.TypeFloat64},
		{"large whole decimals", "DECIMAL(30)", []func(*seen){integer(exactInteger + 1)}, sdk.TypeInt64},
		{"floats", "", []func(*seen){float}, sdk.TypeFloat64},
		{"floats and integers", "INTEGER", []func(*seen){float, integer(-exactInteger)}, sdk.TypeFloat64},
		{"floats and large integers", "", []func(*seen){float, integer(-exactInteger - 1)}, sdk.TypeText},
		{"text", "INTEGER", []func(*seen){text("a")}, sdk.TypeText},
		{"dates", "DATE", []func(*seen){text("2024-02-29"), null}, sdk.TypeDate},
		{"dates not declared", "TEXT", []func(*seen){text("2024-02-29")}, sdk.TypeText},
		{"no dates", "DATE", []func(*seen){text("2024-02-29"), text("2023-02-29")}, sdk.TypeText},
		{"timestamps", "DATETIME", []func(*seen){text("2024-02-29 12:00:00")}, sdk.TypeText},
		{"Unix times", "DATETIME", []func(*seen){integer(1700000000)}, sdk.TypeInt64},
		{"Julian days", "DATE", []func(*seen){float}, sdk.TypeFloat64},
		{"blobs", "TEXT", []func(*seen){blob}, sdk.TypeBytes},
		{"blobs and text", "DATE", []func(*seen){blob, text("2024-01-01")}, sdk.TypeText},
		{"text and integers", "", []func(*seen){text("1"), integer(1)}, sdk.TypeText},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var s seen
			for _, add := range tt.values {
				add(&s)
			}
			if got := decide(tt.declared, s); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// parseDate agrees with the time package on every day, and takes nothing else.
func TestParseDate(t *testing.T) {
	t.Parallel()
	for day := time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 10000; day = day.AddDate(0, 0, 37) {
		text := day.Format(time.DateOnly)
		if days, ok := parseDate([]byte(text)); !ok || !time.Unix(days*86400, 0).UTC().Equal(day) {
			t.Fatalf("%s: %d, %t", text, days, ok)
		}
	}
	for _, text := range []string{"", "2024-1-01", "2024-01-1x", "2024-13-01", "2024-00-10", "2024-02-30", "2024-01-01 ", "2024/01/01", "-024-01-01", "20240101", "٢٠٢٤-01-01"} {
		if days, ok := parseDate([]byte(text)); ok {
			t.Errorf("%q is day %d", text, days)
		}
	}
}

func TestAppendBlob(t *testing.T) {
	t.Parallel()
	if got := string(appendBlob([]byte("-"), []byte{0, 0xab, 0xff})); got != "-X'00ABFF'" {
		t.Errorf("got %s", got)
	}
}
