//go:build cgo

package duckdb_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
)

// What comes as text is DuckDB's own text, value by value: found again with an
// equal sign. The ranges walk over signs, carries and the ends of each type.
func TestTextIsTheEnginesText(t *testing.T) {
	t.Parallel()
	s := open(t, create(t, items...))
	for name, values := range map[string]string{
		"interval":     "SELECT to_months((i * 7 - 300)::INTEGER) + to_days((i * 13 % 71 - 35)::INTEGER) + to_microseconds(i * 123456789 * (i % 5 - 2)) FROM range(400) t(i)",
		"interval end": "SELECT unnest([INTERVAL '83 years 3 months 999 days 00:16:39.999999', INTERVAL '-83 years -3 months -999 days -00:16:39.999999', to_microseconds(-9223372036854775808), to_hours(2562047788)])",
		"hugeint":      "SELECT 1::HUGEINT << i::INTEGER FROM range(126) t(i) UNION ALL SELECT -(1::HUGEINT << i::INTEGER) - 1 FROM range(126) t(i)",
		"uhugeint":     "SELECT (1::HUGEINT << i::INTEGER)::UHUGEINT * 2 + 1 FROM range(126) t(i) UNION ALL SELECT unnest([0::UHUGEINT, 340282366920938463463374607431768211455])",
		"bignum":       "SELECT ('-' || repeat('9', i::INTEGER + 1))::BIGNUM FROM range(120) t(i) UNION ALL SELECT ('1' || repeat('0', i::INTEGER))::BIGNUM FROM range(120) t(i)",
		"decimal 4":    "SELECT ((i - 99) / 10)::DECIMAL(4,2) FROM range(200) t(i)",
		"decimal 38":   "SELECT (('1' || repeat('0', i::INTEGER))::DECIMAL(38,0) - 1)::DECIMAL(38,0) FROM range(38) t(i)",
		"decimal .37":  "SELECT ('-0.' || repeat('0', i::INTEGER) || '1')::DECIMAL(38,37) FROM range(37) t(i)",
		"bit":          "SELECT (i * 2654435761)::BIGINT::BIT FROM range(100) t(i) UNION ALL SELECT repeat('01', 1 + i::INTEGER)::BIT FROM range(20) t(i)",
		"uuid":         "SELECT md5(i::VARCHAR)::UUID FROM range(100) t(i)",
		"timetz":       "SELECT unnest(['00:00:00+15:59:59'::TIMETZ, '24:00:00-15:59:59', '12:00:00.5+00', '12:00:00-00:30', '12:00:00+05:45:30', '23:59:59.999999-01'])",
		"time_ns":      "SELECT unnest(['00:00:00'::TIME_NS, '24:00:00', '12:34:56.000000001', '12:34:56.120', '23:59:59.999999999'])",
		"timestamp_ns": "SELECT make_timestamp_ns(i * 922337203685477580 - 4611686018427387904) FROM range(10) t(i) UNION ALL SELECT make_timestamp_ns(i - 5) FROM range(10) t(i)",
		"ubigint":      "SELECT (1::UBIGINT << i::INTEGER) FROM range(64) t(i)",
		"enum":         "SELECT unnest(['a'::ENUM('a', 'b', ''), 'b', ''])",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := query(t, s, "SELECT v, CAST(v AS VARCHAR) FROM ("+values+") t(v)")
			if len(r.rows) == 0 || r.columns[1].Type != sdk.TypeText {
				t.Fatalf("%d rows, columns %v", len(r.rows), r.columns)
			}
			for _, row := range r.rows {
				if row[0] != row[1] {
					t.Errorf("%v, the engine says %v", row[0], row[1])
				}
			}
		})
	}
}

// The names of types are those of the catalogue.
func TestNativeTypesAreTheCatalogues(t *testing.T) {
	t.Parallel()
	s := open(t, create(t, items...))
	r := query(t, s, "SELECT * FROM test_all_types() LIMIT 0")
	described := query(t, s, "SELECT column_name, column_type FROM (DESCRIBE FROM test_all_types())")
	for i, row := range described.rows {
		// Which names of fields it puts into quotes is the catalogue's affair.
		bare := func(name any) string { return strings.ReplaceAll(fmt.Sprint(name), `"`, "") }
		if len(r.columns[i].NativeType) < 1000 && bare(r.columns[i].NativeType) != bare(row[1]) {
			t.Errorf("%s is %s, the catalogue says %s", row[0], r.columns[i].NativeType, row[1])
		}
	}
}

// A time of 24 hours is not midnight.
func TestTimeOf24Hours(t *testing.T) {
	t.Parallel()
	if got := query(t, open(t, create(t, items...)), "SELECT TIME '24:00:00'").rows[0][0]; got != int64(24*60*60*1_000_000) {
		t.Errorf("got %v", got)
	}
}

// Values that no microsecond holds come as text, with a word about it.
func TestNanosecondsCarryANotice(t *testing.T) {
	t.Parallel()
	r := query(t, open(t, create(t, items...)), "SELECT '2024-02-29 12:30:00.123456789'::TIMESTAMP_NS AS n, [GEOMETRY 'POINT (1 2)'] AS g, 1 AS i")
	var about []string
	for _, n := range r.notices {
		about = append(about, n.Object+" "+n.Code)
	}
	if got := fmt.Sprint(about); got != "[n text g text]" {
		t.Errorf("notices about %s", got)
	}
	if got := r.rows[0][0]; !strings.HasSuffix(fmt.Sprint(got), ".123456789") {
		t.Errorf("got %v", got)
	}
}
