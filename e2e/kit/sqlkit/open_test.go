package sqlkit_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"modernc.org/sqlite"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

func TestByCode(t *testing.T) {
	t.Parallel()
	s := open(t)
	_, native := s.Pool.ExecContext(t.Context(), "nonsense")
	foreign := errors.New("foreign")
	for _, tt := range []struct {
		name  string
		err   error
		kinds map[int]sdk.Kind
		other sdk.Kind
		want  sdk.Kind
		code  string
	}{
		{"in the table", native, map[int]sdk.Kind{1: sdk.KindSyntax}, sdk.KindInvalid, sdk.KindSyntax, "1"},
		{"not in the table", native, nil, sdk.KindInvalid, sdk.KindInvalid, "1"},
		{"foreign", foreign, map[int]sdk.Kind{1: sdk.KindSyntax}, sdk.KindInvalid, sdk.KindInvalid, ""},
		{"left internal", foreign, nil, "", "", ""},
	} {
		got := sqlkit.ByCode((*sqlite.Error).Code, tt.kinds, tt.other)(tt.err)
		if got == nil {
			got = &sdk.Error{}
		} else if !errors.Is(got, tt.err) {
			t.Errorf("%s: the cause is lost", tt.name)
		}
		if got.Kind != tt.want || got.Code != tt.code {
			t.Errorf("%s: got %#v", tt.name, got)
		}
	}
}

func TestDialects(t *testing.T) {
	t.Parallel()
	want := []dialect.Dialect{{Name: "a", Forms: map[dialect.Form]string{dialect.Sum: "SUM({x})"}}}
	one := `{"Name": "a", "Forms": {"agg.sum": "SUM({x})"}}`
	for _, text := range []string{one, "[" + one + "]"} {
		if diff := cmp.Diff(want, sqlkit.Dialects([]byte(text))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	sqlkit.Dialects([]byte("nonsense"))
}
