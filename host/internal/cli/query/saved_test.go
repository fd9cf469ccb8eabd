package query

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/loam-data/loam/host/internal/savedquery"
	"github.com/loam-data/loam/sdk"
)

// A text becomes the JSON value of the declared type; what is none of it stays a text, which is refused later.
func TestValuesOfParameters(t *testing.T) {
	t.Parallel()
	declared := []savedquery.Parameter{
		{Name: "s", Type: savedquery.String}, {Name: "n", Type: savedquery.Integer}, {Name: "b", Type: savedquery.Boolean}, {Name: "x", Type: savedquery.Decimal},
		{Name: "l", Type: savedquery.Strings}, {Name: "i", Type: savedquery.Integers},
	}
	for _, tt := range []struct {
		name string
		args []string
		want map[string]any // nil = refused
	}{
		{"none", nil, map[string]any{}},
		{"each type", []string{"s=a=b", "n=7", "b=true", "x=1.50"}, map[string]any{"s": "a=b", "n": json.Number("7"), "b": true, "x": "1.50"}},
		{"no boolean", []string{"b=yes"}, map[string]any{"b": "yes"}},
		{"an empty text", []string{"s="}, map[string]any{"s": ""}},
		{"lists", []string{"l=a", "l=b", "i=1", "i=2"}, map[string]any{"l": []any{"a", "b"}, "i": []any{json.Number("1"), json.Number("2")}}},
		{"arrays", []string{`l=["a","b"]`, "l=c", "i=[9007199254740993]"}, map[string]any{"l": []any{"a", "b", "c"}, "i": []any{json.Number("9007199254740993")}}},
		{"one that is not declared", []string{"other=1"}, map[string]any{"other": "1"}},
		{"twice", []string{"s=a", "s=b"}, nil},
		{"no value", []string{"s"}, nil},
		{"no name", []string{"=a"}, nil},
		{"no array", []string{"l=[1"}, nil},
		{"more than an array", []string{"l=[1] [2]"}, nil},
	} {
		got, err := valuesOf(&cobra.Command{Use: "run"}, declared, tt.args)
		if diff := cmp.Diff(tt.want, got); tt.want != nil && (err != nil || diff != "") || tt.want == nil && sdk.KindOf(err) != sdk.KindInvalid {
			t.Errorf("%s: %v, %v", tt.name, got, err)
		}
	}
}
