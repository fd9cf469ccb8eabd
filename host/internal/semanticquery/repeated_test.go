package semanticquery_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/loam-data/loam/host/internal/semanticquery"
)

// A join that is said to lead to one row, while the scan saw the key repeat, is told
// where it counts rows several times: in answers that join by it, and when the files
// are looked at.
func TestJoinsThatRepeat(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.write(t, "states.yaml", `
name: states
sql: SELECT 'paid' AS state, 1 AS weight UNION ALL SELECT 'pending', 2
dimensions: [{name: state, type: string}]
measures: [{name: weight, agg: sum, expr: weight}]
joins:
  - {to: orders, join_on: states.state = orders.status, relationship: many_to_one}
`)
	want := "orders.status has 3 different values in 5 rows"
	told := func(request string) bool {
		t.Helper()
		c, _, err := h.Run(t.Context(), body(request), &answer{})
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(c.Notes, func(n string) bool {
			return strings.Contains(n, want) && strings.Contains(n, "states is joined to orders")
		})
	}
	if !told(`{"measures": ["states.weight"], "dimensions": ["orders.email"]}`) {
		t.Error("an answer that counts rows several times does not say so")
	}
	if told(`{"measures": ["states.weight"], "dimensions": ["states.state"]}`) {
		t.Error("an answer without the join tells of it")
	}
	r := h.validate(t, semanticquery.ValidateRequest{Sources: []string{"states"}})
	all := r.Connections[0].Problems
	if len(all) != 1 || all[0].Severity != semanticquery.SeverityWarning || all[0].File != "semantic-layer/shop/states.yaml" || all[0].Line != 7 || !strings.Contains(all[0].Message, want) {
		t.Errorf("%+v", all)
	}
	if r.Errors != 0 {
		t.Errorf("%d errors", r.Errors)
	}
}
