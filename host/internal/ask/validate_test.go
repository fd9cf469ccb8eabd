package ask_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/ask"
	"github.com/loam-data/loam/host/internal/finding"
	"github.com/loam-data/loam/sdk"
)

func ptr[T any](v T) *T { return &v }

// What validates is described whole: columns of one name are two.
func TestValidate(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "sqlite")
	f.found = []finding.Finding{{Code: finding.ValueNotFound, Message: "there is no such status"}}
	got, err := f.Validate(t.Context(), ask.Statement{Connection: "shop", SQL: "SELECT 1 AS n, 'a' AS n, x FROM orders -- all"})
	want := &ask.Validation{
		Valid: true, ReadOnly: true, Statement: ptr("SELECT"), Tables: []string{"main.orders"}, Findings: f.found, CheckedBy: ask.ByEngine,
		Columns: []ask.Column{{Name: "n", Type: ptr("int64")}, {Name: "n", Type: ptr("TEXT")}, {Name: "x"}},
		Notes:   []string{"The engine remarks: an implicit cast", "It would read at most 2.0 KiB."},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	f.bare = true
	got, err = f.Validate(t.Context(), ask.Statement{Connection: "shop", SQL: "WITH o AS (SELECT 1) SELECT * FROM o"})
	if err != nil || got.CheckedBy != ask.ByGuard || !got.Valid || *got.Statement != "WITH" || len(got.Notes) != 1 || len(got.Tables) != 0 || got.Tables == nil {
		t.Errorf("%v, %+v", err, got)
	}
	for _, one := range f.asked {
		if !strings.HasPrefix(one, "validate: ") {
			t.Errorf("asked: %s", one)
		}
	}
}

// What does not validate is an answer with the reason, and the guard refuses before anybody is asked: the known faults of
// other servers.
func TestValidateRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, engine, sql string
		code              sdk.Kind
	}{
		{"a second statement", "sqlite", "SELECT 1; DELETE FROM orders", sdk.KindNotReadOnly},
		{"an analysis of a write", "postgres", "ANALYZE DELETE FROM orders", sdk.KindNotReadOnly},
		{"an analysis of a write, in full", "postgres", "EXPLAIN ANALYZE DELETE FROM orders", sdk.KindNotReadOnly},
		{"out of a wrapping", "postgres", "SELECT 1) x; DELETE FROM orders --", sdk.KindSyntax},
		{"a copy to a program", "postgres", "COPY (SELECT 1) TO PROGRAM 'sh'", sdk.KindNotReadOnly},
		{"into a table", "postgres", "SELECT * INTO stolen FROM orders", sdk.KindNotReadOnly},
		{"behind a comment", "postgres", "SELECT 1 -- \n; DELETE FROM orders", sdk.KindNotReadOnly},
		{"no end", "sqlite", "SELECT 'a", sdk.KindSyntax},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, tt.engine)
			got, err := f.Validate(t.Context(), ask.Statement{Connection: "shop", SQL: tt.sql})
			if err != nil || got.Valid || got.ReadOnly || got.Error == nil || got.Error.Code != tt.code || got.Error.Hint == "" || got.CheckedBy != ask.ByGuard {
				t.Errorf("%v, %+v, error %+v", err, got, got.Error)
			}
			if _, err := f.Explain(t.Context(), ask.Statement{Connection: "shop", SQL: tt.sql}, -1); sdk.KindOf(err) != tt.code {
				t.Errorf("explained: %v", err)
			}
			if len(f.asked) > 0 {
				t.Errorf("asked: %v", f.asked)
			}
		})
	}
	f := newFixture(t, "sqlite")
	f.fails = &sdk.Error{Kind: sdk.KindNotFound, Source: sdk.SourceWarehouse, Msg: "no such column: y", Hint: "look", Code: "1", Pos: sdk.Position{Line: 1, Column: 8}, Candidates: []string{"x"}}
	got, err := f.Validate(t.Context(), ask.Statement{Connection: "shop", SQL: "SELECT y FROM orders"})
	if err != nil || got.Valid || !got.ReadOnly || got.Error.Code != sdk.KindNotFound || got.Error.Position.Column != 8 || got.Error.NativeCode != "1" || got.CheckedBy != ask.ByEngine {
		t.Errorf("%v, %+v, error %+v", err, got, got.Error)
	}
	f.fails = sdk.Errorf(sdk.KindUnavailable, sdk.SourceWarehouse, "away")
	if _, err := f.Validate(t.Context(), ask.Statement{Connection: "shop", SQL: "SELECT 1"}); sdk.KindOf(err) != sdk.KindUnavailable {
		t.Errorf("%v", err)
	}
	if _, err := f.Validate(t.Context(), ask.Statement{SQL: "SELECT 1"}); sdk.KindOf(err) != sdk.KindInvalid {
		t.Errorf("no connection named: %v", err)
	}
}

