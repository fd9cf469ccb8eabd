package memory

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

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
	all, err := s.Facts(t.Context(), FactsRequest{})
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
	part, err := s.Facts(narrow, FactsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range part {
		if f.Path == "wiki/global/hr.md" || f.Path == "wiki/global/terms.md" && len(f.Conflicts) > 1 {
			t.Errorf("a caller without hr sees %+v", f)
		}
	}
}

// TestFactsOfWords: with words, only the pages that may have them are read, and those that may contradict what they say.
func TestFactsOfWords(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	const others = 40
	for i := range others {
		f.write(t, fmt.Sprintf("wiki/global/page%d.md", i), fmt.Sprintf("Term%d means the thing of number %d.\n", i, i))
	}
	for name, text := range map[string]string{
		"company": "# Companies\n\nA **dormant** company means one without an order in 90 days.\n",
		"dormant": "Dormant companies means those without an order in 30 days.\n",
		"haus":    "Unter einem Großkunden verstehen wir einen Kunden mit 100 Bestellungen.\n",
		"häuser":  "Unter Großkunden verstehen wir einen Kunden mit 200 Bestellungen.\n",
	} {
		f.write(t, "wiki/global/"+name+".md", text)
	}
	read := map[string]int{}
	s := f.open(t, nil, func(step string) {
		if page, ok := strings.CutPrefix(step, "facts of "); ok {
			read[page]++
		}
	})
	all, err := s.Facts(t.Context(), FactsRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if len(read) != others+4 {
		t.Errorf("without words %d pages are read", len(read))
	}
	for _, words := range [][]string{{"90 days"}, {"DORMANT", "90"}, {"Großkunden", "100"}, {"kunden", "bestellungen"}, {"nothing"}} {
		clear(read)
		some, err := s.Facts(t.Context(), FactsRequest{Words: words})
		if err != nil {
			t.Fatal(err)
		}
		want := slices.DeleteFunc(slices.Clone(all), func(f Fact) bool { return !(&FactsRequest{words}).chooses(&f) })
		if diff := cmp.Diff(want, some, cmpopts.IgnoreUnexported(Fact{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", words, diff)
		}
		if len(read) > 4 {
			t.Errorf("%q: %d pages are read", words, len(read))
		}
	}
}

// TestFactsOfLostColumns: a learned measure is stale after a scan that does not find its column.
func TestFactsOfLostColumns(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.open(t, measure, nil)
	remember(t, s, `paid = {agg: sum, expr: amount, filter: "status = 'paid'"}`, agent)
	remember(t, s, `buyers = {agg: count_distinct, expr: customer_id}`, agent)
	stale := func() map[string][]string {
		all, err := s.Facts(t.Context(), FactsRequest{})
		if err != nil {
			t.Fatal(err)
		}
		found := map[string][]string{}
		for _, f := range all {
			found[f.Subject] = f.Stale
		}
		return found
	}
	if diff := cmp.Diff(map[string][]string{"orders.paid": {}, "orders.buyers": {}}, stale()); diff != "" {
		t.Errorf("before (-want +got):\n%s", diff)
	}
	f.exec(t, "ALTER TABLE orders DROP COLUMN amount; ALTER TABLE orders DROP COLUMN status")
	f.scan(t, now)
	want := map[string][]string{"orders.buyers": {}, "orders.paid": {"orders.amount is not in the newest snapshot", "orders.status is not in the newest snapshot"}}
	if diff := cmp.Diff(want, stale()); diff != "" {
		t.Errorf("after (-want +got):\n%s", diff)
	}
}
