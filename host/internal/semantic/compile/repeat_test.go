package compile_test

import (
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/sdk"
)

// A condition on a value per entity takes the entity over a join that a scan saw lead to
// several: each row would count once for every entity.
func TestEntityOverKeyThatRepeats(t *testing.T) {
	t.Parallel()
	d := engine(t, "sqlite")
	tags := sdk.TableRef{Name: "tags"}
	m := model.Build(model.Input{Dialect: d, Tables: []*model.Table{
		{Ref: sdk.TableRef{Name: "orders"}, Columns: []model.Column{{Name: "id", Type: sdk.TypeInt64}, {Name: "code", Type: sdk.TypeText}}},
		{Ref: tags, Columns: []model.Column{{Name: "code", Type: sdk.TypeText}, {Name: "tag", Type: sdk.TypeText}}},
	}, Files: []*model.File{
		model.Parse("orders.yaml", []byte("name: orders\nmeasures: [{name: n, agg: count}]\njoins: [{to: tags, on: orders.code = tags.code, relationship: many_to_one}]\n")),
		model.Parse("tags.yaml", []byte("name: tags\n")),
	}})
	for _, p := range m.Problems() {
		t.Fatal(p)
	}
	const request = `{"measures": ["orders.n"], "filters": [{"measure": "orders.n", "per": ["tags.tag"], "op": "gt", "values": [1]}]}`
	if _, err := compiled(t, m, d, request); err != nil {
		t.Fatalf("nothing repeats: %v", err)
	}
	_, err := compiled(t, m.WithRepeats(model.Repeats{tags: {"code"}}), d, request)
	if err == nil || refusal.From(err).Code != refusal.CodeFilter {
		t.Fatalf("a key repeats, and the request is not refused: %v", err)
	}
}
