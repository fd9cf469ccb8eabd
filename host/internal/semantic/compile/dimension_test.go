package compile

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/request"
)

// TestNamesThatEndLikePeriods: what is a dimension as a whole is not cut.
func TestNamesThatEndLikePeriods(t *testing.T) {
	t.Parallel()
	_, d := marketModel(t)
	m := model.Build(model.Input{Dialect: d, Files: []*model.File{model.Parse("orders.yaml", []byte(`
name: orders
table: shop.orders
primary_key: [id]
dimensions: [{name: id, type: number}, {name: month, type: string}, {name: at, type: time, column_type: date}]
measures: [{name: n, agg: count}]
`))}})
	for _, p := range m.Problems() {
		t.Fatal(p)
	}
	for name, want := range map[string][]string{
		"shop.orders.month":    {"dimensions[0]: shop.orders.month is a dimension, and shop.orders alone is none, so that it has no granularity"},
		"orders.month":         nil,
		"shop.orders.at.month": nil,
		"orders.at.month":      nil,
		"orders.at__month":     nil,
	} {
		r, _, err := request.Normalise(json.RawMessage(`{"measures": ["orders.n"], "dimensions": ["` + name + `"]}`))
		if err != nil {
			t.Fatal(err)
		}
		q, err := Compile(m, d, r, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, q.Notes); diff != "" {
			t.Errorf("%s: notes -want +got:\n%s", name, diff)
		}
	}
}
