package compile

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
)

// TestPlaceDecides: a bare name is ambiguous only among what its place in the
// request takes.
func TestPlaceDecides(t *testing.T) {
	t.Parallel()
	_, d := marketModel(t)
	m := model.Build(model.Input{Dialect: d, Files: []*model.File{
		model.Parse("orders.yaml", []byte(`name: orders
table: orders
primary_key: [id]
dimensions: [{name: id, type: number}, {name: freight, type: number}, {name: bulky, type: boolean}]
measures: [{name: freight_sum, agg: sum, expr: freight}, {name: toll, agg: sum, expr: freight}, {name: weight, agg: sum, expr: "id +"}]
joins: [{to: invoices, on: "orders.invoice_id = invoices.id", relationship: many_to_one}]
`)),
		model.Parse("invoices.yaml", []byte(`name: invoices
table: invoices
primary_key: [id]
dimensions: [{name: id, type: number}, {name: freight, type: number}, {name: toll, type: number}, {name: weight, type: number}]
measures: [{name: bulky, agg: count}]
segments: [{name: heavy, expr: "weight > 5"}]
`)),
		model.Parse("ships.yaml", []byte(`name: ships
table: ships
dimensions: [{name: toll, type: number}, {name: heavy, type: boolean}]
measures: [{name: freight, agg: count}]
`)),
	}})
	for _, c := range []struct {
		name, request, member string
		code                  refusal.Code
	}{
		{"a measure beside dimensions of other sources", `{"measures": ["toll"]}`, "orders.toll", ""},
		{"another one", `{"measures": ["freight"]}`, "ships.freight", ""},
		{"inside of an expression", `{"measures": [{"expr": "toll * 2", "name": "x"}]}`, "", ""},
		{"in the order", `{"measures": ["orders.freight_sum", "toll"], "order_by": ["-toll"]}`, "orders.freight_sum", ""},
		{"a dimension beside a measure of another source", `{"measures": ["orders.freight_sum"], "dimensions": ["bulky"]}`, "orders.bulky", ""},
		{"a dimension beside a broken measure of the home", `{"measures": ["orders.freight_sum"], "dimensions": ["weight"]}`, "invoices.weight", ""},
		{"a segment beside a dimension", `{"measures": ["orders.freight_sum"], "segments": ["heavy"]}`, "orders.freight_sum", ""},
		{"dimensions of several sources", `{"measures": ["ships.freight"], "dimensions": ["weight", "id"]}`, "", refusal.CodeAmbiguousMember},
		{"a condition may be about either", `{"measures": ["invoices.bulky"], "dimensions": ["invoices.id"], "filters": ["bulky > 1 AND freight > 1"]}`, "invoices.id", ""},
		{"a condition that may be about either, far away", `{"measures": ["ships.freight"], "filters": ["bulky"]}`, "", refusal.CodeAmbiguousMember},
		{"nothing that fits", `{"measures": ["orders.id"]}`, "", refusal.CodeUnknownMember},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, _, err := request.Normalise(json.RawMessage(c.request))
			if err != nil {
				t.Fatal(err)
			}
			q, err := Compile(m, d, r, Options{})
			if e, ok := errors.AsType[*refusal.Error](err); c.code != "" {
				if !ok || e.Code != c.code {
					t.Fatalf("%v, want %s", err, c.code)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var members []string
			for _, column := range q.Columns {
				members = append(members, column.Member)
			}
			if c.member != "" && members[0] != c.member {
				t.Errorf("%s, want %s first", strings.Join(members, ", "), c.member)
			}
		})
	}
}
