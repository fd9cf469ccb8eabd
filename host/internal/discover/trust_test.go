package discover

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loam-data/loam/host/internal/caller"
	"github.com/loam-data/loam/host/internal/change"
	"github.com/loam-data/loam/host/internal/search"
)

const (
	toldPage  = "---\ntitle: Told\norigin: agent\nsource: codex\nreviewed: false\n"
	toldLayer = `name: orders
measures:
  - {name: aov, agg: avg, expr: id, learned: {by: codex, at: '2026-12-01T00:00:00Z', reviewed: false}, verified: {level: runs, at: '2026-12-30T00:00:00Z'}}
  - {name: tried_long_ago, agg: max, expr: id, learned: {by: codex, reviewed: true}, verified: {level: runs, at: '2026-11-01T00:00:00Z'}}
  - {name: shipped, agg: sum, expr: shipping_cents, learned: {by: codex}, verified: {level: runs, at: '2026-12-30T00:00:00Z'}}
  - {name: filtered, agg: count, filter: "shipping_cents > 0", learned: {by: codex}, verified: {level: runs, at: '2026-12-30T00:00:00Z'}}
  - {name: shipped_each, expr: shipped / aov, learned: {by: codex}}
`
)

func TestTrust(t *testing.T) {
	t.Parallel()
	f := layered(t)
	f.write(t, "semantic-layer/shop/_memory/orders.yaml", toldLayer)
	f.write(t, "semantic-layer/shop/imported/dbt/visits.yaml", "name: visits\nsql: select 1\nmeasures: [{name: sessions, agg: count}]\n")
	for name, content := range map[string]string{
		"fresh":    toldPage + "refs: [public.orders.id]\nsl_refs: [orders.turnover]\nconnections: [shop]\n---\nChurn excludes trials.\n",
		"approved": "---\norigin: agent\nreviewed: true\n---\nChurn excludes trials.\n",
		"mine":     "---\nrefs: [whatever I like]\n---\nChurn excludes trials.\n",
		"gone":     toldPage + "refs: [public.orders.nothing]\nconnections: [shop]\n---\nChurn excludes trials.\n",
		"over":     toldPage + "---\nUntil 2025 VAT is 19 %.\n",
		"followed": toldPage + "---\nUntil 2025 VAT is 19 %. Since 2026 VAT is 20 %.\n",
		"lasting":  toldPage + "---\nUntil 2030 VAT is 19 %.\n",
	} {
		f.write(t, "wiki/global/"+name+".md", content)
	}
	state, err := f.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer state.Release()
	page := func(key string) search.Used { return search.Used{Kind: search.Wiki, ID: key, Name: key} }
	member := func(kind search.Kind, id, name string) search.Used {
		return search.Used{Kind: kind, Connection: "shop", ID: id, Name: name}
	}
	stale := []string{flagStale}
	for range 2 { // what was found out is remembered
		trust, err := f.trust(t.Context(), state)
		if err != nil {
			t.Fatal(err)
		}
		for _, tt := range []struct {
			used  search.Used
			want  Standing
			worth search.Worth
		}{
			{page("fresh"), Standing{Trust: "agent"}, search.Worth{Share: .9, Behind: true}},
			{page("approved"), Standing{Trust: "reviewed"}, search.Worth{Share: 1}},
			{page("mine"), Standing{}, search.Worth{Share: 1}},
			{page("churn"), Standing{}, search.Worth{Share: 1}},
			{page("gone"), Standing{"agent", stale}, search.Worth{Share: .9 * .85, Behind: true}},
			{page("over"), Standing{"agent", stale}, search.Worth{Share: .9 * .85, Behind: true}},
			{page("followed"), Standing{Trust: "agent"}, search.Worth{Share: .9, Behind: true}},
			{page("lasting"), Standing{Trust: "agent"}, search.Worth{Share: .9, Behind: true}},
			{page("unknown"), Standing{}, search.Worth{Share: 1}},
			{member(search.Source, "orders", "orders"), Standing{}, search.Worth{Share: 1}},
			{member(search.Measure, "orders.turnover", "turnover"), Standing{}, search.Worth{Share: 1}},
			{member(search.Measure, "orders.aov", "aov"), Standing{Trust: "agent"}, search.Worth{Share: .9, Behind: true}},
			{member(search.Measure, "orders.tried_long_ago", "tried_long_ago"), Standing{"reviewed", stale}, search.Worth{Share: .85}},
			{member(search.Measure, "orders.shipped", "shipped"), Standing{"agent", stale}, search.Worth{Share: .9 * .85, Behind: true}},
			{member(search.Measure, "orders.filtered", "filtered"), Standing{"agent", stale}, search.Worth{Share: .9 * .85, Behind: true}},
			{member(search.Measure, "orders.shipped_each", "shipped_each"), Standing{"agent", stale}, search.Worth{Share: .9 * .85, Behind: true}},
			{member(search.Measure, "visits.sessions", "sessions"), Standing{Trust: "imported"}, search.Worth{Share: 1, Behind: true}},
			{member(search.Measure, "income_per_visit", "income_per_visit"), Standing{}, search.Worth{Share: 1}},
		} {
			if diff := cmp.Diff(tt.want, trust.of(tt.used)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.used.ID, diff)
			}
			if diff := cmp.Diff(tt.worth, trust.worth(tt.used)); diff != "" {
				t.Errorf("what %s is worth (-want +got):\n%s", tt.used.ID, diff)
			}
		}
	}
	for key, want := range map[string]Standing{"gone": {"agent", stale}, "over": {"agent", stale}, "mine": {Trust: "person"}, "approved": {Trust: "reviewed"}} {
		p, err := f.ReadWiki(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, p.Standing); diff != "" {
			t.Errorf("page %s as it is read (-want +got):\n%s", key, diff)
		}
	}
}

