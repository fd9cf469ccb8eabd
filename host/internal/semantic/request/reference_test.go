package request_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/request"
)

// TestReferences: every place of a request that names a member is listed, and names that
// the request defines itself are not.
func TestReferences(t *testing.T) {
	t.Parallel()
	r, _, err := request.Normalise(json.RawMessage(`{
		"measures": ["a.m1", {"expr": "sum(a.x1) / per(a.m2, b.k1)", "name": "own"}, {"expr": "own * 2", "name": "twice"},
			{"measure": "a.m3", "filters": ["a.f1 = 1"]}],
		"dimensions": ["a.d1", {"field": "region"}, {"field": "a.d2", "granularity": "month"}, {"measure": "a.m4", "per": ["b.k2", "b.t1.day"]},
			{"expr": "a.d3 + 1", "name": "more"}, {"field": "metric_time", "granularity": "day"}],
		"conform": {"region": ["a.c1", "b.c1"]},
		"date_ranges": [{"field": "a.t2", "from": "2026-01-01"}],
		"filters": ["any(b.f2 = 1)", "own > 5", {"or": [{"field": "a.f3", "op": "equals", "values": [1]},
			{"not": {"field": "a.f4", "op": "is_null"}}]}, {"any": {"field": "b.f5", "op": "is_null"}}],
		"segments": ["a.s1"],
		"order_by": [{"field": "own"}]
	}`))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range r.References() {
		got = append(got, n.String())
	}
	slices.Sort(got)
	want := []string{
		"a.c1", "a.d1", "a.d2", "a.d3", "a.f1", "a.f3", "a.f4", "a.m1", "a.m2", "a.m3", "a.m4", "a.s1", "a.t2", "a.x1",
		"b.c1", "b.f2", "b.f5", "b.k1", "b.k2", "b.t1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("references (-want +got):\n%s", diff)
	}
}
