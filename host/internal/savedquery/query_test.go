package savedquery

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/plugins/sqlite"
	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
)

const hosts = `/* loam
title: Top hosts by revenue
description: Hosts ranked by earnings.
parameters:
  - name: start_date
    type: date
    required: true
  - name: region
    type: string
  - name: statuses
    type: string[]
    default:
      - paid
  - name: top
    type: integer
    default: 10
    maximum: 1000
output:
  - name: payee
    type: string
constraints: Amounts are in dollars.
examples:
  - start_date: "2024-01-01"
reviewed: true
*/
SELECT payee, SUM(earned) / 100.0 AS total FROM billing
WHERE created_at >= {{start_date}} AND status IN ({{statuses}}) [[AND region = {{region}}]]
GROUP BY payee ORDER BY total DESC LIMIT {{top}}
`

func sqliteDialect(t testing.TB) *dialect.Dialect {
	t.Helper()
	all := sqlite.Connector().Describe().Dialects
	return &all[len(all)-1]
}

func TestFile(t *testing.T) {
	t.Parallel()
	q, err := Parse([]byte(hosts))
	if err != nil {
		t.Fatal(err)
	}
	out, err := Print(q)
	if diff := cmp.Diff(hosts, string(out)); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	unreviewed := strings.Replace(hosts, "reviewed: true", "reviewed: false", 1)
	if reviewed, err := Review([]byte(unreviewed)); err != nil || string(reviewed) != hosts {
		t.Errorf("%v\n%s", err, reviewed)
	}
}

func TestFilesThatCannotBe(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, file, says string }{
		{"no comment", "SELECT 1", "comment"},
		{"no end", "/* loam\ntitle: x\nSELECT 1", "no end"},
		{"an unknown key", "/* loam\ntitel: x\n*/\nSELECT 1", "titel"},
		{"a bomb", "/* loam\ndescription: &a x\ntags: [*a, *a]\n*/\nSELECT 1", "anchors"},
		{"deep", "/* loam\nexamples: [{a: " + strings.Repeat("[", 30) + strings.Repeat("]", 30) + "}]\n*/\nSELECT 1", "levels"},
		{"a NUL", "/* loam\n*/\nSELECT '\x00'", "UTF-8"},
		{"no type", "/* loam\nparameters: [{name: a}]\n*/\nSELECT {{a}}", "type"},
		{"twice", "/* loam\nparameters: [{name: a, type: string}, {name: a, type: string}]\n*/\nSELECT 1", "twice"},
		{"a wrong default", "/* loam\nparameters: [{name: a, type: integer, default: 3.9}]\n*/\nSELECT {{a}}", "integer"},
		{"a wrong example", "/* loam\nparameters: [{name: a, type: date, required: true}]\nexamples: [{a: 2024-13-01}]\n*/\nSELECT {{a}}", "date"},
		{"an example without what is required", "/* loam\nparameters: [{name: a, type: date, required: true}]\nexamples: [{}]\n*/\nSELECT {{a}}", "lacks a"},
		{"a pattern of a number", "/* loam\nparameters: [{name: a, type: integer, pattern: x}]\n*/\nSELECT {{a}}", "pattern"},
		{"a minimum of a text", "/* loam\nparameters: [{name: a, type: string, minimum: 1}]\n*/\nSELECT {{a}}", "minimum"},
		{"too long", "/* loam\n*/\n" + strings.Repeat("x", MaxFile), "limit"},
	} {
		_, err := Parse([]byte(tt.file))
		if e := sdk.AsError(err, sdk.SourceHost); e == nil || !strings.Contains(e.Msg, tt.says) || e.Hint == "" {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	if _, err := Print(&Query{Title: "a */ DROP", SQL: "SELECT 1"}); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("the end of the comment in a title: %v", err)
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		p     Parameter
		value any
		want  any // nil = refused
	}{
		{Parameter{Type: Integer}, 3.0, int64(3)},
		{Parameter{Type: Integer}, 3.9, nil},
		{Parameter{Type: Integer}, "3", nil},
		{Parameter{Type: Integer, Minimum: 5}, 4, nil},
		{Parameter{Type: Integer, Maximum: 5}, 6, nil},
		{Parameter{Type: Integer, Maximum: 5}, 5, int64(5)},
		{Parameter{Type: Decimal}, "12.50", "12.50"},
		{Parameter{Type: Decimal}, "1e9", nil},
		{Parameter{Type: Decimal, Minimum: "9007199254740993.1"}, "9007199254740993.0", nil},
		{Parameter{Type: Decimal, Maximum: "0.10000000000000000001"}, "0.10000000000000000001", "0.10000000000000000001"},
		{Parameter{Type: Decimal, Maximum: "0.10000000000000000001"}, "0.10000000000000000002", nil},
		{Parameter{Type: Boolean}, "yes", nil},
		{Parameter{Type: Boolean}, true, true},
		{Parameter{Type: Date}, "2024-13-01", nil},
		{Parameter{Type: Date, Minimum: "2024-01-01"}, "2023-12-31", nil},
		{Parameter{Type: Timestamp}, "2024-01-31T12:00:00Z", "2024-01-31T12:00:00Z"},
		{Parameter{Type: UUID}, "x", nil},
		{Parameter{Type: String, Pattern: "a+"}, "aab", nil},
		{Parameter{Type: String, Values: []any{"a", "b"}}, "c", nil},
		{Parameter{Type: String, Values: []any{"a", "b"}}, "b", "b"},
		{Parameter{Type: String}, "a\x00", nil},
		{Parameter{Type: Strings}, []any{}, nil},
		{Parameter{Type: Strings}, "a", nil},
		{Parameter{Type: Integers}, []any{1, 2.0}, []any{int64(1), int64(2)}},
	} {
		got, err := tt.p.Accept(tt.value)
		if diff := cmp.Diff(tt.want, got); tt.want != nil && (err != nil || diff != "") || tt.want == nil && sdk.KindOf(err) != sdk.KindInvalid {
			t.Errorf("%+v of %v: %v, %v", tt.p, tt.value, got, err)
		}
	}
}

