package sqlkit_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loam-data/loam/sdk"
	"github.com/loam-data/loam/sdk/dialect"
	"github.com/loam-data/loam/sdk/sqlkit"
)

func missing() *sdk.Error {
	return sdk.Errorf(sdk.KindNotFound, sdk.SourceCaller, "no such table").WithHint("check the name")
}

func TestSuggest(t *testing.T) {
	t.Parallel()
	names := []string{"orders", "sales.orders", "ordinals", "net.amount"}
	for _, tt := range []struct {
		name, missing string
		want          []string
		hint          string
	}{
		{"near ones, in their order", "ordes", []string{"orders", "sales.orders"}, "did you mean orders or sales.orders?"},
		{"a qualified one", "s.ordinal", []string{"ordinals"}, "did you mean ordinals?"},
		{"a dot in the name", "net.amuont", []string{"net.amount"}, "did you mean net.amount?"},
		{"nothing near", "invoices", nil, "check the name"},
		{"no name", "", nil, "check the name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := sqlkit.Suggest(t.Context(), missing(), tt.missing, func(context.Context) ([]string, error) { return names, nil })
			e, ok := errors.AsType[*sdk.Error](err)
			if !ok || e.Hint != tt.hint {
				t.Errorf("got %#v", err)
			}
			if diff := cmp.Diff(tt.want, e.Candidates, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("candidates (-want +got):\n%s", diff)
			}
		})
	}
}

// A look that fails leaves the error as it was, and one that hangs ends.
func TestSuggestWithoutNames(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		err := sqlkit.Suggest(t.Context(), missing(), "ordes", func(ctx context.Context) ([]string, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		})
		e, ok := errors.AsType[*sdk.Error](err)
		if !ok || e.Kind != sdk.KindNotFound || e.Hint != "check the name" || len(e.Candidates) > 0 {
			t.Errorf("got %#v", err)
		}
	})
	none := func(context.Context) ([]string, error) {
		t.Error("names were asked for")
		return nil, nil
	}
	plain := errors.New("plain")
	if err := sqlkit.Suggest(t.Context(), plain, "x", none); !errors.Is(err, plain) {
		t.Errorf("got %v", err)
	}
	if err := sqlkit.Suggest(t.Context(), nil, "x", none); err != nil {
		t.Errorf("got %v", err)
	}
}

func TestStatementNames(t *testing.T) {
	t.Parallel()
	d := &dialect.Dialect{Folding: dialect.FoldLower, Lexis: dialect.Lexis{
		Strings:     []dialect.Quote{{Open: "'", Close: "'", Doubled: true}},
		Identifiers: []dialect.Quote{{Open: `"`, Close: `"`, Doubled: true}},
	}}
	const text = "SELECT O.Create,\n 'orders', \"Odd\"\"x\".y FROM Sales . \"Ordes\" O WHERE 1 = O.z"
	s, err := sqlkit.Parse(text, d)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"select", "o", "create", `Odd"x`, "y", "from", "sales", "Ordes", "where", "z"}
	if diff := cmp.Diff(want, s.Names(d)); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	for pos, want := range map[sdk.Position]string{
		{Line: 1, Column: 8}:  "create",
		{Line: 1, Column: 10}: "create",
		{Line: 2, Column: 12}: "y",
		{Line: 2, Column: 28}: "Ordes",
		{Line: 2, Column: 2}:  "", // a string
		{Line: 9, Column: 9}:  "",
		{}:                    "",
	} {
		if got := s.NameAt(d, pos); got != want {
			t.Errorf("at %+v there is %q, want %q", pos, got, want)
		}
	}
	for name, want := range map[string]sdk.Position{
		"ordes":       {Line: 2, Column: 28},
		"sales.ordes": {Line: 2, Column: 28},
		"o.create":    {Line: 1, Column: 8},
		"o":           {}, // several times
		"orders":      {}, // a string
	} {
		if got := s.Find(d, name); got != want {
			t.Errorf("%s is at %+v, want %+v", name, got, want)
		}
	}
}
