package snowflake_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	fixture "github.com/loam-data/loam/e2e/testserver/snowflake"
	"github.com/loam-data/loam/sdk"
)

// formats are the two that results come in. The chunks are small, so that every
// result has some.
var formats = map[string][]fixture.Option{"json": {fixture.ChunkRows(2)}, "arrow": {fixture.Arrow(), fixture.ChunkRows(2)}}

// Values are exact to their last digit, in both formats.
func TestValues(t *testing.T) {
	t.Parallel()
	for name, options := range formats {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testValues(t, open(t, configOf(fixture.Start(t, options...), fixture.Reader, nil)))
		})
	}
}

func testValues(t *testing.T, s sdk.Session) {
	t.Helper()
	for _, c := range []struct{ sql, native, want string }{
		{"12345678901234567890123456789012345678::NUMBER(38,0)", "NUMBER(38,0)", "12345678901234567890123456789012345678"},
		{"-0.00000000000000000000000000000000000007::NUMBER(38,38)", "NUMBER(38,38)", "-0.00000000000000000000000000000000000007"},
		{"123456789012345678901234567890.12345679::NUMBER(38,8)", "NUMBER(38,8)", "123456789012345678901234567890.12345679"},
		{"9223372036854775807::NUMBER(19,0)", "NUMBER(19,0)", "9223372036854775807"},
		{"999999999999999999::NUMBER(18,0)", "NUMBER(18,0)", "999999999999999999"},
		{"-12.50::NUMBER(10,2)", "NUMBER(10,2)", "-12.50"},
		{"0.1::FLOAT", "FLOAT", "0.1"},
		{"TRUE", "BOOLEAN", "true"},
		{"FALSE", "BOOLEAN", "false"},
		{"NULL::BOOLEAN", "BOOLEAN", "NULL"},
		{"'2024-02-29'::DATE", "DATE", "2024-02-29"},
		{"'23:59:59.123456789'::TIME(9)", "TIME(9)", "23:59:59.123456789"},
		{"'2024-02-29 12:30:00.123456789'::TIMESTAMP_NTZ(9)", "TIMESTAMP_NTZ(9)", "2024-02-29T12:30:00.123456789"},
		{"'1969-12-31 23:59:59.999999999'::TIMESTAMP_NTZ(9)", "TIMESTAMP_NTZ(9)", "1969-12-31T23:59:59.999999999"},
		{"'2024-02-29 12:30:00.5'::TIMESTAMP_NTZ(3)", "TIMESTAMP_NTZ(3)", "2024-02-29T12:30:00.5"},
		{"'2024-02-29 12:30:00.000000001 +0530'::TIMESTAMP_TZ(9)", "TIMESTAMP_TZ(9)", "2024-02-29T07:00:00.000000001Z"},
	} {
		r := query(t, s, "SELECT "+c.sql+" AS v")
		if got := [2]string{r.Columns[0].NativeType, r.Texts[0][0]}; got != [2]string{c.native, c.want} {
			t.Errorf("%s is %v, want %s %s", c.sql, got, c.native, c.want)
		}
	}
}

// A result that comes in chunks is whole and in order.
func TestChunks(t *testing.T) {
	t.Parallel()
	for name, options := range formats {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := fixture.Start(t, options...)
			server.Exec(t, "CREATE TABLE N AS SELECT range::INTEGER AS I, 'row ' || range AS T FROM range(7)")
			r := query(t, open(t, configOf(server, fixture.Reader, nil)), "SELECT i, t FROM n ORDER BY i")
			want := [][]string{{"0", "row 0"}, {"1", "row 1"}, {"2", "row 2"}, {"3", "row 3"}, {"4", "row 4"}, {"5", "row 5"}, {"6", "row 6"}}
			if diff := cmp.Diff(want, r.Texts); diff != "" {
				t.Error(diff)
			}
			if r.QueryID == "" {
				t.Error("the statement has no id")
			}
		})
	}
}

// The driver would send doubles with the digits of a single, and bytes as a list.
func TestParameters(t *testing.T) {
	t.Parallel()
	s := open(t, configOf(fixture.Start(t), fixture.Reader, nil))
	r := query(t, s, "SELECT ? AS f, ? AS i, ? AS t, ? AS b, ? AS y, ? AS n", 0.30000000000000004, int64(9007199254740993), "it's ?", []byte{0, 255}, true, nil)
	if diff := cmp.Diff([][]string{{"0.30000000000000004", "9007199254740993", "it's ?", "AP8=", "true", "NULL"}}, r.Texts); diff != "" {
		t.Error(diff)
	}
	_, err := execute(t.Context(), s, sdk.ExecuteRequest{SQL: "SELECT ?", Params: []sdk.Value{int64(1), int64(2)}})
	wantKind(t, err, sdk.KindInvalid)
}
