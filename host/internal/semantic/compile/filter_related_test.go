package compile_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/compile"
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
