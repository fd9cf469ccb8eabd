package compile_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/compile"
	"github.com/loam-data/loam/host/internal/semantic/model"
	"github.com/loam-data/loam/host/internal/semantic/refusal"
	"github.com/loam-data/loam/host/internal/semantic/request"
)

// What a filter over related rows cannot mean is refused with forms that compile.
func TestRefusedFiltersOverRelatedRows(t *testing.T) {
	t.Parallel()
	d := engine(t, "sqlite")
	m := shopModel(t, d)
	ask := func(filters ...string) error {
		text, err := json.Marshal(map[string]any{"measures": []string{"orders.order_count"}, "filters": filters})
		if err != nil {
			t.Fatal(err)
		}
		r, _, err := request.Normalise(text)
		if err != nil {
			return err
		}
		_, err = compile.Compile(m, d, r, compile.Options{})
		return err
	}
	for _, tt := range []struct{ filters, forms []string }{
		{[]string{"items.id IS NULL"}, []string{"none(items.id IS NOT NULL)"}},
		{[]string{"NOT (items.qty = 1)"}, []string{"none(items.qty = 1)", "any(NOT items.qty = 1)"}},
		{[]string{"items.qty = 1", "items.qty = 2"}, []string{"any(items.qty = 1) AND any(items.qty = 2)"}},
		{[]string{"items.qty = 1 AND items.qty IN (2, 3)"}, []string{"any(items.qty = 1) AND any(items.qty IN (2, 3))"}},
		{[]string{"items.qty = 1 OR orders.status = 'paid'"}, []string{"any(items.qty = 1) OR orders.status = 'paid'"}},
		{[]string{"any(items.qty = 1 OR orders.status = 'paid')"}, nil},
		{[]string{"all(orders.status = 'paid')"}, nil},
		{[]string{"none(orders.order_count > 1)"}, nil},
		{[]string{"any(items.qty > per(max(items.qty), items.id))"}, nil},
	} {
		refused, ok := errors.AsType[*refusal.Error](ask(tt.filters...))
		if !ok || refused.Code != refusal.CodeFilter {
			t.Errorf("%v is not refused: %v", tt.filters, refused)
			continue
		}
		for _, form := range tt.forms {
			if !strings.Contains(refused.Fix, form) {
				t.Errorf("instead of %v, not %s: %s", tt.filters, form, refused.Fix)
			}
			if err := ask(form); err != nil {
				t.Errorf("instead of %v, %s: %v", tt.filters, form, err)
			}
		}
	}
}

// Where several ways lead down to a source, each choice can stand in a condition, which then is shown as it is written.
func TestWaysToRelatedRows(t *testing.T) {
	t.Parallel()
	d := engine(t, "sqlite")
	m := model.Build(model.Input{Dialect: d, Files: []*model.File{
		model.Parse("orders.yaml", []byte("name: orders\ntable: orders\nprimary_key: [id]\ndimensions: [{name: id, type: number}]\nmeasures: [{name: order_count, agg: count}]\n")),
		model.Parse("products.yaml", []byte("name: products\ntable: products\nprimary_key: [id]\ndimensions: [{name: id, type: number}, {name: active, type: boolean}]\n")),
		model.Parse("items.yaml", []byte("name: items\ntable: items\nprimary_key: [id]\ndimensions: [{name: id, type: number}]\njoins:\n- {to: orders, on: items.order_id = orders.id, relationship: many_to_one}\n- {to: products, on: items.product_id = products.id, relationship: many_to_one}\n")),
		model.Parse("refunds.yaml", []byte("name: refunds\ntable: refunds\nprimary_key: [id]\ndimensions: [{name: id, type: number}]\njoins:\n- {to: orders, on: refunds.order_id = orders.id, relationship: many_to_one}\n- {to: items, on: refunds.item_id = items.id, relationship: many_to_one}\n")),
	}})
	ask := func(filter string) (*compile.Query, error) {
		r, _, err := request.Normalise([]byte(`{"measures": ["orders.order_count"], "filters": [` + filter + `]}`))
		if err != nil {
			return nil, err
		}
		return compile.Compile(m, d, r, compile.Options{})
	}
	_, err := ask(`"any(products.active = TRUE)"`)
	refused, ok := errors.AsType[*refusal.Error](err)
	if !ok || refused.Code != refusal.CodeAmbiguousPath || len(refused.Candidates) != 2 {
		t.Fatalf("not refused with two ways: %v", err)
	}
	for _, choice := range refused.Candidates {
		written := "any(" + choice + " = TRUE)"
		way := strings.Split(choice, ".")
		via, err := json.Marshal(way[:len(way)-2])
		if err != nil {
			t.Fatal(err)
		}
		for _, filter := range []string{`"` + written + `"`, `{"any": {"field": "products.active", "via": ` + string(via) + `, "op": "equals", "values": [true]}}`} {
			s, err := ask(filter)
			if err != nil {
				t.Errorf("%s: %v", filter, err)
				continue
			}
			if !slices.ContainsFunc(s.Notes, func(n string) bool { return strings.Contains(n, "exists: any(") && !strings.Contains(n, `""`) }) {
				t.Errorf("%s is noted as %q", filter, s.Notes)
			}
		}
	}
}
