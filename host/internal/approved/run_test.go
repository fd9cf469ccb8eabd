package approved_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/approved"
	"github.com/loam-data/loam/host/internal/finding"
	"github.com/loam-data/loam/sdk"
)

const orders = `title: Orders
parameters:
  - {name: since, type: date, required: true}
  - {name: status, type: "string[]"}
  - {name: top, type: integer, default: 10, maximum: 100}
output: [{name: id, type: integer}, {name: status, type: string}]
reviewed: true`

const ordersSQL = "SELECT id, status FROM orders WHERE day >= {{since}} [[AND status IN ({{status}})]] ORDER BY id LIMIT {{top}}"

// Every input of a run changes its answer.
func TestExecute(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.put("shop/orders", orders, ordersSQL)
	f.put("crm/first", "reviewed: true", "SELECT 'crm' AS c")
	f.put("shop/first", "reviewed: true", "SELECT 'shop' AS c")
	f.put("shop/draft", "title: x", "SELECT 1 AS one")
	all := map[string]any{"since": "2024-01-01"}
	r, rows := f.run(approved.Run{Name: "orders", Parameters: all})
	if diff := cmp.Diff([]string{`1 "paid"`, `2 "open"`, `3 "paid"`}, rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if r.Query.Name != "orders" || len(r.Query.Version) != 16 || cmp.Diff(map[string]any{"since": "2024-01-01", "top": int64(10)}, r.Bound) != "" || r.RowCount != 3 || len(r.Notes) != 0 {
		t.Errorf("%+v", r)
	}
	for _, tt := range []struct {
		name string
		run  approved.Run
		want []string
	}{
		{"another day", approved.Run{Name: "orders", Parameters: map[string]any{"since": "2024-02-01"}}, []string{`2 "open"`, `3 "paid"`}},
		{"an optional part", approved.Run{Name: "orders", Parameters: map[string]any{"since": "2024-01-01", "status": []any{"paid", "x"}}}, []string{`1 "paid"`, `3 "paid"`}},
		{"null is not given", approved.Run{Name: "orders", Parameters: map[string]any{"since": "2024-01-01", "status": nil}}, []string{`1 "paid"`, `2 "open"`, `3 "paid"`}},
		{"a limit", approved.Run{Name: "orders", Parameters: map[string]any{"since": "2024-01-01", "top": json.Number("1")}}, []string{`1 "paid"`}},
		{"fewer rows", approved.Run{Name: "orders", Parameters: all, MaxRows: 2}, []string{`1 "paid"`, `2 "open"`}},
		{"a connection", approved.Run{Name: "first", Connection: "crm"}, []string{`"crm"`}},
		{"the other connection", approved.Run{Name: "first", Connection: "shop"}, []string{`"shop"`}},
		{"one that is not reviewed, for a person", approved.Run{Name: "draft", Unreviewed: true}, []string{"1"}},
	} {
		if _, rows := f.run(tt.run); !slices.Equal(rows, tt.want) {
			t.Errorf("%s: %v", tt.name, rows)
		}
	}
	if r, _ := f.run(approved.Run{Name: "orders", Parameters: all, MaxRows: 2}); !r.Truncated {
		t.Error("two of three rows are not called truncated")
	}
	if r, _ := f.run(approved.Run{Name: "orders", Parameters: all, MaxBytes: 30}); r.TruncatedBy != sdk.TruncatedByBytes {
		t.Errorf("an answer of 30 bytes: %+v", r.Summary)
	}
	reports := 0
	f.run(approved.Run{Name: "orders", Parameters: all, Progress: func(float64, string) { reports++ }})
	if reports == 0 {
		t.Error("no progress")
	}
}

func TestExecuteRefuses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.put("shop/orders", orders, ordersSQL)
	f.put("crm/twice", "reviewed: true", "SELECT 1")
	f.put("shop/twice", "reviewed: true", "SELECT 1")
	f.put("shop/draft", "title: x", "SELECT 1")
	f.put("shop/broken", "titel: x\nreviewed: true", "SELECT 1")
	f.put("old/parameter", "parameters: [{name: a, type: integer, required: true}]\nreviewed: true", "SELECT {{a}}")
	f.put("shop/write", "reviewed: true", "DELETE FROM orders")
	f.put("shop/two", "parameters: [{name: a, type: integer, required: true}]\nreviewed: true", "SELECT {{a}}; DELETE FROM orders")
	f.put("shop/missing", "reviewed: true", "SELECT * FROM nowhere")
	f.put("shop/comment", "parameters: [{name: a, type: integer, required: true}]\nreviewed: true", "SELECT 1\n -- {{a}}")
	f.put("shop/literal", "parameters: [{name: a, type: integer, required: true}]\nreviewed: true", "SELECT '{{a}}'")
	f.put("shop/quoted", "parameters: [{name: a, type: integer, required: true}]\nreviewed: true", `SELECT "{{a}}" FROM orders`)
	f.put("shop/nested", "parameters: [{name: a, type: integer}]\nreviewed: true", "SELECT 1 [[AND [[{{a}}]]]]")
	f.put("shop/outside", "parameters: [{name: a, type: \"integer[]\", required: true}]\nreviewed: true", "SELECT {{a}}")
	f.put("shop/engine", "reviewed: true", "SELECT ?")
	f.put("shop/integer", "parameters: [{name: a, type: \"integer[]\", required: true}]\nreviewed: true", "SELECT 1 WHERE 1 IN ({{a}})")
	since := map[string]any{"since": "2024-01-01"}
	with := func(name string, v any) map[string]any { return map[string]any{"since": "2024-01-01", name: v} }
	long := make([]any, 1001)
	for i := range long {
		long[i] = json.Number("1")
	}
	for _, tt := range []struct {
		run  approved.Run
		kind sdk.Kind
		says []string
	}{
		{approved.Run{Name: "ordrs"}, sdk.KindNotFound, []string{"ordrs", "did you mean orders?"}},
		{approved.Run{Name: "zzz"}, sdk.KindNotFound, []string{"list_approved_queries"}},
		{approved.Run{Name: "orders", Connection: "crm"}, sdk.KindNotFound, nil},
		{approved.Run{Name: "orders", Connection: "gone"}, sdk.KindNotFound, []string{"gone"}},
		{approved.Run{Name: "twice"}, sdk.KindInvalid, []string{"2 connections", "crm, shop"}},
		{approved.Run{Name: "draft"}, sdk.KindDenied, []string{"queries/shop/draft.sql"}},
		{approved.Run{Name: "broken"}, sdk.KindInvalid, []string{"queries/shop/broken.sql"}},
		{approved.Run{Name: "orders"}, sdk.KindInvalid, []string{"since", "date", "2024-01-31"}},
		{approved.Run{Name: "orders", Parameters: map[string]any{"since": "2024-13-01"}}, sdk.KindInvalid, []string{"since", "date", "2024-01-31"}},
		{approved.Run{Name: "orders", Parameters: with("top", json.Number("3.9"))}, sdk.KindInvalid, []string{"top", "integer", "10"}},
		{approved.Run{Name: "orders", Parameters: with("top", json.Number("101"))}, sdk.KindInvalid, []string{"top", "at most 100"}},
		{approved.Run{Name: "orders", Parameters: with("status", []any{})}, sdk.KindInvalid, []string{"status", "1 to 1000"}},
		{approved.Run{Name: "orders", Parameters: with("status", "paid")}, sdk.KindInvalid, []string{"status", "list"}},
		{approved.Run{Name: "orders", Parameters: with("nope", 1)}, sdk.KindInvalid, []string{"nope", "since, status, top"}},
		{approved.Run{Name: "integer", Parameters: map[string]any{"a": long}}, sdk.KindInvalid, []string{"1 to 1000"}},
		{approved.Run{Name: "parameter", Parameters: map[string]any{"a": 1}}, sdk.KindUnsupported, nil},
		{approved.Run{Name: "write"}, sdk.KindNotReadOnly, []string{"write", "queries/shop/write.sql"}},
		{approved.Run{Name: "two", Parameters: map[string]any{"a": 1}}, sdk.KindNotReadOnly, nil},
		{approved.Run{Name: "missing"}, sdk.KindNotFound, []string{"the query missing failed", "nowhere", "queries/shop/missing.sql"}},
		{approved.Run{Name: "comment", Parameters: map[string]any{"a": 1}}, sdk.KindInvalid, []string{"{2 5}"}},
		{approved.Run{Name: "literal", Parameters: map[string]any{"a": 1}}, sdk.KindInvalid, []string{"{1 9}"}},
		{approved.Run{Name: "quoted", Parameters: map[string]any{"a": 1}}, sdk.KindInvalid, []string{"{1 9}"}},
		{approved.Run{Name: "nested"}, sdk.KindInvalid, []string{"another one", "{1 16}"}},
		{approved.Run{Name: "outside", Parameters: map[string]any{"a": []any{1}}}, sdk.KindInvalid, []string{"IN ({{a}})"}},
		{approved.Run{Name: "engine"}, sdk.KindInvalid, []string{"{{name}}", "{1 8}"}},
	} {
		f.refused(tt.run, tt.kind, tt.says...)
	}
	if _, rows := f.run(approved.Run{Name: "orders", Parameters: since}); len(rows) != 3 {
		t.Errorf("afterwards there are %d orders", len(rows))
	}
	if _, rows := f.run(approved.Run{Name: "integer", Parameters: map[string]any{"a": long[:1000]}}); len(rows) != 1 {
		t.Errorf("a list of 1,000: %v", rows)
	}
	f.ids = f.ids[1:] // the caller may not use shop
	f.refused(approved.Run{Name: "orders", Parameters: since}, sdk.KindNotFound)
}

