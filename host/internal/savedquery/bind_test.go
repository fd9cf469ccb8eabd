package savedquery

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// engine is a dialect with types and casts of its own.
func engine(style dialect.ParameterStyle) *dialect.Dialect {
	return &dialect.Dialect{
		Name: "foosql", Parameter: style,
		Lexis: dialect.Lexis{Strings: []dialect.Quote{{Open: "'", Close: "'", Doubled: true}}, Parameters: []string{"?"}},
		Types: map[string]string{"text": "TEXT", "date": "DATE", "timestamp": "DATETIME", "timestamp_tz": "INSTANT", "decimal": "NUMBER(20, 4)", "uuid": "TEXT"},
		Forms: map[dialect.Form]string{dialect.Cast: "CAST({x} AS {type})", dialect.CastTo("date"): "day({x})"},
	}
}

func TestBind(t *testing.T) {
	t.Parallel()
	all := &Query{
		SQL: "SELECT {{s}}, {{i}}, {{d}}, {{b}}, {{day}}, {{at}}, {{u}} WHERE x IN ({{l}}) AND y IN ({{n}}) [[AND z = {{o}} AND i = {{i}}]] [[AND q = {{e}}]]",
		Parameters: []Parameter{
			{Name: "s", Type: String, Required: true}, {Name: "i", Type: Integer, Default: 7}, {Name: "d", Type: Decimal, Required: true},
			{Name: "b", Type: Boolean, Required: true}, {Name: "day", Type: Date, Required: true}, {Name: "at", Type: Timestamp, Required: true},
			{Name: "u", Type: UUID, Required: true}, {Name: "l", Type: Strings, Required: true}, {Name: "n", Type: Integers, Required: true},
			{Name: "o", Type: String}, {Name: "e", Type: String},
		},
	}
	given := map[string]any{
		"s": "it's; DROP", "d": json.Number("1.50"), "b": true, "day": "2024-02-29", "at": "2024-02-29T12:00:00.5+02:00",
		"u": "123E4567-e89b-12d3-a456-426614174000", "l": []any{"a", "b"}, "n": []any{json.Number("3.0")}, "o": "x", "e": nil,
	}
	params := []sdk.Value{
		"it's; DROP", int64(7), "1.50", true, "2024-02-29", "2024-02-29T10:00:00.5+00:00", "123e4567-e89b-12d3-a456-426614174000", "a", "b", int64(3), "x", int64(7),
	}
	for style, want := range map[dialect.ParameterStyle]string{
		dialect.ParameterQuestion: "SELECT ?, ?, CAST(? AS NUMBER(20, 4)), ?, day(?), CAST(? AS INSTANT), ? WHERE x IN (?, ?) AND y IN (?) AND z = ? AND i = ? ",
		dialect.ParameterDollar:   "SELECT $1, $2, CAST($3 AS NUMBER(20, 4)), $4, day($5), CAST($6 AS INSTANT), $7 WHERE x IN ($8, $9) AND y IN ($10) AND z = $11 AND i = $12 ",
		dialect.ParameterAt:       "SELECT @p1, @p2, CAST(@p3 AS NUMBER(20, 4)), @p4, day(@p5), CAST(@p6 AS INSTANT), @p7 WHERE x IN (@p8, @p9) AND y IN (@p10) AND z = @p11 AND i = @p12 ",
		dialect.ParameterColon:    "SELECT :1, :2, CAST(:3 AS NUMBER(20, 4)), :4, day(:5), CAST(:6 AS INSTANT), :7 WHERE x IN (:8, :9) AND y IN (:10) AND z = :11 AND i = :12 ",
	} {
		d := engine(style)
		read, err := Read(all.SQL, d)
		if err != nil {
			t.Fatal(err)
		}
		b, err := all.Bind(read, d, given)
		if err != nil || b.SQL != want {
			t.Fatalf("%s: %v\n%+v", style, err, b)
		}
		if diff := cmp.Diff(params, b.Params); diff != "" {
			t.Errorf("%s (-want +got):\n%s", style, diff)
		}
		if _, has := b.Values["e"]; has || b.Values["i"] != int64(7) || len(b.Values) != 10 {
			t.Errorf("values: %v", b.Values)
		}
	}
}

// A decimal type gets the scale that a value needs, and a value with too many digits is refused.
func TestBindDecimal(t *testing.T) {
	t.Parallel()
	d := engine(dialect.ParameterQuestion)
	q := &Query{SQL: "SELECT {{d}}", Parameters: []Parameter{{Name: "d", Type: Decimal, Required: true}}}
	read, err := Read(q.SQL, d)
	if err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]string{
		"1.5": "NUMBER(20, 4)", "0.00000000000000000001": "NUMBER(20, 20)", "-12345678901234567890.0": "NUMBER(20, 0)", "1234567890123456789.5": "NUMBER(20, 1)",
		"1.000000000000000000001": "", "12345678901234567890.5": "",
	} {
		b, err := q.Bind(read, d, map[string]any{"d": value})
		if want == "" && sdk.KindOf(err) != sdk.KindInvalid || want != "" && (err != nil || b.SQL != "SELECT CAST(? AS "+want+")") {
			t.Errorf("%s: %v, %+v", value, err, b)
		}
	}
}

func TestBindRefuses(t *testing.T) {
	t.Parallel()
	d := engine(dialect.ParameterQuestion)
	q := &Query{
		SQL: "SELECT {{a}}, {{b}} WHERE x IN ({{l}})", Parameters: []Parameter{
			{Name: "a", Type: Integer, Required: true, Maximum: 9}, {Name: "b", Type: Date, Default: "2024-01-01"}, {Name: "l", Type: Strings, Default: []any{"x"}},
		},
	}
	read, err := Read(q.SQL, d)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name       string
		given      map[string]any
		says, hint string
	}{
		{"missing", nil, "a is required", "9"},
		{"null", map[string]any{"a": nil}, "a is required", "9"},
		{"undeclared", map[string]any{"a": 1, "c": 1}, `no parameter "c"`, "a, b, l"},
		{"a fraction", map[string]any{"a": json.Number("3.9")}, "integer", "9"},
		{"too large", map[string]any{"a": 10}, "at most 9", "9"},
		{"no date", map[string]any{"a": 1, "b": "2024-13-01"}, "date", "2024-01-01"},
		{"an empty list", map[string]any{"a": 1, "l": []any{}}, "1 to 1000 elements", "x"},
		{"a list too long", map[string]any{"a": 1, "l": make([]any, 1001)}, "1 to 1000 elements", "x"},
	} {
		_, err := q.Bind(read, d, tt.given)
		e := sdk.AsError(err, sdk.SourceHost)
		if e == nil || e.Kind != sdk.KindInvalid || !strings.Contains(e.Msg, tt.says) || !strings.Contains(e.Hint, tt.hint) {
			t.Errorf("%s: %+v", tt.name, e)
		}
	}
	d.Parameter = dialect.ParameterNone
	if _, err := q.Bind(read, d, map[string]any{"a": 1}); sdk.KindOf(err) != sdk.KindUnsupported || sdk.AsError(err, "").Hint == "" {
		t.Errorf("a dialect without parameters: %v", err)
	}
}

// A placeholder of the engine would shift the values.
func TestOwnPlaceholders(t *testing.T) {
	t.Parallel()
	_, err := Read("SELECT {{a}}\n, ?", engine(dialect.ParameterQuestion))
	if e := sdk.AsError(err, sdk.SourceHost); e == nil || e.Pos.Line != 2 || e.Pos.Column != 3 || e.Kind != sdk.KindInvalid {
		t.Errorf("%v", err)
	}
}
