package compile_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/semantic/refusal"
)

// What is offered to say which groups are the first runs as written.
func TestTheFirstGroupsNeedAnOrder(t *testing.T) {
	t.Parallel()
	d := engine(t, "sqlite")
	m := shopModel(t, d)
	for _, request := range []string{
		`{"measures": ["tickets.hours"], "dimensions": ["customers.segment"], "limit": 1, "rest": true}`,
		`{"measures": [{"expr": "sum(items.qty)", "name": "all of them"}], "dimensions": ["customers.segment"], "limit": 1, "rest": true}`,
		`{"dimensions": ["customers.segment", "customers.name"], "limit_per": {"by": ["customers.segment"], "n": 1}}`,
	} {
		_, err := compiled(t, m, d, request)
		refused, ok := errors.AsType[*refusal.Error](err)
		if !ok {
			t.Fatalf("%s: %v", request, err)
		}
		offer, found := strings.CutPrefix(refused.Fix, "write ")
		if !found {
			t.Fatalf("%s: %s", request, refused.Fix)
		}
		asWritten := strings.TrimSuffix(request, "}") + `, "order_by": [` + offer + `]}`
		if _, err := compiled(t, m, d, asWritten); err != nil {
			t.Errorf("%s: %v", asWritten, err)
		}
	}
}
