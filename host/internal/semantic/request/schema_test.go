package request

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/model"
)

// TestKeysAreThoseOfTheSchema compares the keys and words that are read with the
// published ones; others are alternative shapes, which the schema does not have.
func TestKeysAreThoseOfTheSchema(t *testing.T) {
	t.Parallel()
	type node struct {
		OneOf      any             `json:"oneOf"`
		Type       any             `json:"type"`
		Properties map[string]node `json:"properties"`
		Defs       map[string]node `json:"$defs"`
		Enum       []string        `json:"enum"`
		Maximum    int             `json:"maximum"`
		Minimum    int             `json:"minimum"`
	}
	var schema node
	if err := json.Unmarshal(model.Schemas()["semantic-query-v1.json"], &schema); err != nil {
		t.Fatal(err)
	}
	if schema.Type != "object" || schema.OneOf != nil {
		t.Error("the schema of a query is no plain object")
	}
	keys := func(n node) []string { return slices.Sorted(maps.Keys(n.Properties)) }
	read := func(all []string, alternatives ...string) []string {
		return slices.Sorted(slices.Values(slices.DeleteFunc(slices.Clone(all), func(k string) bool { return slices.Contains(alternatives, k) })))
	}
	for _, tt := range []struct {
		name      string
		want, got []string
	}{
		{"a request", keys(schema), read(requestForm.keys(), "time_dimensions", "date_range")},
		{"a measure", keys(schema.Defs["measure"]), read(measureForm.keys(), "agg", "field")},
		{"a dimension", keys(schema.Defs["dimension"]), read(dimensionForm.keys())},
		{"a filter", keys(schema.Defs["filter"]), read(filterKeys, "sql")},
		{"an operand", keys(schema.Defs["operand"]), read(operandForm.keys())},
		{"a range", keys(schema.Defs["range"]), read(rangeForm.keys())},
		{"an order key", keys(schema.Defs["order"]), read(orderForm.keys(), "desc", "granularity")},
		{"a limit per", keys(schema.Properties["limit_per"]), read(limitPerForm.keys())},
		{"operators", slices.Sorted(slices.Values(schema.Defs["filter"].Properties["op"].Enum)), operatorNames()},
	} {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("%s -schema +read:\n%s", tt.name, diff)
		}
	}
	if l := schema.Properties["limit"]; l.Minimum != 1 || l.Maximum != MaxLimit {
		t.Errorf("the schema allows %d to %d rows", l.Minimum, l.Maximum)
	}
	for name, aliases := range map[string]map[string]string{"request": requestForm.aliases, "measure": measureForm.aliases, "dimension": dimensionForm.aliases, "filter": filterAliases, "operand": operandForm.aliases, "range": rangeForm.aliases, "order": orderForm.aliases, "limit per": limitPerForm.aliases} {
		known := map[string][]string{"request": requestForm.keys(), "measure": measureForm.keys(), "dimension": dimensionForm.keys(), "filter": filterKeys, "operand": operandForm.keys(), "range": rangeForm.keys(), "order": orderForm.keys(), "limit per": limitPerForm.keys()}[name]
		for alias, key := range aliases {
			if !slices.Contains(known, key) || slices.Contains(known, alias) {
				t.Errorf("%s: %s stands for %s", name, alias, key)
			}
			if snake(alias) != alias {
				t.Errorf("%s: %s is never looked up", name, alias)
			}
		}
	}
	for alias, op := range opAliases {
		if _, ok := operators[op]; !ok {
			t.Errorf("%s stands for %s", alias, op)
		}
	}
}