func TestPlaceholders(t *testing.T) {
	t.Parallel()
	d := sqliteDialect(t)
	for _, tt := range []struct{ name, sql, says string }{
		{"in a literal", "SELECT '{{a}}'", "line 1, column 9"},
		{"in a comment", "SELECT 1\n-- {{a}}", "line 2, column 4"},
		{"in a block comment", "SELECT /* {{a}} */ 1", "line 1, column 11"},
		{"in a quoted name", `SELECT "{{a}}"`, "line 1, column 9"},
		{"beside a word", "SELECT x{{a}}", "line 1, column 9"},
		{"no end", "SELECT {{a", "no end"},
		{"no name", "SELECT {{1}}", "no name"},
		{"an optional part in a comment", "SELECT 1 -- [[ {{a}} ]]", "line 1, column 13"},
		{"nested", "SELECT 1 [[AND {{a}} [[AND {{a}}]]]]", "another"},
		{"an optional part of nothing", "SELECT 1 [[AND 1]]", "no placeholder"},
		{"an end alone", "SELECT 1 ]]", "did not begin"},
		{"no end of the part", "SELECT 1 [[AND {{a}}", "no end"},
		{"an open literal", "SELECT {{a}} '", "no end"},
	} {
		q := &Query{SQL: tt.sql, Parameters: []Parameter{{Name: "a", Type: Integer, Required: true}}}
		checks, _ := Examine(q, d)
		if last := checks[len(checks)-1]; last.Check != CheckPlaceholders || last.OK || !strings.Contains(last.Message, tt.says) {
			t.Errorf("%s: %+v", tt.name, checks)
		}
	}
}

