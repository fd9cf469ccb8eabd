package expression_test

import (
	"math"
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/sdk"
)

// What is made is what would have been read.
func TestMadeNumbers(t *testing.T) {
	t.Parallel()
	float := func(f float64) expression.Node {
		n, ok := expression.Float(f)
		if !ok {
			t.Fatalf("%v is no number", f)
		}
		return n
	}
	for want, n := range map[string]expression.Node{
		"0": expression.Int(0), "-7": expression.Int(-7), "9223372036854775807": expression.Int(math.MaxInt64), "-9223372036854775808": expression.Int(math.MinInt64),
		"0e0": float(0), "-0e0": float(math.Copysign(0, -1)), "1.5e0": float(1.5), "-2.5e-7": float(-2.5e-7), "1.7976931348623157e308": float(math.MaxFloat64), "5e-324": float(5e-324),
	} {
		again := parsed(t, want)
		if got := expression.String(n); got != want || !same(n, again) && again.Type() != sdk.TypeUnspecified {
			t.Errorf("%s is made as %s", want, got)
		}
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if n, ok := expression.Float(f); ok {
			t.Errorf("%v is made as %s", f, expression.String(n))
		}
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		read func(string) (*expression.Literal, bool)
		text string
		want string // "" = refused
	}{
		{expression.Date, "2024-02-29", "2024-02-29"},
		{expression.Date, "2023-02-29", ""},
		{expression.Date, "0000-01-01", ""},
		{expression.Date, "9999-12-31", "9999-12-31"},
		{expression.Date, "24-02-29", ""},
		{expression.Date, "2024-2-9", ""},
		{expression.Date, "2024-02-29 ", ""},
		{expression.Date, "2024-02-29'", ""},
		{expression.Timestamp, "2024-02-29", "2024-02-29 00:00:00"},
		{expression.Timestamp, "2024-02-29T23:59", "2024-02-29 23:59:00"},
		{expression.Timestamp, "2024-02-29 23:59:59.123456", "2024-02-29 23:59:59.123456"},
		{expression.Timestamp, "2024-02-29 23:59:59.1234567", "2024-02-29 23:59:59.1234567"},
		{expression.Timestamp, "2024-02-29 23:59:59.123456000", "2024-02-29 23:59:59.123456"},
		{expression.Timestamp, "2024-02-29 23:59:59.1234567891", ""},
		{expression.TimestampTZ, "2024-02-29 23:59:59.123456789+01:00", "2024-02-29 22:59:59.123456789+00:00"},
		{expression.TimestampTZ, "2024-02-29 23:59:59.1234560001Z", ""},
		{expression.Timestamp, "2024-02-29 24:00", ""},
		{expression.Timestamp, "2024-02-29 10:00:00Z", ""},
		{expression.TimestampTZ, "2024-02-29T10:00Z", "2024-02-29 10:00:00+00:00"},
		{expression.TimestampTZ, "2024-02-29 10:00:00.5-05:30", "2024-02-29 15:30:00.5+00:00"},
		{expression.TimestampTZ, "2024-02-29 10:00:00+02", "2024-02-29 08:00:00+00:00"},
		{expression.TimestampTZ, "0001-01-01 00:00:00+02:00", ""},
		{expression.TimestampTZ, "9999-12-31 23:00:00-02:00", ""},
		{expression.TimestampTZ, "2024-02-29 10:00:00", ""},
		{expression.TimestampTZ, "2024-02-29 10:00:00 Europe/Berlin", ""},
	} {
		l, ok := c.read(c.text)
		if ok != (c.want != "") || ok && l.Value != c.want {
			t.Errorf("%s is read as %s, %v, want %s", c.text, l.Value, ok, c.want)
		}
	}
}

func TestPrinterModes(t *testing.T) {
	t.Parallel()
	n := checked(t, "qty / id + 1")
	p := printer(engine(t, "postgres"))
	for name, c := range map[string]struct {
		write func(expression.Node) (string, error)
		want  string
	}{
		"value":           {p.Value, `(CAST("qty" AS double precision) / NULLIF("id", 0)) + 1`},
		"operand":         {p.Operand, `((CAST("qty" AS double precision) / NULLIF("id", 0)) + 1)`},
		"engine division": {(&expression.Printer{Dialect: p.Dialect, Name: p.Name, EngineDivision: true}).Value, `"qty" / "id" + 1`},
	} {
		if got, err := c.write(n); err != nil || got != c.want {
			t.Errorf("%s: %s, %v, want %s", name, got, err, c.want)
		}
	}
	failing := &expression.Printer{Dialect: p.Dialect, Name: func(n *expression.Name) (string, error) {
		return "", sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "there is no %s", n)
	}}
	if got, err := failing.Value(n); sdk.KindOf(err) != sdk.KindNotFound || got != "" {
		t.Errorf("an unknown name is written as %q, %v", got, err)
	}
}

// A condition is a value, and a value a condition, where an engine tells them apart.
func TestBooleansThatAreNoValues(t *testing.T) {
	t.Parallel()
	p := printer(engine(t, "sqlserver"))
	const one = "CASE WHEN ([qty] = 1) THEN 1 WHEN NOT ([qty] = 1) THEN 0 END"
	for text, want := range map[string][2]string{ // as a value, as a condition
		"paid":                      {"[paid]", "([paid] = 1)"},
		"qty = 1":                   {one, "[qty] = 1"},
		"NOT paid":                  {"CASE WHEN (NOT ([paid] = 1)) THEN 1 WHEN NOT (NOT ([paid] = 1)) THEN 0 END", "NOT ([paid] = 1)"},
		"paid = (qty = 1)":          {"CASE WHEN ([paid] = " + one + ") THEN 1 WHEN NOT ([paid] = " + one + ") THEN 0 END", "[paid] = " + one},
		"CASE WHEN paid THEN 1 END": {"CASE WHEN ([paid] = 1) THEN 1 END", "(CASE WHEN ([paid] = 1) THEN 1 END = 1)"},
	} {
		n := checked(t, text)
		value, err := p.Value(n)
		if err != nil {
			t.Fatal(err)
		}
		condition, err := p.Predicate(n)
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]string{value, condition}; got != want {
			t.Errorf("%s is written as %q, want %q", text, got, want)
		}
	}
}

// A decimal with more digits than the engine's, and a text that its type would cut, are
// refused.
func TestMaximaOfADialect(t *testing.T) {
	t.Parallel()
	d := *engine(t, "postgres")
	d.MaxDecimalDigits, d.MaxTextCast = 5, 40
	for _, c := range []struct {
		text, want string
	}{
		{"qty * 123.45", `"qty" * 123.45`},
		{"qty * 0.012345", `"qty" * 0.012345`},
		{"qty * 123.456", ""},
		{"CAST(id AS text)", `CAST("id" AS text)`},
		{"CAST(day AS text)", `CAST("day" AS text)`},
		{"CAST(doc AS text)", ""},
	} {
		got, err := printer(&d).Value(checked(t, c.text))
		if got != c.want || (err == nil) != (c.want != "") || err != nil && sdk.KindOf(err) != sdk.KindUnsupported {
			t.Errorf("%s is written %q, %v; want %q", c.text, got, err, c.want)
		}
	}
}
