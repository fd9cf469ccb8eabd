package listing

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/semantic/model"
)

func TestTrust(t *testing.T) {
	t.Parallel()
	l := Of(files(
		"orders.yaml", "name: orders\nsql: select 1\nmeasures: [{name: revenue, expr: sum(a)}]\n",
		"_memory/orders.yaml", "name: orders\nmeasures: [{name: aov, expr: avg(a), learned: {by: codex}, verified: {level: runs}}, {name: net, expr: sum(b), learned: {reviewed: true}}, {name: revenue, synonyms: [Umsatz]}]\nsegments: [{name: paid, expr: a > 0}]\n",
		"imported/dbt/items.yaml", "name: items\nsql: select 1\nmeasures: [{name: n, agg: count}]\n",
		"_memory/scanned.yaml", "name: scanned\nsynonyms: [x]\n",
		"_memory/added.yaml", "name: added\nmeasures: [{name: n, agg: count, learned: {by: codex}}]\ncolumn_overrides: [{name: c, description: Told}]\n",
	), nil)
	got := map[string]model.Trust{}
	for e := range l.Entries() {
		s := e.Source()
		got[e.ID] = s.Trust
		for _, m := range slices.Concat(s.Measures, s.Dimensions, s.Segments) {
			got[e.ID+"."+m.Name] = m.Trust
		}
		for _, m := range slices.Concat(s.Measures, s.Dimensions) {
			if standing := e.Standing(m.Name); standing.Trust.Shown() != m.Trust.Shown() || standing.Verified != m.Verified {
				t.Errorf("standing of %s.%s: %+v", e.ID, m.Name, standing)
			}
		}
	}
	want := map[string]model.Trust{
		"orders": model.Person, "orders.revenue": model.Person, "orders.aov": model.Agent, "orders.net": model.Reviewed, "orders.paid": model.Agent,
		"items": model.Imported, "items.n": model.Imported, "scanned": model.Agent, "added": "", "added.n": model.Agent, "added.c": model.Agent,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("trust (-want +got):\n%s", diff)
	}
	measures := l.Entry("orders").Source().Measures
	if diff := cmp.Diff([]string{"Umsatz"}, measures[0].Synonyms); diff != "" {
		t.Errorf("synonyms that memory adds (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(&model.Learned{By: "codex"}, measures[1].Learned); diff != "" {
		t.Errorf("learned (-want +got):\n%s", diff)
	}
}

// The memory describes what a person defined and did not describe: the author of the text is not that of the source.
func TestDescribed(t *testing.T) {
	t.Parallel()
	l := Of(files(
		"orders.yaml", "name: orders\nsql: select 1\ndimensions: [{name: a}, {name: b, description: Said}]\njoins: [{to: items, on: a = items.a, relationship: many_to_one, description: Said}]\n",
		"items.yaml", "name: items\nsql: select 1\ndescription: Said\n",
		"_memory/orders.yaml", "name: orders\ndescription: Told\ncolumn_overrides: [{name: a, description: Told}, {name: b, description: Told}]\njoins: [{to: Items, on: a = items.a, relationship: many_to_one, description: Told}, {to: items, role: other, on: a = items.a, relationship: many_to_one, description: Told}]\n",
		"_memory/items.yaml", "name: items\ndescription: Told\n",
	), nil)
	got := map[string]model.Trust{}
	for e := range l.Entries() {
		s := e.Source()
		got[e.ID+": "+s.Description] = s.Described
		for _, m := range s.Dimensions {
			got[e.ID+"."+m.Name+": "+m.Description] = m.Described
		}
		for _, j := range s.Joins {
			got[e.ID+" to "+j.To+" "+j.Role+": "+j.Description] = j.Described
		}
	}
	want := map[string]model.Trust{
		"orders: Told": model.Agent, "items: Said": model.Person, "orders.a: Told": model.Agent, "orders.b: Said": model.Person,
		"orders to items : Said": model.Person, "orders to items other: Told": model.Agent,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("authors of descriptions (-want +got):\n%s", diff)
	}
}
