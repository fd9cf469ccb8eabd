package discover

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/loam-data/loam/sdk"
)

// An answer that is shorter than asked goes on with what has other words, or some of them,
// which is marked and comes last; one that is as long as asked does not.
func TestPartialReferences(t *testing.T) {
	t.Parallel()
	h := newFixture(t)
	h.scan(t, "shop", snapshot{id: "s1", tables: []*sdk.Table{
		table("public.freight", "", "id bigint"), table("public.shipments", "", "id bigint", "delivery_cost numeric"), table("public.customers", "", "id bigint"),
	}})
	for _, limit := range []int{1, 0} {
		a := h.find(t, SearchRequest{Query: "freight", Limit: limit})
		partial := 0
		for i, r := range a.Refs {
			if r.Partial {
				partial++
			} else if partial > 0 {
				t.Errorf("%s is whole and comes behind %s", r.ID, a.Refs[i-1].ID)
			}
			if r.Partial == strings.HasPrefix(r.ID, "public.freight") || strings.HasPrefix(r.ID, "public.customers") {
				t.Errorf("%s: partial is %v", r.ID, r.Partial)
			}
			text, err := json.Marshal(r)
			if err != nil || strings.Contains(string(text), `"partial":true`) != r.Partial || strings.Contains(string(text), `"partial":false`) {
				t.Errorf("%s, %v", text, err)
			}
		}
		if (partial == 0) != (limit == 1) {
			t.Errorf("limit %d: %d of %d are partial", limit, partial, len(a.Refs))
		}
	}
}
