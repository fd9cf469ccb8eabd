//go:build cgo

package duckdb_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

// Values that are only DuckDB's own text come with a word about it.
func TestTextCarriesANotice(t *testing.T) {
	t.Parallel()
	r := query(t, open(t, create(t, items...)), "SELECT [GEOMETRY 'POINT (1 2)'] AS g, 1 AS i")
	var about []string
	for _, n := range r.notices {
		about = append(about, n.Object+" "+n.Code)
	}
	if got := fmt.Sprint(about); got != "[g text]" {
		t.Errorf("notices about %s", got)
	}
}

// moments is a result's cells as text.
type moments struct {
	columns []sdk.Column
	cells   []string
}

func (*moments) Started(string) error           { return nil }
func (m *moments) Columns(c []sdk.Column) error { m.columns = c; return nil }
func (*moments) Progress(sdk.Progress)          {}
func (*moments) Notice(sdk.Warning)             {}

func (m *moments) Batch(b *sdk.Batch) error {
	for row := range b.Rows {
		m.cells = append(m.cells, string(b.Columns[0].AppendText(nil, m.columns[0].Type, row)))
	}
	return nil
}

func TestNanosecondsAreExact(t *testing.T) {
	t.Parallel()
	s := open(t, create(t, items...))
	for _, tt := range []struct {
		values string
		typ    sdk.Type
		want   []string
	}{
		{
			"unnest(['00:00:00'::TIME_NS, '24:00:00', '12:34:56.000000001', '12:34:56.120', '23:59:59.999999999'])", sdk.TypeTime,
			[]string{"00:00:00", "24:00:00", "12:34:56.000000001", "12:34:56.12", "23:59:59.999999999"},
		},
		{
			"unnest(['2024-02-29 12:30:00.123456789'::TIMESTAMP_NS, 'infinity', '-infinity', make_timestamp_ns(-1), make_timestamp_ns(-1000), make_timestamp_ns(999)])",
			sdk.TypeTimestamp,
			[]string{"2024-02-29T12:30:00.123456789", "infinity", "-infinity", "1969-12-31T23:59:59.999999999", "1969-12-31T23:59:59.999999", "1970-01-01T00:00:00.000000999"},
		},
		{
			"{'at': '2024-02-29 12:30:00.123456789'::TIMESTAMP_NS, 'of': '00:00:00.000000001'::TIME_NS}", sdk.TypeNestedJSON,
			[]string{`{"at":"2024-02-29T12:30:00.123456789","of":"00:00:00.000000001"}`},
		},
	} {
		sink := &moments{}
		w := sdk.NewRowWriter(sink, sdk.Limits{})
		if err := s.Execute(t.Context(), sdk.ExecuteRequest{SQL: "SELECT " + tt.values}, w); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, sink.cells); diff != "" || sink.columns[0].Type != tt.typ {
			t.Errorf("%s of type %s (-want +got):\n%s", tt.values, sink.columns[0].Type, diff)
		}
	}
}