// What a person approved from a file, and the file says no more, is stale in the answers of every tool.
func TestApprovedIsStaleWhenItsFileSaysItNoMore(t *testing.T) {
	t.Parallel()
	f := layered(t)
	f.write(t, "semantic-layer/shop/_memory/orders.yaml", toldLayer)
	f.write(t, "wiki/global/approved.md", "---\norigin: agent\nreviewed: true\nconnections: [shop]\n---\nWhere zebras graze.\n")
	from := change.Actor{Channel: change.Files, Client: "handbook/terms.md"}
	var pending []change.Change
	for _, c := range []change.Proposal{
		{Kind: change.Page, Connection: "shop", Target: "approved", Path: "wiki/global/approved.md", Says: "Where zebras graze."},
		{Kind: change.Measure, Connection: "shop", Target: "orders.aov", Path: "semantic-layer/shop/_memory/orders.yaml", Says: "aov: agg: avg, expr: amount"},
	} {
		applied := change.Change{ID: "3fa2c81b07", Proposal: c, By: from}
		pending = append(pending, change.Change{ID: "91bb0e77d2", Proposal: applied.Undoing(change.WhyStale, "handbook/terms.md says it no more"), State: change.Pending, By: from})
	}
	stale := func() (page, measure []string) {
		t.Helper()
		w := f.pages(t, "zebras", 0)
		a := f.find(t, SearchRequest{Query: "aov", Kinds: []string{"sl_measure"}})
		if len(w.Results) != 1 || len(a.Refs) == 0 || a.Refs[0].ID != "orders.aov" {
			t.Fatalf("%+v %+v", w.Results, a.Refs)
		}
		p, err := f.ReadWiki(t.Context(), "approved")
		if err != nil || !slices.Equal(p.Flags, w.Results[0].Flags) {
			t.Errorf("read with %q, found with %q, %v", p.Flags, w.Results[0].Flags, err)
		}
		return w.Results[0].Flags, a.Refs[0].Flags
	}
	if page, measure := stale(); len(page)+len(measure) > 0 {
		t.Errorf("the file says it: %q %q", page, measure)
	}
	f.Disputes = func(context.Context) (*change.Disputes, error) { return change.DisputesOf(pending), nil }
	if page, measure := stale(); !slices.Equal(page, []string{flagStale}) || !slices.Equal(measure, []string{flagStale}) {
		t.Errorf("the file says it no more: %q %q", page, measure)
	}
}

// A caller with few connections learns nothing of the others, nor is a page stale for what it cannot see.
func TestTrustOfFewConnections(t *testing.T) {
	t.Parallel()
	f := layered(t)
	f.write(t, "wiki/global/told.md", toldPage+"refs: [public.nothing]\nconnections: [shop]\n---\nChurn excludes trials.\n")
	for _, tt := range []struct {
		name string
		ctx  context.Context
		want Standing
	}{
		{"all", t.Context(), Standing{"agent", []string{flagStale}}},
		{"one", caller.With(t.Context(), &caller.Caller{Grant: caller.Grant{Connections: []string{"shop"}}}), Standing{Trust: "agent"}},
	} {
		p, err := f.ReadWiki(tt.ctx, "told")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, p.Standing); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestStandingIsShown(t *testing.T) {
	t.Parallel()
	f := layered(t)
	f.write(t, "semantic-layer/shop/_memory/orders.yaml", toldLayer)
	f.write(t, "wiki/global/told.md", toldPage+"updated: 2026-01-01\n---\nWhere zebras graze.\n")
	a := f.find(t, SearchRequest{Query: "aov", Kinds: []string{"sl_measure"}})
	if len(a.Refs) == 0 || a.Refs[0].ID != "orders.aov" || a.Refs[0].Trust != "agent" {
		t.Errorf("%+v", a.Refs)
	}
	if w := f.pages(t, "zebras", 0); len(w.Results) != 1 || w.Results[0].Trust != "agent" {
		t.Errorf("%+v", w.Results)
	}
}

func TestFirstEnd(t *testing.T) {
	t.Parallel()
	day := func(y int) time.Time { return time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC) }
	for name, tt := range map[string]struct {
		body string
		want time.Time
	}{
		"nothing":         {"", time.Time{}},
		"no end":          {"VAT means value added tax.", time.Time{}},
		"one end":         {"Until 2025 VAT is 19 %.", day(2026)},
		"the later one":   {"Until 2024 VAT is 16 %. Until 2025 VAT is 19 %.", day(2026)},
		"another subject": {"Until 2025 VAT is 19 %. Churn means lost customers.", day(2026)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := firstEnd(read(tt.body)); !got.Equal(tt.want) {
				t.Errorf("%v, want %v: %+v", got, tt.want, read(tt.body))
			}
		})
	}
}
