package ask_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/ask"
	"github.com/loam-data/loam/host/internal/semantic/request"
	"github.com/loam-data/loam/sdk"
)

func where(column string, op request.Op, values ...any) []ask.Condition {
	return []ask.Condition{{Column: column, Op: op, Values: values}}
}

// Each operator finds the rows that it finds in sl_query; values are never more than values.
func TestSample(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "sqlite")
	f.rows()
	number := func(s string) json.Number { return json.Number(s) }
	for _, tt := range []struct {
		name string
		r    ask.SampleRequest
		rows []string
	}{
		{"all", ask.SampleRequest{Columns: []string{"id"}}, []string{`"1"`, `"2"`, `"3"`, `"4"`}},
		{"some", ask.SampleRequest{Columns: []string{"id"}, Limit: 2}, []string{`"1"`, `"2"`}},
		{"columns in their order, once", ask.SampleRequest{Columns: []string{"status", "ID", "id"}, Limit: 1}, []string{`"paid","1"`}},
		{"equals", ask.SampleRequest{Columns: []string{"id"}, Where: where("status", "equals", "paid")}, []string{`"1"`}},
		{"equals null", ask.SampleRequest{Columns: []string{"id"}, Where: where("status", "equals", nil)}, []string{`"3"`}},
		{"not equals", ask.SampleRequest{Columns: []string{"id"}, Where: where("status", "not_equals", "paid")}, []string{`"2"`, `"3"`, `"4"`}},
		{"in", ask.SampleRequest{Columns: []string{"id"}, Where: where("status", "in", "paid", nil)}, []string{`"1"`, `"3"`}},
		{"not in", ask.SampleRequest{Columns: []string{"id"}, Where: where("status", "not_in", "paid", "open")}, []string{`"3"`, `"4"`}},
		{"greater", ask.SampleRequest{Columns: []string{"id"}, Where: where("total", "gt", number("1.5"))}, []string{`"2"`}},
		{"at least", ask.SampleRequest{Columns: []string{"id"}, Where: where("total", "gte", number("1.5"))}, []string{`"1"`, `"2"`}},
		{"less", ask.SampleRequest{Columns: []string{"id"}, Where: where("total", "lt", number("0"))}, []string{`"4"`}},
		{"at most a negative one", ask.SampleRequest{Columns: []string{"id"}, Where: where("total", "lte", number("-1"))}, []string{`"4"`}},
		{"between", ask.SampleRequest{Columns: []string{"id"}, Where: where("id", "between", number("2"), number("3"))}, []string{`"2"`, `"3"`}},
		{"contains what LIKE would read otherwise", ask.SampleRequest{Columns: []string{"id"}, Where: where("status", "contains", "%_")}, []string{`"4"`}},
		{"starts with", ask.SampleRequest{Columns: []string{"id"}, Where: where("status", "starts_with", "PA", "op")}, []string{`"1"`, `"2"`}},
		{"ends with", ask.SampleRequest{Columns: []string{"id"}, Where: where("status", "ends_with", "id")}, []string{`"1"`}},
		{"is null", ask.SampleRequest{Columns: []string{"id"}, Where: where("status", "is_null")}, []string{`"3"`}},
		{"another word for an operator", ask.SampleRequest{Columns: []string{"id"}, Where: where("total", ">=", number("2.5"))}, []string{`"2"`}},
		{"an operator in SQL's words", ask.SampleRequest{Columns: []string{"id"}, Where: where("status", "NOT IN", "paid", "open", nil)}, []string{`"4"`}},
		{"two conditions", ask.SampleRequest{Columns: []string{"id"}, Where: append(where("status", "is_not_null"), where("id", "gt", number("2"))...)}, []string{`"4"`}},
		{"a value that wants to be more", ask.SampleRequest{Columns: []string{"id"}, Where: where("status", "equals", "x' OR '1'='1")}, nil},
		{"a table that wants to be more", ask.SampleRequest{Table: hostile}, []string{`"x"`}},
	} {
		if tt.r.Table == "" {
			tt.r.Table = "orders"
		}
		tt.r.Connection = "shop"
		var got sink
		out, err := f.Sample(t.Context(), tt.r, &got)
		if diff := cmp.Diff(tt.rows, got.rows); diff != "" || err != nil || len(out.Notes) == 0 {
			t.Errorf("%s: %v (-want +got):\n%s\n%s", tt.name, err, diff, f.asked[len(f.asked)-1])
		}
	}
}