func TestExamine(t *testing.T) {
	t.Parallel()
	d := sqliteDialect(t)
	a := Parameter{Name: "a", Type: Integer, Required: true}
	for _, tt := range []struct {
		name, sql  string
		parameters []Parameter
		failed     string
		says       string
	}{
		{"right", "SELECT {{a}}", []Parameter{a}, "", ""},
		{"not declared", "SELECT 1,\n {{b}}", nil, CheckDeclarations, "line 2, column 2"},
		{"not used", "SELECT 1", []Parameter{a}, CheckDeclarations, "no placeholder"},
		{"a list outside", "SELECT {{b}}", []Parameter{{Name: "b", Type: Strings, Required: true}}, CheckDeclarations, "IN ("},
		{"a list among others", "SELECT 1 WHERE 1 IN (1, {{b}})", []Parameter{{Name: "b", Type: Integers, Required: true}}, CheckDeclarations, "IN ("},
		{"neither required nor optional", "SELECT {{b}}", []Parameter{{Name: "b", Type: Integer}}, CheckDeclarations, "optional part"},
		{"a write", "DELETE FROM t WHERE a = {{a}}", []Parameter{a}, CheckGuardAll, ""},
		{"a write in an optional part", "SELECT 1 [[; DELETE FROM t WHERE a = {{a}}]]", []Parameter{a}, CheckGuardAll, ""},
		{"a text that needs its optional part", "[[SELECT {{a}}]]", []Parameter{a}, CheckGuardNone, ""},
	} {
		checks, _ := Examine(&Query{SQL: tt.sql, Parameters: tt.parameters}, d)
		failed := ""
		for _, c := range checks {
			if !c.OK && failed == "" {
				failed = c.Check
				if !strings.Contains(c.Message, tt.says) {
					t.Errorf("%s: %s", tt.name, c.Message)
				}
			}
		}
		if failed != tt.failed {
			t.Errorf("%s: %+v", tt.name, checks)
		}
	}
}

// A value is one literal, whatever it has in it, and a part goes whole.
func TestSample(t *testing.T) {
	t.Parallel()
	d := sqliteDialect(t)
	q := &Query{
		SQL:        "SELECT 1 WHERE a IN ({{l}}) [[AND b = {{s}}]]",
		Parameters: []Parameter{{Name: "l", Type: Integers, Default: []any{1, 2}}, {Name: "s", Type: String}},
		Examples:   []map[string]any{{"s": "x'; DROP TABLE t --"}},
	}
	read, err := Read(q.SQL, d)
	if err != nil {
		t.Fatal(err)
	}
	for optional, want := range map[bool]string{
		true: "SELECT 1 WHERE a IN (1, 2) AND b = 'x''; DROP TABLE t --'", false: "SELECT 1 WHERE a IN (1, 2) ",
	} {
		if got, err := q.Sample(read, d, optional); err != nil || got != want {
			t.Errorf("%q, %v", got, err)
		}
	}
	other, err := Read("select 1\nwhere a in ({{l}}) -- here\n[[and b = {{s}}]];", d)
	if err != nil || !read.Same(other) {
		t.Errorf("the same text is another one: %v", err)
	}
	if other, err = Read("select 2 where a in ({{l}}) [[and b = {{s}}]]", d); err != nil || read.Same(other) {
		t.Errorf("another text is the same: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(hosts))
	f.Fuzz(func(t *testing.T, content []byte) {
		q, err := Parse(content)
		if err != nil {
			return
		}
		printed, err := Print(q)
		if err != nil {
			return // the end of a comment in a text
		}
		again, err := Parse(printed)
		if err != nil {
			t.Fatalf("%v:\n%s", err, printed)
		}
		if twice, err := Print(again); err != nil || string(twice) != string(printed) {
			t.Errorf("%v:\n%s\nprinted again:\n%s", err, printed, twice)
		}
	})
}
