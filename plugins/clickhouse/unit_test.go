package clickhouse

import (
	"encoding/hex"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"
	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

func TestParseType(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		native   string
		typ      sdk.Type
		nullable bool
		column   sdk.Column // its precision, scale and digits of a second
	}{
		{native: "UInt64", typ: sdk.TypeDecimal, column: sdk.Column{Precision: 20}},
		{native: "Nullable(Decimal(38, 10))", typ: sdk.TypeDecimal, nullable: true, column: sdk.Column{Precision: 38, Scale: 10}},
		{native: "LowCardinality(Nullable(String))", typ: sdk.TypeText, nullable: true},
		{native: "LowCardinality(UInt8)", typ: sdk.TypeInt64},
		{native: "DateTime('Europe/Berlin')", typ: sdk.TypeTimestampTZ},
		{native: "DateTime64(6, 'UTC')", typ: sdk.TypeTimestampTZ},
		{native: "Nullable(DateTime64(7))", typ: sdk.TypeTimestampTZ, nullable: true, column: sdk.Column{TimeDigits: 7}},
		{native: "Time64(3)", typ: sdk.TypeInterval},
		{native: "Nullable(Time)", typ: sdk.TypeInterval, nullable: true},
		{native: "Enum8('a' = -1, 'b\\'s, (c)' = 2)", typ: sdk.TypeText},
		{native: "Array(Tuple(a Nullable(Int8), `b c` Array(Map(String, Float64))))", typ: sdk.TypeNestedJSON},
		{native: "Tuple(\n    a Int8,\n    b Tuple(\n        c String))", typ: sdk.TypeNestedJSON},
		{native: "SimpleAggregateFunction(quantile(0.5), Nullable(Float64))", typ: sdk.TypeFloat64, nullable: true},
		{native: "AggregateFunction(1, sumMap, Array(UInt8), Array(UInt64))", typ: sdk.TypeText},
		{native: "JSON(max_dynamic_paths=8, a.b UInt32, `c d` String, SKIP x.y)", typ: sdk.TypeJSON},
		{native: "Variant(Array(UInt8), String)", typ: sdk.TypeNestedJSON, nullable: true},
		{native: "Dynamic(max_types=4)", typ: sdk.TypeNestedJSON, nullable: true},
		{native: "Nested(a UInt8, b String)", typ: sdk.TypeNestedJSON},
		{native: "MultiPolygon", typ: sdk.TypeGeoWKT},
		{native: "IntervalQuarter", typ: sdk.TypeInterval},
		{native: "FixedString(16)", typ: sdk.TypeText},
		{native: "Nothing", typ: sdk.TypeText, nullable: true},
	} {
		t.Run(c.native, func(t *testing.T) {
			t.Parallel()
			got, err := describe("x", c.native)
			want := sdk.Column{Name: "x", NativeType: c.native, Type: c.typ, Nullable: c.nullable, Precision: c.column.Precision, Scale: c.column.Scale, TimeDigits: c.column.TimeDigits}
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("(-want +got, %v):\n%s", err, diff)
			}
		})
	}
	for _, broken := range []string{"", "Array(", "Array(Int8", "Array(Int8))", "Enum8('a' = )", "Tuple(`a Int8)", "Array(,)", "8Int"} {
		if got, err := parseType(broken); err == nil {
			t.Errorf("%q is taken for %+v", broken, got)
		}
	}
}

func FuzzParseType(f *testing.F) {
	f.Add("Array(Tuple(a Nullable(Int8), `b c` Array(Map(String, Float64))))")
	f.Add("Enum16('a\\'b' = -1, '' = 2)")
	f.Add("JSON(max_dynamic_paths=8, a.b UInt32, SKIP x.y)")
	f.Fuzz(func(t *testing.T, native string) {
		parsed, err := parseType(native)
		if err == nil && parsed.text != native {
			t.Errorf("%q was read to %q only", native, parsed.text)
		}
		if err == nil {
			_, _ = newColumn(&parsed) // must not panic
		}
	})
}

func TestAppendWide(t *testing.T) {
	t.Parallel()
	two := big.NewInt(2)
	for _, bytes := range []int{4, 8, 16, 32} {
		limit := new(big.Int).Exp(two, big.NewInt(int64(8*bytes-1)), nil)
		for _, n := range []*big.Int{
			big.NewInt(0), big.NewInt(1), big.NewInt(-1), big.NewInt(1_000_000_007),
			new(big.Int).Sub(limit, big.NewInt(1)), new(big.Int).Neg(limit), new(big.Int).Div(limit, big.NewInt(-3)),
		} {
			raw := make([]byte, bytes)
			wrapped := new(big.Int).Mod(n, new(big.Int).Mul(limit, two))
			wrapped.FillBytes(raw)
			slices.Reverse(raw)
			if got := string(appendWide(nil, raw, true, 0)); got != n.String() {
				t.Errorf("%d bytes: %s, want %s", bytes, got, n)
			}
		}
	}
	for _, c := range []struct {
		hex   string
		scale int
		want  string
	}{
		{"ffffffff", 2, "-0.01"},
		{"05000000", 0, "5"},
		{"05000000", 1, "0.5"},
		{"3930000000000000", 3, "12.345"},
		{"00e8890423c78a000000000000000000", 18, "0.039062500000000000"},
		{"000064a7b3b6e00d0000000000000000", 0, "1000000000000000000"},
		{"0000e8890423c78a0000000000000000", 0, "10000000000000000000"},
	} {
		raw, err := hex.DecodeString(c.hex)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(appendWide(nil, raw, true, c.scale)); got != c.want {
			t.Errorf("%s with scale %d: %s, want %s", c.hex, c.scale, got, c.want)
		}
	}
}

func TestExceptionInAnAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want *proto.Exception
	}{
		"old":    {"Code: 395, e.displayText() = DB::Exception: Value passed to 'throwIf', e.what() = DB::Exception\n", &proto.Exception{Code: 395, Message: "Value passed to 'throwIf'"}},
		"today":  {"Code: 60. DB::Exception: Unknown table expression identifier 'x'. (UNKNOWN_TABLE) (version 26.7.2.1 (official build))\n", &proto.Exception{Code: 60, Message: "Unknown table expression identifier 'x'. (UNKNOWN_TABLE)"}},
		"middle": {"\x01\x02abc\r\n__exception__\r\nabcdefghijklmnop\r\nCode: 159. DB::Exception: Timeout exceeded. (TIMEOUT_EXCEEDED)\n58 abcdefghijklmnop\r\n__exception__\r\n", &proto.Exception{Code: 159, Message: "Timeout exceeded. (TIMEOUT_EXCEEDED)"}},
		"none":   {"<html>502 Bad Gateway</html>", nil},
	} {
		got := exceptionIn([]byte(c.text))
		if got != nil {
			got.Message = message(got.Message)
		}
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(proto.Exception{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestErrorsByCode(t *testing.T) {
	t.Parallel()
	for code, want := range map[int32]sdk.Kind{
		62: sdk.KindSyntax, 47: sdk.KindNotFound, 60: sdk.KindNotFound, 81: sdk.KindNotFound, 46: sdk.KindSyntax, 164: sdk.KindNotReadOnly,
		497: sdk.KindDenied, 291: sdk.KindDenied, 516: sdk.KindUnauthenticated, 193: sdk.KindUnauthenticated, 159: sdk.KindTimeout,
		241: sdk.KindLimit, 394: sdk.KindCanceled, 202: sdk.KindRateLimited, 216: sdk.KindConflict, 210: sdk.KindUnavailable,
		153: sdk.KindInvalid, 999: sdk.KindInvalid,
	} {
		e := fromServer(&proto.Exception{Code: code, Message: "DB::Exception: x"}, nil)
		if e.Kind != want || e.Hint == "" || e.Msg != "x" {
			t.Errorf("code %d: %+v, want %s", code, e, want)
		}
	}
	e := fromServer(&proto.Exception{Code: 62, Message: "Syntax error: failed at position 14 ('b') (line 2, col 4): 'b'."}, &query{sql: "SELECT 1,\nñ 'b'"})
	if want := (sdk.Position{Line: 2, Column: 3}); e.Pos != want {
		t.Errorf("at %+v, want %+v", e.Pos, want)
	}
	e = fromServer(&proto.Exception{Code: 62, Message: "failed at position 17"}, &query{sql: "DESCRIBE TABLE (x y", caller: "x y", offset: 16})
	if want := (sdk.Position{Line: 1, Column: 1}); e.Pos != want {
		t.Errorf("inside another statement: at %+v, want %+v", e.Pos, want)
	}
}

func TestPrivileges(t *testing.T) {
	t.Parallel()
	for grant, want := range map[string][]string{
		"GRANT SELECT ON db.* TO reader":                                     nil,
		"GRANT SHOW TABLES, SELECT(a, b), dictGet ON db.t TO reader":         nil,
		"GRANT SELECT, INSERT ON *.* TO writer WITH GRANT OPTION":            {"INSERT"},
		"GRANT ALTER UPDATE(a, b), CREATE TEMPORARY TABLE, FILE ON *.* TO x": {"ALTER UPDATE", "CREATE TEMPORARY TABLE", "FILE"},
		"GRANT analyst TO reader":                                            {"what the role analyst may"},
		"REVOKE SELECT ON db.secret FROM reader":                             nil,
	} {
		if diff := cmp.Diff(want, privileges(grant)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", grant, diff)
		}
	}
}

// TestQueryLogOfAServerWithout says what its administrator has to do.
func TestQueryLogOfAServerWithout(t *testing.T) {
	t.Parallel()
	s := &Session{}
	s.Dialect, s.Info = &Dialects()[0], sdk.ServerInfo{CurrentUser: "reader"}
	for code, want := range map[int32]struct {
		kind sdk.Kind
		hint string
	}{
		codeUnknownTable: {sdk.KindUnsupported, "<query_log>"},
		codeDenied:       {sdk.KindDenied, "GRANT SELECT ON system.query_log TO `reader`"},
		codeMemory:       {sdk.KindLimit, "select less"},
	} {
		e, ok := errors.AsType[*sdk.Error](s.noLog(fromServer(&proto.Exception{Code: code, Message: "x"}, nil)))
		if !ok || e.Kind != want.kind || !strings.Contains(e.Hint, want.hint) {
			t.Errorf("code %d: %+v", code, e)
		}
	}
}