// Withheld columns are named and not asked for, and nobody finds their values by asking for them.
func TestSampleWithholds(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "sqlite")
	f.rows()
	var got sink
	out, err := f.Sample(t.Context(), ask.SampleRequest{Connection: "shop", Table: "main.orders"}, &got)
	if diff := cmp.Diff([]string{"id", "status", "at", "total"}, got.names); diff != "" || err != nil || len(out.Withheld) != 1 || out.Withheld[0] != "email" {
		t.Errorf("%v, withheld %v (-want +got):\n%s", err, out.Withheld, diff)
	}
	if !strings.Contains(out.Notes[0], "some rows") || !strings.Contains(out.Notes[0], "email") || strings.Contains(strings.Join(f.asked, ""), "email") {
		t.Errorf("notes %q, asked %q", out.Notes, f.asked)
	}
	f.asked = nil
	for name, r := range map[string]ask.SampleRequest{
		"withheld alone":            {Table: "orders", Columns: []string{"email"}},
		"withheld in a condition":   {Table: "orders", Columns: []string{"id"}, Where: where("EMAIL", "starts_with", "a")},
		"a table of secrets":        {Table: "secrets"},
		"a table of another server": {Table: "abroad"},
	} {
		r.Connection = "shop"
		if _, err := f.Sample(t.Context(), r, &sink{}); sdk.KindOf(err) != sdk.KindDenied || sdk.AsError(err, "").Hint == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(f.asked) > 0 {
		t.Errorf("asked: %v", f.asked)
	}
	f.scan.ForeignTables, f.scan.KeepValues, f.scan.WithholdValues = true, []string{"main.orders.email"}, []string{"main.orders.status"}
	got = sink{}
	out, err = f.Sample(t.Context(), ask.SampleRequest{Connection: "shop", Table: "orders"}, &got)
	if diff := cmp.Diff([]string{"id", "at", "total", "email"}, got.names); diff != "" || err != nil || out.Withheld[0] != "status" {
		t.Errorf("by the project's rules: %v, withheld %v (-want +got):\n%s", err, out.Withheld, diff)
	}
	f.db = nil
	if _, err := f.Sample(t.Context(), ask.SampleRequest{Connection: "shop", Table: "abroad"}, &sink{}); err != nil {
		t.Errorf("a table of another server that is allowed: %v", err)
	}
}

func TestSampleRefuses(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "sqlite")
	many := make([]ask.Condition, 51)
	for name, tt := range map[string]struct {
		r    ask.SampleRequest
		kind sdk.Kind
	}{
		"no connection":          {ask.SampleRequest{Table: "orders"}, sdk.KindInvalid},
		"an unknown connection":  {ask.SampleRequest{Connection: "nowhere", Table: "orders"}, sdk.KindNotFound},
		"never scanned":          {ask.SampleRequest{Connection: "crm", Table: "orders"}, sdk.KindNotFound},
		"an unknown table":       {ask.SampleRequest{Table: "order"}, sdk.KindNotFound},
		"an unknown column":      {ask.SampleRequest{Columns: []string{"statuss"}}, sdk.KindNotFound},
		"a statement as a table": {ask.SampleRequest{Table: "orders; DROP TABLE orders"}, sdk.KindNotFound},
		"too many rows":          {ask.SampleRequest{Limit: 101}, sdk.KindInvalid},
		"fewer than none":        {ask.SampleRequest{Limit: -1}, sdk.KindInvalid},
		"an unknown operator":    {ask.SampleRequest{Where: where("id", "like", "a")}, sdk.KindInvalid},
		"too few values":         {ask.SampleRequest{Where: where("id", "between", "a")}, sdk.KindInvalid},
		"a text for a number":    {ask.SampleRequest{Where: where("id", "equals", "a")}, sdk.KindInvalid},
		"null in an order":       {ask.SampleRequest{Where: where("id", "gt", nil)}, sdk.KindInvalid},
		"a list as a value":      {ask.SampleRequest{Where: where("id", "in", []any{"a"})}, sdk.KindInvalid},
		"NUL":                    {ask.SampleRequest{Where: where("status", "equals", "a\x00")}, sdk.KindInvalid},
		"too many conditions":    {ask.SampleRequest{Where: many}, sdk.KindInvalid},
	} {
		if tt.r.Connection == "" && name != "no connection" {
			tt.r.Connection = "shop"
		}
		if tt.r.Table == "" {
			tt.r.Table = "orders"
		}
		_, err := f.Sample(t.Context(), tt.r, &sink{})
		if e, ok := errors.AsType[*sdk.Error](err); !ok || e.Kind != tt.kind {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(f.asked) > 0 {
		t.Errorf("asked: %v", f.asked)
	}
}

// A server of another dialect than the assumed one gets the statement in its own.
func TestSampleInTheDialectOfTheServer(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "sqlite")
	newer := f.dialects[len(f.dialects)-1]
	newer.Name, newer.Product, newer.Limit = "other", "FooDB", "top"
	older := f.dialects[len(f.dialects)-1]
	f.dialects = append(f.dialects[:0:0], newer, older)
	f.server = sdk.ServerInfo{Product: "FooDB", Version: "2"}
	if _, err := f.Sample(t.Context(), ask.SampleRequest{Connection: "shop", Table: "orders", Columns: []string{"id"}, Limit: 3}, &sink{}); err != nil {
		t.Fatal(err)
	}
	if len(f.asked) != 1 || !strings.Contains(f.asked[0], "TOP (3)") {
		t.Errorf("asked: %q", f.asked)
	}
}