// Trailing comments and parentheses in a text change nothing: it is sent as it is.
func TestTextIsSentAsItIs(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "postgres")
	const text = "SELECT ')' AS a, 1 AS a FROM orders -- ) x"
	if _, err := f.Explain(t.Context(), ask.Statement{Connection: "shop", SQL: text}, -1); err != nil {
		t.Fatal(err)
	}
	if v, err := f.Validate(t.Context(), ask.Statement{Connection: "shop", SQL: text}); err != nil || !v.Valid {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"explain: " + text, "validate: " + text}, f.asked); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "postgres")
	in := ask.Statement{Connection: "shop", SQL: "SELECT $2, $1", Parameters: []any{json.Number("3"), "x"}}
	got, err := f.Explain(t.Context(), in, -1)
	want := &ask.Plan{Format: "text", Plan: "SCAN orders\nSORT", EstimatedRows: ptr(int64(7)), Findings: []finding.Finding{}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if diff := cmp.Diff([]sdk.Value{int64(3), "x"}, f.params); diff != "" {
		t.Errorf("parameters (-want +got):\n%s", diff)
	}
	if got, err := f.Explain(t.Context(), in, 13); err != nil || got.Plan != "SCAN orders" || len(got.Notes) != 1 {
		t.Errorf("%v, %+v", err, got)
	}
	f.bare = true
	if _, err := f.Explain(t.Context(), in, -1); sdk.KindOf(err) != sdk.KindUnsupported || !strings.Contains(sdk.AsError(err, "").Hint, "validate") {
		t.Errorf("without plans: %v", err)
	}
}

// Values are bound as they are: 3.9 is not made an integer.
func TestParameters(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		engine, sql string
		values      []any
		bound       []sdk.Value
		says        string
	}{
		{"postgres", "SELECT $1", []any{json.Number("3.9")}, []sdk.Value{"3.9"}, ""},
		{"postgres", "SELECT $1, $1, '$9'", []any{json.Number("9007199254740993")}, []sdk.Value{int64(9007199254740993)}, ""},
		{"postgres", "SELECT $1", []any{json.Number("1e3")}, []sdk.Value{1000.0}, ""},
		{"sqlite", "SELECT ?, ? -- ?", []any{nil, true}, []sdk.Value{nil, true}, ""},
		{"sqlite", "SELECT ?, ?", []any{"a"}, nil, "takes 2 values and parameters has 1"},
		{"sqlite", "SELECT 1", []any{"a"}, nil, "takes 0 values and parameters has 1"},
		{"sqlite", "SELECT ?", []any{}, nil, "takes 1 values and parameters has 0"},
		{"sqlite", "SELECT ?", nil, nil, ""},
		{"postgres", "SELECT $1", []any{[]any{"a"}}, nil, "parameters[0] is a list"},
		{"postgres", "SELECT $1", []any{map[string]any{}}, nil, "parameters[0] is an object"},
		{"postgres", "SELECT $1", []any{json.Number("1e999")}, nil, "beyond a float"},
	} {
		f := newFixture(t, tt.engine)
		in := ask.Statement{Connection: "shop", SQL: tt.sql, Parameters: tt.values}
		_, err := f.Explain(t.Context(), in, -1)
		v, invalid := f.Validate(t.Context(), in)
		if tt.says == "" {
			if err != nil || invalid != nil || !v.Valid || len(tt.bound) != len(f.params) || len(tt.bound) > 0 && cmp.Diff(tt.bound, f.params) != "" {
				t.Errorf("%s: %v, %v, bound %#v", tt.sql, err, invalid, f.params)
			}
			continue
		}
		if sdk.KindOf(err) != sdk.KindInvalid || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v", tt.sql, err)
		}
		if invalid == nil && (v.Valid || !strings.Contains(v.Error.Message, tt.says)) || invalid != nil && !strings.Contains(invalid.Error(), tt.says) {
			t.Errorf("%s validates: %v, %+v", tt.sql, invalid, v)
		}
	}
}
