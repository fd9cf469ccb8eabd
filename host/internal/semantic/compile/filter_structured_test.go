package compile

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/loam-data/loam/host/internal/semantic/expression"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

// fields is a source with a field of every type.
const fields = `
name: o
table: o
primary_key: [id]
time_zone: Europe/Berlin
dimensions:
  - {name: id, type: number}
  - {name: status, type: string}
  - {name: level, type: string, values: [low, medium, high]}
  - {name: paid, type: boolean}
  - {name: day, type: time, column_type: date}
  - {name: at, type: time, column_type: timestamp}
  - {name: instant, type: time, column_type: timestamptz}
  - {name: epoch, type: time, column_type: epoch_s}
  - {name: some_time, type: time}
  - {name: anything}
measures:
  - {name: n, agg: count}
`

func fieldCompiler(t testing.TB, zone string) *compiler {
	t.Helper()
	content, err := os.ReadFile("../../../../sdk/dialect/testdata/sqlite.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []dialect.Dialect
	if err := json.Unmarshal(content, &all); err != nil {
		t.Fatal(err)
	}
	m := model.Build(model.Input{Dialect: &all[0], Files: []*model.File{model.Parse("o.yaml", []byte(fields))}})
	for _, p := range m.Problems() {
		t.Fatal(p)
	}
	return &compiler{m: m, d: &all[0], r: request.Request{TimeZone: zone}, o: Options{Now: time.Date(2024, 3, 15, 12, 0, 0, 0, time.UTC)}, types: map[model.DimensionID]sdk.Type{}}
}

func TestStructuredFilters(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, filter, want string }{
		{"equals", `{"field": "o.status", "op": "equals", "values": ["paid"]}`, "o.status = 'paid'"},
		{"equals NULL", `{"field": "o.status", "op": "equals", "values": [null]}`, "o.status IS NULL"},
		{"not_equals holds for NULL", `{"field": "o.status", "op": "not_equals", "values": ["paid"]}`, "o.status <> 'paid' OR o.status IS NULL"},
		{"not_equals NULL", `{"field": "o.status", "op": "not_equals", "values": [null]}`, "o.status IS NOT NULL"},
		{"in", `{"field": "o.status", "op": "in", "values": ["a", "b"]}`, "o.status IN ('a', 'b')"},
		{"in one", `{"field": "o.status", "op": "in", "values": ["a"]}`, "o.status = 'a'"},
		{"in with NULL", `{"field": "o.status", "op": "in", "values": ["a", null, "b"]}`, "o.status IN ('a', 'b') OR o.status IS NULL"},
		{"not_in holds for NULL", `{"field": "o.status", "op": "not_in", "values": ["a", "b"]}`, "o.status NOT IN ('a', 'b') OR o.status IS NULL"},
		{"not_in with NULL", `{"field": "o.status", "op": "not_in", "values": ["a", "b", null]}`, "o.status NOT IN ('a', 'b') AND o.status IS NOT NULL"},
		{"contains is literal", `{"field": "o.status", "op": "contains", "values": ["50%_'"]}`, "contains(o.status, '50%_''')"},
		{"contains any", `{"field": "o.status", "op": "contains", "values": ["a", "b"]}`, "contains(o.status, 'a') OR contains(o.status, 'b')"},
		{"not_contains holds for NULL", `{"field": "o.status", "op": "not_contains", "values": ["a", "b"]}`, "NOT contains(o.status, 'a') AND NOT contains(o.status, 'b') OR o.status IS NULL"},
		{"starts_with", `{"field": "o.status", "op": "starts_with", "values": ["a"]}`, "starts_with(o.status, 'a')"},
		{"ends_with", `{"field": "o.status", "op": "ends_with", "values": ["a"]}`, "ends_with(o.status, 'a')"},
		{"is_null", `{"field": "o.status", "op": "is_null"}`, "o.status IS NULL"},
		{"is_not_null", `{"field": "o.status", "op": "is_not_null", "values": []}`, "o.status IS NOT NULL"},
		{"numbers", `{"field": "o.id", "op": "between", "values": [-1.50, 2e3]}`, "o.id BETWEEN -1.50 AND 2e3"},
		{"a number as a text, for a number", `{"field": "o.id", "op": "gt", "values": ["100"]}`, "o.id > 100"},
		{"a large number keeps its digits", `{"field": "o.id", "op": "equals", "values": [12345678901234567890123456789]}`, "o.id = 12345678901234567890123456789"},
		{"true", `{"field": "o.paid", "op": "equals", "values": [true]}`, "o.paid = TRUE"},
		{"false as a text", `{"field": "o.paid", "op": "equals", "values": ["False"]}`, "o.paid = FALSE"},
		{"1 for true", `{"field": "o.paid", "op": "not_equals", "values": [1]}`, "o.paid <> TRUE OR o.paid IS NULL"},
		{"a known value", `{"field": "o.level", "op": "in", "values": ["low", "high"]}`, "o.level IN ('low', 'high')"},
		{"an unknown type keeps the value", `{"field": "o.anything", "op": "lt", "values": ["5"]}`, "o.anything < '5'"},
		{"a measure", `{"field": "o.n", "op": "gte", "values": [10]}`, "o.n >= 10"},
		{
			"and, or, not", `{"and": [{"or": [{"field": "o.id", "op": "lt", "values": [1]}, "o.id > 5 OR o.paid"]}, {"not": {"field": "o.status", "op": "equals", "values": ["x"]}}]}`,
			"(o.id < 1 OR o.id > 5 OR o.paid) AND NOT o.status = 'x'",
		},

		{"a day", `{"field": "o.day", "op": "equals", "values": ["2024-05-15"]}`, "o.day = DATE '2024-05-15'"},
		{"the midnight of a day", `{"field": "o.day", "op": "lte", "values": ["2024-05-15T00:00:00.000"]}`, "o.day <= DATE '2024-05-15'"},
		{"days between", `{"field": "o.day", "op": "between", "values": ["2024-05-01", "2024-05-31"]}`, "o.day >= DATE '2024-05-01' AND o.day < DATE '2024-06-01'"},
		{"after a day", `{"field": "o.day", "op": "after", "values": ["2024-05-15"]}`, "o.day > DATE '2024-05-15'"},
		{"a time from a day on", `{"field": "o.at", "op": "gte", "values": ["2024-05-15"]}`, "o.at >= TIMESTAMP '2024-05-15 02:00:00'"},
		{"a time before a day", `{"field": "o.at", "op": "before", "values": ["2024-05-15"]}`, "o.at < TIMESTAMP '2024-05-15 02:00:00'"},
		{"a time between days", `{"field": "o.at", "op": "between", "values": ["2024-05-01", "2024-05-31"]}`, "o.at >= TIMESTAMP '2024-05-01 02:00:00' AND o.at < TIMESTAMP '2024-06-01 02:00:00'"},
		{"a time between times", `{"field": "o.at", "op": "between", "values": ["2024-05-01T10:00Z", "2024-05-01T11:00Z"]}`, "o.at >= TIMESTAMP '2024-05-01 12:00:00' AND o.at <= TIMESTAMP '2024-05-01 13:00:00'"},
		{"an instant", `{"field": "o.instant", "op": "gt", "values": ["2024-05-15T10:00:00+02:00"]}`, "o.instant > TIMESTAMPTZ '2024-05-15 08:00:00+00:00'"},
		{"what is stored as seconds is in UTC", `{"field": "o.epoch", "op": "gte", "values": ["2024-05-15"]}`, "o.epoch >= TIMESTAMP '2024-05-15 00:00:00'"},
		{"a time of unknown storage", `{"field": "o.some_time", "op": "in_date_range", "values": ["2024-05"]}`, "error: filters[0]: how o.some_time is stored is not known, and a time could be compared with text"},
		{"a range", `{"field": "o.instant", "op": "in_date_range", "values": ["2024-05-01", "2024-05-31"]}`, "o.instant >= TIMESTAMPTZ '2024-05-01 00:00:00+00:00' AND o.instant < TIMESTAMPTZ '2024-06-01 00:00:00+00:00'"},
		{"a relative range", `{"field": "o.day", "op": "in_date_range", "values": "last 7 days"}`, "o.day >= DATE '2024-03-08' AND o.day < DATE '2024-03-15'"},

		{"a number for a date", `{"field": "o.day", "op": "equals", "values": [20240515]}`, "error: filters[0].values[0]: o.day is a time, not the number 20240515"},
		{"a day for a time", `{"field": "o.at", "op": "equals", "values": ["2024-05-15"]}`, `error: filters[0].values[0]: "2024-05-15" is a day, and o.at has times of day: equals would compare with midnight alone`},
		{"up to a day, of a time", `{"field": "o.at", "op": "lte", "values": ["2024-05-15"]}`, `error: filters[0].values[0]: "2024-05-15" is a day, and o.at has times of day: lte could mean its beginning or its end`},
		{"a text for a number", `{"field": "o.id", "op": "equals", "values": ["ten"]}`, `error: filters[0].values[0]: o.id is a number, not the text "ten"`},
		{"a number for a text", `{"field": "o.status", "op": "equals", "values": [12]}`, "error: filters[0].values[0]: o.status is text, not the number 12"},
		{"a text for true or false", `{"field": "o.paid", "op": "equals", "values": ["yes"]}`, `error: filters[0].values[0]: o.paid is a boolean, not the text "yes"`},
		{"NULL to compare with", `{"field": "o.id", "op": "gt", "values": [null]}`, "error: filters[0].values[0]: o.id is a number, not null"},
		{"a search in numbers", `{"field": "o.id", "op": "contains", "values": ["1"]}`, "error: filters[0]: contains searches text; o.id is a number"},
		{"a search for nothing", `{"field": "o.status", "op": "contains", "values": [""]}`, `error: filters[0].values[0]: contains takes text, not the text ""`},
		{"before a number", `{"field": "o.id", "op": "before", "values": [1]}`, "error: filters[0]: o.id is a number, not a time"},
		{"NULL to compare something unknown with", `{"field": "o.anything", "op": "gt", "values": [null]}`, "error: filters[0].values[0]: o.anything is of unknown type, not null"},
		{"a number for something unknown", `{"field": "o.anything", "op": "in", "values": [1, true]}`, "o.anything IN (1, TRUE)"},
		{"a number for a range", `{"field": "o.day", "op": "in_date_range", "values": [2024]}`, "error: filters[0].values[0]: the number 2024 is no date"},
		{"no range", `{"field": "o.day", "op": "in_date_range", "values": ["soon"]}`, `error: filters[0].values: "soon" is no range of time`},
		{"no time", `{"field": "o.at", "op": "gte", "values": ["noon"]}`, `error: filters[0].values[0]: "noon" is no date or time`},
		{"after a day, of a time", `{"field": "o.at", "op": "after", "values": ["2024-05-15"]}`, `error: filters[0].values[0]: "2024-05-15" is a day, and o.at has times of day: after could mean its beginning or its end`},
		{"too few values", `{"field": "o.id", "op": "between", "values": [1]}`, "error: filters[0].values: between takes 2 values, not 1"},
		{"no values", `{"field": "o.id", "op": "in", "values": []}`, "error: filters[0].values: in takes 1 to 10000 values, not 0"},
		{"values for is_null", `{"field": "o.id", "op": "is_null", "values": [true]}`, "error: filters[0].values: is_null takes no values, not 1"},
		{"a value that there is not", `{"field": "o.level", "op": "equals", "values": ["hihg"]}`, `error: filters[0].values[0]: o.level is never "hihg"`},
		{"the second of values", `{"field": "o.level", "op": "not_in", "values": [null, "hihg"]}`, `error: filters[0].values[1]: o.level is never "hihg"`},
		{"an endless number", `{"field": "o.id", "op": "equals", "values": [1e999]}`, "error: filters[0].values[0]: o.id is a number, not the number 1e999"},
		{"a field that there is not", `{"field": "o.statsu", "op": "equals", "values": ["a"]}`, "error: there is no member o.statsu"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			zone := ""
			r, _, err := request.Normalise(json.RawMessage(`{"measures": ["o.n"], "filters": [` + tt.filter + `]}`))
			if err != nil {
				t.Fatal(err)
			}
			tree, err := fieldCompiler(t, zone).structured(&r.Filters[0], "filters[0]")
			got := ""
			if err != nil {
				got = "error: " + err.Error()
			} else {
				got = expression.String(tree)
			}
			if got != tt.want {
				t.Errorf("%s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestRelativeFilterIsTold says which days a relative range was.
func TestRelativeFilterIsTold(t *testing.T) {
	t.Parallel()
	c := fieldCompiler(t, "Europe/Berlin")
	if _, err := c.structured(&request.Filter{Field: "o.day", Op: request.OpInDateRange, Values: []any{"last month"}}, "filters[0]"); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(c.notes, "\n"); got != "o.day: last month is from 2024-02-01 to 2024-02-29" {
		t.Error(got)
	}
}

// TestFilterShapes refuses what is no filter, however it was made.
func TestFilterShapes(t *testing.T) {
	t.Parallel()
	c := fieldCompiler(t, "")
	for name, f := range map[string]request.Filter{
		"nothing":               {},
		"two shapes":            {SQL: "o.paid", Field: "o.id", Op: request.OpIsNull},
		"an empty and":          {And: []request.Filter{}},
		"an operator of nobody": {Field: "o.id", Op: "about", Values: []any{1}},
		"a value of nobody":     {Field: "o.id", Op: request.OpEquals, Values: []any{struct{}{}}},
		"not a number":          {Field: "o.id", Op: request.OpEquals, Values: []any{json.Number("1 OR 1=1")}},
		"a fixed grain":         {Field: "o.id", Op: request.OpLess, Right: &request.Operand{Measure: "o.n"}},
	} {
		if tree, err := c.structured(&f, "filters[0]"); err == nil {
			t.Errorf("%s: %s", name, expression.String(tree))
		}
	}
}

// FuzzStructuredFilter: whatever an agent sends is refused, or is a condition that
// the language can write and read.
func FuzzStructuredFilter(f *testing.F) {
	for _, seed := range []string{
		`{"field": "o.status", "op": "not_in", "values": ["a", null, "b'"]}`,
		`{"or": [{"field": "o.id", "op": "between", "values": [-1.5e3, 7]}, {"not": "o.paid"}]}`,
		`{"field": "o.at", "op": "in_date_range", "values": "last 7 days"}`,
		`{"field": "o.instant", "op": "lte", "values": ["2024-05-15T10:00:00Z"]}`,
		`{"field": "o.day", "op": "=", "value": "2024-05-15"}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, _, err := request.Normalise(json.RawMessage(`{"measures": ["o.n"], "filters": [` + text + `]}`))
		if err != nil {
			return
		}
		c := fieldCompiler(t, "")
		for i := range r.Filters {
			tree, err := c.structured(&r.Filters[i], "filters")
			if err != nil {
				continue
			}
			written := expression.String(tree)
			if again, err := expression.Parse(written); len(written) < expression.MaxTextBytes && err != nil {
				t.Fatalf("%q: %s is not read: %v", text, written, err)
			} else if err == nil && expression.String(again) != written {
				t.Fatalf("%q: %s is read as %s", text, written, expression.String(again))
			}
		}
	})
}