// The notes say that the columns are not the declared ones, and what is found where no row came back.
func TestNotes(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.found = []finding.Finding{{Code: finding.ValueNotFound, Message: "status has no value payed.", Suggestion: "Did you mean paid?"}}
	for _, tt := range []struct {
		name, header, sql string
		want              []string
	}{
		{"same", "output: [{name: ID}]", "SELECT id FROM orders", nil},
		{"another name", "output: [{name: key, type: integer}]", "SELECT id FROM orders", []string{"output_changed: the query declares the columns key integer and returned id int64."}},
		{"another type", "output: [{name: status, type: integer}]", "SELECT status FROM orders", []string{"output_changed: the query declares the columns status integer and returned status text."}},
		{"one more", "output: [{name: id}]", "SELECT id, status FROM orders", []string{"output_changed: the query declares the columns id and returned id int64, status text."}},
		{"a type that no value shows", "output: [{name: n, type: integer}]", "SELECT COUNT(*) AS n FROM orders GROUP BY id HAVING 1 = 0", []string{"status has no value payed. Did you mean paid?"}},
		{"none declared", "title: x", "SELECT id, status FROM orders", nil},
		{"no row", "parameters: [{name: s, type: string, default: payed}]", "SELECT id FROM orders WHERE status = {{s}}", []string{"status has no value payed. Did you mean paid?"}},
	} {
		f.put("shop/q", tt.header+"\nreviewed: true", tt.sql)
		r, _ := f.run(approved.Run{Name: "q"})
		if diff := cmp.Diff(tt.want, r.Notes); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	if want := "SELECT id FROM orders WHERE status = 'payed'"; f.asked != want {
		t.Errorf("findings were asked about %q", f.asked)
	}
}

// A hand edit counts on the next call, with a new version.
func TestEditsCount(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.put("shop/q", "reviewed: true", "SELECT 1 AS n")
	first, _ := f.run(approved.Run{Name: "q"})
	f.put("shop/q", "reviewed: true", "SELECT 22 AS n")
	second, rows := f.run(approved.Run{Name: "q"})
	if first.Query.Version == second.Query.Version || strings.Join(rows, "") != "22" {
		t.Errorf("%v and %v: %v", first.Query, second.Query, rows)
	}
	f.put("shop/q", "reviewed: false", "SELECT 22 AS n")
	f.refused(approved.Run{Name: "q"}, sdk.KindDenied)
}
