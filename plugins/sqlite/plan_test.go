package sqlite_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/sdk"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	s := open(t, create(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, x)", "CREATE INDEX by_x ON t (x)"))
	for _, tt := range []struct{ sql, want string }{
		{"SELECT * FROM t WHERE id = ?", "QUERY PLAN\n`--SEARCH t USING INTEGER PRIMARY KEY (rowid=?)\n"},
		{";; -- first\n SELECT x FROM t WHERE x > 1 ;", "QUERY PLAN\n`--SEARCH t USING COVERING INDEX by_x (x>?)\n"},
		{"SELECT 1 UNION SELECT 2", "QUERY PLAN\n`--MERGE (UNION)\n   |--LEFT\n   |  `--SCAN CONSTANT ROW\n   `--RIGHT\n      `--SCAN CONSTANT ROW\n"},
	} {
		got, err := s.(sdk.Explainer).Explain(t.Context(), sdk.ExplainRequest{SQL: tt.sql})
		if err != nil {
			t.Errorf("%s: %v", tt.sql, err)
			continue
		}
		want := sdk.Explanation{Format: "text", Text: tt.want, EstimatedRows: -1, EstimatedBytes: -1, EstimatedCostUSD: -1}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.sql, diff)
		}
	}
	for sql, want := range map[string]sdk.Kind{"DELETE FROM t": sdk.KindNotReadOnly, "SELECT 1; SELECT 2": sdk.KindNotReadOnly, "SELECT": sdk.KindSyntax} {
		if _, err := s.(sdk.Explainer).Explain(t.Context(), sdk.ExplainRequest{SQL: sql}); sdk.KindOf(err) != want {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	s := open(t, create(t, "CREATE TABLE t (id INTEGER PRIMARY KEY, x DATE)"))
	got, err := s.(sdk.Validator).Validate(t.Context(), sdk.ValidateRequest{SQL: "SELECT id, x AS day, id + 1, id FROM t WHERE x = ?"})
	if err != nil {
		t.Fatal(err)
	}
	want := sdk.Validation{Columns: []sdk.Column{
		{Name: "id", Type: sdk.TypeInt64, NativeType: "INTEGER", Nullable: true},
		{Name: "day", Type: sdk.TypeDate, NativeType: "DATE", Nullable: true},
		{Name: "id + 1", Nullable: true},
		{Name: "id", Type: sdk.TypeInt64, NativeType: "INTEGER", Nullable: true},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for sql, kind := range map[string]sdk.Kind{
		"SELECT nope FROM t": sdk.KindNotFound, "UPDATE t SET x = 1": sdk.KindNotReadOnly, "": sdk.KindSyntax, "VACUUM": sdk.KindNotReadOnly,
	} {
		if _, err := s.(sdk.Validator).Validate(t.Context(), sdk.ValidateRequest{SQL: sql}); sdk.KindOf(err) != kind {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
