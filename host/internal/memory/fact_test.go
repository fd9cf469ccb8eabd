package memory

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/caller"
)

func TestFacts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.write(t, "wiki/global/churn.md", "---\ntitle: Churn\nconnections: [shop]\nrefs: [orders, orders.plan]\n---\n# Churn\n\nChurn means customers who left in the last 30 days.\n\nA trial means an order whose plan is free.\n")
	f.write(t, "wiki/global/terms.md", "---\ntitle: Terms\n---\nChurn means customers who left in the last 90 days.\n\nUntil 2025 VAT was 19 %. Since 2026 it is 20 %.\n")
	f.write(t, "wiki/global/hr.md", "---\ntitle: HR\nconnections: [hr]\n---\nChurn means employees who left in the last 60 days.\n")
	s := f.open(t, measure, nil)
	remember(t, s, `biggest = {agg: max, expr: amount}`, agent)
	s.Now = func() time.Time { return now.AddDate(0, 0, 40) }
	all, err := s.Facts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	type said struct {
		Subject, Place, Trust string
		Conflicts, Stale      []string
	}
	got := map[string]said{}
	for i := range all {
		got[all[i].Place()] = said{all[i].Subject, all[i].Place(), all[i].Trust, all[i].Conflicts, all[i].Stale}
	}
	if len(all) != 7 {
		t.Errorf("%d facts: %+v", len(all), all)
	}
	for _, want := range []said{
		{"Churn", "wiki/global/churn.md:8", "person", []string{"wiki/global/terms.md:4"}, []string{}},
		{"trial", "wiki/global/churn.md:10", "person", []string{}, []string{"orders.plan is not in the newest snapshot"}},
		{"Churn", "wiki/global/terms.md:4", "person", []string{"wiki/global/churn.md:8", "wiki/global/hr.md:5"}, []string{}},
		{"orders.biggest", "shop", "agent", []string{}, []string{"it was tried last at 2026-03-15T12:00:00Z"}},
	} {
		if diff := cmp.Diff(want, got[want.Place]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.Place, diff)
		}
	}
	narrow := caller.With(t.Context(), &caller.Caller{Principal: "bi", Named: true, Grant: caller.Grant{Connections: []string{"shop"}}})
	part, err := s.Facts(narrow)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range part {
		if f.Path == "wiki/global/hr.md" || f.Path == "wiki/global/terms.md" && len(f.Conflicts) > 1 {
			t.Errorf("a caller without hr sees %+v", f)
		}
	}
}
